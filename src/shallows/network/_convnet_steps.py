"""A stack of filters and pools under a dense network: forward, loss and gradient."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shallows._core.numerics.threads import map_blocks
from shallows.descent._activations import ACTIVATIONS
from shallows.network._backprop import Workspace, bend, loss_and_gradient, unbend
from shallows.network._convolution import Conv, Pool, edge_kernels
from shallows.network._initialize import initialize
from shallows.network._network import Array, Network, one_vector
from shallows.network._patches import largest_of, mean_of, patches_of, spread_patches, unpool

CACHED_VALUES = 2**18


class Seen(NamedTuple):
    """What the way back through a layer needs."""

    shape: tuple[int, ...]  # of the images below
    output: Array
    patches: Array | None = None
    net_input: Array | None = None
    numbers: Array | None = None  # of the largest values of a pool


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

    def cost(self, samples, strength, trainable=True):
        """Fill the gradient of the mean loss with weight decay, and return the loss.

        Blocks of images run on threads; their patches fit into a cache.
        """
        # Blocks of images in parallel, summed in their order.
        shares = samples.shares(samples.mass)
        if shares is None:
            shares = np.full(len(samples), 1 / len(samples), samples.target.dtype)

        def part(rows):
            return self._part(samples.X[rows], samples.target[rows], shares[rows], trainable)

        (loss, slopes), *others = map_blocks(part, len(samples), self.block_images)
        for more, extra in others:
            loss += more
            for total, values in zip(slopes, extra, strict=True):
                total += values

        # The L2 penalty, of weights but not of biases.
        for values, total in zip(self._parameters(), slopes, strict=True):
            if values.ndim == 2 or (values.ndim == 4 and trainable):
                total += values.dtype.type(strength) * values
                loss += 0.5 * strength * float(np.sum(values**2))
        self.gradient = np.concatenate([part.ravel() for part in slopes])
        return loss

    @property
    def block_images(self):
        """Images whose patches fit into a cache; at least a few, for the dense layers."""
        shape, values = self.image_shape, 1
        for layer in self.layers:
            above = shape_above(layer, shape)
            if isinstance(layer, Conv):
                values += above[0] * above[1] * layer.size**2 * shape[2]
            shape = above
        return max(8, CACHED_VALUES // values)

    def maps(self, X):
        """Return the outputs of the last filter or pool, one row per image."""
        return self._top(X, self._trace(X))

    def _part(self, X, target, shares, trainable):
        """Return the weighted loss of some images, and its derivatives by all parameters."""
        trace = self._trace(X)
        work = Workspace(self.dense, len(X))
        loss = loss_and_gradient(self.dense, self._top(X, trace), target, shares, work)
        dense = [part for pair in zip(work.weights, work.biases, strict=True) for part in pair]
        if not (trainable and self.kernels):
            return loss, [*map(np.zeros_like, self._filters()), *dense]
        return loss, [*self._filters_back(trace, work.deltas[0] @ self.dense.weights[0].T), *dense]

    def _trace(self, X):
        """Run images through filters and pools, and keep what the way back needs."""
        signal, trace = X.reshape(len(X), *self.image_shape), []
        filters = zip(self.kernels, self.biases, strict=True)
        for layer in self.layers:
            if isinstance(layer, Pool):
                trace.append(_pool(signal, layer))
            else:
                trace.append(_filter(signal, layer, *next(filters)))
            signal = trace[-1].output
        return trace

    def _filters_back(self, trace, delta):
        """Return derivatives by filters and their biases, given those by the top of the stack."""
        found, left = [], len(self.kernels)
        for layer, seen in zip(self.layers[::-1], trace[::-1], strict=True):
            # The delta of a pool goes to the places of the maxima.
            delta = delta.reshape(seen.output.shape)
            if isinstance(layer, Pool):
                stride = layer.stride or layer.size
                delta = unpool(delta, seen.shape, seen.numbers, layer.size, stride)
                continue
            left -= 1
            kernel, by_bias = self.kernels[left], np.empty_like(self.biases[left])

            # A convolution is a product with patches: so is its gradient, and what goes further
            # down.
            flat = np.ascontiguousarray(delta).reshape(-1, layer.n_kernels)
            output = seen.output.reshape(-1, layer.n_kernels)
            unbend(layer.activation, flat, output, seen.net_input, by_bias)
            found = [(seen.patches.T @ flat).reshape(kernel.shape), by_bias, *found]
            if left == 0:
                break
            by_patch = flat @ kernel.reshape(-1, layer.n_kernels).T
            delta = spread_patches(
                by_patch.reshape(*seen.output.shape[:3], -1), seen.shape, layer.size, layer.padding
            )
        return found

    def _top(self, X, trace):
        return trace[-1].output.reshape(len(X), -1) if trace else np.ascontiguousarray(X)

    def _filters(self):
        return [part for pair in zip(self.kernels, self.biases, strict=True) for part in pair]

    def _parameters(self):
        dense = zip(self.dense.weights, self.dense.biases, strict=True)
        return [*self._filters(), *(part for pair in dense for part in pair)]


def _filter(images, layer, kernel, bias):
    patches = patches_of(images, layer.size, layer.padding)
    flat = patches.reshape(-1, patches.shape[3])
    output = flat @ kernel.reshape(-1, layer.n_kernels)
    net_input = bend(layer.activation, output, bias)
    shape = (*patches.shape[:3], layer.n_kernels)
    return Seen(images.shape, output.reshape(shape), flat, net_input)


def _pool(images, layer):
    stride = layer.stride or layer.size
    if layer.kind == "mean":
        return Seen(images.shape, mean_of(images, layer.size, stride))
    output, numbers = largest_of(images, layer.size, stride)
    return Seen(images.shape, output, numbers=numbers)


def start_stack(layers, image_shape, hidden, activation, n_classes, dtype, rng):
    """Return a vector of first parameters and the stack whose arrays are views of it."""
    filters, shape = [], image_shape
    for layer in layers:
        above = shape_above(layer, shape)
        if isinstance(layer, Conv):
            filters += [_first_kernels(layer, shape[2], rng), np.zeros(layer.n_kernels)]
        shape = above

    # Dense layers start as those of any network.
    sizes = [int(np.prod(shape)), *hidden, n_classes]
    pairs = zip(*initialize(sizes, random_state=rng), strict=True)
    dense = [part for pair in pairs for part in pair]
    vector, parts = one_vector([*filters, *dense], dtype)
    filters, dense = parts[: len(filters)], parts[len(filters) :]
    activations = (activation,) * len(hidden)
    kernels, biases, weights, intercepts = filters[::2], filters[1::2], dense[::2], dense[1::2]
    return vector, Stack(layers, image_shape, kernels, biases, weights, intercepts, activations)


def _first_kernels(layer, channels, rng):
    if layer.kind == "edges":
        return edge_kernels(layer.n_kernels, layer.size, channels)
    reach = (6 / (layer.size**2 * (channels + layer.n_kernels))) ** 0.5
    return rng.uniform(-reach, reach, (layer.size, layer.size, channels, layer.n_kernels))


def shape_above(layer, shape):
    """Return height, width and channels of what a layer makes of images."""
    height, width, channels = shape
    if isinstance(layer, Pool):
        stride = layer.stride or layer.size
        new = [(side - layer.size) // stride + 1 for side in (height, width)]
    elif isinstance(layer, Conv):
        if layer.activation not in ACTIVATIONS:
            raise ValueError(f"ConvNet: unknown activation {layer.activation!r} of {layer!r}.")
        lost = 0 if layer.padding == "same" else layer.size - 1
        new, channels = [height - lost, width - lost], layer.n_kernels
    else:
        raise ValueError(f"ConvNet: layers must be Conv or Pool, got {layer!r}.")
    if min(new) < 1:
        raise ValueError(f"ConvNet: {layer!r} does not fit images of {height} x {width} pixels.")
    return (*new, channels)
