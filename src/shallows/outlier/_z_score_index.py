"""Largest z-score of a single feature."""

from __future__ import annotations

import numpy as np

from shallows.outlier._scores import Contamination, IndexMixin


class ZScoreIndex(IndexMixin):
    r"""Outliers by the largest z-score of a single feature, :math:`\max_j |x_j - \mu_j| / s_j`.

    The univariate check that many begin with, and the baseline to beat: it looks at one feature
    at a time. A sample off the line on which two features lie, with a usual value of each, is
    missed: use `GammaIndex` there.

    Parameters
    ----------
    contamination : float, default=0.05
        Share of training rows that are called outliers, rounded up to whole rows.

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

    Examples
    --------
    >>> from shallows.outlier import ZScoreIndex
    >>> ZScoreIndex().fit([[0.0, 1.0], [2.0, 1.0], [4.0, 1.0], [6.0, 5.0]]).index_.round(2)
    array([1.34, 0.58, 0.58, 1.73])
    """

    def __init__(self, *, contamination: Contamination = 0.05):
        self.contamination = contamination

    def _learn(self, X):
        constant = np.ptp(X, axis=0) == 0  # whose deviation may round to more than 0
        mean = X.mean(axis=0, dtype=np.float64)
        gaps = np.abs(X - mean)
        unit = np.where(constant, 1.0, gaps.max(axis=0))  # so that no square leaves the range
        scale = unit * np.sqrt(np.mean((gaps / unit) ** 2, axis=0))
        self.mean_ = mean.astype(X.dtype)
        self.scale_ = np.where(constant, 1.0, scale).astype(X.dtype)

    def _index_of(self, X):
        return np.abs((X - self.mean_) / self.scale_).max(axis=1)

    def _own_index(self, X):
        return self._index_of(X)
