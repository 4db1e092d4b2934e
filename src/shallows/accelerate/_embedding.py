"""What the tables of embeddings share."""

from __future__ import annotations

from typing import Any

import numpy as np


def neighbors(theirs: Any, X: Any) -> Any:
    """Return scikit-learn's index of the training rows, which places new samples."""
    from shallows.accelerate._patching import plain  # noqa: PLC0415  imports the tables

    kind = plain("sklearn.neighbors.NearestNeighbors")
    options = {"algorithm": theirs.neighbors_algorithm, "n_jobs": theirs.n_jobs}
    if hasattr(theirs, "radius"):  # only one of both has a radius, a metric and its power
        options |= {"radius": theirs.radius, "metric": theirs.metric, "p": theirs.p}
    return kind(n_neighbors=theirs.n_neighbors, **options).fit(X)


def positive_signs(columns: Any) -> Any:
    """Return columns whose largest entries are positive."""
    largest = np.abs(columns).argmax(axis=0)
    return columns * np.sign(columns[largest, np.arange(columns.shape[1])])
