"""Mean distance to the nearest neighbours."""

from __future__ import annotations

from shallows._core.contract.params import PositiveInt
from shallows._core.numerics.neighbors import Metric
from shallows.outlier._scores import Contamination, NeighborIndexMixin


class GammaIndex(NeighborIndexMixin):
    r"""Outliers by the mean distance to the k nearest neighbours.

    .. math:: \gamma(x) = \frac{1}{k} \sum_{j=1}^k \lVert x - z_j(x) \rVert

    with :math:`z_j(x)` the j-th nearest training row [1]_. It is small where data are dense and
    large where they are sparse, whatever the shape of the normal region, and grows in proportion
    to the data.

    A missing value (NaN) is left out of the distances, which are scaled up by the share of
    features that are left. A row that has features in common with fewer than k others is
    infinitely strange. A sparse matrix stays sparse.

    Parameters
    ----------
    k : int, default=5
        Number of neighbours.
    metric : str or callable, default="euclidean"
        Distance between two rows: "euclidean" or "l2", "manhattan", "cityblock" or "l1",
        "chebyshev", "cosine", "hamming", a function, or "precomputed", where `fit` takes the
        square array of the distances of the training rows, and the other methods the distances
        of samples to them. Sparse rows need "euclidean" or "cosine", missing values any but
        "cosine", a function and "precomputed".
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
    >>> from shallows.outlier import GammaIndex
    >>> X = [[0.0], [1.0], [2.0], [3.0], [9.0]]
    >>> model = GammaIndex(2, contamination=0.2).fit(X)
    >>> model.index_
    array([1.5, 1. , 1. , 1.5, 6.5])
    >>> model.fit_predict(X)
    array([ 1,  1,  1,  1, -1])
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

    def _from_neighbors(self, X, distances, index):
        return distances.mean(axis=1)
