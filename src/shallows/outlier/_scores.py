"""What the outlier detectors share: a score per row, and a threshold on it."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from sklearn.base import BaseEstimator, OutlierMixin

from shallows._core.data import check_new, check_unlabelled
from shallows._core.neighbors import NeighborIndex, refuse_extremes, without_itself
from shallows._core.params import Range, check_params
from shallows._core.precomputed import check_lengths, check_pairs
from shallows.outlier._flag import count_of

Contamination = Annotated[float, Range(0, 0.5, open="low")]


class IndexMixin(OutlierMixin, BaseEstimator):
    """Calls the rows with the largest index outliers.

    An estimator provides `_learn`, which keeps what it needs of X, `_index_of`, the index of new
    rows, and `_own_index`, that of the training rows, each without itself.
    """

    def fit(self, X, y=None):
        """Learn what is normal.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples, most of them normal.
        y : None
            Not used.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        check_params(self)
        X, _ = check_unlabelled(self, X)
        self._learn(X)
        self.index_ = self._own_index(X)
        normal = len(X) - count_of(self.contamination, len(X))
        place = max(normal - 1, 0)
        # The least is of no use, but NumPy selects two places in less time than this one alone.
        self.threshold_ = float(np.partition(self.index_, [0, place])[place])
        self.offset_ = -self.threshold_
        return self

    def score_samples(self, X):
        """Return how normal samples are: minus the index.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        scores : ndarray of shape (n_samples,)
            Lower for outliers.
        """
        return -self._index_of(check_new(self, X))

    def decision_function(self, X):
        """Return `score_samples` less the threshold: negative for outliers.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        values : ndarray of shape (n_samples,)
            Negative for outliers.
        """
        scores = self.score_samples(X)
        return scores - np.asarray(self.offset_, dtype=scores.dtype)

    def predict(self, X):
        """Tell normal samples from outliers.

        For new samples: where neighbours count, a training row is its own nearest one here and
        looks less strange than it is. `fit_predict` judges the training rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            1 for normal samples, -1 for outliers.
        """
        return np.where(self.decision_function(X) < 0, -1, 1)

    def fit_predict(self, X, y=None):
        """Tell normal training rows from outliers, each judged without itself.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.
        y : None
            Not used.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            1 for normal samples, -1 for outliers.
        """
        self.fit(X)
        return np.where(self.index_ > self.threshold_, -1, 1)


class NeighborIndexMixin(IndexMixin):
    """An index of the k nearest training rows; an estimator provides `_from_neighbors`."""

    def _learn(self, X):
        given = self.metric == "precomputed"
        if given:
            check_pairs(type(self).__name__, X)
        if self.k >= len(X):
            raise ValueError(
                f"{type(self).__name__}: k={self.k} needs more training rows than that, got "
                f"n_samples = {len(X)}."
            )
        refuse_extremes(type(self).__name__, X, self.metric)
        rows = np.empty((len(X), 0), X.dtype) if given else X  # distances need not be kept
        self._neighbors = NeighborIndex(rows, self.metric)

    def _index_of(self, X):
        if self.metric == "precomputed":
            check_lengths(type(self).__name__, X)
        refuse_extremes(type(self).__name__, X, self.metric, queries=True)
        return self._from_neighbors(X, *self._neighbors.query(X, self.k))

    def _own_index(self, X):
        return self._from_neighbors(X, *without_itself(*self._neighbors.query(X, self.k + 1)))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = tags.input_tags.positive_only = self.metric == "precomputed"
        return tags


def lengths(vectors):
    """Return the length of each row, without a square that leaves the range of floats."""
    with np.errstate(over="ignore"):
        squares = np.einsum("ij,ij->i", vectors, vectors)
    limit = np.ldexp(1.0, np.finfo(vectors.dtype).maxexp // 2)
    if 1 / limit < squares.max() < limit:
        return np.sqrt(squares)
    power = np.frexp(np.abs(vectors).max())[1] - 1  # of two, so that nothing is rounded
    return np.ldexp(np.linalg.norm(np.ldexp(vectors, -power), axis=1), power)
