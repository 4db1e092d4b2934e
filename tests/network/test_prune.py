"""Pruning, quantisation, adversarial examples, diagnosis."""

import numpy as np
import pytest
from sklearn.datasets import load_digits, make_moons

from shallows.descent import numerical_hessian
from shallows.network import (
    Complexity,
    ComplexityMonitor,
    MLPClassifier,
    MLPRegressor,
    Network,
    adversarial_example,
    backpropagate,
    complexity,
    forward,
    gradient_norms,
    initialize,
    prune,
    quantize_weights,
    saliencies,
)
from shallows.network._curvature import gauss_newton
from shallows.network._network import flatten, sizes_of, views


def quadratic(diagonal=False, seed=0):
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(6, 4))
    H = np.diag(rng.uniform(0.5, 3, 4)) if diagonal else A.T @ A
    return rng.normal(size=4), H


def rise(w, H, k, adapt):
    """Least rise of (v - w) H (v - w) / 2 with v_k = 0, by brute force."""
    free = [i for i in range(4) if i != k]
    step = np.zeros(4)
    step[k] = -w[k]
    if adapt:
        step[free] = np.linalg.solve(H[np.ix_(free, free)], -H[free, k] * step[k])
    return 0.5 * step @ H @ step


@pytest.mark.parametrize(("method", "adapt"), [("obd", False), ("obs", True)])
@pytest.mark.parametrize("diagonal", [True, False])
def test_saliency_is_the_exact_rise_of_a_quadratic_cost(method, adapt, diagonal):
    w, H = quadratic(diagonal)
    exact = [rise(w, H, k, adapt) for k in range(4)]
    np.testing.assert_allclose(saliencies(w, H, method), exact)
    if diagonal:
        np.testing.assert_allclose(saliencies(w, H, "obd"), saliencies(w, H, "obs"))


@pytest.mark.parametrize(
    ("output", "loss"),
    [("identity", "squared_error"), ("softmax", "log_loss"), ("logistic", "log_loss")],
)
def test_gauss_newton_is_the_hessian_where_outputs_are_linear(output, loss):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(20, 3)), rng.dirichlet(np.ones(2), 20)
    weights, biases = initialize([3, 2], random_state=0)
    net = Network(weights, biases, (output,), loss)

    def gradient(vector):
        W, b = views(vector, [3, 2])
        found = backpropagate(net._replace(weights=W, biases=b), X, y)
        return flatten(found.weights, found.biases)

    exact = numerical_hessian(gradient, flatten(weights, biases))
    np.testing.assert_allclose(gauss_newton(net, X), exact, atol=1e-8)
    np.testing.assert_allclose(gauss_newton(net, X, diagonal=True), np.diag(exact), atol=1e-8)


def test_gauss_newton_is_the_hessian_where_the_network_fits():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(30, 2))
    net = Network(
        *initialize([2, 4, 3, 1], "uniform", scale=1.0, random_state=0),
        ("tanh", "swish", "identity"),
    )
    y, sizes = forward(net, X), sizes_of(net.weights)

    def gradient(vector):
        W, b = views(vector, sizes)
        found = backpropagate(net._replace(weights=W, biases=b), X, y)
        return flatten(found.weights, found.biases)

    exact = numerical_hessian(gradient, flatten(net.weights, net.biases))
    np.testing.assert_allclose(gauss_newton(net, X), exact, atol=1e-6)


def fitted():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(200, 6))
    X[:, 1] = X[:, 0] + 0.3 * rng.normal(size=200)
    y = np.tanh(X[:, :1] + X[:, 1:2]) + 0.5 * X[:, 2:3]
    model = MLPRegressor(
        hidden_layer_sizes=8,
        activation="tanh",
        solver="lbfgs",
        alpha=0,
        max_iter=300,
        tol=None,
        random_state=0,
    )
    return model.fit(X, y), X, y


def test_second_derivatives_tell_which_weights_are_spare():
    """Step by step OBS need not stay ahead of OBD, but for few weights its corrections pay."""
    model, X, y = fitted()
    found = {
        method: prune(model, X, y, 25, method=method) for method in ("obd", "obs", "magnitude")
    }
    for pruned in found.values():
        assert sum((~part).sum() for part in pruned.kept) == 25
        for W, kept in zip(pruned.network.weights, pruned.kept, strict=True):
            assert not W[~kept].any()
    losses = {method: pruned.loss_after for method, pruned in found.items()}
    assert max(losses["obs"], losses["obd"]) < 0.2 * losses["magnitude"]
    few = {method: prune(model, X, y, 5, method=method).loss_after for method in ("obd", "obs")}
    assert few["obs"] < few["obd"]
    assert found["obd"].loss_before == pytest.approx(model.loss_, rel=1e-6)
    again = prune(found["obd"].network, X, y, 3, method="obd", max_iter=100)
    assert sum((W == 0).sum() for W in again.network.weights) == 28
    assert again.loss_after < losses["obd"]


