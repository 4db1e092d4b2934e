"""Error backpropagation through any number of layers."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import issparse

from shallows._core.numerics.compile import compiled
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
from shallows.network._output_loss import loss_and_delta

SLOPES = {"identity": 0, "relu": 1, "tanh": 2, "logistic": 3}  # known to `times_slope`


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
    # Forward, then the deltas of the outputs.
    net_input = propagate(net, X, work, masks)
    loss = _output_deltas(net, net_input, target, shares, work)
    last = len(net.weights) - 1

    # Backwards down to the lowest layer that learns: dE/dW = Z' delta.
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
    """Run a batch up to the net inputs of the outputs, which are returned.

    `work` keeps what `loss_and_gradient` needs of the layers below.
    """
    signal, last = X, len(net.weights) - 1
    for layer, (weights, bias) in enumerate(zip(net.weights, net.biases, strict=True)):
        if masks is not None:
            signal = masks.drop_units(layer, signal)
            weights = masks.drop_weights(layer, weights)
        work.inputs[layer] = signal
        output = work.outputs[layer][: X.shape[0]]
        _multiply(signal, weights, output)

        # Hidden layers are bent by their activation; the last one stays a net input.
        if layer < last:
            work.net_inputs[layer] = bend(net.activations[layer], output, bias)
        else:
            output += bias
        signal = output
    return signal


def bend(name: str, net_input: Array, bias: Array) -> Array | None:
    """Add biases and turn net inputs into outputs, in place; return what `unbend` needs."""
    if name == "relu":
        add_and_rectify(net_input, bias)
        return None
    net_input += bias
    kept = net_input.copy() if needs_net_input(name) else None
    output = activate(name, net_input)
    if output is not net_input:
        net_input[:] = output
    return kept


def unbend(name: str, delta: Array, output: Array, net_input: Array | None, sums: Array) -> None:
    """Turn derivatives by outputs into those by net inputs, in place; sum their columns."""
    if name in SLOPES:
        times_slope(delta, output, SLOPES[name], sums)
    else:
        delta *= slope(name, net_input, output)
        times_slope(delta, delta, SLOPES["identity"], sums)


def _send_back(net: Network, layer: int, delta: Array, work: Workspace, masks: Any) -> None:
    """Compute the deltas of the layer below `layer`."""
    below, weights = layer - 1, net.weights[layer]
    if masks is not None:
        weights = masks.drop_weights(layer, weights)
    back = work.deltas[below][: len(delta)]
    np.dot(delta, weights.T, out=back)
    if masks is not None and masks.units[layer] is not None:
        back *= masks.units[layer]
    output = work.outputs[below][: len(delta)]
    unbend(net.activations[below], back, output, work.net_inputs[below], work.biases[below])


def _output_deltas(
    net: Network, net_input: Array, target: Array, shares: Array | None, work: Workspace
) -> float:
    """Fill the deltas of the output layer, already weighted, and return the mean loss."""
    n_rows = len(target)
    delta = work.deltas[-1][:n_rows]
    values = loss_and_delta(net, net_input, target, delta)
    if shares is None:
        delta *= 1 / n_rows
        loss = float(values.sum(dtype=np.float64) / n_rows)
    else:
        delta *= shares[:, None]
        loss = float(np.dot(values.astype(np.float64), shares))
    times_slope(delta, delta, SLOPES["identity"], work.biases[-1])
    return loss


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
        # Slopes from outputs: relu, tanh (1 - z^2), logistic z (1 - z).
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
