"""Prediction from windows and echoes, embeddings, state spaces and streams."""

import numpy as np
import pytest
from sklearn import linear_model

from shallows.data import lorenz, mackey_glass
from shallows.signal import (
    EchoStateNetwork,
    TemporalTask,
    WindowRegression,
    decode_stream,
    delay_embedding,
    memory_span,
    state_space,
    volterra_features,
)
from shallows.signal._ridge_readout import ridge
from shallows.signal._window_regression import PENALTIES

RNG = np.random.default_rng(0)


@pytest.mark.parametrize("horizon", [1, 4])
def test_a_linear_recurrence_is_predicted_exactly(horizon):
    series = list(RNG.normal(size=3))
    for _ in range(150):
        series.append(0.5 * series[-1] - 0.3 * series[-2] + 0.75 * series[-3])
    series = np.array(series)[:, None]
    model = WindowRegression(3, horizon=horizon, alpha=0.0).fit(series[:100])
    found = model.predict(series)[2:-horizon]
    np.testing.assert_allclose(found, series[2 + horizon :], atol=1e-8)
    assert model.n_rows_ == 100 - 2 - horizon


def test_a_quadratic_map_needs_degree_two():
    x = [0.3]
    for _ in range(300):
        x.append(3.9 * x[-1] * (1 - x[-1]))
    x = np.array(x)[:, None]
    linear, quadratic = (WindowRegression(2, degree=k).fit(x).predict(x) for k in (1, 2))
    assert np.abs(linear[1:-1] - x[2:]).max() > 0.1
    assert np.abs(quadratic[1:-1] - x[2:]).max() < 1e-6


def test_windows_of_several_signals_and_another_target():
    u = RNG.normal(size=(200, 2))
    y = np.concatenate([[0.0], u[:-1, 0]]) + 2 * u[:, 1]
    model = WindowRegression(2, horizon=0, alpha=0.0).fit(u, y)
    np.testing.assert_allclose(model.coef_, [1, 0, 0, 2], atol=1e-9)
    assert memory_span(
        lambda s: model.predict(np.column_stack([s, np.zeros_like(s)])), length=60
    ) == (2, True)
    with pytest.raises(ValueError, match="forecast needs a model of the signal itself"):
        model.forecast(u, 3)


@pytest.mark.parametrize("shape", [(300, 4, 1), (5000, 12, 2), (9, 12, 1)])
def test_ridge_of_windows_is_that_of_scikit_learn(shape):
    n, d, n_targets = shape
    rng = np.random.default_rng(1)
    X = rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) + 3.0
    Y = X @ rng.normal(size=(d, n_targets)) + rng.normal(size=(n, n_targets))
    grid = PENALTIES if n >= d else PENALTIES[4:]  # below, only RidgeCV's rounding decides
    chosen = linear_model.RidgeCV(grid).fit(X, Y)
    for alphas, truth in [
        (grid, chosen),
        (np.array([0.1]), linear_model.Ridge(0.1, solver="svd").fit(X, Y)),
        (np.array([1e-11]), linear_model.Ridge(1e-11, solver="svd").fit(X, Y)),
    ]:
        alpha, coef, intercept = ridge(X, Y, alphas)
        assert alpha == getattr(truth, "alpha_", alphas[0])
        np.testing.assert_allclose(coef, np.atleast_2d(truth.coef_), atol=1e-9)
        np.testing.assert_allclose(intercept, np.atleast_1d(truth.intercept_), atol=1e-8)


def test_of_all_exact_weights_the_shortest_are_taken():
    series = RNG.normal(size=(20, 1))
    model = WindowRegression(12, alpha=0.0).fit(series)
    windows = np.lib.stride_tricks.sliding_window_view(series[:-1, 0], 12)
    rows, targets = windows - windows.mean(axis=0), series[12:, 0] - series[12:, 0].mean()
    shortest = np.linalg.lstsq(rows, targets, rcond=1e-12)[0]
    np.testing.assert_allclose(model.coef_[0], shortest, atol=1e-10)


def test_forecasts_go_on():
    wave = np.sin(0.2 * np.arange(300))[:, None]
    model = WindowRegression(2, alpha=0.0).fit(wave[:200])
    np.testing.assert_allclose(model.forecast(wave[:200], 100), wave[200:], atol=1e-6)


def test_too_short_a_signal_is_refused():
    with pytest.raises(ValueError, match="need at least 12 steps, got n_samples = 5"):
        WindowRegression(10).fit(np.ones((5, 1)))


@pytest.mark.parametrize(("d", "count"), [(5, 20), (3, 9)])
def test_volterra_counts_products(d, count):
    U = RNG.normal(size=(4, d))
    features = volterra_features(U)
    assert features.shape == (4, count)
    products = [U[:, i] * U[:, j] for i in range(d) for j in range(i, d)]
    np.testing.assert_allclose(features, np.column_stack([U, *products]))


def test_embedding_counts_and_orders():
    y = np.arange(20.0)
    vectors = delay_embedding(y, 3, 4)
    assert vectors.shape == (20 - 8, 3)
    np.testing.assert_array_equal(vectors[0], [8, 4, 0])
    with pytest.raises(ValueError, match="span at most the 20 steps"):
        delay_embedding(y, 6, 4)


def test_one_coordinate_of_lorenz_tells_the_next():
    """With enough delayed values nearest neighbours predict; with one they do not."""
    x = lorenz(6000, dt=0.02, random_state=0)[:, 0]
    errors = []
    for k in (1, 4):
        vectors = delay_embedding(x, k, 5)[:-5]
        targets = x[(k - 1) * 5 + 5 :]
        from sklearn.neighbors import KNeighborsRegressor

        model = KNeighborsRegressor(5).fit(vectors[:4000], targets[:4000])
        errors.append(1 - model.score(vectors[4000:], targets[4000:]))
    assert errors[1] < errors[0] / 5


