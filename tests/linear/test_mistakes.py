"""Silent mistakes: each once gave a wrong answer without a word."""

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn import linear_model
from sklearn.exceptions import ConvergenceWarning

from shallows.linear import (
    AllVsAll,
    BayesianLinear,
    DeltaRule,
    LinearRegression,
    PolynomialRegression,
    Ridge,
    RiskMinimizer,
    ridge_path,
    roughness_matrix,
)

RNG = np.random.default_rng(0)
X = RNG.normal(size=(50, 4))
Y = X @ [1.0, 2.0, 3.0, 4.0] + 0.1 * RNG.normal(size=50)
WEIGHTS = RNG.random(50) + 0.5


@pytest.mark.parametrize("mean", [1e2, 1e4, 1e6, 1e8])
@pytest.mark.parametrize("weights", [None, WEIGHTS])
def test_sparse_columns_far_from_zero_keep_their_digits(mean, weights):
    far = X + [mean, 0.0, -mean, 0.0]
    truth = linear_model.LinearRegression().fit(X, Y, weights).coef_
    digits = 1e-12 * max(mean, 1e3)  # what the data themselves have lost
    found = LinearRegression().fit(csr_array(far), Y, weights)
    np.testing.assert_allclose(found.coef_, truth, rtol=digits)
    np.testing.assert_allclose(found.predict(csr_array(far)), X @ truth + np.average(
        Y - X @ truth, weights=weights), atol=digits * 100)  # fmt: skip
    penalised = linear_model.Ridge(0.1, solver="svd").fit(X, Y, weights).coef_
    np.testing.assert_allclose(Ridge(0.1).fit(csr_array(far), Y, weights).coef_, penalised,
                               rtol=digits)  # fmt: skip


def test_a_constant_sparse_column_is_found_out():
    constant = csr_array(np.c_[X, np.full(50, 0.1)])
    with pytest.warns(RuntimeWarning, match="rank 4"):
        model = LinearRegression().fit(constant, Y)
    assert model.rank_ == 4
    assert abs(model.coef_[-1]) < 1e-6


def test_parts_must_have_the_features_and_targets_of_the_first():
    frame = pd.DataFrame(X, columns=list("abcd"))
    model = LinearRegression().partial_fit(frame, Y)
    before = model.predict(frame)
    for part, targets, message in [
        (frame[list("dcba")], Y, "names should match"),
        (frame[list("abc")], Y, "names should match"),
        (frame, np.c_[Y, -Y], "as many targets as before, 1, got 2"),
    ]:
        with pytest.raises(ValueError, match=message):
            model.partial_fit(part, targets)
        np.testing.assert_array_equal(model.predict(frame), before)


@pytest.mark.parametrize("rate", [0.06, 10.0])
def test_descent_that_climbs_warns(rate):
    with pytest.warns(ConvergenceWarning, match="DeltaRule diverged"):
        DeltaRule("batch", learning_rate=rate).fit(X, Y)


def test_likelihood_of_targets_of_another_shape_is_refused():
    model = LinearRegression().fit(X, Y)
    for targets in (Y[:, None], Y[:3]):
        with pytest.raises(ValueError, match="shape of the predictions"):
            model.log_likelihood(X, targets, 1.0)


def test_inputs_that_never_vary_leave_the_mean():
    model = BayesianLinear().fit(np.ones((20, 1)), Y[:20])
    np.testing.assert_allclose(model.predict(np.ones((3, 1))), Y[:20].mean())
    np.testing.assert_allclose(model.sigma_, Y[:20].std(ddof=1), rtol=1e-6)


def test_pairs_vote_unless_told():
    assert AllVsAll().rule == "vote"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Ridge(alphas=[0.1, 10.0]).fit(X, Y), "Ridge: alphas are penalties to choose"),
        (lambda: Ridge("loo", alphas=[]).fit(X, Y), "Ridge: alphas must be between 1 and"),
        (lambda: Ridge("loo", alphas=["a"]).fit(X, Y), "Ridge: alphas must be between 1 and"),
        (lambda: ridge_path(X, Y, ["a"]), "ridge_path: alphas must be"),
        (lambda: PolynomialRegression(3, interval=(5.0, 1.0)).fit(X, Y), "interval must be"),
        (lambda: PolynomialRegression(3, interval=(0.0,)).fit(X, Y), "interval must be"),
        (lambda: RiskMinimizer("huber", loss_options={"delta": -1.0}).fit(X, Y), "'delta'"),
        (lambda: RiskMinimizer("huber", loss_options={"bad": 1.0}).fit(X, Y), "has the options"),
        (lambda: RiskMinimizer((np.abs,)).fit(X, Y), "must be two functions"),
        (lambda: roughness_matrix(-1), "roughness_matrix: degree"),
        (lambda: roughness_matrix(2.5), "roughness_matrix: degree"),
        (lambda: roughness_matrix(3, (1, 0)), "roughness_matrix: interval"),
    ],
)
def test_what_would_be_ignored_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_the_delta_rule_learns_from_a_stream():
    """One sample after the other, by the rule itself."""
    w, model = np.zeros(5), DeltaRule(learning_rate=0.02)
    for start in range(0, 50, 10):
        model.partial_fit(X[start : start + 10], Y[start : start + 10])
    for x, y in zip(np.c_[X, np.ones(50)], Y, strict=True):
        w += 0.02 * (y - w @ x) * x
    np.testing.assert_allclose(np.append(model.coef_, model.intercept_), w, rtol=1e-12)
    assert model.n_iter_ == len(model.history_["loss"]) == 5
    assert DeltaRule().partial_fit(X, Y).score(X, Y) > 0.5
    with pytest.raises(FloatingPointError, match="Lower the learning rate"):
        for _ in range(20):
            model.partial_fit(100 * X, Y)


def test_a_loss_of_ones_own_is_minimised():
    """Expectiles: errors below weigh a quarter of those above."""

    def values(prediction, truth):
        return np.where(truth > prediction, 0.8, 0.2) * (truth - prediction) ** 2

    def slopes(prediction, truth):
        return -2 * np.where(truth > prediction, 0.8, 0.2) * (truth - prediction)

    model = RiskMinimizer((values, slopes), tol=1e-8).fit(X, Y)
    design, weights = np.c_[X, np.ones(50)], np.ones(50)
    for _ in range(100):  # least squares with the weights that its errors deserve
        place = np.linalg.lstsq(design * weights[:, None], Y * weights)[0]
        weights = np.sqrt(np.where(design @ place < Y, 0.8, 0.2))
    np.testing.assert_allclose(np.append(model.coef_, model.intercept_), place, atol=1e-5)


@pytest.mark.parametrize("model", [LinearRegression(), Ridge(), Ridge("gcv")])
@pytest.mark.parametrize("form", [np.asarray, csr_array])
def test_products_beyond_the_range_of_numbers_are_refused(model, form):
    """They once ended in warnings and in an error of another library."""
    with pytest.raises(ValueError, match=r"largest number in X .* too large for float64"):
        model.fit(form(1e200 * X), Y)


def test_targets_whose_squares_overflow_are_refused_and_others_are_no_problem():
    with pytest.raises(ValueError, match=r"largest number in y .* too large for float64"):
        LinearRegression().fit(X, 1e200 * Y)
    found = LinearRegression().fit(X, 1e140 * Y).coef_
    np.testing.assert_allclose(found, 1e140 * LinearRegression().fit(X, Y).coef_, rtol=1e-12)
