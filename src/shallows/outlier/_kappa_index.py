"""Distance to the k-th neighbour."""

from __future__ import annotations

from shallows._core.contract.params import PositiveInt
from shallows._core.numerics.neighbors import Metric
from shallows.outlier._scores import Contamination, NeighborIndexMixin


class KappaIndex(NeighborIndexMixin):
    r"""Outliers by the distance to the k-th nearest neighbour.

    .. math:: \kappa(x) = \lVert x - z_k(x) \rVert

    with :math:`z_k(x)` the k-th nearest training row [1]_. Its inverse is an estimate of the
    density: k rows in a ball of this radius.

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
    >>> from shallows.outlier import KappaIndex
    >>> KappaIndex(2).fit([[0.0], [1.0], [2.0], [3.0], [9.0]]).index_
    array([2., 1., 1., 2., 7.])
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
        return distances[:, -1].copy()
