"""Outlier index: length of the mean vector from the neighbours."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array, issparse

from shallows._core.contract.params import PositiveInt
from shallows._core.numerics.neighbors import Metric
from shallows.outlier._scores import Contamination, NeighborIndexMixin, lengths


class DeltaIndex(NeighborIndexMixin):
    r"""Outliers by the length of the mean vector from the k nearest neighbours.

    .. math:: \delta(x) = \Bigl\lVert \frac{1}{k} \sum_{j=1}^k (x - z_j(x)) \Bigr\rVert

    with :math:`z_j(x)` the j-th nearest training row [1]_. Inside a region, dense or sparse,
    vectors to neighbours on all sides cancel; at its border and beyond they do not. It is never
    larger than `GammaIndex`. It needs vectors: the metric only selects the neighbours, and
    "precomputed" distances are refused.

    Missing values (NaN) are ignored. Distances over the remaining features are scaled up to all
    features, and each component of the mean vector is averaged over the neighbours that have it. A
    row that shares features with fewer than k others has an infinite index. A sparse matrix stays
    sparse.

    Parameters
    ----------
    k : int, default=5
        Number of neighbours.
    metric : str or callable, default="euclidean"
        Distance between two rows: "euclidean" or "l2", "manhattan", "cityblock" or "l1",
        "chebyshev", "cosine", "hamming" or a function. Sparse rows need "euclidean" or "cosine".
        Missing values work with all but "cosine" and a function.
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
                'DeltaIndex needs vectors, not distances, got metric="precomputed". Give the '
                "rows themselves, or use GammaIndex or KappaIndex."
            )
        super()._learn(X)

    def _from_neighbors(self, X, distances, index):
        rows, X, dtype = self._neighbors.rows, self._neighbors.alike(X), X.dtype
        if issparse(rows):
            return _sparse_lengths(X, rows, index).astype(dtype)
        found = lengths(X - _mean_rows(rows, index, self._neighbors.has_gaps))
        found[np.isinf(distances[:, -1])] = np.inf  # fewer neighbours than k
        return found.astype(dtype, copy=False)


def _mean_rows(rows, index, has_gaps):
    """Return the mean of the rows in `index`; each feature over the rows that have it."""
    mean = np.zeros((len(index), rows.shape[1]))
    counts = np.zeros(mean.shape) if has_gaps else index.shape[1]
    for places in index.T:  # one neighbour at a time, to save memory
        part = rows[places]
        if has_gaps:
            counts += ~np.isnan(part)
            part = np.nan_to_num(part)
        mean += part
    with np.errstate(invalid="ignore"):
        mean /= counts  # NaN if no neighbour has the feature
    return mean


def _sparse_lengths(X, rows, index):
    n, k = index.shape
    shares = np.full(index.size, 1 / k), index.ravel(), np.arange(0, n * k + 1, k)
    gaps = X - csr_array(shares, shape=(n, rows.shape[0])) @ rows
    return np.sqrt(np.asarray(gaps.multiply(gaps).sum(axis=1)).ravel())
