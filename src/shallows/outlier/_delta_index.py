"""Length of the mean vector to the neighbours."""

from __future__ import annotations

import numpy as np

from shallows._core.neighbors import Metric
from shallows._core.params import PositiveInt
from shallows.outlier._scores import Contamination, NeighborIndexMixin, lengths


class DeltaIndex(NeighborIndexMixin):
    r"""Outliers by the length of the mean vector from the k nearest neighbours.

    .. math:: \delta(x) = \Bigl\lVert \frac{1}{k} \sum_{j=1}^k (x - z_j(x)) \Bigr\rVert

    with :math:`z_j(x)` the j-th nearest training row [1]_. Inside a region, however sparse, vectors
    to neighbours on all sides cancel; at its border and beyond they do not. Never larger than
    `GammaIndex`. It needs vectors, so that the metric only finds the neighbours, and distances
    alone ("precomputed") are refused.

    Parameters
    ----------
    k : int, default=5
        Number of neighbours.
    metric : str or callable, default="euclidean"
        Distance between two rows: "euclidean" or "l2", "manhattan", "cityblock" or "l1",
        "chebyshev", "cosine", "hamming" or a function.
    contamination : float, default=0.05
        Share of training rows that are called outliers, rounded up to whole rows, but fewer where
        one of them would be no stranger than a normal row; the usual share is 1 to 5 %.

    Attributes
    ----------
    index_ : ndarray of shape (n_samples,)
        Index of each training row, without itself among its neighbours.
    threshold_ : float
        Rows with a larger index are outliers.
    offset_ : float
        Minus the threshold, as scikit-learn names it.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    References
    ----------
    .. [1] S. Harmeling, G. Dornhege, D. Tax, F. Meinecke and K.-R. Müller, "From outliers to
       prototypes: ordering data", Neurocomputing 69, 1608-1618, 2006.

    Examples
    --------
    >>> from shallows.outlier import DeltaIndex
    >>> DeltaIndex(2).fit([[0.0], [1.0], [2.0], [3.0], [9.0]]).index_
    array([1.5, 0. , 0. , 1.5, 6.5])
    """

    def __init__(
        self,
        k: PositiveInt = 5,
        *,
        metric: Metric = "euclidean",
        contamination: Contamination = 0.05,
    ):
        self.k = k
        self.metric = metric
        self.contamination = contamination

    def _learn(self, X):
        if self.metric == "precomputed":
            raise ValueError(
                'DeltaIndex needs vectors, not distances alone, got metric="precomputed". Give the '
                "rows themselves, or take GammaIndex or KappaIndex."
            )
        super()._learn(X)

    def _from_neighbors(self, X, distances, index):
        mean = np.zeros(X.shape)
        for places in index.T:  # one neighbour after the other, as all at once fill the memory
            mean += self._neighbors.rows[places]
        mean /= index.shape[1]
        return lengths(X - mean).astype(X.dtype, copy=False)
