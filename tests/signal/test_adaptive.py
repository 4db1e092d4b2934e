"""Adaptive filters against naive recursions, batch least squares and the theory."""

import numpy as np
import pytest

from shallows.signal import LMS, RLS, delay_line, transversal_filter

pytestmark = pytest.mark.kernel
RNG = np.random.default_rng(0)
PLANT = np.array([0.5, -0.3, 0.2, 0.1])


def plant_rows(n, noise=0.0, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    return delay_line(x, 4), transversal_filter(x, PLANT) + noise * rng.normal(size=n)


def naive(X, y, mu, rule, psi=0.0):
    w, errors = np.zeros(X.shape[1]), []
    for x, d in zip(X, y, strict=True):
        error = d - w @ x
        errors.append(error)
        if rule == "sign":
            w = w + 2 * mu * np.sign(error) * x
        elif rule == "normalized":
            w = w + 2 * mu / (x @ x + psi) * error * x
        else:
            w = w + 2 * mu * error * x
    return w, np.array(errors)


@pytest.mark.parametrize("rule", ["lms", "sign", "normalized"])
def test_rules_follow_their_definitions(rule):
    X, y = RNG.normal(size=(40, 3)), RNG.normal(size=40)
    model = LMS(0.02, rule=rule, psi=0.1, keep_path=True).fit(X, y)
    w, errors = naive(X, y, 0.02, rule, psi=0.1)
    np.testing.assert_allclose(model.coef_, w, rtol=1e-12)
    np.testing.assert_allclose(model.errors_, errors, rtol=1e-12)
    np.testing.assert_allclose(model.path_[-1], w, rtol=1e-12)
    assert model.history_["loss"] == [pytest.approx(np.mean(errors**2))]


@pytest.mark.parametrize("rule", ["lms", "sign", "normalized", "newton"])
def test_step_sizes_of_its_own_find_a_plant(rule):
    X, y = plant_rows(3000, noise=0.01)
    model = LMS(rule=rule).fit(X, y)
    np.testing.assert_allclose(model.coef_, PLANT, atol=0.02)
    assert model.trace_ == pytest.approx(4, rel=0.1)


def test_normalized_rule_does_not_see_the_scale_of_the_input():
    X, y = plant_rows(100)
    one = LMS(0.3, rule="normalized", psi=0.0).fit(X, y)
    other = LMS(0.3, rule="normalized", psi=0.0).fit(1000 * X, y)
    np.testing.assert_allclose(one.errors_, other.errors_, rtol=1e-9, atol=1e-12)


def test_mean_weights_follow_exact_descent():
    """From zero weights, over many runs, w(n) = (I - (I - 2 mu R)^n) w_opt on average."""
    R = np.array([[1.0, 0.6], [0.6, 1.0]])
    root, best, mu, steps = np.linalg.cholesky(R), np.array([1.0, -1.0]), 0.02, 30
    paths = []
    for seed in range(400):
        X = np.random.default_rng(seed).normal(size=(steps, 2)) @ root.T
        paths.append(LMS(mu, keep_path=True).fit(X, X @ best).path_)
    decay = np.linalg.matrix_power(np.eye(2) - 2 * mu * R, steps)
    expected = best - decay @ best
    found, spread = np.mean(paths, axis=0)[-1], np.std(paths, axis=0)[-1] / 20
    assert (np.abs(found - expected) < 4.5 * spread).all()


def test_newton_rule_needs_no_longer_for_a_coloured_input():
    steps, rng = {}, np.random.default_rng(0)
    for spread in (1.0, 300.0):
        X = rng.normal(size=(4000, 3)) * np.sqrt([1.0, 1.0, 1.0 / spread])
        y = X @ np.ones(3)
        for rule in ("lms", "newton"):
            gaps = np.abs(LMS(rule=rule, keep_path=True).fit(X, y).path_ - 1).max(axis=1)
            steps[rule, spread] = np.flatnonzero(gaps > 0.1)[-1]
    assert steps["lms", 300.0] > 100 * steps["lms", 1.0]
    assert steps["newton", 300.0] < steps["lms", 300.0] / 10


@pytest.mark.parametrize("model", [LMS(0.01), LMS(rule="newton"), RLS(), RLS(0.95)])
def test_parts_of_a_signal_are_the_signal(model):
    X, y = plant_rows(60, noise=0.1)
    whole = model.fit(X, y)
    coef = whole.coef_.copy()
    parts = type(model)(**model.get_params())
    for first in range(0, 60, 20):
        parts.partial_fit(X[first : first + 20], y[first : first + 20])
    np.testing.assert_allclose(parts.coef_, coef, rtol=1e-12)


@pytest.mark.parametrize("fit_intercept", [False, True])
def test_rls_is_least_squares_at_every_time(fit_intercept):
    X, y = RNG.normal(size=(50, 3)), RNG.normal(size=50)
    for n in (10, 50):
        model = RLS(delta=1e9, fit_intercept=fit_intercept).fit(X[:n], y[:n])
        rows = np.column_stack([X[:n], np.ones(n)]) if fit_intercept else X[:n]
        expected = np.linalg.lstsq(rows, y[:n], rcond=None)[0]
        found = np.append(model.coef_, model.intercept_) if fit_intercept else model.coef_
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-7)


def test_rls_weighs_and_forgets():
    X, y = RNG.normal(size=(40, 3)), RNG.normal(size=40)
    weights, ages = RNG.uniform(0.5, 2, size=40), np.arange(40)[::-1]
    model = RLS(0.9, delta=1e9).fit(X, y, sample_weight=weights)
    roots = np.sqrt(weights * 0.9**ages)
    expected = np.linalg.lstsq(X * roots[:, None], y * roots, rcond=None)[0]
    np.testing.assert_allclose(model.coef_, expected, rtol=1e-6)


def test_forgetting_tracks_a_plant_that_changes():
    X = RNG.normal(size=(1000, 3))
    y = np.where(np.arange(1000) < 500, X @ [1, 0, 0], X @ [0, 1, 0])
    np.testing.assert_allclose(RLS(0.95).fit(X, y).coef_, [0, 1, 0], atol=1e-6)
    assert RLS().fit(X, y).coef_[0] > 0.3


def test_several_passes_and_an_intercept():
    X = RNG.normal(size=(200, 2))
    model = LMS(0.02, fit_intercept=True, max_iter=20).fit(X, X @ [1.0, 2.0] + 3.0)
    np.testing.assert_allclose(model.coef_, [1, 2], atol=1e-6)
    assert model.intercept_ == pytest.approx(3, abs=1e-6)
    assert model.n_iter_ == len(model.history_["loss"]) == 20


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # of Python; compiled code has none
def test_too_large_a_step_is_an_error_that_says_so():
    X, y = plant_rows(5000)
    with pytest.raises(FloatingPointError, match="Lower the learning rate"):
        LMS(5.0).fit(X, y)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # of Python; compiled code has none
def test_rls_that_forgets_too_fast_is_an_error():
    X = np.zeros((8000, 2))
    X[:, 0] = 1.0
    with pytest.raises(FloatingPointError, match="Raise forgetting"):
        RLS(0.5).fit(X, np.ones(8000))
