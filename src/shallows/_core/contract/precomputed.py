"""Checks of distances that the user has computed."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from shallows._core.numerics.threads import map_blocks

Array = NDArray[Any]
ROUNDING = 1e-6  # that is allowed, in units of the largest distance
BLOCK = 256


def check_pairs(owner: str, distances: Array) -> None:
    """Raise unless these can be the distances between all pairs of training rows."""
    shape = distances.shape
    if len(shape) != 2 or shape[0] != shape[1]:
        raise ValueError(
            f'{owner}: with metric="precomputed" X must be square, the distance of each sample '
            f"to each, got shape {shape}. (Distance matrix should be square, got matrix of shape "
            f'{shape}.) Give samples with metric="euclidean", or use '
            "scipy.spatial.distance.squareform for condensed distances."
        )
    check_lengths(owner, distances)
    slack = ROUNDING * float(distances.max())
    uneven = max(
        map_blocks(
            lambda rows: float(np.abs(distances[rows] - distances[:, rows].T).max()),
            shape[0],
            BLOCK,
        )
    )
    if uneven > slack:
        raise ValueError(
            f"{owner}: precomputed distances must be symmetric, but two differ by {uneven:.3g}. "
            "Take their mean, (D + D.T) / 2, if that is meant."
        )
    if distances.diagonal().max() > slack:
        raise ValueError(
            f"{owner}: precomputed distances must be 0 from a sample to itself, got "
            f"{distances.diagonal().max():.3g}. Turn similarities s into distances first, such as "
            "s.max() - s."
        )


def check_lengths(owner: str, distances: Array) -> None:
    """Raise where a distance, between any rows, is missing or negative."""
    if issparse(distances):
        raise ValueError(
            f"{owner}: precomputed distances must be a dense array, got a sparse matrix."
        )
    if not distances.min(initial=0) >= 0:
        raise ValueError(
            f"Negative values in data passed to {owner}: precomputed distances must not be "
            f"negative and not missing, got {distances.min():.6g}."
        )
