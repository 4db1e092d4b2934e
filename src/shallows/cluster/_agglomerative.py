"""Agglomerative clustering."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, TypeAlias

import numpy as np
from scipy.sparse import sparray, spmatrix
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils.validation import check_memory

from shallows._core.contract.data import check_unlabelled
from shallows._core.contract.params import ArrayLike, NonNegativeFloat, PositiveInt, check_params
from shallows.cluster._constrained import build_constrained_tree
from shallows.cluster._dissimilarity import Metric, one_name, refuse_condensed
from shallows.cluster._linkage import Method, build_tree
from shallows.cluster._merge_tree import cut_tree, cut_tree_below

Graph: TypeAlias = ArrayLike | sparray | spmatrix | Callable[..., Any]


class AgglomerativeClustering(ClusterMixin, BaseEstimator):
    """Clustering by merging the two nearest clusters, from single samples on.

    What "nearest" means is the linkage. All merges together are a tree; cut at any height it
    gives a partition, and `dendrogram` draws it. The algorithms give exactly the tree of
    always merging the nearest pair, in time that grows with the square of the number of
    samples (for centroid and median linkage usually).

    Parameters
    ----------
    n_clusters : int or None, default=2
        Number of clusters, or None with a `distance_threshold`.
    metric : str, default="euclidean"
        Distance of two samples: "euclidean" or "l2", "manhattan" or "l1", "chebyshev", "cosine",
        "correlation", or "precomputed", where `fit` takes a square array of distances.
    memory : str, object with a `cache` method, or None, default=None
        Folder, or joblib.Memory, that keeps trees for another call with the same data.
    connectivity : array-like, sparse matrix, callable or None, default=None
        A graph of shape (n_samples, n_samples), such as neighbouring pixels or nearest
        neighbours: only clusters that an edge joins may merge. Entries other than zero are edges,
        in both directions; a callable makes them from X. It goes with "ward", "complete",
        "average" and "single".
    compute_full_tree : "auto" or bool, default="auto"
        Taken for scikit-learn's sake; the tree is always computed to its root.
    linkage : str, default="ward"
        Distance of two clusters: "single", "complete", "average", "weighted", "centroid",
        "median" or "ward"; see `linkage`.
    distance_threshold : float or None, default=None
        Merge no clusters this far apart or farther; `n_clusters` must then be None. Where a merge
        is lower than one before it ("centroid", "median", "ward" over a graph), it counts as high
        as the highest in it.
    compute_distances : bool, default=False
        Taken for scikit-learn's sake; `distances_` is always there.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Cluster of each sample; clusters are numbered by their first samples. Samples of weight
        zero have -1.
    linkage_matrix_ : ndarray of shape (n_leaves_ - 1, 4)
        All merges in SciPy's format: two clusters, height, number of samples.
    children_ : ndarray of shape (n_leaves_ - 1, 2)
        The two clusters of each merge; cluster ``n_leaves_ + i`` comes from merge ``i``.
    distances_ : ndarray of shape (n_leaves_ - 1,)
        Height of each merge.
    n_clusters_ : int
        Number of clusters found.
    n_leaves_ : int
        Number of samples, without those of weight zero.
    n_connected_components_ : int
        Number of pieces of the graph, before they were joined; 1 without one.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    Notes
    -----
    Over a graph, time and memory grow with the number of edges, for clusters with few neighbours
    each. There are distances only along edges, as in scikit-learn: where two clusters merge,
    "complete" takes the larger and "average" the mean, weighted by sizes, of their distances
    to a neighbour of both, and a neighbour of one keeps its distance. "ward" compares means, as
    without a graph. A graph in pieces is completed, with a warning: each two pieces are joined by
    their nearest samples.

    Examples
    --------
    >>> from shallows.cluster import AgglomerativeClustering
    >>> model = AgglomerativeClustering(2, linkage="single").fit([[0.0], [1.0], [5.0]])
    >>> model.labels_, model.distances_
    (array([0, 0, 1]), array([1., 4.]))

    Only neighbours in a row may merge, so the zeros at either end stay apart:

    >>> chain = [[0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1], [0, 0, 0, 0]]
    >>> model = AgglomerativeClustering(3, connectivity=chain)
    >>> model.fit_predict([[0.0], [5.0], [5.1], [0.0]])
    array([0, 1, 1, 2])
    """

    def __init__(
        self,
        n_clusters: PositiveInt | None = 2,
        *,
        metric: Metric = "euclidean",
        memory: Any = None,
        connectivity: Graph | None = None,
        compute_full_tree: bool | Literal["auto"] = "auto",
        linkage: Method = "ward",
        distance_threshold: NonNegativeFloat | None = None,
        compute_distances: bool = False,
    ):
        self.n_clusters = n_clusters
        self.metric = metric
        self.memory = memory
        self.connectivity = connectivity
        self.compute_full_tree = compute_full_tree
        self.linkage = linkage
        self.distance_threshold = distance_threshold
        self.compute_distances = compute_distances

    def fit(self, X, y=None, sample_weight=None):
        """Merge the samples.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or (n_samples, n_samples)
            Samples, or their distances if `metric` is "precomputed".
        y : None
            Ignored.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each sample: one of weight 3 stands for three equal ones, merged already,
            and one of weight 0 is left out of the tree. Other than that, weights matter to
            "average", "centroid" and "ward".

        Returns
        -------
        self : AgglomerativeClustering
            The fitted estimator.
        """
        check_params(self)
        if (self.n_clusters is None) == (self.distance_threshold is None):
            raise ValueError(
                "AgglomerativeClustering: Exactly one of n_clusters and distance_threshold must be "
                f"given and the other None, got {self.n_clusters} and {self.distance_threshold}."
            )
        if self.compute_full_tree is False and self.distance_threshold is not None:
            raise ValueError(
                "AgglomerativeClustering: compute_full_tree must be True if distance_threshold is "
                "set, got False."
            )
        refuse_condensed("AgglomerativeClustering", X)
        X, weights = check_unlabelled(self, X, sample_weight)

        # Samples of weight zero take no part; their label is -1 in the end.
        used = np.ones(len(X), bool) if sample_weight is None else np.asarray(sample_weight) > 0
        if self.metric == "precomputed" and X.shape[1] == len(used):
            X = X[:, used]
        if len(X) < max(self.n_clusters or 1, 2):
            way = "Give it more samples" if len(X) < 2 else "Ask it for fewer clusters"
            raise ValueError(
                f"AgglomerativeClustering: n_samples={len(X)} should be >= 2 and >= n_clusters="
                f"{self.n_clusters}, not counting samples of weight zero. {way}."
            )
        owner, metric = "AgglomerativeClustering", one_name(self.metric)
        if self.connectivity is None:
            build = self._remembered(build_tree)
            tree, pieces = build(owner, X, self.linkage, metric, weights), 1
        else:
            tree, pieces = self._remembered(build_constrained_tree)(
                owner, X, self.linkage, metric, weights, self.connectivity, used
            )

        # The whole tree first, then the cut at a number of clusters or at a height.
        self.n_connected_components_ = int(pieces)
        self.children_ = tree[:, :2].astype(np.int64)
        self.distances_ = tree[:, 2].astype(X.dtype)
        self.n_leaves_, self._sizes = len(X), tree[:, 3].astype(np.int64)
        if self.distance_threshold is None:
            labels, self.n_clusters_ = cut_tree(tree, self.n_clusters), self.n_clusters
        else:
            labels, self.n_clusters_ = cut_tree_below(tree, self.distance_threshold)
        self.labels_ = np.full(len(used), -1)
        self.labels_[used] = labels
        return self

    def _remembered(self, build):
        """Return a function that looks its result up in `memory`, where there is one."""
        return build if self.memory is None else check_memory(self.memory).cache(build)

    @property
    def linkage_matrix_(self):
        """All merges in SciPy's format, in double precision as SciPy wants it."""
        return np.column_stack([self.children_, self.distances_, self._sizes]).astype(np.float64)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.metric == "precomputed"
        return tags
