"""Distances that keep only the order of those given."""

from __future__ import annotations

import numpy as np
from scipy.spatial.distance import pdist, squareform
from sklearn.isotonic import isotonic_regression


class Disparities:
    """Turns the distances of an embedding into the nearest ones in the order of the data.

    Parameters
    ----------
    distances : ndarray of shape (n_samples, n_samples)
        Distances of the data, of which the order counts. Equal ones get equal disparities.
    """

    def __init__(self, distances):
        flat = squareform(distances, checks=False)
        self.values, self._groups, self._counts = np.unique(
            flat, return_inverse=True, return_counts=True
        )
        self._squares = float(flat @ flat)

    def __call__(self, coordinates):
        """Return disparities, scaled to the size of the data, for points in columns."""
        return squareform(self._heights(coordinates)[self._groups])

    def curve(self, coordinates):
        """Return a monotone curve from distances of the data to disparities, as its corners."""
        heights = self._heights(coordinates)
        steps = np.flatnonzero(np.diff(heights))
        corners = np.unique(np.concatenate([[0], steps, steps + 1, [len(heights) - 1]]))
        return self.values[corners], heights[corners]

    def _heights(self, coordinates):
        lengths = pdist(coordinates.T)
        means = np.bincount(self._groups, lengths) / self._counts
        heights = isotonic_regression(means, sample_weight=self._counts)
        squares = max(float(self._counts @ heights**2), np.finfo(float).tiny)
        return heights * np.sqrt(self._squares / squares)
