"""Outlier index: mean distance to the nearest neighbours."""

from __future__ import annotations

from shallows._core.contract.params import PositiveInt
from shallows._core.numerics.neighbors import Metric
from shallows.outlier._scores import Contamination, NeighborIndexMixin


class GammaIndex(NeighborIndexMixin):
    r"""Outliers by the mean distance to the k nearest neighbours.

    .. math:: \gamma(x) = \frac{1}{k} \sum_{j=1}^k \lVert x - z_j(x) \rVert

    with :math:`z_j(x)` the j-th nearest training row [1]_. It is small where data are dense and
    large where they are sparse, for any shape of the normal region, and it scales with the data.

    Missing values (NaN) are ignored; distances over the remaining features are scaled up to all
    features. A row that shares features with fewer than k others has an infinite index. A sparse
    matrix stays sparse.

    Parameters
    ----------
    k : int, default=5
        Number of neighbours.
    metric : str or callable, default="euclidean"
        Distance between two rows: "euclidean" or "l2", "manhattan", "cityblock" or "l1",
        "chebyshev", "cosine", "hamming", a function, or "precomputed". With "precomputed", `fit`
        takes the square array of distances between training rows, and other methods take the
        distances from samples to them. Sparse rows need "euclidean" or "cosine". Missing values
        work with all but "cosine", a function and "precomputed".
    contamination : float, default=0.05
        Share of training rows to classify as outliers, rounded up to whole rows. Rows tied with
        the most unusual normal row count as normal. The usual share is 1 to 5 %.

    Attributes
    ----------
    index_ : ndarray of shape (n_samples,)
        Index of each training row; a row is not its own neighbour.
    threshold_ : float
        Rows with a larger index are outliers.
    offset_ : float
        Minus the threshold, scikit-learn's convention.
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
