"""Outlier index: distance from the centre of the data."""

from __future__ import annotations

import numpy as np
from scipy.sparse import issparse

from shallows._core.contract.gaps import refuse_sparse_gaps
from shallows._core.numerics.threads import map_blocks
from shallows.outlier._scores import Contamination, IndexMixin, lengths

BLOCK_CELLS = 2**18


class DistanceToCenter(IndexMixin):
    r"""Outliers by the distance from the mean, :math:`\lVert x - \mu \rVert`.

    Suitable for a single round cluster. A sample between two clusters is close to the common
    centre and is missed; use `GammaIndex` then.

    Missing values (NaN) are ignored in the mean. Distances over the remaining features are scaled
    up to all features. A sparse matrix stays sparse.

    Parameters
    ----------
    contamination : float, default=0.05
        Share of training rows to classify as outliers, rounded up to whole rows. Rows tied with
        the most unusual normal row count as normal.

    Attributes
    ----------
    center_ : ndarray of shape (n_features,)
        Mean of the training rows; NaN for a feature without values, which is ignored.
    index_ : ndarray of shape (n_samples,)
        Distance of each training row from the centre.
    threshold_ : float
        Rows with a larger distance are outliers.
    offset_ : float
        Minus the threshold, scikit-learn's convention.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    Examples
    --------
    >>> from shallows.outlier import DistanceToCenter
    >>> DistanceToCenter().fit([[0.0], [2.0], [4.0]]).index_
    array([2., 0., 2.])
    """

    def __init__(self, *, contamination: Contamination = 0.05):
        self.contamination = contamination

    def _learn(self, X):
        refuse_sparse_gaps(type(self).__name__, X)
        if issparse(X):
            total = np.asarray(X.sum(axis=0, dtype=np.float64)).ravel()
        else:
            total = np.einsum("ij->j", X, dtype=np.float64)  # faster than a mean
        center = total / X.shape[0]
        if np.isnan(total).any():
            with np.errstate(invalid="ignore"):
                center = np.nansum(X, axis=0, dtype=np.float64) / np.sum(~np.isnan(X), axis=0)
        self.center_ = center.astype(X.dtype)

    def _index_of(self, X):
        refuse_sparse_gaps(type(self).__name__, X)
        return self._own_index(X)

    def _own_index(self, X):
        if issparse(X):
            return _sparse_lengths(X, self.center_).astype(X.dtype)
        block_rows = max(1, BLOCK_CELLS // X.shape[1])
        parts = map_blocks(lambda rows: lengths(X[rows] - self.center_), len(X), block_rows)
        return np.concatenate(parts)


def _sparse_lengths(X, center):
    """Return the distances of sparse rows from the centre, scaled to avoid overflow."""
    known = ~np.isnan(center)
    largest = max(np.abs(center[known]).max(initial=0), np.abs(X.data).max(initial=0))
    power = np.frexp(np.float64(largest))[1]
    # |x - c|^2 over stored entries, plus c^2 over the entries that are zero.
    center = np.ldexp(np.where(known, center, 0).astype(np.float64), -power)
    rows, at = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr)), center[X.indices]
    gaps = known[X.indices] * (np.ldexp(X.data.astype(np.float64), -power) - at)
    squares = np.bincount(rows, gaps**2, X.shape[0]).astype(np.float64)
    full = np.diff(X.indptr) == X.shape[1]
    rest = center @ center - np.bincount(rows, at**2, X.shape[0])  # features that are zero
    squares += np.where(full, 0, np.maximum(rest, 0))
    return np.ldexp(np.sqrt(squares * (len(known) / max(known.sum(), 1))), power)
