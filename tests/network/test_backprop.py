"""Forward pass and backpropagation against naive loops and finite differences."""

import numpy as np
import pytest
from sklearn.neural_network import MLPClassifier as SklearnMLP

from shallows.descent import ACTIVATIONS, numerical_gradient
from shallows.network import (
    SGD,
    Adam,
    MLPClassifier,
    Network,
    backpropagate,
    count_parameters,
    forward,
    initialize,
    layer_outputs,
)
from shallows.network._backprop import Workspace, loss_and_gradient
from shallows.network._dropout import Dropout, Masks
from shallows.network._network import flatten, sizes_of, views

pytestmark = pytest.mark.kernel
SMOOTH = [name for name in ACTIVATIONS if name not in ("threshold", "tanh_like")]


def random_network(sizes, activations, loss="squared_error", seed=0, options=None):
    weights, biases = initialize(sizes, "uniform", scale=1.0, random_state=seed)
    rng = np.random.default_rng(seed)
    biases = [rng.normal(size=b.shape) for b in biases]
    return Network(weights, biases, activations, loss, options or {})


def naive_forward(net, x):
    """One sample, unit by unit."""
    signal = list(x)
    for W, b, name in zip(net.weights, net.biases, net.activations, strict=True):
        sums = [
            sum(signal[i] * W[i, j] for i in range(len(signal))) + b[j] for j in range(W.shape[1])
        ]
        if name == "softmax":
            total = sum(np.exp(sums))
            signal = [np.exp(value) / total for value in sums]
        else:
            signal = [float(ACTIVATIONS[name].value(np.array(value))) for value in sums]
    return signal


def differences(net, X, y, weight=None):
    sizes = sizes_of(net.weights)

    def loss(vector):
        weights, biases = views(vector, sizes)
        return backpropagate(
            net._replace(weights=weights, biases=biases), X, y, sample_weight=weight
        ).loss

    return numerical_gradient(loss, flatten(net.weights, net.biases))


def check(net, X, y, weight=None, rtol=1e-6):
    found = backpropagate(net, X, y, weight)
    exact = differences(net, X, y, weight)
    gap = np.linalg.norm(flatten(found.weights, found.biases) - exact)
    assert gap <= rtol * max(np.linalg.norm(exact), 1e-3)


def test_forward_equals_a_loop_over_units():
    net = random_network([3, 4, 2], ("tanh", "softmax"))
    X = np.random.default_rng(1).normal(size=(5, 3))
    np.testing.assert_allclose(forward(net, X), [naive_forward(net, x) for x in X], rtol=1e-12)


@pytest.mark.parametrize("name", SMOOTH)
def test_gradient_of_every_activation(name):
    net = random_network([3, 5, 4, 2], (name, name, "identity"))
    rng = np.random.default_rng(2)
    check(net, rng.normal(size=(6, 3)), rng.normal(size=(6, 2)), rng.uniform(1, 2, 6))


@pytest.mark.parametrize(
    ("output", "loss", "options"),
    [
        ("softmax", "log_loss", {}),
        ("logistic", "log_loss", {}),
        ("softmax", "squared_error", {}),
        ("tanh", "sign_squared", {"gamma": 0.3}),
        ("identity", "huber", {"delta": 0.5}),
        ("identity", "minkowski", {"r": 3.0}),
        ("identity", "absolute_error", {}),
        ("exp", "poisson", {}),
    ],
)
def test_gradient_of_every_loss(output, loss, options):
    net = random_network([3, 5, 3], ("tanh", output), loss, options=options)
    rng = np.random.default_rng(3)
    check(net, rng.normal(size=(7, 3)), rng.dirichlet(np.ones(3), 7))


def test_softmax_output_delta_is_prediction_minus_target_over_n():
    net = random_network([3, 4, 3], ("relu", "softmax"), "log_loss")
    X, y = np.random.default_rng(0).normal(size=(5, 3)), np.eye(3)[[0, 1, 2, 0, 1]]
    np.testing.assert_allclose(backpropagate(net, X, y).deltas[-1], (forward(net, X) - y) / 5)


