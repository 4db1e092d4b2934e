"""Adaptive filters against naive recursions, batch least squares and the theory."""

from contextlib import suppress

import numpy as np
import pytest
from scipy.signal import lfilter

from shallows.descent import schedule
from shallows.signal import LMS, RLS, delay_line, transversal_filter
from shallows.signal._lms import RULES

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
        elif rule == "sign-data":
            w = w + 2 * mu * error * np.sign(x)
        elif rule == "sign-sign":
            w = w + 2 * mu * np.sign(error) * np.sign(x)
        elif rule == "normalized":
            w = w + 2 * mu / (x @ x + psi) * error * x
        else:
            w = w + 2 * mu * error * x
    return w, np.array(errors)


@pytest.mark.parametrize("rule", ["lms", "sign", "sign-data", "sign-sign", "normalized"])
def test_rules_follow_their_definitions(rule):
    X, y = RNG.normal(size=(40, 3)), RNG.normal(size=40)
    model = LMS(0.02, rule=rule, psi=0.1, keep_path=True).fit(X, y)
    w, errors = naive(X, y, 0.02, rule, psi=0.1)
    np.testing.assert_allclose(model.coef_, w, rtol=1e-12)
    np.testing.assert_allclose(model.errors_, errors, rtol=1e-12)
    np.testing.assert_allclose(model.path_[-1], w, rtol=1e-12)
    assert model.history_["loss"] == [pytest.approx(np.mean(errors**2))]


@pytest.mark.parametrize("rule", RULES)
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


def autoregressive(n, pole, seed):
    """A signal x(t) = pole x(t - 1) + white noise, and a plant's answer with noise."""
    rng = np.random.default_rng(seed)
    x = lfilter([1.0], [1.0, -pole], rng.normal(size=n))
    return delay_line(x, 4), transversal_filter(x, PLANT) + 0.1 * rng.normal(size=n)


@pytest.mark.parametrize("rule", ["lms", "normalized", "newton"])
@pytest.mark.parametrize("pole", [0.0, 0.95, 0.999])
def test_default_steps_are_stable_on_autoregressive_input(rule, pole):
    for seed in range(20):
        X, y = autoregressive(2000, pole, seed)
        errors = LMS(rule=rule).fit(X, y).errors_
        assert np.mean(errors[-500:] ** 2) < np.mean(y[-500:] ** 2)


def test_default_steps_never_lengthen_the_way_to_the_plant():
    """Without noise: |w - w*| falls or stays with every sample, also at a burst of the input."""
    X = np.random.default_rng(0).normal(size=(300, 4))
    X[100:110] *= 1e4
    path = LMS(keep_path=True).fit(X, X @ PLANT).path_
    way = np.linalg.norm(path - PLANT, axis=1)
    assert (np.diff(way) <= 1e-12).all()


def test_a_step_size_above_the_bound_warns_before_it_runs():
    X, y = plant_rows(400)
    bound = 1 / np.mean(np.sum(X**2, axis=1))
    may_diverge = suppress(FloatingPointError)
    with (
        pytest.warns(UserWarning, match=f"above {bound:.3g}"),
        np.errstate(all="ignore"),
        may_diverge,
    ):
        LMS(1.1 * bound).fit(X, y)
    with pytest.warns(UserWarning, match="above 1,"):
        LMS(1.01, rule="normalized").fit(X[:20], y[:20])


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # of Python; compiled code has none
@pytest.mark.filterwarnings("ignore:LMS. a step size")
@pytest.mark.parametrize("n", [60, 5000])  # the error has grown, and it is infinite
def test_divergence_is_an_error_with_the_remedy_and_keeps_the_filter(n):
    X, y = plant_rows(n)
    model = LMS(0.01).fit(X, y)
    before = model.coef_.copy()
    with pytest.raises(FloatingPointError, match=r"diverged with mu=1.0.*at most 0.(1|08)"):
        model.set_params(mu=1.0).partial_fit(X, y)
    np.testing.assert_array_equal(model.coef_, before)
    model.set_params(mu=0.01).partial_fit(X, y)
    assert np.isfinite(model.coef_).all()


def test_a_schedule_gives_the_step_size_of_each_sample():
    X, y = plant_rows(90, noise=0.1)
    rate = schedule("power", rate=0.1, p=0.6)
    model = LMS(schedule=rate).partial_fit(X[:30], y[:30]).partial_fit(X[30:], y[30:])
    w = np.zeros(4)
    for t, (x, d) in enumerate(zip(X, y, strict=True), start=1):
        w = w + 2 * 0.1 * t**-0.6 * (d - w @ x) * x
    np.testing.assert_allclose(model.coef_, w, rtol=1e-10)
    with pytest.raises(ValueError, match="Leave mu=None"):
        LMS(0.1, schedule=rate).fit(X, y)
    with pytest.raises(ValueError, match="negative"):
        LMS(schedule=lambda t: -t).fit(X, y)


def test_two_phases_end_nearer_than_one_step_size():
    """Large steps until the plant is found, then small ones: less misadjustment at the end."""
    X, y = plant_rows(4000, noise=0.5)
    both = schedule("large_early", rate=0.08, final=0.002, until=500)
    gaps = [
        np.abs(model.fit(X, y).coef_ - PLANT).max()
        for model in (LMS(schedule=both), LMS(0.08), LMS(0.0002))
    ]
    assert gaps[0] < min(gaps[1:]) / 2


def test_newton_rule_starts_with_the_first_input_that_is_not_zero():
    X, y = plant_rows(500)
    silent = np.vstack([np.zeros((3, 4)), X])
    found = LMS(rule="newton").fit(silent, np.append(np.ones(3), y))
    np.testing.assert_allclose(found.coef_, LMS(rule="newton").fit(X, y).coef_, rtol=1e-12)


@pytest.mark.slow  # without the compiler
@pytest.mark.parametrize("silence", [False, True])
def test_rls_survives_the_loss_of_excitation(silence):
    """A sine excites two of six directions; then, or in silence, P must not grow without end."""
    rng = np.random.default_rng(0)
    plant = np.array([0.5, -0.3, 0.2, 0.1, 0.0, -0.1])
    noise = rng.normal(size=3000)
    quiet = np.zeros(6_000) if silence else np.sin(0.3 * np.arange(20_000))
    x = np.concatenate([noise, quiet, noise])
    X, y = delay_line(x, 6), transversal_filter(x, plant)
    model = RLS(0.95).fit(X, y)
    np.testing.assert_allclose(model.coef_, plant, atol=1e-5)
    assert np.abs(model.errors_).max() < 10 * np.abs(y).max()


def test_rls_waits_for_the_first_input():
    X, y = plant_rows(100)
    silent = np.vstack([np.zeros((20_000, 4)), X])
    found = RLS(0.9).fit(silent, np.append(np.zeros(20_000), y))
    np.testing.assert_allclose(found.coef_, RLS(0.9).fit(X, y).coef_, rtol=1e-12)


def test_rls_stays_where_no_input_comes():
    """One direction is seen: the other keeps its weight, and P its size."""
    X = np.zeros((8000, 2))
    X[:, 0] = 1.0
    model = RLS(0.5).fit(X, np.ones(8000))
    np.testing.assert_allclose(model.coef_, [1, 0], atol=1e-6)
    assert (model._root**2).sum() < 2 * 2e6 * 2**3  # the limit, at three looks
