"""Support vector classifier: libsvm and a generic solver as oracles, optimality, known cases."""

import tracemalloc

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.sparse import csr_array
from sklearn import svm
from sklearn.base import clone
from sklearn.datasets import load_iris, make_classification
from sklearn.exceptions import ConvergenceWarning

from shallows._core.numerics.threads import limit_threads
from shallows.kernel import SVC, SVR, KernelAdaTron, SimpleSMO, gaussian, support_fraction
from shallows.kernel._resolve import Kernel
from shallows.kernel._smo import Problem

X8 = np.random.default_rng(0).normal(size=(200, 8))
X, y = make_classification(300, 6, n_informative=4, flip_y=0.1, random_state=1)
IRIS, SPECIES = (part[np.arange(150) != 142] for part in load_iris(return_X_y=True))  # a twin


def dual_value(model, X, y):
    """The dual of two classes, from scikit-learn's attributes alone."""
    coef, rows = model.dual_coef_[0], X[model.support_]
    gram = np.exp(-model._gamma * ((rows[:, None] - rows) ** 2).sum(2))
    return np.abs(coef).sum() - coef @ gram @ coef / 2


@pytest.mark.parametrize("C", [0.1, 1.0, 50.0])
def test_dual_value_is_that_of_libsvm(C):
    theirs = svm.SVC(C=C).fit(X, y)
    ours = SVC(C=C).fit(X, y)
    assert -ours.history_["loss"][-1] == pytest.approx(dual_value(theirs, X, y), rel=1e-4)
    assert ours.history_["kkt"][-1] <= ours.tol
    assert ours.history_["gap"][-1] < 2e-2 * abs(ours.history_["loss"][-1])


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"kernel": "linear", "C": 0.1},
        {"kernel": "poly", "degree": 2, "coef0": 1.0},
        {"gamma": "auto", "class_weight": "balanced"},
        {"class_weight": {0: 1.0, 1: 5.0, 2: 0.5}},
        {"decision_function_shape": "ovo"},
        {"break_ties": True},
    ],
)
def test_three_classes_agree_with_libsvm(options):
    ours = SVC(tol=1e-5, **options).fit(IRIS, SPECIES)
    theirs = svm.SVC(tol=1e-5, **options).fit(IRIS, SPECIES)
    np.testing.assert_array_equal(ours.support_, theirs.support_)
    np.testing.assert_array_equal(ours.n_support_, theirs.n_support_)
    np.testing.assert_allclose(ours.dual_coef_, theirs.dual_coef_, atol=2e-3)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-3)
    np.testing.assert_allclose(
        ours.decision_function(IRIS), theirs.decision_function(IRIS), atol=1e-3
    )
    np.testing.assert_array_equal(ours.predict(IRIS), theirs.predict(IRIS))


def test_two_opposite_points_have_the_known_solution():
    model = SVC(kernel="linear", C=10).fit([[-1.0], [1.0]], [-1, 1])
    np.testing.assert_allclose(model.dual_coef_, [[-0.5, 0.5]], atol=1e-6)
    assert model.intercept_[0] == pytest.approx(0, abs=1e-6)
    assert model.coef_[0, 0] == pytest.approx(1, abs=1e-6)


def test_generic_quadratic_solver_finds_the_same_optimum():
    rows, labels = X[:40], 2.0 * y[:40] - 1
    gram = gaussian(rows) * np.outer(labels, labels)
    found = minimize(
        lambda a: a @ gram @ a / 2 - a.sum(),
        np.zeros(40),
        jac=lambda a: gram @ a - 1,
        bounds=[(0, 2.0)] * 40,
        constraints={"type": "eq", "fun": lambda a: a @ labels, "jac": lambda _: labels},
        method="SLSQP",
        options={"ftol": 1e-12, "maxiter": 500},
    )
    model = SVC(C=2.0, gamma=0.5, tol=1e-6).fit(rows, labels)
    assert model.history_["loss"][-1] == pytest.approx(found.fun, rel=1e-6)


def test_optimality_conditions_hold():
    model = SVC(C=1.0, tol=1e-5).fit(X, y)
    margins = (2 * y - 1) * model.decision_function(X)
    strength = np.zeros(len(y))
    strength[model.support_] = np.abs(model.dual_coef_[0])
    assert margins[strength == 0].min() >= 1 - 1e-4
    assert margins[strength == 1.0].max() <= 1 + 1e-4
    free = (strength > 0) & (strength < 1)
    np.testing.assert_allclose(margins[free], 1, atol=1e-4)
    assert strength @ (2 * y - 1) == pytest.approx(0, abs=1e-9)


