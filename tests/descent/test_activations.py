"""Activations: derivatives by differences, limits, identities, and safety for large input."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import special

from shallows.descent import ACTIVATIONS, softmax, softmax_backward
from shallows.descent._rectifiers import elu, softplus, swish
from shallows.descent._sigmoids import (
    erf,
    logistic,
    logistic_slope,
    piecewise_linear,
    tanh,
    tanh_like,
    tanh_like_slope,
    threshold,
)

PARAMETERS = {
    "identity": [{}],
    "logistic": [{}, {"gain": 2.5, "threshold": 0.3}],
    "tanh": [{}, {"gain": 0.7, "threshold": -0.4}],
    "erf": [{}, {"gain": 1.7}],
    "gaussian": [{}, {"beta": 2.0, "center": 0.3}],
    "threshold": [{}, {"states": "01", "tie": "lower"}],
    "piecewise_linear": [{}, {"low": -1.03, "high": 1.51}],
    "tanh_like": [{}, {"steepness": 2}, {"steepness": 0}],
    "relu": [{}],
    "leaky_relu": [{}, {"slope": 0.2}],
    "softplus": [{}],
    "elu": [{}],
    "swish": [{}],
}
CASES = [(name, settings) for name, all_ in PARAMETERS.items() for settings in all_]
# Corners lie at multiples of 1/4, and at the ends given above; these points avoid them.
POINTS = np.concatenate([np.arange(-5, 5, 0.25) + 0.1, [-40.1, 30.1]])


def test_every_activation_is_tested():
    assert set(PARAMETERS) == set(ACTIVATIONS)


@pytest.mark.parametrize(("name", "settings"), CASES)
def test_derivative_agrees_with_central_differences(name, settings):
    activation, step = ACTIVATIONS[name], 1e-6
    above, below = (activation.value(POINTS + side, **settings) for side in (step, -step))
    slope = activation.derivative(POINTS, **settings)
    np.testing.assert_allclose(slope, (above - below) / (2 * step), atol=3e-9, rtol=1e-7)


@pytest.mark.parametrize(
    ("name", "settings"), [case for case in CASES if ACTIVATIONS[case[0]].derivative_of_output]
)
def test_output_determines_the_same_derivative(name, settings):
    activation = ACTIVATIONS[name]
    by_output = activation.derivative_of_output(activation.value(POINTS, **settings), **settings)
    np.testing.assert_allclose(by_output, activation.derivative(POINTS, **settings), atol=1e-15)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("name", "settings"), CASES)
def test_dtype_shape_and_input_are_kept_and_large_input_is_safe(name, settings, dtype):
    activation = ACTIVATIONS[name]
    x = np.array([[-1e30, -1e3, -50, -0.1], [0.1, 50, 1e3, 1e30]], dtype=dtype)
    before = x.copy()
    with np.errstate(over="raise", invalid="raise", divide="raise"):
        results = [activation.value(x, **settings), activation.derivative(x, **settings)]
        if activation.derivative_of_output is not None:
            results.append(activation.derivative_of_output(results[0], **settings))
    for result in results:
        assert result.dtype == dtype and result.shape == x.shape
        assert np.isfinite(result).all()
        assert not np.shares_memory(result, x)
    np.testing.assert_array_equal(x, before)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_fast_forms_are_as_exact_as_scipy(dtype):
    x = np.linspace(-60, 60, 2001).astype(dtype)
    exact = x.astype(np.float64)
    few_units = 8 * np.finfo(dtype).eps
    np.testing.assert_allclose(logistic(x), special.expit(exact), rtol=few_units)
    np.testing.assert_allclose(softplus(x), np.logaddexp(exact, 0), rtol=few_units)
    np.testing.assert_allclose(swish(x), exact * special.expit(exact), rtol=few_units)
    assert swish(np.array([-1e38], dtype=dtype))[0] == 0


def test_sigmoids_are_linked():
    x = np.linspace(-6, 6, 49)
    np.testing.assert_allclose(tanh(x), 2 * logistic(2 * x) - 1, atol=1e-15)
    np.testing.assert_allclose(
        (1 + tanh(x, gain=1.3, threshold=0.2)) / 2,
        logistic(x, gain=2.6, threshold=0.2),
        atol=1e-15,
    )
    np.testing.assert_allclose(erf(-x), -erf(x))


def test_logistic_is_steepest_at_its_threshold():
    x = np.linspace(-3, 3, 601)
    slope = logistic_slope(x, gain=3.0, threshold=0.5)
    assert x[slope.argmax()] == pytest.approx(0.5)
    assert slope.max() == pytest.approx(3 / 4)


def test_threshold_is_the_limit_of_tanh_and_has_a_tie_side():
    x = np.array([-1.0, -1e-3, 1e-3, 1.0])
    np.testing.assert_allclose(tanh(x, gain=1e6), threshold(x))
    zero = np.zeros(1)
    ties = [threshold(zero, states=s, tie=t)[0] for s in ("pm1", "01") for t in ("upper", "lower")]
    assert ties == [1, -1, 1, 0]


@given(st.floats(-20, 20), st.floats(-5, 5), st.floats(0.1, 5))
def test_piecewise_linear_is_a_pair_of_rectifiers(x, low, width):
    high = low + width
    pair = max(0, (x - low) / (high - low)) - max(0, (x - high) / (high - low))
    assert piecewise_linear(np.array(x), low, high) == pytest.approx(pair, abs=1e-13)


@pytest.mark.parametrize("n", [0, 1, 3])
def test_tanh_like_doubles_its_closeness_to_one_at_each_corner(n):
    m = np.arange(12)
    np.testing.assert_array_equal(tanh_like(m * 2.0**-n, steepness=n), 1 - 2.0**-m)
    assert tanh_like_slope(np.zeros(1), steepness=n)[0] == 2.0 ** (n - 1)


def test_tanh_like_stays_close_to_tanh_and_is_odd_and_continuous():
    x = np.linspace(-4, 4, 80001)
    y = tanh_like(x)
    assert 0.037 < np.abs(y - np.tanh(x)).max() < 0.038
    np.testing.assert_array_equal(y, -tanh_like(-x))
    assert np.abs(np.diff(y)).max() <= 1.001 * (x[1] - x[0])


def test_smooth_rectifiers_at_their_known_points():
    x = np.linspace(-3, 0, 300001)
    place = swish(x).argmin()
    assert x[place] == pytest.approx(-1.27846, abs=1e-5)
    assert swish(x)[place] == pytest.approx(-0.27846, abs=1e-5)
    assert softplus(np.array(0.0)) == pytest.approx(np.log(2))
    beside = ACTIVATIONS["elu"].derivative(np.array([-1e-9, 1e-9]))
    np.testing.assert_allclose(beside, 1, atol=2e-9)
    assert elu(np.array(-1.0)) == pytest.approx(np.exp(-1) - 1)


VECTORS = arrays(np.float64, (3, 4), elements=st.floats(-1e3, 1e3))


@given(VECTORS, st.floats(-50, 50), st.floats(0, 3))
def test_softmax_sums_to_one_and_ignores_a_shift(x, shift, beta):
    output = softmax(x, beta)
    np.testing.assert_allclose(output.sum(axis=-1), 1)
    np.testing.assert_allclose(softmax(x + shift, beta), output, atol=1e-11)


def test_softmax_limits_of_the_temperature():
    x = np.array([[1.0, 3.0, 2.0]])
    np.testing.assert_allclose(softmax(x, 0.0), 1 / 3)
    np.testing.assert_allclose(softmax(x, 1e4), [[0, 1, 0]])
    assert softmax(x.astype(np.float32), 2.0).dtype == np.float32


@pytest.mark.parametrize("beta", [1.0, 2.5])
def test_softmax_backward_is_the_product_with_the_jacobian(beta):
    rng = np.random.default_rng(0)
    x, upstream = rng.normal(size=(2, 5)), rng.normal(size=(2, 5))
    expected = np.empty_like(x)
    for row in range(2):
        s = softmax(x[row], beta)
        expected[row] = beta * (np.diag(s) - np.outer(s, s)) @ upstream[row]
    found = softmax_backward(softmax(x, beta), upstream, beta)
    np.testing.assert_allclose(found, expected, atol=1e-15)
    step = 1e-6
    above, below = softmax(x + [[step, 0, 0, 0, 0]], beta), softmax(x - [[step, 0, 0, 0, 0]], beta)
    differences = ((above - below) * upstream).sum(axis=1) / (2 * step)
    np.testing.assert_allclose(found[:, 0], differences, atol=1e-9)
