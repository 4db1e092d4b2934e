"""Trees of merged clusters."""

from __future__ import annotations

from typing import Literal

import numpy as np
from sklearn.utils import check_array

from shallows._core.params import check_arguments
from shallows.cluster import _chain, _nearest_pair, _spanning_tree, _ward
from shallows.cluster._dissimilarity import Metric, check_distances, condensed_distances
from shallows.cluster._tree import tree_of_merges

Method = Literal["single", "complete", "average", "weighted", "centroid", "median", "ward"]
EUCLIDEAN_ONLY = ("centroid", "median", "ward")


def linkage(X, method: Method = "ward", metric: Metric = "euclidean") -> np.ndarray:
    """Merge the two nearest clusters until one is left.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features) or (n_samples, n_samples)
        Samples, or their distances if `metric` is "precomputed".
    method : str, default="ward"
        Distance of two clusters: that of the nearest ("single") or the farthest samples
        ("complete"), the mean over all pairs of samples ("average"), the mean of the distances
        of the two parts merged last ("weighted"), the distance of the means ("centroid"), of
        points that go half the way at each merge ("median"), or the root of twice what the
        merge adds to the sum of squares ("ward").
    metric : str, default="euclidean"
        Distance of two samples: "euclidean", "manhattan", "chebyshev", "cosine", "correlation"
        or "precomputed". For "centroid", "median" and "ward" distances must be Euclidean.

    Returns
    -------
    tree : ndarray of shape (n_samples - 1, 4)
        The linkage matrix as SciPy has it: the two clusters of each merge, its height, and
        the number of samples in it. Cluster ``n_samples + i`` comes from merge ``i``.

    Notes
    -----
    From samples with Euclidean distances "single", "centroid", "median" and "ward" compute
    distances as they go, in memory for the samples alone; otherwise one condensed array of
    n (n - 1) / 2 distances is held. With "centroid" and "median" a merge may be lower than
    the one before.

    Examples
    --------
    >>> from shallows.cluster import linkage
    >>> linkage([[0.0], [1.0], [5.0]], "single")
    array([[0., 1., 1., 2.],
           [2., 3., 4., 3.]])
    """
    check_arguments(linkage, locals())
    X = check_array(X, dtype=(np.float64, np.float32), ensure_min_samples=2, input_name="X")
    return build_tree("linkage", X, method, metric)


def build_tree(owner, X, method, metric):
    """Return the linkage matrix of checked samples or distances."""
    given = metric == "precomputed"
    if given:
        check_distances(owner, X)
    elif method in EUCLIDEAN_ONLY and metric != "euclidean":
        raise ValueError(
            f'{owner}: {method} linkage needs metric="euclidean" or "precomputed", got {metric!r}. '
            "Choose another linkage for it, such as average."
        )
    merges = len(X) - 1
    first, second, height = np.empty(merges, np.int64), np.empty(merges, np.int64), np.empty(merges)
    out = (first, second, height)
    squares = method in EUCLIDEAN_ONLY
    if method == "ward" and not given:
        points = np.array(X.T, dtype=np.float64, order="C")
        _ward.chain_of_centers(points, np.ones(len(X)), *out)
        height *= 2
    elif method == "single" and metric == "euclidean":
        _spanning_tree.tree_of_points(np.array(X.T, dtype=np.float64, order="C"), *out)
        squares = True
    elif method in _nearest_pair.CODES and not given:
        centers = np.empty((X.shape[1], len(X) + len(X) // 4 + 1))
        centers[:, : len(X)] = X.T
        _nearest_pair.merge_nearest_points(centers, len(X), _nearest_pair.CODES[method], *out)
    else:
        condensed = condensed_distances(X, metric)
        if squares:
            condensed *= condensed
        if method == "single":
            _spanning_tree.tree_of_distances(condensed, *out)
        elif method in _chain.CODES:
            _chain.chain_of_distances(condensed, _chain.CODES[method], *out)
        else:
            _nearest_pair.merge_nearest_pairs(condensed, _nearest_pair.CODES[method], *out)
    if squares:
        height = np.sqrt(np.maximum(height, 0.0))
    return tree_of_merges(first, second, height, ordered=method in _nearest_pair.CODES)
