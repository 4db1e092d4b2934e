"""Error backpropagation through any number of layers."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import issparse

from shallows._core.compile import compiled
from shallows._core.descent.activations import softmax_backward
from shallows._core.descent.classification_losses import binary_cross_entropy, cross_entropy
from shallows._core.descent.losses import LOSSES
from shallows.network._network import (
    Array,
    Network,
    activate,
    as_network,
    needs_net_input,
    sizes_of,
    slope,
    views,
)

LOSS_NAMES = {
    "squared_error": "half_squared",
    "absolute_error": "absolute",
    "huber": "huber",
    "minkowski": "minkowski",
    "sign_squared": "sign_squared",
}
KINDS = {"identity": 0, "relu": 1, "tanh": 2, "logistic": 3}


class Gradient(NamedTuple):
    """Mean loss of a network and its derivatives.

    Parameters
    ----------
    loss : float
        Mean loss over the samples, summed over outputs.
    weights : list of ndarray of shape (n_in, n_out)
        Derivatives by the weights, one matrix per layer.
    biases : list of ndarray of shape (n_out,)
        Derivatives by the biases; by the thresholds they have the opposite sign.
    deltas : list of ndarray of shape (n_samples, n_out)
        Derivatives by the net input of every unit, one matrix per layer.

    Examples
    --------
    >>> from shallows.network import Gradient
    >>> Gradient(0.5, [], [], []).loss
    0.5
    """

    loss: float
    weights: list[Array]
    biases: list[Array]
    deltas: list[Array]


def backpropagate(net: Any, X: Any, y: Any, sample_weight: Any = None) -> Gradient:
    r"""Return the mean loss of a network and its gradient.

    The errors of the outputs, :math:`\delta_K = \partial e / \partial a_K` with net inputs
    :math:`a`, travel back through the weights, :math:`\delta_m = g'(a_m) \,
    (\delta_{m+1} W_{m+1}^T)`, and :math:`\partial e / \partial W_m = Z_{m-1}^T \delta_m`. It
    costs about twice a forward pass, whatever the number of weights.

    Parameters
    ----------
    net : Network or fitted estimator
        The network.
    X : array-like of shape (n_samples, n_features)
        Inputs.
    y : array-like of shape (n_samples, n_outputs)
        Targets of the outputs; one-hot for classes.
    sample_weight : array-like of shape (n_samples,), default=None
        Weight of each sample in the mean.

    Returns
    -------
    gradient : Gradient
        Loss and derivatives.

    Examples
    --------
    >>> import numpy as np
    >>> from shallows.network import Network, backpropagate
    >>> net = Network([np.array([[2.0]])], [np.zeros(1)], ("identity",))
    >>> found = backpropagate(net, [[3.0]], [[5.0]])
    >>> found.loss, found.weights[0]
    (0.5, array([[3.]]))
    """
    net = as_network(net)
    dtype = net.weights[0].dtype
    X = X if issparse(X) else np.ascontiguousarray(X, dtype=dtype)
    target = np.ascontiguousarray(y, dtype=dtype).reshape(X.shape[0], -1)
    if target.shape[1] != net.weights[-1].shape[1]:
        raise ValueError(
            f"y has {target.shape[1]} columns, but the network has {net.weights[-1].shape[1]} "
            "outputs; give one target per output, one-hot for classes."
        )
    shares = None
    if sample_weight is not None:
        shares = np.asarray(sample_weight, dtype=np.float64)
        shares = (shares / shares.sum()).astype(dtype)
    work = Workspace(net, X.shape[0])
    loss = loss_and_gradient(net, X, target, shares, work)
    return Gradient(loss, work.weights, work.biases, work.deltas)


class Workspace:
    """Buffers for batches of up to `n_rows`, so that a step allocates next to nothing.

    Parameters
    ----------
    net : Network
        Tells shapes and dtype.
    n_rows : int
        Rows of the largest batch.

    Attributes
    ----------
    inputs : list
        What each layer saw in the last pass.
    outputs, deltas : list of ndarray of shape (n_rows, n_units)
        Outputs of each layer, and derivatives of the loss by its net inputs.
    gradient : ndarray
        The gradient as one vector; `weights` and `biases` are views of it.
    """

    def __init__(self, net: Network, n_rows: int):
        dtype, sizes = net.weights[0].dtype, sizes_of(net.weights)
        self.outputs = [np.empty((n_rows, size), dtype) for size in sizes[1:]]
        self.deltas = [np.empty((n_rows, size), dtype) for size in sizes[1:]]
        self.inputs: list[Any] = [None] * len(self.outputs)
        self.net_inputs: list[Any] = [None] * len(self.outputs)
        count = sum(W.size + b.size for W, b in zip(net.weights, net.biases, strict=True))
        self.gradient = np.zeros(count, dtype)
        self.weights, self.biases = views(self.gradient, sizes)


def loss_and_gradient(
    net: Network,
    X: Any,
    target: Array,
    shares: Array | None,
    work: Workspace,
    masks: Any = None,
    frozen: tuple[int, ...] = (),
) -> float:
    """Fill `work` with the gradient of the mean loss, and return the loss.

    `shares` are the weights of the samples, with sum 1. `masks` drops units or weights.
    Layers in `frozen` keep a gradient of zero.
    """
    propagate(net, X, work, masks)
    loss = _output_deltas(net, target, shares, work)
    last = len(net.weights) - 1
    lowest = min((layer for layer in range(last + 1) if layer not in frozen), default=last)
    for layer in range(last, lowest - 1, -1):
        delta = work.deltas[layer][: len(target)]
        if layer > lowest:
            _send_back(net, layer, delta, work, masks)
        if layer in frozen:
            work.biases[layer][:] = 0
            continue
        _multiply(work.inputs[layer].T, delta, work.weights[layer])
        if masks is not None and masks.weights[layer] is not None:
            work.weights[layer] *= masks.weights[layer]
    return loss


def propagate(net: Network, X: Any, work: Workspace, masks: Any = None) -> Array:
    """Run a batch through the network, keep what `loss_and_gradient` needs, return outputs."""
    signal, n_rows = X, X.shape[0]
    for layer, (weights, bias, name) in enumerate(
        zip(net.weights, net.biases, net.activations, strict=True)
    ):
        if masks is not None:
            signal = masks.drop_units(layer, signal)
            weights = masks.drop_weights(layer, weights)
        work.inputs[layer] = signal
        output = work.outputs[layer][:n_rows]
        _multiply(signal, weights, output)
        if name == "relu":
            add_and_rectify(output, bias)
        else:
            output += bias
            if needs_net_input(name):
                work.net_inputs[layer] = output.copy()
            found = activate(name, output)
            if found is not output:
                output[:] = found
        signal = output
    return signal


def _send_back(net: Network, layer: int, delta: Array, work: Workspace, masks: Any) -> None:
    """Compute the deltas of the layer below `layer`."""
    below, weights = layer - 1, net.weights[layer]
    if masks is not None:
        weights = masks.drop_weights(layer, weights)
    back = work.deltas[below][: len(delta)]
    np.dot(delta, weights.T, out=back)
    if masks is not None and masks.units[layer] is not None:
        back *= masks.units[layer]
    name, output = net.activations[below], work.outputs[below][: len(delta)]
    if name in KINDS:
        times_slope(back, output, KINDS[name], work.biases[below])
    else:
        back *= slope(name, work.net_inputs[below], output)
        times_slope(back, back, 0, work.biases[below])


def _output_deltas(net: Network, target: Array, shares: Array | None, work: Workspace) -> float:
    """Fill the deltas of the output layer, already weighted, and return the mean loss."""
    n_rows, name = len(target), net.activations[-1]
    output, delta = work.outputs[-1][:n_rows], work.deltas[-1][:n_rows]
    values = sample_losses(net, output, target)
    if _is_canonical(net):
        np.subtract(output, target, out=delta)
    else:
        upstream = LOSSES[LOSS_NAMES[net.loss]].derivative(output, target, **net.options)
        if name == "softmax":
            delta[:] = softmax_backward(output, upstream)
        else:
            np.multiply(upstream, slope(name, work.net_inputs[-1], output), out=delta)
    if shares is None:
        delta *= 1 / n_rows
    else:
        delta *= shares[:, None]
    times_slope(delta, delta, 0, work.biases[-1])
    if shares is None:
        return float(values.sum(dtype=np.float64) / n_rows)
    return float(np.dot(values.astype(np.float64), shares))


def _is_canonical(net: Network) -> bool:
    """Tell whether the derivative of the loss by the net input is output minus target."""
    if net.loss in ("log_loss", "poisson"):
        return True
    return net.loss == "squared_error" and net.activations[-1] == "identity"


def sample_losses(net: Network, output: Array, target: Array) -> Array:
    """Return the loss of each sample, summed over outputs."""
    if net.loss == "log_loss":
        if net.activations[-1] == "softmax":
            return cross_entropy(output, target)
        return binary_cross_entropy(output, target).sum(axis=1)
    if net.loss == "poisson":
        tiny = np.finfo(output.dtype).tiny
        values = output - target * np.log(np.maximum(output, tiny))
        return values.sum(axis=1)
    return LOSSES[LOSS_NAMES[net.loss]].value(output, target, **net.options).sum(axis=1)


def _multiply(left: Any, right: Array, out: Array) -> None:
    if issparse(left):
        out[:] = left @ right
    else:
        np.dot(left, right, out=out)


@compiled
def add_and_rectify(output, bias):
    """Add the biases to net inputs and rectify, in place."""
    zero = output.dtype.type(0)
    for i in range(output.shape[0]):
        for j in range(output.shape[1]):
            value = output[i, j] + bias[j]
            output[i, j] = value if value > 0 else zero


@compiled
def times_slope(delta, output, kind, sums):
    """Multiply `delta` by the slope at `output`, in place, and sum its columns into `sums`."""
    one, zero = delta.dtype.type(1), delta.dtype.type(0)
    for j in range(delta.shape[1]):
        sums[j] = zero
    for i in range(delta.shape[0]):
        if kind == 1:
            for j in range(delta.shape[1]):
                delta[i, j] = delta[i, j] if output[i, j] > 0 else zero
        elif kind == 2:
            for j in range(delta.shape[1]):
                delta[i, j] *= one - output[i, j] * output[i, j]
        elif kind == 3:
            for j in range(delta.shape[1]):
                delta[i, j] *= output[i, j] * (one - output[i, j])
        for j in range(delta.shape[1]):
            sums[j] += delta[i, j]
