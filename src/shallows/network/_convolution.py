"""Convolution and pooling of images: forward, backward, and how layers are described.

Images stand in arrays of shape (n_images, height, width, n_channels).
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np

from shallows.network._network import Array

PoolKind = Literal["max", "mean"]


class Conv(NamedTuple):
    """A layer of local filters that look at every place of an image with the same weights.

    Parameters
    ----------
    n_kernels : int
        Number of filters, each with a channel of output.
    size : int, default=3
        Height and width of a filter.
    padding : {"same", "valid"}, default="same"
        Whether zeros around the image keep its size, or filters stay inside.
    activation : str, default="relu"
        Activation of the outputs, as for `MLPClassifier`.
    kind : {"random", "edges"}, default="random"
        First weights: random, or pre-wired filters for edges of different directions.

    Examples
    --------
    >>> from shallows.network import Conv
    >>> Conv(8, 5).size
    5
    """

    n_kernels: int
    size: int = 3
    padding: Literal["same", "valid"] = "same"
    activation: str = "relu"
    kind: Literal["random", "edges"] = "random"


class Pool(NamedTuple):
    """A layer that keeps one value of each patch of an image; it has no weights.

    Parameters
    ----------
    kind : {"max", "mean"}, default="max"
        Which value.
    size : int, default=2
        Height and width of a patch.
    stride : int or None, default=None
        Way from patch to patch; None takes the size, so that patches don't overlap.

    Examples
    --------
    >>> from shallows.network import Pool
    >>> Pool("mean", 2, stride=1).kind
    'mean'
    """

    kind: PoolKind = "max"
    size: int = 2
    stride: int | None = None


def convolve(images: Any, kernels: Any, bias: Any = 0.0, padding: str = "same") -> Array:
    """Return the responses of filters at every place of images.

    As usual in networks the filters are not flipped: this is a cross-correlation.

    Parameters
    ----------
    images : array-like of shape (n_images, height, width, n_channels)
        Images.
    kernels : array-like of shape (size, size, n_channels, n_kernels)
        Filters.
    bias : array-like of shape (n_kernels,), default=0.0
        Added to the responses.
    padding : {"same", "valid"}, default="same"
        Whether zeros around the image keep its size, or filters stay inside.

    Returns
    -------
    responses : ndarray of shape (n_images, new_height, new_width, n_kernels)
        One channel per filter.

    Examples
    --------
    >>> import numpy as np
    >>> from shallows.network import convolve
    >>> convolve(np.ones((1, 3, 3, 1)), np.ones((3, 3, 1, 1)))[0, :, :, 0]
    array([[4., 6., 4.],
           [6., 9., 6.],
           [4., 6., 4.]])
    """
    images, kernels = np.asarray(images), np.asarray(kernels)
    patches = patches_of(images, kernels.shape[0], padding)
    shape = (*patches.shape[:3], kernels.shape[3])
    flat = patches.reshape(-1, kernels[..., 0].size) @ kernels.reshape(-1, kernels.shape[3])
    return (flat + bias).reshape(shape)


def patches_of(images: Array, size: int, padding: str) -> Array:
    """Return the patch around every place: shape (n, new_height, new_width, size * size * c)."""
    if padding == "same":
        before, after = (size - 1) // 2, size // 2
        images = np.pad(images, ((0, 0), (before, after), (before, after), (0, 0)))
    elif padding != "valid":
        raise ValueError(f"padding must be 'same' or 'valid', got {padding!r}.")
    if min(images.shape[1:3]) < size:
        raise ValueError(f"filters of size {size} don't fit images of {images.shape[1:3]} pixels.")
    windows = np.lib.stride_tricks.sliding_window_view(images, (size, size), axis=(1, 2))
    n, height, width = windows.shape[:3]
    return windows.transpose(0, 1, 2, 4, 5, 3).reshape(n, height, width, -1)


def spread_patches(patches: Array, shape: tuple[int, ...], size: int, padding: str) -> Array:
    """Add patches up at the places they came from: what `patches_of` does, transposed."""
    before, after = ((size - 1) // 2, size // 2) if padding == "same" else (0, 0)
    n, height, width, channels = shape
    images = np.zeros((n, height + before + after, width + before + after, channels), patches.dtype)
    parts = patches.reshape(*patches.shape[:3], size, size, channels)
    rows, columns = patches.shape[1:3]
    for i in range(size):
        for j in range(size):
            images[:, i : i + rows, j : j + columns] += parts[:, :, :, i, j]
    return images[:, before : before + height, before : before + width]


def pool(images: Any, kind: PoolKind = "max", size: int = 2, stride: int | None = None) -> Array:
    """Return one value for each patch of images.

    Parameters
    ----------
    images : array-like of shape (n_images, height, width, n_channels)
        Images.
    kind : {"max", "mean"}, default="max"
        Which value.
    size : int, default=2
        Height and width of a patch.
    stride : int or None, default=None
        Way from patch to patch; None takes the size.

    Returns
    -------
    pooled : ndarray of shape (n_images, new_height, new_width, n_channels)
        Patches that would reach beyond the border are left out.

    Examples
    --------
    >>> import numpy as np
    >>> from shallows.network import pool
    >>> image = np.arange(9.0).reshape(1, 3, 3, 1)
    >>> pool(image, "max", 2, stride=1)[0, :, :, 0]
    array([[4., 5.],
           [7., 8.]])
    """
    if kind not in ("max", "mean"):
        raise ValueError(f"kind must be 'max' or 'mean', got {kind!r}.")
    parts = _windows(np.asarray(images), size, stride or size)
    return parts.max(axis=-1) if kind == "max" else parts.mean(axis=-1)


def pool_back(delta: Array, images: Array, kind: PoolKind, size: int, stride: int) -> Array:
    """Return derivatives by the images, given those by what `pool` made of them."""
    back = np.zeros_like(images)
    rows, columns = delta.shape[1:3]
    winner = _windows(images, size, stride).argmax(axis=-1) if kind == "max" else None
    for i in range(size):
        for j in range(size):
            share = delta / size**2 if winner is None else delta * (winner == i * size + j)
            back[:, i : i + stride * rows : stride, j : j + stride * columns : stride] += share
    return back


def edge_kernels(n_kernels: int, size: int, n_channels: int) -> Array:
    """Return filters that respond to edges of evenly spread directions."""
    place = np.arange(size) - (size - 1) / 2
    y, x = np.meshgrid(place, place, indexing="ij")
    hill = np.exp(-(x**2 + y**2) / (size / 2) ** 2)
    angles = np.arange(n_kernels) * 2 * np.pi / n_kernels
    found = np.stack([hill * (np.cos(a) * x + np.sin(a) * y) for a in angles], axis=-1)
    found /= np.abs(found).sum(axis=(0, 1))
    return np.repeat(found[:, :, None], n_channels, axis=2) / n_channels


def _windows(images: Array, size: int, stride: int) -> Array:
    if min(images.shape[1:3]) < size:
        raise ValueError(f"patches of size {size} don't fit images of {images.shape[1:3]} pixels.")
    windows = np.lib.stride_tricks.sliding_window_view(images, (size, size), axis=(1, 2))
    windows = windows[:, ::stride, ::stride]
    return windows.reshape(*windows.shape[:4], size * size)
