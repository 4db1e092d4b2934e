"""Convolution and pooling of images, and how layers of them are described.

Images stand in arrays of shape (n_images, height, width, n_channels).
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np

from shallows.network._network import Array
from shallows.network._patches import as_images, largest_of, mean_of, patches_of

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
    images, kernels = as_images(images), as_images(kernels)
    patches = patches_of(images, kernels.shape[0], padding)
    shape = (*patches.shape[:3], kernels.shape[3])
    flat = patches.reshape(-1, kernels[..., 0].size) @ kernels.reshape(-1, kernels.shape[3])
    return (flat + bias).reshape(shape)


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
    images, stride = as_images(images), stride or size
    return largest_of(images, size, stride)[0] if kind == "max" else mean_of(images, size, stride)


def edge_kernels(n_kernels: int, size: int, n_channels: int) -> Array:
    """Return filters that respond to edges of evenly spread directions."""
    place = np.arange(size) - (size - 1) / 2
    y, x = np.meshgrid(place, place, indexing="ij")
    hill = np.exp(-(x**2 + y**2) / (size / 2) ** 2)
    angles = np.arange(n_kernels) * 2 * np.pi / n_kernels
    found = np.stack([hill * (np.cos(a) * x + np.sin(a) * y) for a in angles], axis=-1)
    found /= np.abs(found).sum(axis=(0, 1))
    return np.repeat(found[:, :, None], n_channels, axis=2) / n_channels