def test_obs_on_a_linear_network_is_the_best_subset_step():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(50, 4)) @ rng.normal(size=(4, 4))
    y = X @ rng.normal(size=(4, 1)) + rng.normal(size=(50, 1))
    design = np.c_[X, np.ones(50)]
    full = np.linalg.lstsq(design, y, rcond=None)[0]
    net = Network([full[:4]], [full[4]], ("identity",))
    pruned = prune(net, X, y, 1, method="obs", damping=0.0)
    losses = []
    for k in range(4):
        part = np.delete(design, k, axis=1)
        gap = y - part @ np.linalg.lstsq(part, y, rcond=None)[0]
        losses.append(0.5 * float((gap**2).mean()))
    assert pruned.loss_after == pytest.approx(min(losses), rel=1e-8)
    assert int(np.flatnonzero(~pruned.kept[0].ravel())[0]) == int(np.argmin(losses))
    rises = pruned.saliencies[0].ravel()
    np.testing.assert_allclose(rises + pruned.loss_before, losses, rtol=1e-8)


def test_whole_units_go_and_constant_ones_cost_nothing():
    model, X, y = fitted()
    net = model.network_
    weights, biases = [W.copy() for W in net.weights], [b.copy() for b in net.biases]
    weights[0][:, 3] = 0.0  # unit 3 is constant
    constant = net._replace(weights=weights, biases=biases)
    pruned = prune(constant, X, y, 1, method="unit")
    if not pruned.kept[0][3]:
        assert pruned.loss_after == pytest.approx(pruned.loss_before)
    assert pruned.network.weights[0].shape == (6, 7) and pruned.network.weights[1].shape == (7, 1)
    with pytest.raises(ValueError, match="leave a unit"):
        prune(model, X, y, 8, method="unit")
    with pytest.raises(ValueError, match="weights left"):
        prune(model, X, y, 1000)


@pytest.mark.parametrize("kind", ["nearest", "symmetric"])
@pytest.mark.parametrize("n_levels", [1, 2, 3, 8])
def test_quantised_networks_have_few_weights(kind, n_levels):
    model, X, y = fitted()
    found = quantize_weights(model, n_levels, kind=kind, X=X, y=y)
    distinct = np.unique(np.concatenate([W.ravel() for W in found.network.weights]))
    assert len(distinct) <= n_levels and set(distinct) <= set(found.levels)
    assert found.loss_before == pytest.approx(model.loss_, rel=1e-6)
    if kind == "symmetric":
        np.testing.assert_allclose(found.levels, -found.levels[::-1])


def test_more_levels_change_the_network_less():
    model, X, y = fitted()
    losses = [quantize_weights(model, n, X=X, y=y).loss_after for n in (2, 8, 32)]
    assert losses[0] > losses[1] > losses[2]


def test_adversarial_steps_are_small_and_raise_the_loss():
    X, y = load_digits(return_X_y=True)
    X, target = X / 16, np.eye(10)[y]
    model = MLPClassifier(30, max_iter=30, tol=None, random_state=0).fit(X, y)
    before = backpropagate(model, X, target).loss
    for eps in (0.007, 0.1):
        moved = adversarial_example(model, X, target, eps)
        assert np.abs(moved - X).max() <= eps + 1e-12
        assert backpropagate(model, moved, target).loss > before
    random = X + 0.1 * np.sign(np.random.default_rng(0).normal(size=X.shape))
    assert model.score(moved, y) < model.score(random, y) - 0.3
    assert adversarial_example(model, X, target, 0.1, bounds=(0, 1)).min() == 0


def test_logistic_networks_lose_gradient_and_rectifiers_do_not():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 20)), rng.normal(size=(200, 1))
    sizes, ratios = [20] * 9 + [1], {}
    for name, kind in (("logistic", "glorot"), ("relu", "he")):
        net = Network(*initialize(sizes, kind, random_state=0), (name,) * 8 + ("identity",))
        norms = gradient_norms(net, X, y)
        ratios[name] = norms[0] / norms[-2]
    assert ratios["logistic"] < 1e-3 and ratios["relu"] > 0.1


def test_complexity_starts_near_a_linear_map_and_grows():
    X, y = make_moons(200, noise=0.1, random_state=0)
    linear = Network(*initialize([2, 5, 1], random_state=0), ("identity", "identity"))
    assert complexity(linear, X).nonlinearity < 1e-20
    tiny = Network(
        *initialize([2, 5, 1], "uniform", scale=1e-3, random_state=0), ("tanh", "identity")
    )
    huge = tiny._replace(weights=[1e6 * tiny.weights[0], tiny.weights[1]])
    assert complexity(tiny, X).saturated == 0 and complexity(huge, X).saturated > 0.9
    monitor = ComplexityMonitor(X)
    MLPClassifier(
        10, "tanh", init="fan_in", learning_rate_init=0.05, max_iter=60, tol=None, random_state=0
    ).set_callbacks(monitor).fit(X, y)
    seen = monitor.history_
    assert sorted(seen) == sorted(Complexity._fields) and len(seen["saturated"]) == 60
    for name in ("weight_norm", "nonlinearity", "saturated"):
        assert seen[name][-1] > seen[name][0]
