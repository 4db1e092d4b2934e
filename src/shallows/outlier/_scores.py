"""Base classes of the outlier detectors: an index per row, and a threshold on it."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, OutlierMixin

from shallows._core.contract.data import check_new, check_rows
from shallows._core.contract.gaps import (
    one_entry_each,
    refuse_gaps,
    refuse_sparse,
    takes_gaps,
    takes_sparse,
)
from shallows._core.contract.params import Range, check_params
from shallows._core.contract.precomputed import check_lengths, check_pairs
from shallows._core.numerics.neighbors import NeighborIndex, refuse_extremes, without_itself
from shallows.outlier._flag import count_of

Contamination = Annotated[float, Range(0, 0.5, open="low")]


class IndexMixin(OutlierMixin, BaseEstimator):
    """Classifies the rows with the largest index as outliers.

    An estimator provides `_learn`, which stores what it needs of X; `_index_of`, the index of new
    rows; and `_own_index`, the index of the training rows, each without itself. Rows may be sparse
    and, if `_allows_nan`, have missing values.
    """

    _allows_nan = True
    _takes_any_size = True

    def fit(self, X, y=None):
        """Learn the normal region.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Samples, most of them normal; NaN for missing values.
        y : None
            Not used.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        check_params(self)
        X = check_rows(self, X, sparse=True, allow_nan=self._allows_nan)
        X = one_entry_each(X)
        self._learn(X)
        self.index_ = self._own_index(X)
        n = len(self.index_)
        place = max(n - count_of(self.contamination, n) - 1, 0)
        # Place 0 is not needed, but NumPy selects two places faster than this one alone.
        self.threshold_ = float(np.partition(self.index_, [0, place])[place])
        if self.threshold_ == np.inf:
            _refuse_unrelated_rows(self)
        self.offset_ = -self.threshold_
        return self

    def score_samples(self, X):
        """Return how normal samples are: minus the index of each.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        scores : ndarray of shape (n_samples,)
            Lower for outliers.
        """
        X = check_new(self, X, sparse=True, allow_nan=self._allows_nan)
        return -self._index_of(one_entry_each(X))

    def decision_function(self, X):
        """Return `score_samples` minus `offset_`: negative for outliers.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        values : ndarray of shape (n_samples,)
            Negative for outliers.
        """
        scores = self.score_samples(X)
        return scores - np.asarray(self.offset_, dtype=scores.dtype)

    def predict(self, X):
        """Classify new samples as normal or outliers.

        Don't use it for training rows: methods with neighbours would find each row as its own
        neighbour, and judge it too normal. `fit_predict` judges the training rows.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            1 for normal samples, -1 for outliers.
        """
        return np.where(self.decision_function(X) < 0, -1, 1)

    def fit_predict(self, X, y=None):
        """Classify the training rows as normal or outliers, each judged without itself.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
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

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self._allows_nan
        tags.input_tags.sparse = True
        return tags


class NeighborIndexMixin(IndexMixin):
    """Base of indices from the k nearest training rows; provide `_from_neighbors`."""

    @property
    def _allows_nan(self):
        return self.metric != "precomputed"  # other metrics without NaN raise an error by name

    def _learn(self, X):
        name, n, given = type(self).__name__, X.shape[0], self.metric == "precomputed"
        refuse_sparse(name, X, self.metric)
        if given:
            check_pairs(name, X)
        if self.k >= n:
            raise ValueError(
                f"{name}: k={self.k} needs more training rows than that, got n_samples = {n}."
            )
        refuse_extremes(name, X, self.metric)
        refuse_gaps(name, X, self.metric, sparse=issparse(X))
        rows = np.empty((n, 0), X.dtype) if given else X  # distances are not stored
        self._neighbors = NeighborIndex(rows, self.metric)

    def _index_of(self, X):
        name = type(self).__name__
        if self.metric == "precomputed":
            check_lengths(name, X)
        refuse_extremes(name, X, self.metric, queries=True)
        sparse = issparse(X) or issparse(self._neighbors.rows)
        refuse_gaps(name, X, self.metric, sparse=sparse)
        return self._from_neighbors(X, *self._neighbors.query(X, self.k))

    def _own_index(self, X):
        return self._from_neighbors(X, *without_itself(*self._neighbors.query(X, self.k + 1)))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = tags.input_tags.positive_only = self.metric == "precomputed"
        tags.input_tags.allow_nan = takes_gaps(self.metric)
        tags.input_tags.sparse = takes_sparse(self.metric)
        return tags


def lengths(vectors):
    """Return the length of each row, without overflow or underflow of squares.

    Missing values are ignored and the length is scaled up to all features; infinite without any.
    """
    with np.errstate(over="ignore"):
        squares = np.einsum("ij,ij->i", vectors, vectors)
    limit = np.ldexp(1.0, np.finfo(vectors.dtype).maxexp // 2)
    if 1 / limit < squares.max() < limit:
        return np.sqrt(squares)
    if np.isnan(squares).any():
        return _partial_lengths(vectors)
    power = np.frexp(np.abs(vectors).max())[1] - 1  # powers of two scale without rounding
    return np.ldexp(np.linalg.norm(np.ldexp(vectors, -power), axis=1), power)


def _partial_lengths(vectors):
    known = ~np.isnan(vectors)
    counts = known.sum(axis=1)
    found = lengths(np.where(known, vectors, 0))
    found *= np.sqrt(vectors.shape[1] / np.maximum(counts, 1)).astype(vectors.dtype)
    found[counts == 0] = np.inf
    return found


def _refuse_unrelated_rows(model):
    n, unrelated = len(model.index_), int(np.isinf(model.index_).sum())
    raise ValueError(
        f"{type(model).__name__}: {unrelated} of {n} rows share no feature with enough other "
        f"rows, more than contamination={model.contamination} allows as outliers. Fill missing "
        "values, or drop features that are rarely known."
    )
