"""The constructive approximator and random restarts."""

import numpy as np
import pytest
from sklearn.datasets import make_moons
from sklearn.linear_model import LinearRegression

from shallows.network import (
    MLPClassifier,
    MLPRegressor,
    PiecewiseConstantApproximator,
    Restarts,
    forward,
    interval_selector,
    layer_outputs,
    roi_network,
)


def test_selector_of_the_notes():
    z = np.linspace(0, 8, 801)
    found = interval_selector(z, 2, 6, gain=5)
    expected = 1 / (1 + np.exp(-5 * (z - 2))) - 1 / (1 + np.exp(-5 * (z - 6)))
    np.testing.assert_allclose(found, expected, atol=1e-15)
    inside = (z > 2) & (z < 6)
    away = np.minimum(abs(z - 2), abs(z - 6)) > 0.1
    steep = interval_selector(z, 2, 6, gain=500)
    np.testing.assert_allclose(steep[away], inside[away].astype(float), atol=1e-12)


@pytest.mark.parametrize("units", ["sigmoid", "relu"])
def test_sums_of_selectors_and_number_of_units(units):
    k, rng = 4, np.random.default_rng(0)
    edges = [np.linspace(0, 1, k + 1)] * 2
    values = rng.normal(size=(k, k))
    net = roi_network(edges, values, 1e4, units)
    assert net.weights[2].shape == (2 * k, k**2)
    assert net.weights[0].shape[1] == 2 * (k + 1) * (1 if units == "sigmoid" else 2)
    X = rng.uniform(size=(500, 2))
    X = X[(np.abs(X[:, :, None] - edges[0]).min(axis=(1, 2)) > 0.005)]
    layers = layer_outputs(net, X)
    cell = (X * k).astype(int)
    sums = layers[1] @ (net.weights[2] > 0)
    own = sums[np.arange(len(X)), cell[:, 0] * k + cell[:, 1]]
    np.testing.assert_allclose(own, 2, atol=1e-9)
    others = np.sort(sums, axis=1)[:, :-1]
    assert others.max() <= 1 + 1e-9
    np.testing.assert_allclose(forward(net, X).ravel(), values[cell[:, 0], cell[:, 1]], atol=1e-6)


@pytest.mark.parametrize("k", [4, 8, 16])
def test_error_is_bounded_by_the_modulus_of_continuity(k):
    grid = np.linspace(0, 1, 161)
    X = np.array(np.meshgrid(grid, grid)).reshape(2, -1).T
    y = np.sin(3 * X[:, 0]) + X[:, 1] ** 2
    model = PiecewiseConstantApproximator(k).fit(X, y)
    modulus = (9 + 4) ** 0.5 * 2**0.5 / k  # steepest slope times the diagonal of a cell
    assert abs(model.predict(X) - y).max() <= modulus
    assert model.network_.weights[-1].shape == (k**2, 1)


def test_cells_take_weighted_means_and_empty_cells_their_neighbours():
    X, y = np.array([[0.0], [0.1], [1.0]]), np.array([1.0, 4.0, 9.0])
    model = PiecewiseConstantApproximator(5).fit(X, y, sample_weight=[2.0, 1.0, 1.0])
    np.testing.assert_allclose(model.predict([[0.05], [0.3], [0.95], [7.0]]), [2, 2, 9, 9])
    with pytest.raises(ValueError, match="Take fewer"):
        PiecewiseConstantApproximator(10).fit(np.ones((3, 6)), y)


def noisy_sine(seed=0):
    rng = np.random.default_rng(seed)
    X = np.sort(rng.uniform(-3, 3, (40, 1)), axis=0)
    return X, np.sin(X).ravel() + 0.3 * rng.normal(size=40)


def member():
    return MLPRegressor(
        hidden_layer_sizes=6, activation="tanh", solver="lbfgs", max_iter=40, tol=None
    )


def test_committee_is_never_worse_than_its_members_on_average():
    X, y = noisy_sine()
    for seed in range(3):
        model = Restarts(member(), 6, combine="mean", random_state=seed).fit(X, y)
        Z, t = noisy_sine(seed + 1)
        errors = [((part.predict(Z) - t) ** 2).mean() for part in model.estimators_]
        assert ((model.predict(Z) - t) ** 2).mean() <= np.mean(errors)
        np.testing.assert_allclose(
            model.predict(Z), np.mean([part.predict(Z) for part in model.estimators_], axis=0)
        )


@pytest.mark.parametrize("combine", ["best", "median"])
def test_one_member_is_chosen_by_its_loss(combine):
    X, y = noisy_sine()
    model = Restarts(member(), 5, combine=combine, random_state=0).fit(X, y)
    order = np.sort(model.losses_)
    assert model.losses_[model.chosen_] == order[0 if combine == "best" else 2]
    np.testing.assert_array_equal(model.predict(X), model.estimators_[model.chosen_].predict(X))


@pytest.mark.parametrize("combine", ["best", "mean", "vote"])
def test_classifiers(combine):
    X, y = make_moons(100, noise=0.1, random_state=0)
    net = MLPClassifier(6, "tanh", solver="lbfgs", max_iter=60, tol=None)
    model = Restarts(net, 5, combine=combine, random_state=0).fit(X, y)
    assert model.score(X, y) > 0.97
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)


def test_what_cannot_be_restarted_is_refused():
    X, y = noisy_sine()
    with pytest.raises(ValueError, match="must have a random_state"):
        Restarts(LinearRegression()).fit(X, y)
    with pytest.raises(ValueError, match="needs a classifier"):
        Restarts(member(), combine="vote").fit(X, y)
