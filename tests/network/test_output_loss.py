"""Losses from net inputs: exact where probabilities round to 0 or 1."""

import numpy as np
import pytest
from scipy.special import logsumexp

from shallows.descent import numerical_gradient
from shallows.network import MLPClassifier, MLPRegressor, Network
from shallows.network._output_loss import loss_and_delta, sample_losses

FORMS = [
    ("log_loss", "softmax", {}),
    ("log_loss", "logistic", {}),
    ("poisson", "exp", {}),
    ("squared_error", "identity", {}),
    ("squared_error", "logistic", {}),
    ("squared_error", "softmax", {}),
    ("squared_error", "swish", {}),
    ("sign_squared", "tanh", {"gamma": 0.3}),
    ("huber", "identity", {"delta": 0.5}),
    ("minkowski", "identity", {"r": 1.7}),
]


def network(loss, activation, options):
    return Network([np.eye(3)], [np.zeros(3)], (activation,), loss, options)


@pytest.mark.parametrize(("loss", "activation", "options"), FORMS)
def test_deltas_are_derivatives_by_the_net_inputs(loss, activation, options):
    net = network(loss, activation, options)
    rng = np.random.default_rng(0)
    net_input, target = rng.normal(size=(4, 3)), np.eye(3)[[0, 1, 2, 1]]
    delta = np.empty_like(net_input)
    values = loss_and_delta(net, net_input.copy(), target, delta)
    np.testing.assert_allclose(values, sample_losses(net, net_input, target))

    def total(place):
        return float(sample_losses(net, place.reshape(4, 3), target).sum())

    exact = numerical_gradient(total, net_input.ravel()).reshape(4, 3)
    np.testing.assert_allclose(delta, exact, rtol=1e-5, atol=1e-8)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_losses_of_probabilities_stay_exact_where_they_round(dtype):
    net_input = np.array([[900.0, -900.0, 0.0], [30.0, -30.0, -1e-3]], dtype)
    target = np.array([[0, 1, 0], [0, 1, 0]], dtype)
    wide = net_input.astype(np.float64)
    binary = (np.logaddexp(0, wide) - target * wide).sum(axis=1)
    several = logsumexp(wide, axis=1) - (target * wide).sum(axis=1)
    for name, exact in (("logistic", binary), ("softmax", several)):
        found = sample_losses(network("log_loss", name, {}), net_input, target)
        assert found.dtype == dtype
        np.testing.assert_allclose(found, exact, rtol=4 * np.finfo(dtype).eps)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("loss", ["log_loss", "squared_error", "sign_squared"])
def test_logarithms_of_probabilities_never_become_infinite(loss, n_classes):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 4)), np.arange(60) % n_classes
    model = MLPClassifier((), loss=loss, max_iter=2, tol=None, random_state=0).fit(X, y)
    near = model.predict_log_proba(X)
    np.testing.assert_allclose(np.exp(near), model.predict_proba(X), rtol=1e-12)
    np.testing.assert_allclose(np.exp(near).sum(axis=1), 1)
    far = model.predict_log_proba(1e4 * X)
    assert np.isfinite(far).all() and far.min() < -800
    chosen = np.searchsorted(model.classes_, model.predict(1e4 * X))
    np.testing.assert_array_equal(far[np.arange(60), chosen], far.max(axis=1))


def test_poisson_counts_may_be_large():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (200, 1))
    y = rng.poisson(np.exp(8 + 2 * X[:, 0]))
    model = MLPRegressor(
        hidden_layer_sizes=(), solver="lbfgs", loss="poisson", alpha=0, max_iter=500, tol=None
    )
    model.set_params(random_state=0).fit(X, y)
    assert model.coefs_[0][0, 0] == pytest.approx(2, abs=0.01)
    assert model.intercepts_[0][0] == pytest.approx(8, abs=0.01)