def test_batch_gradient_is_the_mean_of_single_gradients():
    net = random_network([3, 4, 2], ("logistic", "identity"))
    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(6, 3)), rng.normal(size=(6, 2))
    single = [backpropagate(net, X[[i]], y[[i]]).weights[0] for i in range(6)]
    np.testing.assert_allclose(backpropagate(net, X, y).weights[0], np.mean(single, axis=0))


def test_thresholds_enter_with_a_minus_sign_and_as_clamped_units():
    net = random_network([2, 3, 1], ("tanh", "identity"))
    clamped = Network(
        [np.vstack([W, b]) for W, b in zip(net.weights, net.biases, strict=True)],
        [np.zeros_like(b) for b in net.biases],
        net.activations,
    )
    X = np.random.default_rng(5).normal(size=(4, 2))
    hidden = layer_outputs(
        clamped._replace(
            weights=clamped.weights[:1], biases=clamped.biases[:1], activations=("tanh",)
        ),
        np.c_[X, np.ones(4)],
    )[0]
    out = np.c_[hidden, np.ones(4)] @ clamped.weights[1]
    np.testing.assert_allclose(out, forward(net, X), rtol=1e-12)

    y, step = np.zeros((4, 1)), 1e-6
    up = net._replace(biases=[net.biases[0] - step, net.biases[1]])  # thresholds up
    down = net._replace(biases=[net.biases[0] + step, net.biases[1]])
    slope = (backpropagate(up, X, y).loss - backpropagate(down, X, y).loss) / (2 * step)
    assert slope == pytest.approx(-backpropagate(net, X, y).biases[0].sum(), rel=1e-5)


def test_linear_units_collapse_to_one_affine_map():
    net = random_network([3, 5, 4, 2], ("identity",) * 3)
    A, B, C = net.weights
    bias = (net.biases[0] @ B + net.biases[1]) @ C + net.biases[2]
    X = np.random.default_rng(6).normal(size=(4, 3))
    np.testing.assert_allclose(forward(net, X), X @ (A @ B @ C) + bias, rtol=1e-11)


def test_zero_weights_give_zero_hidden_deltas_and_equal_units_stay_equal():
    rng = np.random.default_rng(7)
    X, y = rng.normal(size=(8, 3)), rng.normal(size=(8, 1))
    dead = Network(
        [np.zeros((3, 4)), np.zeros((4, 1))], [np.zeros(4), np.zeros(1)], ("tanh", "identity")
    )
    assert not backpropagate(dead, X, y).deltas[0].any()

    net = Network(
        [np.full((3, 4), 0.3), np.full((4, 1), 0.2)],
        [np.zeros(4), np.zeros(1)],
        ("tanh", "identity"),
    )
    for _ in range(20):
        step = backpropagate(net, X, y)
        for layer in (0, 1):
            net.weights[layer][:] -= 0.1 * step.weights[layer]
            net.biases[layer][:] -= 0.1 * step.biases[layer]
    assert np.ptp(net.weights[0], axis=1).max() == 0
    assert abs(net.weights[0] - 0.3).max() > 0.01


def test_whole_path_equals_scikit_learn_from_the_same_start():
    rng = np.random.default_rng(8)
    X, y = rng.normal(size=(60, 5)), rng.integers(0, 3, 60)
    heavy_ball = {"solver": "sgd", "momentum": 0.5, "nesterovs_momentum": False}
    for rule, named, rate in [
        (SGD(), {"solver": "sgd"}, 0.1),
        (SGD(0.5, nesterov=False), heavy_ball, 0.1),
        (Adam(), {"solver": "adam"}, 0.001),
        (Adam(0.8, 0.9), {"beta_1": 0.8, "beta_2": 0.9}, 0.001),
    ]:
        options = {"alpha": 0.5, "learning_rate_init": rate}
        # Adam's epsilon stands elsewhere in theirs, which shows where a gradient is below 1e-5.
        theirs = SklearnMLP((7, 4), activation="tanh", random_state=0, **named, **options)
        theirs.partial_fit(X[:20], y[:20], classes=[0, 1, 2])
        del theirs._optimizer
        ours = MLPClassifier((7, 4), "tanh", solver=rule, warm_start=True, max_iter=1, tol=None)
        ours.set_params(**options).fit(X, y)
        ours.coefs_ = [W.copy() for W in theirs.coefs_]
        ours.intercepts_ = [b.copy() for b in theirs.intercepts_]
        for _ in range(8):
            for rows in (slice(0, 20), slice(20, 40), slice(40, 60)):
                theirs.partial_fit(X[rows], y[rows])
                ours.partial_fit(X[rows], y[rows])
        np.testing.assert_allclose(ours.loss_curve_, theirs.loss_curve_[1:], rtol=1e-6)
        np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-5)