def test_state_space_takes_the_new_input():
    run = state_space.simulate(lambda x, u: 0.5 * x + u, lambda x: x, [1.0, 0.0, 0.0], start=0.0)
    np.testing.assert_allclose(run.outputs, [1.0, 0.5, 0.25])
    state = state_space.step(state_space.init(0.0), lambda x, u: 0.5 * x + u, 1.0)
    assert (float(state.x), state.time) == (1.0, 1)
    with np.errstate(over="ignore"), pytest.raises(FloatingPointError, match="diverged"):
        state_space.simulate(lambda x: x * 1e200, lambda x: x, 5, start=1.0)


def test_a_state_may_remember_without_end():
    span, causal = memory_span(
        lambda s: state_space.simulate(lambda x, u: x + u, lambda x: x, s, start=0.0).outputs, 50
    )
    assert (span, causal) == (25, True)


def test_smoothing_removes_single_errors():
    truth = np.repeat([0, 1, 2], 20)
    beliefs = 0.8 * np.eye(3)[truth] + 0.1
    for t in (5, 28, 50):
        beliefs[t] = beliefs[t][[1, 2, 0]]
    assert (decode_stream(beliefs, 1) != truth).sum() == 3
    np.testing.assert_array_equal(decode_stream(beliefs, 3), truth)
    with pytest.raises(ValueError, match="odd number"):
        decode_stream(beliefs, 4)


def test_temporal_tasks_know_their_loss():
    task = TemporalTask(np.arange(10.0), np.arange(10.0) - 1)
    assert task.loss(lambda u: u) == 1.0
    first, second = task.split(4)
    assert (len(first.inputs), len(second.inputs)) == (4, 6)
    assert task.loss(lambda u: np.concatenate([[100.0], u[:-1]]), washout=1) == 0.0
    with pytest.raises(ValueError, match="same number of steps"):
        TemporalTask([1.0], [1.0, 2.0])


@pytest.mark.kernel
def test_reservoir_follows_its_equation():
    X = RNG.normal(size=(12, 2))
    model = EchoStateNetwork(15, density=0.3, leak_rate=0.7, washout=0, random_state=0)
    model.fit(X, X[:, 0])
    state, expected = np.zeros(15), []
    for u in X:
        drive = model.input_weights_ @ np.append(u, 1.0)
        state = 0.3 * state + 0.7 * np.tanh(model.reservoir_ @ state + drive)
        expected.append(np.append(state, u))
    np.testing.assert_allclose(model.states(X), expected)


@pytest.mark.parametrize("n", [30, 150])
def test_spectral_radius_is_as_asked(n):
    model = EchoStateNetwork(n, spectral_radius=0.8, random_state=1).fit(
        np.ones((5, 1)), np.ones(5)
    )
    assert np.abs(np.linalg.eigvals(model.reservoir_)).max() == pytest.approx(0.8, rel=1e-6)
    assert np.mean(model.reservoir_ != 0) == pytest.approx(0.1, abs=0.05)


def test_the_state_forgets_how_it_began():
    """Echo state property: two histories, then the same input, end in the same state."""
    model = EchoStateNetwork(100, random_state=0).fit(np.ones((5, 1)), np.ones(5))
    first, second, same = RNG.normal(size=(3, 300, 1))
    ends = [model.states(np.concatenate([part, same]))[-1] for part in (first, second)]
    np.testing.assert_allclose(ends[0], ends[1], atol=1e-8)


def test_read_out_is_ridge_regression():
    from sklearn.linear_model import Ridge

    X = RNG.normal(size=(300, 1))
    y = np.column_stack([X[:, 0], np.cumsum(X[:, 0])])
    for alpha, n in ((0.1, 50), (0.1, 400)):
        model = EchoStateNetwork(n, alpha=alpha, washout=20, random_state=0).fit(X, y)
        ridge = Ridge(alpha).fit(model.states(X)[20:], y[20:])
        np.testing.assert_allclose(model.predict(X), ridge.predict(model.states(X)), atol=1e-8)


def test_mackey_glass_is_forecast():
    series = mackey_glass(3000, random_state=0)[:, None]
    model = EchoStateNetwork(300, alpha=1e-8, random_state=0)
    model.fit(series[:1999], series[1:2000])
    gaps = model.predict(series[:-1]) - series[1:]
    assert np.sqrt(np.mean(gaps[2000:] ** 2)) < 1e-3 * series.std()
    future = model.forecast(series[:2000], 40)
    assert np.abs(future - series[2000:2040]).max() < 0.05


def test_several_signals_are_several_signals():
    parts = [RNG.normal(size=(n, 1)) for n in (40, 60)]
    targets = [np.cumsum(part[:, 0]) for part in parts]
    model = EchoStateNetwork(20, washout=5, random_state=0).fit(parts, targets)
    found = model.predict(parts)
    assert [len(part) for part in found] == [40, 60]
    np.testing.assert_allclose(found[1], model.predict(parts[1]))


def test_impossible_reservoirs_are_refused():
    with pytest.raises(ValueError, match="one row for each of 10 steps"):
        EchoStateNetwork(5).fit(np.ones((10, 1)), np.ones(9))
    model = EchoStateNetwork(5, random_state=0).fit(np.ones((10, 2)), np.ones(10))
    with pytest.raises(ValueError, match="as many outputs as inputs"):
        model.forecast(np.ones((10, 2)), 3)
