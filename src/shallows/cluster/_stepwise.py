"""Step-wise optimal merging of the clusters of a partition."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import Annotated, Literal, NamedTuple

import numpy as np
from sklearn.utils import check_array

from shallows._core.contract.data import check_weights
from shallows._core.contract.magnitude import check_magnitude
from shallows._core.contract.params import FiniteFloat, Range, accepts
from shallows.cluster import _ward
from shallows.cluster._given_labels import check_labels
from shallows.cluster._merge_tree import cut_tree, tree_of_merges

Cost = Callable[[np.ndarray, np.ndarray], float]


class StepwiseMerges(NamedTuple):
    """Merges from a partition to a single cluster.

    Parameters
    ----------
    tree : ndarray of shape (n_clusters - 1, 4)
        Linkage matrix in SciPy's format, where a leaf is a cluster of the partition and a
        height is what the merge adds to the cost.
    costs : ndarray of shape (n_clusters,)
        The cost before the first merge and after each.
    labels : ndarray of shape (n_samples,)
        The partition, numbered from 0.
    """

    tree: np.ndarray
    costs: np.ndarray
    labels: np.ndarray

    def cut(self, n_clusters: int) -> np.ndarray:
        """Return the partition into fewer clusters.

        Parameters
        ----------
        n_clusters : int
            Number of clusters left.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            Cluster of each sample.
        """
        if not accepts(Annotated[int, Range(1, len(self.costs))], n_clusters):
            raise ValueError(
                f"StepwiseMerges: n_clusters must be from 1 to {len(self.costs)}, the number "
                f"of clusters at the start, and whole, got {n_clusters!r}."
            )
        return cut_tree(self.tree, n_clusters)[self.labels]


def merge_stepwise(
    X, labels, cost: Literal["squares"] | Cost = "squares", *, sample_weight=None
) -> StepwiseMerges:
    """Merge clusters two by two, always those that raise a cost least.

    With the sum of squared distances to the means a merge of clusters a and b adds
    ``n_a n_b / (n_a + n_b) |m_a - m_b|^2``. From single samples on that is Ward's linkage,
    whose heights h there give h^2 / 2 here, and all that is added is the total sum of squares.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Samples.
    labels : array-like of shape (n_samples,)
        Cluster of each, such as from `KMeans`.
    cost : "squares" or callable, default="squares"
        The sum of squares, or a function of samples and labels. A function is called for every
        pair at every step, about k^3 / 6 times for k clusters.
    sample_weight : array-like of shape (n_samples,), default=None
        Weight of each sample in the sum of squares; a function has its own.

    Returns
    -------
    merges : StepwiseMerges
        The tree, the costs, and `cut` for the partition into fewer clusters.

    Examples
    --------
    >>> from shallows.cluster import merge_stepwise
    >>> merges = merge_stepwise([[0.0], [2.0], [9.0], [11.0]], [0, 1, 2, 2])
    >>> merges.costs
    array([ 2.,  4., 85.])
    >>> merges.cut(2)
    array([0, 0, 1, 1])
    """
    X = check_array(X, dtype=np.float64, input_name="X", estimator="merge_stepwise")
    labels = check_labels("merge_stepwise", labels, len(X))
    names, labels = np.unique(labels, return_inverse=True)
    if callable(cost):
        if sample_weight is not None:
            raise ValueError("merge_stepwise: sample_weight needs cost='squares', got a function.")
        return _merge_by_trial(X, labels, len(names), cost)
    if cost != "squares":
        raise ValueError(f"merge_stepwise: cost must be 'squares' or a function, got {cost!r}.")
    check_magnitude("merge_stepwise", X)
    weights = check_weights(sample_weight, len(X), "merge_stepwise")
    mass = np.bincount(labels, weights)
    if (mass == 0).any():
        empty = names[mass == 0].tolist()[0]
        raise ValueError(f"merge_stepwise: all samples of cluster {empty!r} have weight zero.")

    # Squared errors: a merge adds what Ward's criterion says, so that Ward's chain finds them all.
    sums = np.stack([np.bincount(labels, weights * column) for column in X.T])
    centers = sums / mass
    start = float(weights @ ((X - centers.T[labels]) ** 2).sum(axis=1))
    merges = len(names) - 1
    first, second, added = np.empty(merges, np.int64), np.empty(merges, np.int64), np.empty(merges)
    _ward.chain_of_centers(centers, mass, first, second, added)
    tree = tree_of_merges(first, second, added)
    costs = start + np.concatenate([[0.0], np.cumsum(tree[:, 2])])
    return StepwiseMerges(tree, costs, labels)


def _merge_by_trial(X, labels, n_clusters, cost):
    current, alive = labels.copy(), list(range(n_clusters))
    costs = [_cost_of(cost, X, current)]
    first, second = [], []
    for _ in range(n_clusters - 1):
        # Any other cost: try every pair, keep the best.
        trials = {
            pair: _cost_of(cost, X, _merged(current, *pair)) for pair in combinations(alive, 2)
        }
        (kept, gone), least = min(trials.items(), key=lambda trial: trial[1])
        current = _merged(current, kept, gone)
        alive.remove(gone)
        first.append(kept)
        second.append(gone)
        costs.append(least)
    added = np.diff(costs)
    pairs = np.array(first, dtype=np.int64), np.array(second, dtype=np.int64)
    return StepwiseMerges(tree_of_merges(*pairs, added, ordered=True), np.array(costs), labels)


def _cost_of(cost, X, labels):
    """Return what the user's function says, or raise where that is no finite number."""
    value = cost(X, labels)
    if not accepts(FiniteFloat, value):
        raise ValueError(
            f"merge_stepwise: cost must return a finite number for samples and labels, got "
            f"{value!r} for {len(np.unique(labels))} clusters."
        )
    return float(value)


def _merged(labels, kept, gone):
    return np.where(labels == gone, kept, labels)