def test_parameter_count():
    for layers in ([10, 5, 2], [4, 3], [7, 6, 5, 4]):
        weights, biases = initialize(layers, random_state=0)
        assert count_parameters(layers) == len(flatten(weights, biases))
    assert count_parameters([10, 5], "soft_committee") == 10 * 5 + 2 * 5


@pytest.mark.parametrize("kind", ["glorot", "fan_in", "lecun", "he", "uniform"])
def test_initial_weights_fill_their_range(kind):
    n_in, n_out = 40, 60
    reach = {
        "glorot": (6 / 100) ** 0.5,
        "fan_in": 0.7 * 2 / 40,
        "lecun": 40**-0.5,
        "he": (6 / 40) ** 0.5,
        "uniform": 0.7,
    }[kind]
    (first, _), (bias, _) = initialize([n_in, n_out, 2], kind, random_state=0)
    assert 0.99 * reach < abs(first).max() <= reach
    assert bias.any() == (kind == "glorot")


def test_orthogonal_start_keeps_lengths():
    (W, V), _ = initialize([5, 8, 3], "orthogonal", scale=2.0, random_state=0)
    np.testing.assert_allclose(W @ W.T, 4 * np.eye(5), atol=1e-12)
    np.testing.assert_allclose(V.T @ V, 4 * np.eye(3), atol=1e-12)


def test_bad_input_is_named():
    net = random_network([3, 4, 2], ("tanh", "identity"))
    with pytest.raises(ValueError, match="1 columns, but the network has 2 outputs"):
        backpropagate(net, np.ones((4, 3)), np.ones(4))
    with pytest.raises(TypeError, match="fitted network estimator"):
        forward(object(), np.ones((1, 3)))
    with pytest.raises(ValueError, match="at least 2 layers"):
        initialize([3])


@pytest.mark.parametrize("drop", ["units", "weights"])
@pytest.mark.parametrize("name", ["tanh", "swish", "relu"])
def test_gradient_with_dropped_units_or_weights(drop, name):
    rng = np.random.default_rng(9)
    net = random_network([4, 6, 5, 2], (name, name, "identity"))
    X, y, sizes = rng.normal(size=(7, 4)), rng.normal(size=(7, 2)), [4, 6, 5, 2]
    masks = Masks(Dropout(0.5, 0.8, drop)).draw(net, 7, rng)
    work = Workspace(net, 7)
    loss_and_gradient(net, X, y, None, work, masks)
    found = work.gradient.copy()

    def loss(vector):
        weights, biases = views(vector, sizes)
        moved = net._replace(weights=weights, biases=biases)
        return loss_and_gradient(moved, X, y, None, work, masks)

    exact = numerical_gradient(loss, flatten(net.weights, net.biases))
    np.testing.assert_allclose(found, exact, rtol=1e-5, atol=1e-9)


@pytest.mark.parametrize("frozen", [(0,), (1,), (0, 2), (2,)])
def test_frozen_layers_have_no_gradient_and_the_others_the_same(frozen):
    rng = np.random.default_rng(10)
    net = random_network([3, 4, 4, 2], ("tanh", "swish", "identity"))
    X, y = rng.normal(size=(5, 3)), rng.normal(size=(5, 2))
    free, held = Workspace(net, 5), Workspace(net, 5)
    loss_and_gradient(net, X, y, None, free)
    loss_and_gradient(net, X, y, None, held, None, frozen)
    for layer in range(3):
        for ours, full in ((held.weights, free.weights), (held.biases, free.biases)):
            expected = np.zeros_like(full[layer]) if layer in frozen else full[layer]
            np.testing.assert_array_equal(ours[layer], expected)
