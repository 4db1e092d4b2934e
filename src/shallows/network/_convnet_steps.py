"""A stack of filters and pools under a dense network: forward, loss and gradient."""

from __future__ import annotations

import numpy as np

from shallows._core.descent.activations import ACTIVATIONS
from shallows.network._backprop import Workspace, loss_and_gradient
from shallows.network._convolution import (
    Conv,
    Pool,
    edge_kernels,
    patches_of,
    pool,
    pool_back,
    spread_patches,
)
from shallows.network._initialize import initialize
from shallows.network._network import Network, activate, needs_net_input, slope


class Stack:
    """Filters, pools and dense layers, with a gradient that can be filled.

    Parameters
    ----------
    layers : tuple of Conv and Pool
        From the image upwards.
    image_shape : tuple of int
        Height, width, channels.
    kernels, biases : list of ndarray
        Of each `Conv`.
    weights, intercepts : list of ndarray
        Of each dense layer.
    activations : tuple of str
        Of the dense hidden layers.
    """

    def __init__(self, layers, image_shape, kernels, biases, weights, intercepts, activations):
        self.layers, self.image_shape = layers, image_shape
        self.kernels, self.biases = kernels, biases
        self.dense = Network(weights, intercepts, (*activations, "softmax"), "log_loss")
        self.gradient = None

    def cost(self, X, target, shares, strength, trainable=True):
        """Fill the gradient of the mean loss with weight decay, and return the loss."""
        trace = self._trace(X)
        top = trace[-1]["output"].reshape(len(X), -1) if trace else X
        work = Workspace(self.dense, len(X))
        loss = loss_and_gradient(self.dense, np.ascontiguousarray(top), target, shares, work)
        slopes = [part for pair in zip(work.weights, work.biases, strict=True) for part in pair]
        delta = work.deltas[0] @ self.dense.weights[0].T
        filters = self._filters_back(trace, delta, trainable) if self.kernels else []
        for values, slope_ in zip(
            [*self.kernels, *self.dense.weights], [*filters[::2], *slopes[::2]], strict=True
        ):
            if values is not None and (trainable or values.ndim == 2):
                slope_ += values.dtype.type(strength) * values
                loss += 0.5 * strength * float(np.sum(values**2))
        self.gradient = np.concatenate([part.ravel() for part in (*filters, *slopes)])
        return loss

    def _trace(self, X):
        """Run images through filters and pools, and keep what the way back needs."""
        signal, trace, filters = X.reshape(len(X), *self.image_shape), [], 0
        for layer in self.layers:
            if isinstance(layer, Pool):
                stride = layer.stride or layer.size
                output = pool(signal, layer.kind, layer.size, stride)
                trace.append({"input": signal, "output": output})
            else:
                kernel, bias = self.kernels[filters], self.biases[filters]
                patches = patches_of(signal, layer.size, layer.padding)
                flat = patches.reshape(-1, patches.shape[-1])
                before = flat @ kernel.reshape(-1, kernel.shape[3]) + bias
                kept = before.copy() if needs_net_input(layer.activation) else None
                output = activate(layer.activation, before)
                output = output.reshape(*patches.shape[:3], kernel.shape[3])
                trace.append(
                    {"input": signal, "output": output, "patches": flat, "net": kept, "at": filters}
                )
                filters += 1
            signal = output
        return trace

    def _filters_back(self, trace, delta, trainable):
        """Return derivatives by filters and their biases, given those by the top of the stack."""
        found = [np.zeros_like(part) for pair in zip(self.kernels, self.biases, strict=True)
                 for part in pair]  # fmt: skip
        if not trainable:
            return found
        delta = delta.reshape(trace[-1]["output"].shape)
        for layer, kept in zip(self.layers[::-1], trace[::-1], strict=True):
            if isinstance(layer, Pool):
                stride = layer.stride or layer.size
                delta = pool_back(delta, kept["input"], layer.kind, layer.size, stride)
                continue
            kernel, output = self.kernels[kept["at"]], kept["output"]
            flat = delta.reshape(-1, kernel.shape[3]) * slope(
                layer.activation, kept["net"], output.reshape(-1, kernel.shape[3])
            )
            found[2 * kept["at"]][:] = (kept["patches"].T @ flat).reshape(kernel.shape)
            found[2 * kept["at"] + 1][:] = flat.sum(axis=0)
            if kept["at"]:
                back = flat @ kernel.reshape(-1, kernel.shape[3]).T
                shape = (*output.shape[:3], back.shape[1])
                delta = spread_patches(
                    back.reshape(shape), kept["input"].shape, layer.size, layer.padding
                )
        return found


def feature_maps(stack, X):
    """Return the outputs of the last filter or pool, one row per image."""
    trace = stack._trace(X)
    return trace[-1]["output"].reshape(len(X), -1) if trace else np.array(X)


def start_stack(layers, image_shape, hidden, activation, n_classes, dtype, rng):
    """Return a vector of first parameters and the stack whose arrays are views of it."""
    kernels, biases = [], []
    shape = image_shape
    for layer in layers:
        shape = _check_layer(layer, shape)
        if isinstance(layer, Conv):
            channels = shape[3]
            if layer.kind == "edges":
                kernel = edge_kernels(layer.n_kernels, layer.size, channels)
            else:
                reach = (6 / (layer.size**2 * (channels + layer.n_kernels))) ** 0.5
                kernel = rng.uniform(
                    -reach, reach, (layer.size, layer.size, channels, layer.n_kernels)
                )
            kernels.append(kernel)
            biases.append(np.zeros(layer.n_kernels))
            shape = shape[:3]
    sizes = [int(np.prod(shape)), *hidden, n_classes]
    weights, intercepts = initialize(sizes, random_state=rng)
    pairs = [*zip(kernels, biases, strict=True), *zip(weights, intercepts, strict=True)]
    parts = [part for pair in pairs for part in pair]
    vector = np.concatenate([part.ravel() for part in parts]).astype(dtype)
    cuts = np.cumsum([part.size for part in parts])[:-1]
    parts = [
        piece.reshape(part.shape) for piece, part in zip(np.split(vector, cuts), parts, strict=True)
    ]
    first, n_filters = parts[: 2 * len(kernels)], 2 * len(kernels)
    dense = parts[n_filters:]
    return vector, Stack(
        layers, image_shape, first[::2], first[1::2], dense[::2], dense[1::2],
        (activation,) * len(hidden),
    )  # fmt: skip


def _check_layer(layer, shape):
    """Return the shape above a layer; for filters also the number of channels below."""
    height, width, channels = shape
    if not isinstance(layer, Conv | Pool):
        raise ValueError(f"ConvNet: layers must be Conv or Pool, got {layer!r}.")
    if isinstance(layer, Pool):
        stride = layer.stride or layer.size
        new = [(side - layer.size) // stride + 1 for side in (height, width)]
    else:
        if layer.activation not in ACTIVATIONS:
            raise ValueError(f"ConvNet: unknown activation {layer.activation!r} of {layer!r}.")
        new = [height, width] if layer.padding == "same" else [
            side - layer.size + 1 for side in (height, width)
        ]  # fmt: skip
    if min(new) < 1:
        raise ValueError(f"ConvNet: {layer!r} does not fit images of {height} x {width} pixels.")
    if isinstance(layer, Pool):
        return (*new, channels)
    return (*new, layer.n_kernels, channels)
