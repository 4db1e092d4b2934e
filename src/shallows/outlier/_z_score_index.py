"""Largest z-score of a single feature."""

from __future__ import annotations

import numpy as np

from shallows._core.threads import map_blocks
from shallows.outlier._scores import Contamination, IndexMixin


class ZScoreIndex(IndexMixin):
    r"""Outliers by the largest z-score of a single feature, :math:`\max_j |x_j - \mu_j| / s_j`.

    The univariate check that many begin with, and the baseline to beat: it looks at one feature
    at a time. A sample off the line on which two features lie, with a usual value of each, is
    missed: use `GammaIndex` there.

    Parameters
    ----------
    contamination : float, default=0.05
        Share of training rows that are called outliers, rounded up to whole rows, but fewer where
        one of them would be no stranger than a normal row.

    Attributes
    ----------
    mean_ : ndarray of shape (n_features,)
        Mean of each feature.
    scale_ : ndarray of shape (n_features,)
        Its standard deviation, by n; 1 for a constant feature.
    index_ : ndarray of shape (n_samples,)
        Largest z-score of each training row.
    threshold_ : float
        Rows with a larger index are outliers.
    offset_ : float
        Minus the threshold, as scikit-learn names it.
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
        def extremes(rows):
            part = X[rows]
            return part.min(axis=0), part.max(axis=0), part.sum(axis=0, dtype=np.float64)

        lows, highs, sums = (
            np.array(part) for part in zip(*map_blocks(extremes, len(X)), strict=True)
        )
        low, high = lows.min(axis=0), highs.max(axis=0)
        mean = sums.sum(axis=0) / len(X)
        constant = low == high  # whose deviation may round to more than 0
        widest = np.maximum(high - mean, mean - low)
        unit = np.where(constant, 1.0, widest)  # so that no square leaves the range

        def squares(rows):
            gaps = (X[rows] - mean) / unit
            return np.einsum("ij,ij->j", gaps, gaps)

        scale = unit * np.sqrt(np.sum(map_blocks(squares, len(X)), axis=0) / len(X))
        self.mean_ = mean.astype(X.dtype)
        self.scale_ = np.where(constant, 1.0, scale).astype(X.dtype)

    def _index_of(self, X):
        def block(rows):
            scores = X[rows] - self.mean_
            scores /= self.scale_
            return np.abs(scores, out=scores).max(axis=1)

        return np.concatenate(map_blocks(block, len(X)))

    def _own_index(self, X):
        return self._index_of(X)
