"""Rate neurons, activations, radial and stochastic units, Hebb's rule."""

import numpy as np
import pytest
from scipy import special

from shallows import neuron
from shallows.neuron import (
    hebb_update,
    logistic,
    piecewise_linear,
    rate_neuron,
    rbf_unit,
    relu,
    softmax,
    softplus,
    stochastic_neuron,
    swish,
    tanh,
    tanh_like,
    threshold,
)

GRID = np.linspace(-4, 4, 801)


def test_sigmoids_are_one_family():
    gain, place = 1.7, 0.4
    h = (1 + np.tanh(gain * (GRID - place))) / 2
    np.testing.assert_allclose(logistic(GRID, 2 * gain, place), h, atol=1e-15)
    np.testing.assert_allclose(tanh(GRID, gain, place), 2 * h - 1, atol=1e-15)
    np.testing.assert_allclose(logistic(GRID), special.expit(GRID), atol=1e-16)
    np.testing.assert_array_equal(neuron.erf(GRID), special.erf(GRID))


def test_steep_sigmoids_become_the_threshold_unit():
    away = GRID[np.abs(GRID) >= 0.1]
    assert np.abs(tanh(away, 100.0) - threshold(away)).max() < 1e-8
    assert threshold(np.zeros(1), states="01") == 1


def test_ramps():
    ramp = piecewise_linear(GRID, -1.0, 2.0)
    np.testing.assert_allclose(ramp, relu((GRID + 1) / 3) - relu((GRID - 2) / 3), atol=1e-15)
    np.testing.assert_allclose(neuron.leaky_relu(GRID, 0.25), np.where(GRID < 0, GRID / 4, GRID))
    np.testing.assert_array_equal(neuron.identity(GRID), GRID)
    assert np.abs(tanh_like(GRID) - np.tanh(GRID)).max() < 0.038


def test_smooth_rectifiers():
    slope = (softplus(GRID + 1e-6) - softplus(GRID - 1e-6)) / 2e-6
    np.testing.assert_allclose(slope, logistic(GRID), atol=1e-9)
    assert swish(np.array([-1.278465]))[0] == pytest.approx(-0.278465, abs=1e-6)
    left, right = neuron.elu(np.array([-1e-7, 1e-7]))
    assert (right / 1e-7, left / -1e-7) == pytest.approx((1, 1), abs=1e-6)


def test_softmax_between_uniform_and_winner():
    x = np.random.default_rng(0).normal(size=(5, 4))
    np.testing.assert_allclose(softmax(x, 0.0), 0.25)
    np.testing.assert_allclose(softmax(x, 1e4), x == x.max(axis=1, keepdims=True), atol=1e-12)
    np.testing.assert_allclose(softmax(x + 50.0), special.softmax(x, axis=1), rtol=1e-12)


def test_rate_neurons_are_excited_and_inhibited():
    rates = np.random.default_rng(1).random((20, 3))
    weights = np.array([[1.0, -2.0, 0.5], [0.0, 3.0, -1.0]])
    out = rate_neuron(rates, weights)
    np.testing.assert_allclose(out, special.expit(rates @ weights.T))
    assert ((out >= 0) & (out <= 1)).all()
    more = rates + [0, 0.1, 0]
    assert (rate_neuron(more, weights)[:, 0] < out[:, 0]).all()
    assert (rate_neuron(more, weights)[:, 1] > out[:, 1]).all()
    np.testing.assert_allclose(rate_neuron(rates, weights[0], np.tanh), np.tanh(rates @ weights[0]))
    with pytest.raises(ValueError, match="activation must be callable or one of"):
        rate_neuron(rates, weights, "sigmoid")


def test_radial_units():
    rng = np.random.default_rng(2)
    s, centers = rng.normal(size=(30, 3)), rng.normal(size=(4, 3))
    squares = ((s[:, None] - centers) ** 2).sum(axis=2)
    np.testing.assert_allclose(rbf_unit(s, centers, 0.7), np.exp(-0.7 * squares), rtol=1e-10)
    shares = rbf_unit(s, centers, 0.7, normalized=True)
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    nearest = np.eye(4)[squares.argmin(axis=1)]
    np.testing.assert_allclose(rbf_unit(s, centers, 1e4, normalized=True), nearest, atol=1e-9)
    with pytest.raises(ValueError, match="beta must be positive"):
        rbf_unit(s, centers, 0.0)


def test_stochastic_neurons_are_right_on_average():
    net = np.repeat([-1.0, 0.0, 2.0], 20_000)
    states = stochastic_neuron(net, random_state=0)
    assert set(states) == {-1.0, 1.0}
    means = states.reshape(3, -1).mean(axis=1)
    errors = means - (2 * special.expit([-1.0, 0.0, 2.0]) - 1)
    assert np.abs(errors).max() < 4.5 / np.sqrt(20_000)
    np.testing.assert_array_equal(states, stochastic_neuron(net, random_state=0))
    with pytest.raises(ValueError, match="values from 0 to 1"):
        stochastic_neuron(net, probability=np.tanh)


def test_hebb_strengthens_what_agrees():
    states = np.array([[1, 1], [-1, -1], [1, -1], [0, 1]])
    changes = [float(hebb_update(0.0 * np.ones(1), [a], b)[0]) for a, b in states]
    assert changes == [1.0, 1.0, -1.0, 0.0]


def test_hebb_on_many_samples_adds_up():
    rng = np.random.default_rng(3)
    pre, post = rng.normal(size=(6, 3)), rng.normal(size=(6, 2))
    weights = start = rng.normal(size=(2, 3))
    for x, y in zip(pre, post, strict=True):
        weights = hebb_update(weights, x, y, eta=0.1)
    np.testing.assert_allclose(hebb_update(start, pre, post, eta=0.1), weights)
    np.testing.assert_allclose(hebb_update(start[0], pre, post[:, 0], eta=0.1), weights[0])
    with pytest.raises(ValueError, match="do not connect"):
        hebb_update(start, pre[:, :2], post)
