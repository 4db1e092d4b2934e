"""What the outputs of a network cost, and the derivatives by their net inputs."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from shallows._core.contract.params import PositiveFloat
from shallows.descent._activations import softmax_backward
from shallows.descent._losses import LOSSES
from shallows.network._checked import Checked
from shallows.network._network import Array, Network, activate, needs_net_input, slope

LOSS_NAMES = {
    "squared_error": "half_squared",
    "absolute_error": "absolute",
    "huber": "huber",
    "minkowski": "minkowski",
    "sign_squared": "sign_squared",
}


@dataclass(frozen=True)
class Huber(Checked):
    """The `loss` "huber" with a border of its own.

    Parameters
    ----------
    delta : float, default=1.0
        Error from which on the loss is linear; half the square below.

    Examples
    --------
    >>> from shallows.network import Huber, MLPRegressor
    >>> MLPRegressor(hidden_layer_sizes=5, loss=Huber(2.0)).loss.delta
    2.0
    """

    delta: PositiveFloat = 1.0


@dataclass(frozen=True)
class Minkowski(Checked):
    """The `loss` "minkowski" with an exponent of its own.

    Parameters
    ----------
    r : float, default=1.5
        Exponent of the absolute error.

    Examples
    --------
    >>> from shallows.network import Minkowski, MLPRegressor
    >>> MLPRegressor(hidden_layer_sizes=5, loss=Minkowski(3.0)).loss.r
    3.0
    """

    r: PositiveFloat = 1.5


def name_and_options(loss: Any) -> tuple[str, dict[str, float]]:
    """Return the name of a loss and its options, as `Network` takes them."""
    if isinstance(loss, Huber | Minkowski):
        return type(loss).__name__.lower(), asdict(loss)
    return loss, {}


def loss_and_delta(net: Network, net_input: Array, target: Array, delta: Array) -> Array:
    """Return the loss of each sample, and fill `delta` with derivatives by the net inputs.

    Losses of probabilities come from the net inputs, so that they stay exact where a
    probability rounds to 0 or 1. The net inputs are overwritten by the outputs.
    """
    name = net.activations[-1]
    # Canonical pairs of loss and activation: delta = output - target.
    if net.loss in ("log_loss", "poisson"):
        values = CANONICAL[name](net_input, target)
        np.subtract(net_input, target, out=delta)
        return values
    if net.loss == "squared_error" and name == "identity":
        np.subtract(net_input, target, out=delta)
        return 0.5 * np.einsum("ij,ij->i", delta, delta)
    before = net_input.copy() if needs_net_input(name) else None
    output = activate(name, net_input)
    if output is not net_input:
        net_input[:] = output

    # Any other pair: the loss's derivative times the activation's.
    loss = LOSSES[LOSS_NAMES[net.loss]]
    upstream = loss.derivative(net_input, target, **net.options)
    if name == "softmax":
        delta[:] = softmax_backward(net_input, upstream)
    else:
        np.multiply(upstream, slope(name, before, net_input), out=delta)
    return loss.value(net_input, target, **net.options).sum(axis=1)


def sample_losses(net: Network, net_input: Array, target: Array) -> Array:
    """Return the loss of each sample, summed over outputs, from the net inputs of the outputs."""
    return loss_and_delta(net, net_input.copy(), target, np.empty_like(net_input))


def softmax_loss(net_input: Array, target: Array) -> Array:
    """Return ln sum exp(a) - t a of each row; the net inputs a become probabilities."""
    net_input -= net_input.max(axis=1, keepdims=True)
    values = -np.einsum("ij,ij->i", target, net_input)
    np.exp(net_input, out=net_input)
    total = net_input.sum(axis=1, keepdims=True)
    net_input /= total
    values += np.log(total[:, 0])
    return values


def _logistic_loss(net_input: Array, target: Array) -> Array:
    """Return ln(1 + exp(a)) - t a, summed; the net inputs a become probabilities."""
    decay = np.exp(-np.abs(net_input))
    values = np.log1p(decay) + np.maximum(net_input, 0) - target * net_input
    np.divide(np.where(net_input >= 0, 1, decay), 1 + decay, out=net_input)
    return values.sum(axis=1)


def _exponential_loss(net_input: Array, target: Array) -> Array:
    """Return exp(a) - t a, summed; the net inputs a become means of counts."""
    linear = target * net_input
    np.exp(net_input, out=net_input)
    return (net_input - linear).sum(axis=1)


CANONICAL = {"softmax": softmax_loss, "logistic": _logistic_loss, "exp": _exponential_loss}
