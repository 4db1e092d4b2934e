"""Update rules against naive loops and against what theory says about them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shallows.descent import (
    OPTIMIZERS,
    average_init,
    average_update,
    average_value,
    curvature_rates,
    fan_in_rates,
    nesterov_base,
    vsgd_init,
    vsgd_step,
)

A = np.array([[3.0, 1.0, 0.0], [1.0, 2.0, 0.5], [0.0, 0.5, 1.0]])
TARGET = np.array([1.0, -2.0, 0.5])


def gradient_at(w):
    return A @ (w - TARGET)


def run(name, start, n_steps, rate, gradient=gradient_at, **settings):
    rule = OPTIMIZERS[name]
    w, state = start, rule.init(start)
    path = [w]
    for _ in range(n_steps):
        w, state = rule.step(w, gradient(w), state, rate, **settings)
        path.append(w)
    return np.array(path), state


def naive_momentum(w, n_steps, rate, momentum):
    path, step = [w], 0.0
    for _ in range(n_steps):
        step = -rate * gradient_at(w) + momentum * step
        w = w + step
        path.append(w)
    return path


def naive_averaged_momentum(w, n_steps, rate, momentum):
    path, mean = [w], 0.0
    for _ in range(n_steps):
        mean = momentum * mean + (1 - momentum) * gradient_at(w)
        w = w - rate * mean
        path.append(w)
    return path


def naive_adagrad(w, n_steps, rate, epsilon):
    path, total = [w], 0.0
    for _ in range(n_steps):
        g = gradient_at(w)
        total = total + g**2
        w = w - rate * g / (np.sqrt(total) + epsilon)
        path.append(w)
    return path


def naive_rmsprop(w, n_steps, rate, decay, epsilon):
    path, mean = [w], 0.0
    for _ in range(n_steps):
        g = gradient_at(w)
        mean = decay * mean + (1 - decay) * g**2
        w = w - rate * g / (np.sqrt(mean) + epsilon)
        path.append(w)
    return path


def naive_adam(w, n_steps, rate, mean_decay, square_decay, epsilon):
    path, m, v = [w], 0.0, 0.0
    for t in range(1, n_steps + 1):
        g = gradient_at(w)
        m = mean_decay * m + (1 - mean_decay) * g
        v = square_decay * v + (1 - square_decay) * g**2
        m_hat, v_hat = m / (1 - mean_decay**t), v / (1 - square_decay**t)
        w = w - rate * m_hat / (np.sqrt(v_hat) + epsilon)
        path.append(w)
    return path


def naive_rprop(w, n_steps, rate):
    path, last, sizes = [w], [0.0] * len(w), [rate] * len(w)
    for step in range(n_steps):
        w, g = w.copy(), gradient_at(w)
        for i in range(len(w)):
            agreement = g[i] * last[i]
            if step > 0 and agreement > 0:
                sizes[i] = min(sizes[i] * 1.2, 50)
            if step > 0 and agreement < 0:
                sizes[i] = max(sizes[i] * 0.5, 1e-6)
                g[i] = 0
            w[i] -= np.sign(g[i]) * sizes[i]
            last[i] = g[i]
        path.append(w)
    return path


@pytest.mark.parametrize(
    ("name", "naive", "rate", "settings"),
    [
        ("momentum", naive_momentum, 0.1, {"momentum": 0.8}),
        ("averaged_momentum", naive_averaged_momentum, 0.1, {"momentum": 0.8}),
        ("adagrad", naive_adagrad, 0.5, {"epsilon": 1e-3}),
        ("rmsprop", naive_rmsprop, 0.05, {"decay": 0.8, "epsilon": 1e-3}),
        ("adam", naive_adam, 0.05, {"mean_decay": 0.7, "square_decay": 0.9, "epsilon": 1e-3}),
        ("rprop", naive_rprop, 0.1, {}),
    ],
)
def test_rule_follows_the_naive_loop(name, naive, rate, settings):
    # Not longer: around the minimum RMSProp with a constant rate magnifies rounding errors.
    path, _ = run(name, np.zeros(3), 30, rate, **settings)
    np.testing.assert_allclose(path, naive(np.zeros(3), 30, rate, **settings), atol=1e-12)


def test_nesterov_follows_the_look_ahead_loop():
    rule = OPTIMIZERS["nesterov"]
    rate, alpha = 0.1, 0.8
    w, step = np.zeros(3), np.zeros(3)
    z, state = np.zeros(3), rule.init(np.zeros(3))
    for _ in range(60):
        ahead = w + alpha * step
        np.testing.assert_allclose(z, ahead, atol=1e-13)
        step = -rate * gradient_at(ahead) + alpha * step
        w = w + step
        z, state = rule.step(z, gradient_at(z), state, rate, momentum=alpha)
        np.testing.assert_allclose(nesterov_base(z, state, alpha), w, atol=1e-13)


SETTINGS = {"adam": 0.3, "adagrad": 1.0, "rmsprop": 0.02, "rprop": 0.1, "quickprop": 0.2}


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_every_rule_finds_the_minimum(name):
    path, _ = run(name, np.array([4.0, 4.0, 4.0]), 600, SETTINGS.get(name, 0.2))
    np.testing.assert_allclose(path[-1], TARGET, atol=0.02)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", OPTIMIZERS)
def test_rules_are_pure_and_keep_the_dtype(name, dtype):
    rule, start = OPTIMIZERS[name], np.array([1.0, -2.0, 0.0], dtype=dtype)
    w, state = start, rule.init(start)
    for scale in (1.0, 1.5, -0.5):
        gradient = np.array([0.3, 0.0, -4.0], dtype=dtype) * dtype(scale)
        before = [w.copy(), gradient.copy(), *map(np.copy, state or ())]
        moved, new_state = rule.step(w, gradient, state, np.float64(0.1))
        after = [w, gradient, *(state or ())]
        for old, new in zip(before, after, strict=True):
            np.testing.assert_array_equal(old, new)
        kept = [part for part in (moved, *(new_state or ())) if isinstance(part, np.ndarray)]
        assert all(part.dtype == dtype for part in kept)
        assert not any(np.shares_memory(part, old) for part in kept for old in (w, gradient))
        w, state = moved, new_state


@pytest.mark.parametrize("name", ["gradient", "momentum", "nesterov", "adam", "rprop", "quickprop"])
def test_rates_may_differ_between_parameters(name):
    rates = np.array([0.1, 0.0, 0.2])
    rule, start = OPTIMIZERS[name], np.zeros(3)
    moved, _ = rule.step(start, np.array([1.0, 1.0, -2.0]), rule.init(start), rates)
    for i, rate in enumerate(rates):
        alone, _ = rule.step(start, np.array([1.0, 1.0, -2.0]), rule.init(start), float(rate))
        assert moved[i] == alone[i]


@given(st.floats(0.01, 0.9))
def test_descent_multiplies_each_eigencomponent_by_one_minus_rate_times_curvature(rate):
    curvatures, vectors = np.linalg.eigh(A)
    path, _ = run("gradient", np.array([4.0, 1.0, -3.0]), 5, rate)
    components = (path - TARGET) @ vectors
    expected = components[0] * (1 - rate * curvatures) ** np.arange(6)[:, None]
    np.testing.assert_allclose(components, expected, rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize(
    ("share", "flips", "converges"), [(0.9, False, True), (1.8, True, True), (2.02, True, False)]
)
def test_descent_is_smooth_then_oscillates_then_diverges_with_the_rate(share, flips, converges):
    curvatures, vectors = np.linalg.eigh(A)
    path, _ = run("gradient", np.array([4.0, 1.0, -3.0]), 400, share / curvatures[-1])
    stiff = (path - TARGET) @ vectors[:, -1]
    assert (stiff[1] * stiff[0] < 0) == flips
    assert (abs(stiff[-1]) < 1e-9) == converges
    assert (abs(stiff[-1]) > abs(stiff[0])) == (not converges)


@pytest.mark.parametrize("alpha", [0.0, 0.5, 0.9])
def test_momentum_steps_under_constant_and_alternating_gradients(alpha):
    rule, start = OPTIMIZERS["momentum"], np.zeros(2)
    state, w = rule.init(start), start
    for t in range(400):
        w, state = rule.step(w, np.array([1.0, (-1.0) ** t]), state, 0.1, momentum=alpha)
    assert state.memory[0] == pytest.approx(-0.1 / (1 - alpha))
    assert abs(state.memory[1]) == pytest.approx(0.1 / (1 + alpha))


@pytest.mark.parametrize("name", ["momentum", "averaged_momentum", "nesterov"])
def test_without_memory_momentum_is_plain_descent(name):
    plain, _ = run("gradient", np.zeros(3), 20, 0.1)
    np.testing.assert_allclose(run(name, np.zeros(3), 20, 0.1, momentum=0.0)[0], plain, atol=1e-15)


@pytest.mark.parametrize("name", ["momentum", "nesterov"])
def test_momentum_shortens_the_way_down_an_ill_conditioned_valley(name):
    curvatures = np.array([1.0, 100.0])
    valley = lambda w: curvatures * w  # noqa: E731
    n_steps = {}
    for rule, settings in (("gradient", {}), (name, {"momentum": 0.8})):
        path, _ = run(rule, np.ones(2), 2000, 0.01, gradient=valley, **settings)
        n_steps[rule] = int((np.abs(path).max(axis=1) > 1e-3).sum())
    assert n_steps[name] < n_steps["gradient"] / 3


def test_first_adam_step_has_the_size_of_the_rate_in_every_coordinate():
    gradient = np.array([1e-3, -5.0, 0.0, 1e5])
    rule, start = OPTIMIZERS["adam"], np.zeros(4)
    moved, _ = rule.step(start, gradient, rule.init(start), 0.01, epsilon=1e-12)
    np.testing.assert_allclose(moved, -0.01 * np.sign(gradient), rtol=1e-8)


@given(st.floats(1e-3, 1e3))
def test_adam_without_epsilon_ignores_the_scale_of_the_cost(scale):
    plain, _ = run("adam", np.ones(3), 30, 0.05, epsilon=0.0)
    scaled, _ = run("adam", np.ones(3), 30, 0.05, lambda w: scale * gradient_at(w), epsilon=0.0)
    np.testing.assert_allclose(scaled, plain, rtol=1e-8)


@given(st.floats(1e-6, 1e6))
def test_rprop_ignores_the_scale_of_the_cost_exactly(scale):
    plain, _ = run("rprop", np.ones(3), 40, 0.1)
    scaled, _ = run("rprop", np.ones(3), 40, 0.1, lambda w: scale * gradient_at(w))
    np.testing.assert_array_equal(scaled, plain)


def test_rprop_step_sizes_stay_within_their_bounds():
    slopes = iter([1.0, 1.0, 1.0, -1.0, 1.0, -1.0, 1.0, -1.0, 1.0, -1.0, 1.0])
    bounds = {"smallest": 0.3, "largest": 1.1}
    rule, w = OPTIMIZERS["rprop"], np.zeros(1)
    state, sizes = rule.init(w), []
    for slope in slopes:
        w, state = rule.step(w, np.array([slope]), state, 1.0, **bounds)
        sizes.append(state.sizes[0])
    np.testing.assert_allclose(sizes[:5], [1.0, 1.1, 1.1, 0.55, 0.55])
    assert min(sizes) == 0.3


@given(st.floats(0.1, 10), st.floats(-5, 5), st.floats(-5, 5), st.floats(0.05, 0.95))
def test_quickprop_is_exact_after_two_gradients_on_a_parabola(curvature, minimum, start, share):
    slope = lambda w: curvature * (w - minimum)  # noqa: E731
    path, _ = run("quickprop", np.array([start]), 2, share / curvature, slope, growth=1e3)
    assert path[2][0] == pytest.approx(minimum, abs=1e-9)


def test_quickprop_limits_growth_and_runs_on_where_the_cost_bends_down():
    path, _ = run("quickprop", np.array([1.0]), 2, 0.1, lambda w: w, growth=1.75)
    np.testing.assert_allclose(np.diff(path[:, 0]), [-0.1, -0.175])
    path, _ = run("quickprop", np.array([1.0]), 3, 0.1, lambda w: -w, growth=1.75)
    np.testing.assert_allclose(np.diff(path[:, 0]), [0.1, 0.175, 0.30625])


def test_vsgd_makes_a_newton_step_where_there_is_no_noise():
    curvature, start = np.array([0.5, 4.0]), np.array([3.0, -1.0])
    gradient = curvature * (start - 1)
    state = vsgd_init(gradient[None], curvature[None], caution=1.0)
    moved, state = vsgd_step(start, gradient, curvature, state)
    np.testing.assert_allclose(moved, 1, atol=1e-11)
    np.testing.assert_allclose(state.memory, 1, atol=1e-11)


def test_vsgd_rates_fall_to_the_noise_and_the_place_settles():
    noise, curvature = np.random.default_rng(0), np.array([2.0])
    w = np.array([5.0])
    draw = lambda: curvature * (w - noise.normal(size=1))  # noqa: E731
    state = vsgd_init(np.array([draw() for _ in range(10)]), np.tile(curvature, (10, 1)))
    errors = []
    for _ in range(4000):
        w, state = vsgd_step(w, draw(), curvature, state)
        errors.append(w[0] ** 2)
    # A constant rate of 1/h would leave a mean squared error of 1.
    assert np.mean(errors[-2000:]) < 0.02
    assert state.memory[0] > 50


def test_vsgd_keeps_float32():
    g, h = np.ones((2, 3), np.float32), np.ones((2, 3), np.float32)
    moved, state = vsgd_step(np.zeros(3, np.float32), g[0], h[0], vsgd_init(g, h))
    assert moved.dtype == np.float32 and all(part.dtype == np.float32 for part in state)


@pytest.mark.parametrize("window", [None, 1, 3])
def test_average_is_the_mean_of_the_last_places(window):
    places = np.random.default_rng(0).normal(size=(10, 2))
    state = average_init(places[0], window)
    for place in places:
        state = average_update(state, place)
    expected = places[-(window or 10) :].mean(axis=0)
    np.testing.assert_allclose(average_value(state), expected, atol=1e-15)


def test_average_of_nothing_is_refused():
    with pytest.raises(ValueError, match="call average_update first"):
        average_value(average_init(np.zeros(2)))


def test_local_rates():
    np.testing.assert_allclose(fan_in_rates(2.0, [1, 4], [2, 3]), [2, 2, 0.5, 0.5, 0.5])
    curvature = np.array([0.5, 4.0, 9.0])
    start = np.array([3.0, -1.0, 2.0])
    rule = OPTIMIZERS["gradient"]
    moved, _ = rule.step(start, curvature * (start - 1), None, curvature_rates(curvature))
    np.testing.assert_allclose(moved, 1)
    assert curvature_rates(np.array([0.0, 1.0])).max() == pytest.approx(1e6)
