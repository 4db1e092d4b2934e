"""Trees of merged clusters."""

from __future__ import annotations

from typing import Literal

import numpy as np
from sklearn.utils import check_array

from shallows._core.contract.data import check_weights
from shallows._core.contract.magnitude import check_magnitude
from shallows._core.contract.params import check_arguments
from shallows._core.contract.precomputed import check_pairs
from shallows.cluster import _chain, _nearest_pair, _nearest_points, _spanning_tree, _ward
from shallows.cluster._dissimilarity import (
    Metric,
    check_directions,
    condensed_distances,
    one_name,
    refuse_condensed,
)
from shallows.cluster._merge_tree import tree_of_merges

Method = Literal["single", "complete", "average", "weighted", "centroid", "median", "ward"]
EUCLIDEAN_ONLY = ("centroid", "median", "ward")
CACHED = 2**21  # numbers of X that stay in a cache; more are read slowly for each merge
MOST_HELD = 2**27  # distances that take no more memory than is at hand: 1 GB


def linkage(
    X, method: Method = "ward", metric: Metric = "euclidean", *, sample_weight=None
) -> np.ndarray:
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
        Distance of two samples: "euclidean" or "l2", "manhattan" or "l1", "chebyshev", "cosine",
        "correlation" or "precomputed". For "centroid", "median" and "ward" distances must be
        Euclidean. A sample of zeros has no cosine and is refused, as is one of equal numbers by
        "correlation".
    sample_weight : array-like of shape (n_samples,), default=None
        Weight of each sample, larger than zero: a sample of weight 3 stands for three equal ones,
        merged already. It matters to "average", "centroid" and "ward".

    Returns
    -------
    tree : ndarray of shape (n_samples - 1, 4)
        The linkage matrix as SciPy has it: the two clusters of each merge, its height, and
        the number of samples in it. Cluster ``n_samples + i`` comes from merge ``i``.

    Notes
    -----
    From samples with Euclidean distances "single", "centroid", "median" and "ward" compute
    distances as they go, in memory for the samples alone; otherwise, and where X is too large for
    the caches of a processor while all distances take less than 1 GB, one condensed array of
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
    refuse_condensed("linkage", X)
    X = check_array(
        X,
        dtype=(np.float64, np.float32),
        ensure_min_samples=2,
        input_name="X",
        estimator="linkage",
    )
    weights = check_weights(sample_weight, len(X), "linkage")
    if (weights == 0).any():
        raise ValueError(
            "linkage: sample_weight must be larger than zero. Leave samples of weight 0 out of X."
        )
    return build_tree("linkage", X, method, one_name(metric), weights)


def build_tree(owner, X, method, metric, weights):
    """Return the linkage matrix of checked samples or distances, and positive weights."""
    given = metric == "precomputed"
    if given:
        check_pairs(owner, X)
    elif method in EUCLIDEAN_ONLY and metric != "euclidean":
        raise ValueError(
            f'{owner}: {method} linkage needs metric="euclidean" or "precomputed", got {metric!r}. '
            "Choose another linkage for it, such as average."
        )
    check_magnitude(owner, X)
    check_directions(owner, X, metric)
    merges, mass = len(X) - 1, weights.copy()
    first, second, height = np.empty(merges, np.int64), np.empty(merges, np.int64), np.empty(merges)
    out = (first, second, height)
    squares = method in EUCLIDEAN_ONLY
    held = given or metric != "euclidean" or (X.size > CACHED and merges * len(X) // 2 <= MOST_HELD)

    # Without stored distances: from centres (Ward, centroid, median), or as a spanning tree
    # (single).
    if method == "ward" and not held:
        _ward.chain_of_centers(np.array(X.T, dtype=np.float64, order="C"), mass, *out)
        height *= 2
    elif method == "single" and not held:
        _spanning_tree.tree_of_points(np.array(X.T, dtype=np.float64, order="C"), *out)
        squares = True
    elif method in _nearest_pair.CODES and not held:
        centers, code = _nearest_points.in_blocks(X), _nearest_pair.CODES[method]
        _nearest_points.merge_nearest_points(centers, mass, code, *out)
    else:
        # From all distances at once, squared where the formulas are those of Euclidean geometry.
        condensed = condensed_distances(X, metric)
        if squares:
            condensed *= condensed
        if method == "ward":
            _weigh_pairs(condensed, weights)
        if method == "single":
            _spanning_tree.tree_of_distances(condensed, *out)
        elif method in _chain.CODES:
            _chain.chain_of_distances(condensed, mass, _chain.CODES[method], *out)
        else:
            _nearest_pair.merge_nearest_pairs(condensed, mass, _nearest_pair.CODES[method], *out)

    # Heights as distances again.
    if squares:
        height = np.sqrt(np.maximum(height, 0.0))
    return tree_of_merges(first, second, height, ordered=method in _nearest_pair.CODES)


def _weigh_pairs(condensed, weights):
    """Multiply condensed distances by the harmonic means of the two weights, in place."""
    if (weights == 1).all():
        return
    start = 0
    for i, weight in enumerate(weights[:-1]):
        others = weights[i + 1 :]
        condensed[start : start + len(others)] *= 2 * weight * others / (weight + others)
        start += len(others)