def test_samples_off_the_margin_do_not_matter():
    model = SVC(tol=1e-6).fit(X, y)
    again = SVC(tol=1e-6, gamma=1 / (6 * X.var())).fit(X[model.support_], y[model.support_])
    np.testing.assert_allclose(again.decision_function(X), model.decision_function(X), atol=1e-4)


def test_weights_equal_repetition_within_tol():
    weights = np.random.default_rng(0).integers(0, 3, len(y))
    gamma = 0.1
    weighted = SVC(gamma=gamma, tol=1e-6).fit(X, y, weights)
    repeated = SVC(gamma=gamma, tol=1e-6).fit(np.repeat(X, weights, 0), np.repeat(y, weights))
    np.testing.assert_allclose(
        weighted.decision_function(X), repeated.decision_function(X), atol=1e-4
    )
    assert not set(weighted.support_) & set(np.flatnonzero(weights == 0))


def test_callable_and_precomputed_kernels_agree_with_the_named_one():
    weights = np.random.default_rng(0).integers(0, 3, len(y))
    named = SVC(gamma=0.5).fit(X, y, weights)
    called = SVC(kernel=gaussian).fit(X, y, weights)
    given = SVC(kernel="precomputed").fit(gaussian(X), y, weights)
    expected = named.decision_function(X)
    np.testing.assert_allclose(called.decision_function(X), expected, atol=1e-3)
    np.testing.assert_allclose(given.decision_function(gaussian(X)), expected, atol=1e-3)
    np.testing.assert_array_equal(given.support_, named.support_)


@pytest.mark.parametrize("shrinking", [True, False])
def test_small_cache_gives_the_same_optimum(shrinking):
    rows, labels = make_classification(2500, 8, n_informative=6, flip_y=0.1, random_state=0)
    whole = SVC().fit(rows, labels)
    little = SVC(cache_size=0.01, shrinking=shrinking).fit(rows, labels)
    assert little.history_["loss"][-1] == pytest.approx(whole.history_["loss"][-1], rel=1e-5)
    assert little.history_["kkt"][-1] <= little.tol
    assert little.history_["gap"][-1] == pytest.approx(whole.history_["gap"][-1], abs=1.0)


def test_small_cache_with_several_classes():
    little = SVC(cache_size=0.001).fit(IRIS, SPECIES)
    np.testing.assert_array_equal(little.support_, SVC().fit(IRIS, SPECIES).support_)


FIVE = make_classification(
    1500, 8, n_informative=6, n_classes=5, n_clusters_per_class=1, flip_y=0.1, random_state=0
)


@pytest.mark.parametrize(
    ("megabytes", "held", "computed"),
    [
        (200, "PairGram", 1500**2),
        (3.5, "PairGram", 15 * 300**2),  # a block for each class and each pair of classes
        (0.5, "CachedRows", None),
    ],
)
def test_pairs_share_kernel_values_as_the_cache_allows(monkeypatch, megabytes, held, computed):
    evaluated, seen = [], set()
    block, step = Kernel.block, Problem.step

    def counted(kernel, left, right, out=None):
        if out is not None:
            evaluated.append(left.shape[0] * right.shape[0])
        return block(kernel, left, right, out)

    def watched(problem):
        step(problem)
        seen.add(type(problem.rows).__name__)

    monkeypatch.setattr(Kernel, "block", counted)
    monkeypatch.setattr(Problem, "step", watched)
    model = SVC(cache_size=megabytes).fit(*FIVE)
    assert seen == {held}
    if computed is not None:
        assert sum(evaluated) == pytest.approx(computed, rel=0.02)  # sizes of classes vary
    theirs = svm.SVC().fit(*FIVE)
    np.testing.assert_allclose(model.decision_function(X8), theirs.decision_function(X8), atol=2e-3)
    assert len(model.history_["kkt"]) == model.n_iter_ and model.history_["kkt"][-1] <= model.tol
    assert np.all(np.diff(model.history_["loss"]) <= 1e-9)
    assert np.all(np.isfinite(model.history_["kkt"]))


