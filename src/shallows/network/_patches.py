"""Patches of images: gathered into rows for filters, spread back, pooled.

Images stand in arrays of shape (n_images, height, width, n_channels).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from shallows._core.numerics.compile import compiled
from shallows.network._network import Array


def patches_of(images: Array, size: int, padding: str) -> Array:
    """Return the patch around every place: shape (n, new_height, new_width, size * size * c)."""
    if padding not in ("same", "valid"):
        raise ValueError(f"padding must be 'same' or 'valid', got {padding!r}.")
    before, after = _margins(size, padding)
    images = np.pad(images, ((0, 0), (before, after), (before, after), (0, 0)))
    n, height, width, channels = images.shape
    if min(height, width) < size:
        raise ValueError(f"filters of size {size} don't fit images of {height} x {width} pixels.")
    shape = (n, height - size + 1, width - size + 1, size * size * channels)
    patches = np.empty(shape, images.dtype)
    gather(images.reshape(n, height, width * channels), patches, size, channels)
    return patches


def spread_patches(patches: Array, shape: tuple[int, ...], size: int, padding: str) -> Array:
    """Add patches up at the places they came from: what `patches_of` does, transposed."""
    before, after = _margins(size, padding)
    n, height, width, channels = shape
    wide = (width + before + after) * channels
    rows = np.zeros((n, height + before + after, wide), patches.dtype)
    spread(patches, rows, size, channels)
    images = rows.reshape(n, rows.shape[1], -1, channels)
    return images[:, before : before + height, before : before + width]


def largest_of(images: Array, size: int, stride: int) -> tuple[Array, Array]:
    """Return the largest value of each patch, and its number within the patch."""
    pooled = np.empty(_pooled_shape(images, size, stride), images.dtype)
    numbers = np.empty(pooled.shape, np.int32)
    pool_largest(_as_input(images), pooled, numbers, size, stride)
    return pooled, numbers


def mean_of(images: Array, size: int, stride: int) -> Array:
    """Return the mean of each patch."""
    pooled = np.empty(_pooled_shape(images, size, stride), images.dtype)
    pool_mean(_as_input(images), pooled, size, stride)
    return pooled


def unpool(
    delta: Array, shape: tuple[int, ...], numbers: Array | None, size: int, stride: int
) -> Array:
    """Return derivatives by images of a shape, given those by their pooled values.

    `numbers` are those of `largest_of`, or None for means.
    """
    back = np.zeros(shape, delta.dtype)
    delta = np.ascontiguousarray(delta)
    if numbers is None:
        unpool_mean(delta, back, size, stride)
    else:
        unpool_largest(delta, numbers, back, size, stride)
    return back


def as_images(images: Any) -> Array:
    """Return an array of float32 or float64."""
    images = np.asarray(images)
    return images if images.dtype in (np.float32, np.float64) else images.astype(np.float64)


def _margins(size: int, padding: str) -> tuple[int, int]:
    return ((size - 1) // 2, size // 2) if padding == "same" else (0, 0)


def _as_input(images: Array) -> Array:
    """Return a read-only view in C order, so that kernels compile once."""
    view = np.ascontiguousarray(images).view()
    view.flags.writeable = False
    return view


def _pooled_shape(images: Array, size: int, stride: int) -> tuple[int, ...]:
    n, height, width, channels = images.shape
    if min(height, width) < size:
        raise ValueError(f"patches of size {size} don't fit images of {height} x {width} pixels.")
    return n, (height - size) // stride + 1, (width - size) // stride + 1, channels


@compiled
def gather(images, patches, size, channels):
    """Copy each patch, row by row, out of images whose rows hold all channels."""
    run = size * channels
    for n in range(patches.shape[0]):
        for y in range(patches.shape[1]):
            for i in range(size):
                for x in range(patches.shape[2]):
                    source, goal = images[n, y + i, x * channels :], patches[n, y, x, i * run :]
                    for k in range(run):
                        goal[k] = source[k]


@compiled
def spread(patches, images, size, channels):
    """Add each patch, row by row, to images whose rows hold all channels."""
    run = size * channels
    for n in range(patches.shape[0]):
        for y in range(patches.shape[1]):
            for i in range(size):
                for x in range(patches.shape[2]):
                    source, goal = patches[n, y, x, i * run :], images[n, y + i, x * channels :]
                    for k in range(run):
                        goal[k] += source[k]


@compiled
def pool_largest(images, pooled, numbers, size, stride):
    """Find the largest value of each patch; of equal ones the first."""
    for n in range(pooled.shape[0]):
        for y in range(pooled.shape[1]):
            for x in range(pooled.shape[2]):
                for c in range(pooled.shape[3]):
                    best, number = images[n, y * stride, x * stride, c], 0
                    for i in range(size):
                        for j in range(size):
                            value = images[n, y * stride + i, x * stride + j, c]
                            if value > best:
                                best, number = value, i * size + j
                    pooled[n, y, x, c] = best
                    numbers[n, y, x, c] = number


@compiled
def pool_mean(images, pooled, size, stride):
    """Average each patch."""
    share = pooled.dtype.type(1 / (size * size))
    for n in range(pooled.shape[0]):
        for y in range(pooled.shape[1]):
            for x in range(pooled.shape[2]):
                for c in range(pooled.shape[3]):
                    total = pooled.dtype.type(0)
                    for i in range(size):
                        for j in range(size):
                            total += images[n, y * stride + i, x * stride + j, c]
                    pooled[n, y, x, c] = share * total


@compiled
def unpool_largest(delta, numbers, back, size, stride):
    """Add each derivative where the largest value stood."""
    for n in range(delta.shape[0]):
        for y in range(delta.shape[1]):
            for x in range(delta.shape[2]):
                for c in range(delta.shape[3]):
                    i, j = divmod(numbers[n, y, x, c], size)
                    back[n, y * stride + i, x * stride + j, c] += delta[n, y, x, c]


@compiled
def unpool_mean(delta, back, size, stride):
    """Add to each place its share of the derivatives of the patches it is in."""
    share = delta.dtype.type(1 / (size * size))
    for n in range(delta.shape[0]):
        for y in range(delta.shape[1]):
            for x in range(delta.shape[2]):
                for i in range(size):
                    for j in range(size):
                        for c in range(delta.shape[3]):
                            back[n, y * stride + i, x * stride + j, c] += share * delta[n, y, x, c]
