"""Classification by regression, multi-class schemes, and the rules that learn step by step."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_digits, load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.linear_model import Ridge as SklearnRidge
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier
from sklearn.naive_bayes import GaussianNB

from shallows.data import least_squares_counterexample, make_linear
from shallows.descent import check_gradient
from shallows.linear import (
    AllVsAll,
    DeltaRule,
    LeastSquaresClassifier,
    LinearRegression,
    OneVsAll,
    PCALinearClassifier,
    SigmoidUnit,
    masked_classes,
)
from shallows.linear._delta_rule import delta_pass
from shallows.linear._sigmoid_unit import sigmoid_pass

IRIS = load_iris(return_X_y=True)
RNG = np.random.default_rng(0)


def row(n=100):
    """Three classes in a row."""
    y = np.repeat([0, 1, 2], n)
    return y[:, None] * [3.0, 3.0] + np.random.default_rng(0).normal(size=(3 * n, 2)), y


def test_both_codings_cut_along_the_same_plane():
    X, y = IRIS[0][:100, :2], IRIS[1][:100]
    plain, signed = LeastSquaresClassifier().fit(X, y), LeastSquaresClassifier("pm1").fit(X, y)
    np.testing.assert_allclose(signed.coef_, 2 * plain.coef_, rtol=1e-9)
    np.testing.assert_allclose(signed.intercept_, 2 * plain.intercept_ - 1, rtol=1e-9)
    np.testing.assert_allclose(
        signed.decision_function(X), 2 * plain.decision_function(X), atol=1e-12
    )
    assert (plain.threshold_, signed.threshold_) == (0.5, 0.0)
    oracle = LinearRegression().fit(X, y).predict(X) > 0.5
    np.testing.assert_array_equal(plain.predict(X), oracle.astype(int))


def test_far_point_breaks_it():
    X, y = least_squares_counterexample()
    model = LeastSquaresClassifier().fit(X, y)
    assert model.intercept_[0] == pytest.approx(0.215139, abs=1e-6)
    assert model.coef_[0, 0] == pytest.approx(0.087649, abs=1e-6)
    np.testing.assert_array_equal(model.predict(X), [0, 0, 0, 1])


def test_functions_of_all_classes_sum_to_one():
    X, y = IRIS
    model = LeastSquaresClassifier().fit(X, y)
    np.testing.assert_allclose(model.decision_function(X).sum(axis=1), 1, atol=1e-12)
    penalised = LeastSquaresClassifier(alpha=5.0).fit(X, y)
    truth = SklearnRidge(5.0).fit(X, np.eye(3)[y])
    np.testing.assert_allclose(penalised.coef_, truth.coef_, rtol=1e-8)


@pytest.mark.parametrize("estimator", [None, SklearnRidge(1e-10), LogisticRegression()])
def test_one_against_all(estimator):
    X, y = IRIS
    model = OneVsAll(estimator).fit(X, y)
    if isinstance(estimator, LogisticRegression):
        expected = OneVsRestClassifier(estimator).fit(X, y).predict(X)
    else:
        expected = LeastSquaresClassifier().fit(X, y).predict(X)
    np.testing.assert_array_equal(model.predict(X), expected)


@pytest.mark.parametrize("rule", ["sum", "vote"])
def test_pairs_are_trained_on_their_own_samples(rule):
    X, y = IRIS
    model = AllVsAll(SklearnRidge(), rule=rule).fit(X, y)
    assert model.pairs_ == [(0, 1), (0, 2), (1, 2)]
    scores = np.zeros((150, 3))
    for i, j in model.pairs_:
        part = (y == i) | (y == j)
        h = SklearnRidge().fit(X[part], (y[part] == j) * 1.0).predict(X) - 0.5
        step = h if rule == "sum" else np.where(h > 0, 1, -1)
        scores[:, j] += step
        scores[:, i] -= step
    tied = (np.sort(scores, axis=1)[:, -1] == np.sort(scores, axis=1)[:, -2]) & (rule == "vote")
    np.testing.assert_array_equal(model.predict(X)[~tied], scores.argmax(axis=1)[~tied])


def test_the_middle_class_is_masked_and_pairs_recover_it():
    X, y = row()
    assert (OneVsAll().fit(X, y).predict(X) == 1).mean() < 0.1
    assert list(masked_classes(AllVsAll().fit(X, y), X)) == []
    centres = np.array([[-1.0], [0.0], [1.0]]).repeat(3, axis=0)
    assert list(masked_classes(OneVsAll().fit(centres, [0] * 3 + [1] * 3 + [2] * 3), centres)) in (
        [1],
    )


def test_training_error_of_components_in_closed_form():
    X, y = load_digits(return_X_y=True)
    onehot = np.eye(10)[y]
    errors = []
    for m in (1, 5, 20, 40):
        model = PCALinearClassifier(m).fit(X, y)
        moved = (X - X.mean(axis=0)) @ model.components_.T
        products = moved.T @ moved
        assert np.abs(products - np.diag(np.diag(products))).max() < 1e-6
        weights = np.linalg.lstsq(moved, onehot, rcond=None)[0].T
        np.testing.assert_allclose(model.coef_, weights, atol=1e-8)
        mse = ((onehot - model.decision_function(X)) ** 2).sum() / len(X)
        averages = onehot.T @ moved / len(X)
        closed = 1 - ((averages**2).sum(axis=0) / model.explained_variance_).sum()
        assert mse == pytest.approx(closed)
        errors.append(mse)
    assert (np.diff(errors) < 0).all()
    np.testing.assert_allclose(
        PCALinearClassifier(5).fit(X, y).coef_, model.coef_[:, :5], atol=1e-8
    )
    with pytest.raises(ValueError, match="n_components=65 must be at most"):
        PCALinearClassifier(65).fit(X, y)


def test_bias_of_balanced_classes_changes_no_decision():
    X, y = IRIS
    plain, biased = PCALinearClassifier().fit(X, y), PCALinearClassifier(bias=True).fit(X, y)
    np.testing.assert_array_equal(plain.predict(X), biased.predict(X))
    onehot = np.eye(3)[y]
    errors = [((onehot - m.decision_function(X)) ** 2).sum() / 150 for m in (plain, biased)]
    assert errors[0] - errors[1] == pytest.approx(3 * (1 / 3) ** 2)
    wide = PCALinearClassifier().fit(X[::30], y[::30])
    assert wide.n_components_ <= 4


@pytest.mark.parametrize("mode", ["incremental", "minibatch"])
def test_without_a_rate_the_delta_rule_ends_at_least_squares(mode):
    X, y = make_linear(300, [1.0, -2.0, 0.5], noise=1.0, random_state=0)
    best = np.mean((LinearRegression().fit(X, y).predict(X) - y) ** 2)
    found = DeltaRule(mode).fit(X, y)
    assert np.mean((found.predict(X) - y) ** 2) < 1.0001 * best
    restless = DeltaRule(mode, learning_rate=0.05, max_iter=found.n_iter_, tol=None).fit(X, y)
    assert np.mean((restless.predict(X) - y) ** 2) > 1.0001 * best


@pytest.mark.kernel
@pytest.mark.parametrize("size", [1, 3, 10])
def test_delta_pass_against_the_definition(size):
    X, y = make_linear(10, [1.0, -1.0], random_state=0)
    place, expected, step = np.zeros(3), np.zeros(3), np.zeros(3)
    order, weights = np.random.default_rng(0).permutation(10), np.linspace(1, 2, 10)
    delta_pass(X, y, weights, order, place, size, 0.05, True)
    wide = np.column_stack([X, np.ones(10)])
    for count, i in enumerate(order, 1):
        step += 0.05 * weights[i] * (y[i] - wide[i] @ expected) * wide[i]
        if count % size == 0 or count == 10:
            expected, step = expected + step, np.zeros(3)
    np.testing.assert_allclose(place, expected, rtol=1e-12)


def test_batch_descent_up_to_its_limit():
    X, y = make_linear(40, [1.0, -2.0, 0.5], noise=0.5, random_state=0)
    wide = np.column_stack([X, np.ones(40)])
    limit = 2 / np.linalg.eigvalsh(wide.T @ wide)[-1]
    truth = LinearRegression().fit(X, y)
    model = DeltaRule("batch", learning_rate=0.99 * limit, max_iter=3000, tol=None).fit(X, y)
    np.testing.assert_allclose(model.coef_, truth.coef_, atol=1e-10)
    same = DeltaRule("batch", learning_rate=0.99 * limit * 40, divide_by="n", max_iter=50, tol=None)
    other = DeltaRule("batch", learning_rate=0.99 * limit, max_iter=50, tol=None)
    np.testing.assert_allclose(same.fit(X, y).coef_, other.fit(X, y).coef_, rtol=1e-9)
    with pytest.raises(FloatingPointError, match="Lower the learning rate"):
        DeltaRule("batch", learning_rate=1.5 * limit, max_iter=5000, tol=None).fit(X, y)


def test_batch_weights_equal_repetition():
    X, y = make_linear(20, [1.0, -2.0], random_state=0)
    counts = np.random.default_rng(0).integers(0, 3, 20)
    weighted = DeltaRule("batch", max_iter=20, tol=None).fit(X, y, sample_weight=counts)
    repeated = DeltaRule("batch", max_iter=20, tol=None)
    repeated.fit(np.repeat(X, counts, axis=0), np.repeat(y, counts))
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, rtol=1e-9)


@pytest.mark.parametrize("mode", ["incremental", "minibatch"])
def test_online_rules_come_near_least_squares(mode):
    X, y = make_linear(200, [1.0, -2.0], noise=0.1, random_state=0)
    model = DeltaRule(mode, learning_rate=0.005, max_iter=100, batch_size=8).fit(X, y)
    np.testing.assert_allclose(model.coef_, LinearRegression().fit(X, y).coef_, atol=0.02)


@pytest.mark.kernel
def test_sigmoid_pass_follows_the_gradient():
    X, target = RNG.normal(size=(1, 3)), np.array([1.0])
    start = RNG.normal(size=4)

    def error(place):
        output = expit(1.7 * (X[0] @ place[:3] + place[3]))
        slope = -2 * (1 - output) * 1.7 * output * (1 - output)
        return float((1 - output) ** 2), slope * np.append(X[0], 1.0)

    assert check_gradient(error, start)
    place = start.copy()
    sigmoid_pass(X, target, np.ones(1), np.array([0]), place, 0.1, 1.7, True)
    np.testing.assert_allclose(place, start - 0.05 * error(start)[1], rtol=1e-10)


def test_sigmoid_unit_separates_and_saturates():
    X, y = IRIS
    model = SigmoidUnit().fit(X, y)
    assert model.score(X, y) > 0.65
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)
    two = SigmoidUnit().fit(X[:100], y[:100])
    assert two.score(X[:100], y[:100]) == 1.0
    np.testing.assert_allclose(
        two.predict_proba(X)[:, 1], expit(two.decision_function(X)), rtol=1e-9
    )
    shares = expit(model.gain * model.decision_function(X))
    expected = shares / shares.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(model.predict_proba(X), expected, rtol=1e-9)
    for fitted in (model, two):  # logarithms far away, where probabilities are zero
        logs = fitted.predict_log_proba(1e6 * X)
        assert np.isfinite(logs).all() and (np.exp(logs) == 0).any()
    place = np.array([1e3, 0.0, 0.0, 0.0])
    sigmoid_pass(np.ones((1, 3)), np.zeros(1), np.ones(1), np.array([0]), place, 1.0, 1.0, True)
    assert place[0] == 1e3


def visit(X, target, weights, place, rate, gain):
    """One pass of a sigmoid unit, example by example; the constant input comes last."""
    for x, d, weight in zip(np.column_stack([X, np.ones(len(X))]), target, weights, strict=True):
        f = 1 / (1 + np.exp(-gain * place @ x))
        place = place + rate * weight * (d - f) * gain * f * (1 - f) * x
    return place


def test_sigmoid_unit_learns_part_by_part():
    X, y = IRIS
    weights = np.random.default_rng(0).uniform(0.5, 2, len(y))
    model = SigmoidUnit(learning_rate=0.01, gain=1.5)
    for rows in (slice(0, 40), slice(40, 41), slice(41, 150)):
        model.partial_fit(X[rows], y[rows], classes=[0, 1, 2], sample_weight=weights[rows])
    for label in range(3):
        expected = visit(X, y == label, weights, np.zeros(5), 0.01, 1.5)
        found = np.append(model.coef_[label], model.intercept_[label])
        np.testing.assert_allclose(found, expected, rtol=1e-9)
    assert model.n_iter_ == len(model.history_["loss"]) == 3
    before = model.coef_.copy()
    assert model.fit(X, y).partial_fit(X, y).n_iter_ == len(model.history_["loss"]) > 3
    assert not np.array_equal(before, model.coef_)


def test_sigmoid_unit_takes_the_rate_of_the_first_part():
    X, y = IRIS
    model = SigmoidUnit().partial_fit(X[:100], y[:100])
    rate = 4 / ((X[:100] ** 2).sum(axis=1).max() + 1)
    named = SigmoidUnit(learning_rate=rate).partial_fit(X[:100], y[:100])
    for part in (model, named):
        part.partial_fit(2 * X[:100], y[:100])
    np.testing.assert_allclose(model.coef_, named.coef_, rtol=1e-12)


def test_sigmoid_unit_refuses_parts_that_do_not_fit():
    X, y = IRIS
    with pytest.raises(ValueError, match="at least 2 classes"):
        SigmoidUnit().partial_fit(X[:50], y[:50])
    model = SigmoidUnit().partial_fit(X[:50], y[:50], classes=[0, 1])
    with pytest.raises(ValueError, match="y holds 2, which is not one of the classes"):
        model.partial_fit(X, y)
    with pytest.raises(ValueError, match="3 features"):
        model.partial_fit(X[:50, :3], y[:50])


@pytest.mark.parametrize("method", ["fit", "partial_fit"])
@pytest.mark.parametrize(("dtype", "size"), [(np.float64, 1e150), (np.float32, 1e15)])
def test_sigmoid_unit_names_weights_that_overflow(method, dtype, size):
    X = np.array([[size], [-size]], dtype=dtype)
    with pytest.raises(FloatingPointError, match="SigmoidUnit: the loss became nan"):
        getattr(SigmoidUnit(learning_rate=1e300), method)(X, [0, 1])


@pytest.mark.parametrize("scheme", [OneVsAll, AllVsAll])
def test_sparse_samples_give_what_dense_ones_give(scheme):
    X, y = IRIS
    model = scheme().fit(csr_array(X), y)
    dense = scheme().fit(X, y)
    np.testing.assert_allclose(
        model.decision_function(csr_array(X)), dense.decision_function(X), atol=1e-9
    )
    with pytest.raises(TypeError, match="takes dense arrays only"):
        scheme(GaussianNB()).fit(csr_array(X), y)


def test_models_with_probabilities_alone_will_do():
    X, y = IRIS
    found = AllVsAll(GaussianNB()).fit(X, y).predict(X)
    expected = OneVsOneClassifier(GaussianNB()).fit(X, y).predict(X)
    np.testing.assert_array_equal(found, expected)
    with pytest.raises(TypeError, match="decision_function or predict_proba, got OnlyClasses"):
        OneVsAll(OnlyClasses()).fit(X, y).predict(X)


class OnlyClasses(ClassifierMixin, BaseEstimator):
    """A classifier that tells its classes and nothing more."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])
