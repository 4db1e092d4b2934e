"""Histogram density."""

from __future__ import annotations

from typing import Literal

import numpy as np
from sklearn.base import BaseEstimator, DensityMixin
from sklearn.utils.validation import check_is_fitted

from shallows._core.contract.data import check_new, check_unlabelled
from shallows._core.contract.params import ArrayLike, PositiveInt, check_params
from shallows._core.contract.rng import as_generator
from shallows.density._distinct_rows import distinct_rows, find_rows
from shallows.density._family import mean_score

Rule = Literal["auto", "fd", "doane", "scott", "stone", "rice", "sturges", "sqrt"]


class Histogram(DensityMixin, BaseEstimator):
    """Density that is constant in the cells of a grid and zero outside.

    Only cells that hold samples are kept, so it works in any dimension; but with many features
    nearly every new sample falls into an empty cell.

    Parameters
    ----------
    bins : int, {"auto", "fd", "doane", "scott", "stone", "rice", "sturges", "sqrt"} or list of \
array-like, default="auto"
        Bins per feature, a rule of :func:`numpy.histogram_bin_edges`, or the edges of each
        feature.

    Attributes
    ----------
    bin_edges_ : list of ndarray
        Edges of the bins of each feature.
    cells_ : ndarray of shape (n_cells, n_features)
        Places of the cells that hold samples.
    probabilities_ : ndarray of shape (n_cells,)
        Their probabilities, which sum to one.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    Examples
    --------
    >>> import numpy as np
    >>> from shallows.density import Histogram
    >>> model = Histogram(bins=2).fit([[0.0], [1.0], [1.5], [4.0]])
    >>> np.exp(model.score_samples([[0.5], [3.0], [5.0]]))
    array([0.375, 0.125, 0.   ])
    """

    def __init__(self, bins: PositiveInt | Rule | ArrayLike = "auto"):
        self.bins = bins

    def fit(self, X, y=None, sample_weight=None):
        """Count the samples in each cell.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training samples; those outside of given edges are left out.
        y : None
            Ignored.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each sample in the counts; rules for the bins do not look at it.

        Returns
        -------
        self : Histogram
            The fitted estimator.
        """
        check_params(self)
        X, weights = check_unlabelled(self, X, sample_weight)
        self.bin_edges_ = self._edges(X)
        places = self._places(X)
        inside = places[:, 0] >= 0
        if not inside.any():
            raise ValueError("Histogram: no sample lies between the given edges in bins.")
        self.cells_, cell = distinct_rows(places if inside.all() else places[inside])
        mass = np.bincount(cell, weights[inside])
        self.probabilities_ = (mass / mass.sum()).astype(X.dtype)
        return self

    def score_samples(self, X):
        """Return the log density of each sample.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        log_density : ndarray of shape (n_samples,)
            Minus infinity in empty cells.
        """
        X = check_new(self, X)
        cell = find_rows(self._places(X), self.cells_)
        widths = [np.diff(edges) for edges in self.bin_edges_]
        volumes = sum(
            np.log(part)[place] for part, place in zip(widths, self.cells_.T, strict=True)
        )
        logs = np.log(self.probabilities_.astype(np.float64)) - volumes
        return np.where(cell >= 0, logs[cell], -np.inf).astype(X.dtype)

    def score(self, X, y=None, sample_weight=None):
        """Return the mean log density of the samples.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.
        y : None
            Ignored.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each sample in the mean.

        Returns
        -------
        score : float
            Mean log-likelihood per sample.
        """
        return mean_score(self, X, sample_weight)

    def sample(self, n_samples=1, random_state=None):
        """Draw a cell, and a point in it.

        Parameters
        ----------
        n_samples : int, default=1
            Number of samples.
        random_state : int, RandomState, Generator or None, default=None
            Seeds the draws.

        Returns
        -------
        X : ndarray of shape (n_samples, n_features)
            The samples.
        """
        check_is_fitted(self)
        rng = as_generator(random_state)
        chances = self.probabilities_.astype(np.float64)
        cells = self.cells_[rng.choice(len(chances), n_samples, p=chances / chances.sum())]
        ends = list(zip(self.bin_edges_, cells.T, strict=True))
        low = np.column_stack([edges[place] for edges, place in ends])
        high = np.column_stack([edges[place + 1] for edges, place in ends])
        return rng.uniform(low, high)

    def _edges(self, X):
        bins = self.bins
        if isinstance(bins, str | int | np.integer):
            return [np.histogram_bin_edges(column.astype(np.float64), bins) for column in X.T]
        try:
            edges = [np.array(part, dtype=float) for part in bins]
        except (TypeError, ValueError) as error:
            raise ValueError(
                "Histogram: bins must be a number, a rule, or increasing edges for each "
                f"feature, got {bins!r}."
            ) from error
        if len(edges) != X.shape[1] or any(
            part.ndim != 1 or len(part) < 2 or (np.diff(part) <= 0).any() for part in edges
        ):
            raise ValueError(
                f"Histogram: bins must hold increasing edges for each of the {X.shape[1]} features."
            )
        return edges

    def _places(self, X):
        """Return the bin of each value, -1 outside; the last edge belongs to the last bin."""
        columns = (X[:, j].astype(np.float64) for j in range(X.shape[1]))
        places = [_bins(x, edges) for x, edges in zip(columns, self.bin_edges_, strict=True)]
        inside = np.logical_and.reduce([place >= 0 for place in places])
        places = np.array(places)  # a column after the other, as they are gone through
        if not inside.all():
            places[:, ~inside] = -1
        return places.T


def _bins(x, edges):
    """Return between which edges each value lies, -1 outside."""
    last = len(edges) - 2
    steps, width = np.diff(edges), (edges[-1] - edges[0]) / (last + 1)
    inside = (x >= edges[0]) & (x <= edges[-1])
    if 0 < width < np.inf and (np.abs(steps - width) < 0.01 * width / (last + 1)).all():
        # Bins of equal width: a division is at most one bin off.
        near = x if inside.all() else np.clip(x, edges[0], edges[-1])
        place = ((near - edges[0]) / width).astype(np.intp)
        np.minimum(place, last, out=place)
        place -= near < edges[place]
        place += near >= np.append(edges[1:-1], np.inf)[place]
    else:
        place = np.minimum(np.searchsorted(edges, x, side="right") - 1, last)
    return place if inside.all() else np.where(inside, place, -1)
