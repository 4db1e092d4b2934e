"""Outlier index: largest z-score of a single feature."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array, issparse

from shallows._core.contract.gaps import refuse_sparse_gaps
from shallows._core.numerics.threads import map_blocks
from shallows.outlier._scores import Contamination, IndexMixin


class ZScoreIndex(IndexMixin):
    r"""Outliers by the largest z-score of a single feature, :math:`\max_j |x_j - \mu_j| / s_j`.

    The usual univariate check, and the baseline for other methods. It looks at one feature at a
    time. If two features lie on a line, it misses a sample off the line with a usual value of each
    feature; use `GammaIndex` then.

    Missing values (NaN) are ignored: mean and deviation of a feature use the known values, and a
    row is judged by the features it has. A sparse matrix stays sparse.

    Parameters
    ----------
    contamination : float, default=0.05
        Share of training rows to classify as outliers, rounded up to whole rows. Rows tied with
        the most unusual normal row count as normal.

    Attributes
    ----------
    mean_ : ndarray of shape (n_features,)
        Mean of each feature; NaN for a feature without values, which is ignored.
    scale_ : ndarray of shape (n_features,)
        Standard deviation of each feature, with divisor n; 1 for a constant feature.
    index_ : ndarray of shape (n_samples,)
        Largest z-score of each training row.
    threshold_ : float
        Rows with a larger index are outliers.
    offset_ : float
        Minus the threshold, scikit-learn's convention.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    Examples
    --------
    >>> from shallows.outlier import ZScoreIndex
    >>> ZScoreIndex().fit([[0.0, 1.0], [2.0, 1.0], [4.0, 1.0], [6.0, 5.0]]).index_.round(2)
    array([1.34, 0.58, 0.58, 1.73])
    """

    def __init__(self, *, contamination: Contamination = 0.05):
        self.contamination = contamination

    def _learn(self, X):
        refuse_sparse_gaps(type(self).__name__, X)
        moments = _sparse_moments if issparse(X) else _moments
        mean, scale = moments(X)
        self.mean_, self.scale_ = mean.astype(X.dtype), scale.astype(X.dtype)

    def _index_of(self, X):
        refuse_sparse_gaps(type(self).__name__, X)
        return self._own_index(X)

    def _own_index(self, X):
        if issparse(X):
            return _sparse_scores(X, self.mean_, self.scale_).astype(X.dtype)

        def block(rows):
            scores = X[rows] - self.mean_
            scores /= self.scale_
            largest = np.abs(scores, out=scores).max(axis=1)
            if np.isnan(largest).any():
                largest = np.fmax.reduce(scores, axis=1)
                largest[np.isnan(largest)] = np.inf  # shares no feature with any training row
            return largest

        return np.concatenate(map_blocks(block, len(X)))


def _moments(X):
    """Return mean and standard deviation of the known values of each column."""

    def extremes(rows):
        part = X[rows]
        return part.min(axis=0), part.max(axis=0), part.sum(axis=0, dtype=np.float64)

    def known_extremes(rows):
        part = X[rows]
        ends = (reduce(part, axis=0) for reduce in (np.fmin.reduce, np.fmax.reduce))
        return *ends, np.nansum(part, axis=0, dtype=np.float64)

    lows, highs, sums = _joined(extremes, X)
    counts = len(X)
    if np.isnan(lows).any():
        lows, highs, sums = _joined(known_extremes, X)
        counts = np.sum(~np.isnan(X), axis=0)
    with np.errstate(invalid="ignore"):
        mean = sums.sum(axis=0) / counts
    low, high = np.fmin.reduce(lows), np.fmax.reduce(highs)
    unit, constant = _units(low, high, mean)

    def squares(rows):
        gaps = (X[rows] - mean) / unit
        found = np.einsum("ij,ij->j", gaps, gaps)
        return np.nansum(gaps**2, axis=0) if np.isnan(found).any() else found

    total = np.sum(map_blocks(squares, len(X)), axis=0)
    return mean, np.where(constant, 1.0, unit * np.sqrt(total / np.maximum(counts, 1)))


def _units(low, high, mean):
    """Return scales in which no square overflows, and which columns are constant."""
    constant = (low == high) | np.isnan(low)  # rounding may give such a column a deviation > 0
    unit = np.where(constant, np.abs(high), np.maximum(high - mean, mean - low))
    return np.where(unit == 0, 1.0, unit), constant


def _joined(function, X):
    return (np.array(part) for part in zip(*map_blocks(function, len(X)), strict=True))


def _sparse_moments(X):
    n, columns = X.shape[0], X.indices
    held = np.bincount(columns, minlength=X.shape[1])
    low, high = (np.asarray(end.toarray()).ravel() for end in (X.min(axis=0), X.max(axis=0)))
    mean = np.bincount(columns, X.data, X.shape[1]) / n
    unit, constant = _units(low, high, mean)
    gaps = (X.data - mean[columns]) / unit[columns]
    total = np.bincount(columns, gaps**2, X.shape[1]) + (n - held) * (mean / unit) ** 2
    return mean, np.where(constant, 1.0, unit * np.sqrt(total / n))


def _sparse_scores(X, mean, scale):
    """Return the largest score of each row, over its entries and its zeros."""
    # The score of a zero depends on the column only: rank the columns by it.
    at_zero = np.abs(np.nan_to_num(mean) / scale)
    order = np.argsort(-at_zero)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    ranked = csr_array((np.ones(X.nnz), rank[X.indices], X.indptr), shape=X.shape)
    ranked.sort_indices()
    rows = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
    # Sorted by rank, the k-th entry of a row has rank k until the first column with a zero.
    before = ranked.indices == np.arange(X.nnz) - X.indptr[rows]
    first_zero = np.bincount(rows, before, X.shape[0]).astype(np.intp)
    found = np.append(at_zero[order], 0)[first_zero]
    scores = np.nan_to_num(np.abs(X.data - mean[X.indices]) / scale[X.indices])
    np.maximum.at(found, rows, scores)
    return found
