"""Distance to the centre of the data."""

from __future__ import annotations

import numpy as np

from shallows._core.threads import map_blocks
from shallows.outlier._scores import Contamination, IndexMixin, lengths

BLOCK_CELLS = 2**18


class DistanceToCenter(IndexMixin):
    r"""Outliers by the distance to the mean, :math:`\lVert x - \mu \rVert`.

    Right for one round cloud. A sample between two clusters is close to the centre of all, and
    is missed: use `GammaIndex` there.

    Parameters
    ----------
    contamination : float, default=0.05
        Share of training rows that are called outliers, rounded up to whole rows, but fewer where
        one of them would be no stranger than a normal row.

    Attributes
    ----------
    center_ : ndarray of shape (n_features,)
        Mean of the training rows.
    index_ : ndarray of shape (n_samples,)
        Distance of each training row.
    threshold_ : float
        Rows farther off are outliers.
    offset_ : float
        Minus the threshold, as scikit-learn names it.
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
        total = np.einsum("ij->j", X, dtype=np.float64)  # less than half the time of a mean
        self.center_ = (total / len(X)).astype(X.dtype)

    def _index_of(self, X):
        block_rows = max(1, BLOCK_CELLS // X.shape[1])
        parts = map_blocks(lambda rows: lengths(X[rows] - self.center_), len(X), block_rows)
        return np.concatenate(parts)

    def _own_index(self, X):
        return self._index_of(X)
