"""Support vector regression: libsvm as oracle, optimality, known cases."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn import svm
from sklearn.datasets import load_diabetes

from shallows.kernel import SVR, KernelRidge, gaussian

RNG = np.random.default_rng(0)
X = RNG.normal(size=(700, 3))
y = np.sin(2 * X[:, 0]) + X[:, 1] + 0.2 * RNG.normal(size=700)


@pytest.mark.parametrize(
    "options",
    [{}, {"C": 20.0, "epsilon": 0.05}, {"kernel": "linear"}, {"epsilon": 0.0}, {"epsilon": 5.0}],
)
def test_predictions_agree_with_libsvm(options):
    ours, theirs = SVR(tol=1e-5, **options).fit(X, y), svm.SVR(tol=1e-5, **options).fit(X, y)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), atol=1e-3)
    np.testing.assert_array_equal(ours.support_, theirs.support_)
    assert ours.history_["kkt"][-1] <= 1e-5


def test_optimality_conditions_hold():
    model = SVR(tol=1e-5, C=2.0).fit(X, y)
    errors = y - model.predict(X)
    coef = np.zeros(len(y))
    coef[model.support_] = model.dual_coef_[0]
    assert coef.sum() == pytest.approx(0, abs=1e-8)
    assert np.abs(errors[coef == 0]).max() <= 0.1 + 1e-4
    free = (coef != 0) & (np.abs(coef) < 2.0)
    np.testing.assert_allclose(errors[free], 0.1 * np.sign(coef[free]), atol=1e-4)
    assert np.all(errors[coef == 2.0] >= 0.1 - 1e-4)
    assert model.history_["gap"][-1] < 1e-2


def test_weights_equal_repetition_within_tol():
    weights = RNG.integers(0, 3, len(y))
    weighted = SVR(gamma=0.3, tol=1e-6).fit(X, y, weights)
    repeated = SVR(gamma=0.3, tol=1e-6).fit(np.repeat(X, weights, 0), np.repeat(y, weights))
    np.testing.assert_allclose(weighted.predict(X), repeated.predict(X), atol=1e-4)


def test_precomputed_small_cache_and_warm_start_agree():
    expected = SVR(gamma=0.5).fit(X, y)
    given = SVR(kernel="precomputed").fit(gaussian(X), y)
    np.testing.assert_allclose(given.predict(gaussian(X)), expected.predict(X), atol=5e-3)
    little = SVR(gamma=0.5, cache_size=0.01).fit(X, y)
    assert little.history_["loss"][-1] == pytest.approx(expected.history_["loss"][-1], rel=1e-4)
    warm = SVR(gamma=0.5, C=1.1, warm_start=True).fit(X, y).set_params(C=1.0).fit(X, y)
    assert warm.history_["loss"][-1] == pytest.approx(expected.history_["loss"][-1], rel=1e-4)


def test_bad_parameters_are_refused():
    with pytest.raises(ValueError, match="epsilon must be"):
        SVR(epsilon=-1.0).fit(X, y)
    with pytest.raises(ValueError, match="C must be"):
        SVR(C=0.0).fit(X, y)


@pytest.mark.parametrize("scale", [1e-140, 1e-20, 1e20, 1e100])
def test_the_unit_of_the_samples_does_not_matter(scale):
    """The default gamma goes with it, also where single precision would not hold it."""
    X, y = load_diabetes(return_X_y=True)
    expected = SVR(tol=1e-6).fit(X, y).predict(X)
    found = SVR(tol=1e-6).fit(scale * X, y).predict(scale * X)
    np.testing.assert_allclose(found, expected, atol=1e-3)


@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly", "sigmoid"])
@pytest.mark.parametrize("form", [np.asarray, csr_array])
def test_samples_beyond_the_range_of_numbers_are_refused(kernel, form):
    X, y = load_diabetes(return_X_y=True)
    for machine in (SVR, KernelRidge):
        with pytest.raises(ValueError, match=r"largest number in X .* too large for float64"):
            machine(kernel=kernel).fit(form(1e200 * X), y)
    with pytest.raises(ValueError, match=r"poly', gamma=0.1 .* Scale the data, or lower gamma"):
        KernelRidge(kernel="poly", gamma=0.1).fit(form(1e100 * X), y)