@pytest.mark.parametrize("megabytes", [3.5, 0.5])
def test_bits_do_not_depend_on_the_number_of_threads(megabytes):
    model = SVC(cache_size=megabytes)
    with limit_threads(1):
        alone = clone(model).fit(*FIVE)
    with limit_threads(3):
        together = clone(model).fit(*FIVE)
    np.testing.assert_array_equal(alone.dual_coef_, together.dual_coef_)
    np.testing.assert_array_equal(alone.intercept_, together.intercept_)
    assert alone.history_ == together.history_


def test_many_classes_stay_within_the_cache():
    rng = np.random.default_rng(0)
    rows, labels = rng.normal(size=(3000, 4)), np.arange(3000) % 60
    tracemalloc.start()
    model = SVC(cache_size=4).fit(rows, labels)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 40e6  # of which 4 MB are kernel values; one block for each pair takes 70 MB
    assert model.n_iter_ > 1


def test_each_pair_has_its_own_limit_of_steps():
    rows, labels = make_classification(3300, 8, n_informative=6, n_classes=3, random_state=0)
    with pytest.warns(ConvergenceWarning, match="max_iter=2"):
        model = SVC(cache_size=4, max_iter=2).fit(rows, labels)  # one pair at a time
    assert model.n_iter_ == 6
    assert np.all(np.diff(model.history_["loss"]) < 0)


def test_dual_value_never_falls():
    rows, labels = make_classification(3000, 10, n_informative=6, flip_y=0.2, random_state=0)
    history = SVC(C=10).fit(rows, labels).history_
    assert len(history["loss"]) > 3
    assert np.all(np.diff(history["loss"]) <= 1e-9 * abs(history["loss"][-1]))


def test_wide_exponents_are_computed_in_double_precision():
    rows = np.random.default_rng(0).normal(size=(200, 3)) * 100
    labels = rows[:, 0] > 0
    ours, theirs = SVC(gamma=0.01).fit(rows, labels), svm.SVC(gamma=0.01).fit(rows, labels)
    np.testing.assert_allclose(
        ours.decision_function(rows), theirs.decision_function(rows), atol=2e-3
    )


def test_warm_start_along_C_needs_fewer_steps():
    rows, labels = make_classification(3000, 10, n_informative=6, flip_y=0.2, random_state=0)
    warm = SVC(C=10, warm_start=True).fit(rows, labels)
    warm.set_params(C=11).fit(rows, labels)
    cold = SVC(C=11).fit(rows, labels)
    assert warm.history_["loss"][-1] == pytest.approx(cold.history_["loss"][-1], rel=1e-4)
    assert warm.n_iter_ < cold.n_iter_
    warm.set_params(C=1).fit(rows[:500], labels[:500])
    expected = SVC(C=1).fit(rows[:500], labels[:500])
    assert warm.history_["loss"][-1] == pytest.approx(expected.history_["loss"][-1], rel=1e-4)


def test_probabilities_are_calibrated_like_those_of_libsvm():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(1500, 2))
    labels = rng.random(1500) < 1 / (1 + np.exp(-2 * rows[:, 0]))
    model = SVC(kernel="linear", probability=True, random_state=0).fit(rows, labels)
    chances = model.predict_proba(rows)[:, 1]
    assert np.abs(chances - 1 / (1 + np.exp(-2 * rows[:, 0]))).mean() < 0.05
    several = SVC(probability=True, random_state=0).fit(IRIS, SPECIES).predict_proba(IRIS)
    np.testing.assert_allclose(several.sum(1), 1)
    assert np.mean(several.argmax(1) == SPECIES) > 0.95
    assert not hasattr(SVC(), "predict_proba")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"C": 0}, "C must be"),
        ({"C": -1.0}, "C must be"),
        ({"kernel": "gauss"}, "kernel must be"),
        ({"gamma": 0.0}, "gamma must be"),
        ({"class_weight": {7: 1.0}}, "not one of the classes"),
    ],
)
def test_bad_parameters_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        SVC(**options).fit(X, y)


