"""Grids of units: places, distances along the grid, and how influence falls with them."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

import numpy as np

from shallows._core.contract.targets import as_array

Grid = Literal["rect", "hex"]
Neighborhood = Literal["gaussian", "bubble", "triangle", "epanechnikov"]
Schedule = Literal["exponential", "linear", "inverse"]

ROW_HEIGHT = np.sqrt(3) / 2  # of a hexagonal grid whose neighbours are one apart
NO_WIDTH = 1e-100  # its square would be zero, or nearly
WIDEST = 1e150  # whose square is a number; no grid is so large
REACH = {"rect": np.sqrt(2) + 0.01, "hex": 1.01}  # diagonal neighbours count


def grid_places(shape, grid):
    """Return the coordinates of the units, one row each; the last axis runs fastest."""
    places = _numbers(shape, grid)
    if grid == "hex":
        places[:, 0] *= ROW_HEIGHT
    return places


@lru_cache(maxsize=1)
def grid_distances(shape, grid, toroidal):
    """Return the squared distances of all units to one another along the grid."""
    numbers = _numbers(shape, grid)
    squared = np.zeros((len(numbers), len(numbers)))
    for axis, side in enumerate(shape):
        gaps = np.abs(np.subtract.outer(numbers[:, axis], numbers[:, axis]))
        if toroidal:
            np.minimum(gaps, side - gaps, out=gaps)
        gaps *= gaps
        if grid == "hex" and axis == 0:
            gaps *= 0.75  # ROW_HEIGHT squared, unrounded: neighbours are 1 apart and no bit more
        squared += gaps
    squared.flags.writeable = False
    return squared


def _numbers(shape, grid):
    """Return row and column of each unit, in other rows of a "hex" grid half a column more."""
    numbers = np.stack(np.meshgrid(*map(np.arange, shape), indexing="ij"), axis=-1)
    numbers = numbers.reshape(-1, len(shape)).astype(np.float64)
    if grid == "hex":
        numbers[:, 1] += 0.5 * (numbers[:, 0] % 2)
    return numbers


def are_neighbors(squared, grid):
    """Tell of each pair of units whether they stand next to each other."""
    near = squared <= REACH[grid] ** 2
    np.fill_diagonal(near, False)
    return near


def influence(squared, width, kind, dtype):
    """Return how much a unit moves when another wins, from their squared grid distances.

    One at distance zero, falling to zero; with a width of zero the winner moves alone.
    What lies below the rounding of `dtype` is set to zero, so that it can be left out.
    """
    if width < NO_WIDTH:
        return np.eye(len(squared), dtype=dtype)
    relative = squared / min(width, WIDEST) ** 2
    if kind == "gaussian":
        values = np.exp(-relative)
    elif kind == "bubble":
        values = (relative <= 1).astype(np.float64)
    elif kind == "triangle":
        values = np.maximum(1 - np.sqrt(relative), 0)
    else:
        values = np.maximum(1 - relative, 0)
    values[values < np.finfo(dtype).eps] = 0
    return values.astype(dtype)


def anneal(first, last, progress, schedule):
    """Return the value between `first` and `last` that belongs to a progress from 0 to 1."""
    if first == last:
        return first
    if schedule == "linear":
        return first + (last - first) * progress
    if schedule == "inverse":
        return first / (1 + (first / last - 1) * progress)
    return first * (last / first) ** progress


def check_shape(model):
    """Return ``model.shape`` as a tuple, or raise where its grid can't have this shape."""
    name = type(model).__name__
    shape = tuple(np.atleast_1d(as_array(name, model.shape, "shape")).tolist())
    if not shape or not all(isinstance(side, int) and side >= 1 for side in shape):
        raise ValueError(
            f"{name}: shape must hold whole numbers >= 1, one per axis of the "
            f"grid, got {model.shape!r}."
        )
    if model.grid == "hex" and (len(shape) != 2 or (model.toroidal and shape[0] % 2)):
        raise ValueError(
            f"{name}: a hexagonal grid has two axes, and an even number of rows "
            f"if it is toroidal, got shape={model.shape!r}. Use grid='rect' for others."
        )
    return shape


def check_schedule(model, **ranges):
    """Raise ValueError where a value can't change by ratios, since it starts or ends at zero."""
    for name, (first, last) in ranges.items():
        if model.schedule != "linear" and first != last and 0 in (first, last):
            raise ValueError(
                f"{type(model).__name__}: with schedule={model.schedule!r} {name} must stay "
                f"positive, got {first} to {last}. Use schedule='linear'."
            )


def progress_of(epoch, max_iter):
    """Return where an epoch, counted from 1, stands between the first (0) and the last (1)."""
    return min(1.0, (epoch - 1) / max(1, max_iter - 1))
