"""Learning curves with extrapolation, and double descent."""

import numpy as np
import pytest
from scipy.optimize import curve_fit
from sklearn.datasets import make_classification
from sklearn.linear_model import LinearRegression, RidgeClassifier
from sklearn.model_selection import learning_curve

from shallows._core.numerics.threads import limit_threads
from shallows.validate import double_descent_curve, extrapolate_learning_curve
from shallows.validate._double_descent import minimum_norm

SIZES = np.array([20, 40, 80, 160, 320, 640])


def law(n, a, b, c):
    return a + b * n**-c


def test_exact_curves_are_recovered():
    found = extrapolate_learning_curve(SIZES, law(SIZES, 0.12, 3.0, 0.8))
    assert (found.asymptote, found.factor, found.exponent) == pytest.approx((0.12, 3.0, 0.8))
    assert found.predict([10_000]) == pytest.approx(law(10_000.0, 0.12, 3.0, 0.8))
    assert found.rows_needed(0.2) == pytest.approx((3.0 / 0.08) ** (1 / 0.8))
    assert found.rows_needed(0.1) == np.inf


def test_estimates_and_uncertainty_equal_those_of_scipy():
    rng = np.random.default_rng(0)
    errors = law(SIZES, 0.1, 2.0, 0.6) + rng.normal(scale=0.004, size=len(SIZES))
    found = extrapolate_learning_curve(SIZES, errors)
    best, covariance = curve_fit(
        law, SIZES.astype(float), errors, p0=[0.1, 1, 0.5], xtol=1e-14, ftol=1e-14, maxfev=20_000
    )
    assert [found.asymptote, found.factor, found.exponent] == pytest.approx(best, rel=1e-4)
    assert np.allclose(found.covariance, covariance, rtol=1e-2)


def test_interval_covers_the_true_curve_about_as_often_as_stated():
    rng = np.random.default_rng(1)
    hits = total = 0
    for _ in range(200):
        errors = law(SIZES, 0.1, 2.0, 0.6) + rng.normal(scale=0.002, size=len(SIZES))
        low, high = extrapolate_learning_curve(SIZES, errors).interval(5000)
        hits += low[0] <= law(5000.0, 0.1, 2.0, 0.6) <= high[0]
        total += 1
    assert 0.88 <= hits / total <= 0.99  # level 0.95; outside once in 30,000


def test_the_errors_of_folds_are_averaged():
    exact = law(SIZES, 0.1, 2.0, 0.6)
    folds = exact[:, None] + np.array([-0.01, 0.01])
    assert extrapolate_learning_curve(SIZES, folds).asymptote == pytest.approx(0.1)


def test_a_measured_curve_is_extrapolated():
    X, y = make_classification(3000, n_features=30, n_informative=10, flip_y=0.1, random_state=0)
    sizes, _, scores = learning_curve(
        RidgeClassifier(), X, y, train_sizes=[40, 60, 100, 160, 260, 420], cv=8
    )
    found = extrapolate_learning_curve(sizes, 1 - scores)
    _, _, more = learning_curve(RidgeClassifier(), X, y, train_sizes=[2400], cv=8)
    assert found.predict(2400) == pytest.approx(1 - more.mean(), abs=0.03)
    assert "towards" in found.summary()


@pytest.mark.parametrize(
    ("sizes", "errors", "message"),
    [
        ([1, 2, 3], [3, 2, 1], "at least 4 different sizes"),
        ([1, 2, 3, 4], [1, 2], "one row per size"),
        ([1, 2, 3, 4], [1, 2, 3, np.nan], "sizes must be positive, errors finite"),
        (SIZES, np.linspace(0.5, 0.9, 6), "don't fall"),
        (SIZES, 5 - 0.1 * np.log(SIZES), "does not determine"),
        (SIZES, [0.9, 0.2, 0.2001, 0.1999, 0.2, 0.2], "does not determine"),
    ],
)
def test_curves_that_identify_nothing_are_refused(sizes, errors, message):
    with pytest.raises(ValueError, match=message):
        extrapolate_learning_curve(sizes, errors)


@pytest.mark.parametrize("shape", [(12, 5), (5, 12), (7, 7)])
def test_minimum_norm_is_the_pseudo_inverse(shape):
    rng = np.random.default_rng(0)
    F, y = rng.normal(size=shape), rng.normal(size=shape[0])
    assert np.allclose(minimum_norm(F, y, 0.0), np.linalg.pinv(F) @ y)
    penalty = 0.2 * np.mean(np.linalg.svd(F, compute_uv=False) ** 2)
    ridge = np.linalg.solve(F.T @ F + penalty * np.eye(shape[1]), F.T @ y)
    assert np.allclose(minimum_norm(F, y, 0.2), ridge)
    if shape[0] > shape[1]:
        plain = LinearRegression(fit_intercept=False).fit(F, y)
        assert np.allclose(minimum_norm(F, y, 0.0), plain.coef_)


def test_test_error_peaks_at_the_threshold_and_falls_beyond():
    features = [3, 8, 15, 22, 27, 30, 33, 40, 60, 120, 300]
    curve = double_descent_curve(features, 30, n_repeats=15, random_state=0)
    assert 27 <= curve.peak[0] <= 33
    typical = curve.typical_test_errors
    assert typical[-1] < typical[5] / 5
    assert typical[:3].min() < typical[5] / 5
    assert np.allclose(curve.train_errors[6:], 0, atol=1e-10)
    ridge = double_descent_curve(features, 30, alpha=0.1, n_repeats=15, random_state=0)
    assert ridge.typical_test_errors[5] < typical[5] / 5


def test_more_data_can_hurt():
    curve = double_descent_curve(40, [10, 20, 40, 80, 200], n_repeats=15, random_state=0)
    assert curve.peak == (40, 40)
    assert curve.typical_test_errors[2] > curve.typical_test_errors[1]


def test_workers_do_not_change_the_curve_and_bad_input_is_named():
    with limit_threads(1):
        alone = double_descent_curve([5, 10], 10, n_repeats=4, random_state=0)
    with limit_threads(3):
        together = double_descent_curve([5, 10], 10, n_repeats=4, random_state=0)
    assert np.array_equal(alone.test_errors, together.test_errors)
    with pytest.raises(ValueError, match="only one of n_parameters and n_points"):
        double_descent_curve([1, 2], [3, 4])
    with pytest.raises(ValueError, match="must be at least 1"):
        double_descent_curve([0, 2], 3)