def test_bad_input_is_refused():
    with pytest.raises(ValueError, match="class"):
        SVC().fit(X, np.zeros(len(X)))
    with pytest.raises(ValueError, match="NaN"):
        SVC().fit(np.where(X > 2, np.nan, X), y)
    gram = gaussian(X)
    with pytest.raises(ValueError, match="positive semi-definite"):
        SVC(kernel="precomputed").fit(-gram, y)
    with pytest.raises(ValueError, match="not symmetric"):
        SVC(kernel="precomputed").fit(gram + np.triu(gram), y)
    with pytest.raises(ValueError, match="square"):
        SVC(kernel="precomputed").fit(X, y)
    with pytest.raises(AttributeError, match="linear kernel"):
        _ = SVC().fit(X, y).coef_


def test_too_few_steps_warn():
    rows, labels = make_classification(1500, 10, random_state=0)
    with pytest.warns(ConvergenceWarning, match="max_iter=1"):
        SVC(max_iter=1).fit(rows, labels)


@pytest.mark.parametrize(
    ("options", "scale", "message"),
    [
        ({"kernel": "linear"}, 1e20, "kernel values must stay below 1e"),
        ({"kernel": "poly", "gamma": 1.0, "degree": 5}, 1e8, "Scale the data"),
        ({"kernel": "poly", "coef0": np.nan}, 1.0, "coef0"),
        ({"kernel": lambda a, b: np.full((len(a), len(b)), np.nan)}, 1.0, "NaN or infinity"),
        ({"kernel": lambda a, b: 1.0}, 1.0, "shape"),
        ({"kernel": lambda a, b: a @ np.triu(np.ones((4, 4))) @ b.T}, 1.0, "not symmetric"),
    ],
)
@pytest.mark.parametrize("machine", [SVC, SVR])
def test_kernels_that_never_converge_are_refused(machine, options, scale, message):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match=message):
        machine(**options).fit(scale * X, y)


@pytest.mark.parametrize("weights", [{0: -1, 1: 1}, {0: 0, 1: 1}, {0: np.nan, 1: 1}])
def test_class_weights_must_be_positive(weights):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match="class_weight must hold positive"):
        SVC(class_weight=weights).fit(X[:100], y[:100])


def test_class_weights_may_name_classes_that_are_absent_but_not_other_names():
    X, y = load_iris(return_X_y=True)
    weights = {0: 1.0, 1: 2.0, 2: 3.0}
    few = SVC(class_weight=weights).fit(X[:100], y[:100])
    expected = svm.SVC(class_weight={0: 1.0, 1: 2.0}).fit(X[:100], y[:100])
    np.testing.assert_allclose(few.dual_coef_, expected.dual_coef_, atol=2e-3)
    with pytest.raises(ValueError, match="class_weight names 'setosa'"):
        SVC(class_weight={"setosa": 2.0}).fit(X, y)


def test_probabilities_of_classes_smaller_than_the_folds():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(57, 3)), np.r_[np.zeros(50), np.ones(4), np.full(3, 2)]
    model = SVC(probability=True, random_state=0).fit(X, y)
    chances = model.predict_proba(X)
    np.testing.assert_allclose(chances.sum(axis=1), 1)
    np.testing.assert_array_equal(model.predict_log_proba(X), np.log(chances))


def test_ties_are_broken_by_class_only():
    X, y = load_iris(return_X_y=True)
    model = SVC(break_ties=True, decision_function_shape="ovo").fit(X, y)
    with pytest.raises(ValueError, match="break_ties"):
        model.predict(X)


@pytest.mark.parametrize("machine", [SVC(), SVR(), SimpleSMO(random_state=0), KernelAdaTron(C=1.0)])
def test_samples_without_weight_are_no_part_of_the_support_fraction(machine):
    X, y = load_iris(return_X_y=True)
    X, y, weights = X[50:], y[50:], np.tile([1.0, 0.0, 1.0, 1.0], 25)
    shares = [support_fraction(clone(machine).fit(X[k], y[k], weights[k]))
              for k in (slice(None), np.argsort(weights), np.argsort(-weights))]  # fmt: skip
    fewer = clone(machine).fit(X[weights > 0], y[weights > 0])
    np.testing.assert_allclose(shares[0], len(fewer.support_) / 75, atol=0.05)
    assert max(shares) - min(shares) < 0.05
    if isinstance(machine, SVC | SVR):
        assert machine.fit(X, y, weights).shape_fit_ == (100, 4)


def test_a_sparse_gram_matrix_is_refused():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(TypeError, match="Gram matrix must be a dense array"):
        SVC(kernel="precomputed").fit(csr_array(X @ X.T), y)
