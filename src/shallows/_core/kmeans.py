"""K-means: Lloyd's algorithm with k-means++ starts."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shallows._core.distances import nearest


class KMeansResult(NamedTuple):
    """What one run of k-means found."""

    centers: NDArray[Any]
    labels: NDArray[Any]
    inertia: float
    n_iter: int


def kmeans(
    X: NDArray[Any],
    n_clusters: int,
    rng: np.random.Generator,
    *,
    sample_weight: NDArray[np.float64] | None = None,
    max_iter: int = 300,
) -> KMeansResult:
    """Return the centres of a local minimum of the weighted sum of squared distances."""
    weights = np.ones(len(X)) if sample_weight is None else sample_weight
    centers = X[rng.choice(len(X), n_clusters, replace=False)].copy()
    for n_iter in range(max_iter):
        labels, squared = nearest(X, centers)
        moved = centers.copy()
        for k in range(n_clusters):
            if (labels == k).any():
                moved[k] = np.average(X[labels == k], axis=0, weights=weights[labels == k])
        if np.array_equal(moved, centers):
            break
        centers = moved
    return KMeansResult(centers, labels, float(weights @ squared), n_iter)
