"""Quadtree, octree, 2^n-tree: boxes that are smaller where points are dense."""

from __future__ import annotations

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin

from shallows._core.contract.data import check_new, check_rows
from shallows._core.contract.params import NonNegativeInt, PositiveInt, check_params
from shallows._core.numerics.compile import compiled

MOST_FEATURES = 16


class HypercubeTree(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Partition space into boxes that are smaller where there are many points.

    The bounding box of the training points is halved along every axis into 2^n boxes, and so is
    every box with more than `max_points` points. In the plane this is a quadtree, in space an
    octree. The leaves cover the box without overlap, and the index of a leaf is a symbol for all
    points in it. For one variable at a time use :class:`sklearn.preprocessing.KBinsDiscretizer`.

    Parameters
    ----------
    max_points : int, default=10
        A box with more points is divided, unless they are all equal.
    max_depth : int, default=20
        Largest number of divisions above a leaf; boxes at this depth may have more points.

    Attributes
    ----------
    low_, high_ : ndarray of shape (n_leaves, n_features)
        Lower and upper corners of the leaves.
    counts_ : ndarray of shape (n_leaves,)
        Number of training points in each leaf; many leaves may be empty.
    depths_ : ndarray of shape (n_leaves,)
        Number of divisions above each leaf.
    labels_ : ndarray of shape (n_samples,)
        Index of the leaf of each training point.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    References
    ----------
    .. [1] R. A. Finkel and J. L. Bentley, "Quad trees: a data structure for retrieval on
       composite keys", Acta Informatica 4, 1-9, 1974.

    Examples
    --------
    >>> from shallows.prepare import HypercubeTree
    >>> points = [[0.0, 0.0], [0.1, 0.1], [0.9, 0.2], [1.0, 1.0]]
    >>> tree = HypercubeTree(max_points=1).fit(points)
    >>> int(tree.counts_.sum()), int(tree.counts_.max())
    (4, 1)
    >>> tree.transform([[0.95, 0.1]]) == tree.labels_[2]
    array([[ True]])
    """

    _takes_any_size = True  # halving boxes squares no value, so large ones can't overflow

    def __init__(self, max_points: PositiveInt = 10, *, max_depth: NonNegativeInt = 20):
        self.max_points = max_points
        self.max_depth = max_depth

    def fit(self, X, y=None):
        """Divide the bounding box of the points.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Points, of at most 16 features.
        y : None
            Ignored.

        Returns
        -------
        self : HypercubeTree
            The fitted tree.
        """
        check_params(self)
        X = check_rows(self, X)
        if X.shape[1] > MOST_FEATURES:
            raise ValueError(
                f"HypercubeTree divides a box into 2^n, so it takes at most {MOST_FEATURES} "
                f"features, got {X.shape[1]}. Reduce the dimension first."
            )
        start, end = _extent(X)
        width = np.where(end > start, end - start, 1.0)
        children, lows, depths, counts, leaf_of = build_tree(
            X, (X - start) / width, self.max_points, self.max_depth
        )
        leaves = np.flatnonzero(children < 0)
        self._children, self._start, self._width = children, start, width
        self._number = np.full(len(children), -1)
        self._number[leaves] = np.arange(len(leaves))
        self.counts_, self.depths_ = counts[leaves], depths[leaves]
        corner = start + lows[leaves] * width
        side = np.ldexp(width, -self.depths_[:, None])
        self.low_ = corner.astype(X.dtype, copy=False)
        self.high_ = (corner + side).astype(X.dtype, copy=False)
        self.labels_ = self._number[leaf_of]
        self._n_features_out = 1
        return self

    def transform(self, X):
        """Return the index of the leaf that contains each point.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Points; outside the box, the nearest point of its border is used.

        Returns
        -------
        leaves : ndarray of shape (n_samples, 1)
            Indices from 0.
        """
        X = check_new(self, X)
        nodes = find_leaves(_places(X, self._start, self._width), self._children)
        return self._number[nodes][:, None]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = []
        return tags


def _extent(X):
    """Return the smallest and the largest value of each column."""
    columns = X.T.astype(np.float64, order="C")  # NumPy reduces long contiguous rows faster
    return columns.min(axis=1), columns.max(axis=1)


def _places(X, start, width):
    """Return the points in units of the box, clipped to it."""
    return np.clip((X - start) / width, 0.0, 1.0)


@compiled
def find_leaves(places, children):
    """Return the node number of the leaf of each row.

    A point on a boundary belongs to the upper box.
    """
    found = np.empty(places.shape[0], dtype=np.int64)
    low = np.empty(places.shape[1])
    for i in range(places.shape[0]):
        node, size = 0, 1.0
        low[:] = 0.0
        while children[node] >= 0:
            # Bit j of the code says whether the point is in the upper half along axis j.
            size /= 2
            code = 0
            for j in range(places.shape[1]):
                if places[i, j] >= low[j] + size:
                    code |= 1 << j
                    low[j] += size
            node = children[node] + code
        found[i] = node
    return found


@compiled
def all_equal(X, order, first, last):
    """Return whether the points order[first:last] are the same."""
    for k in range(first + 1, last):
        for j in range(X.shape[1]):
            if X[order[k], j] != X[order[first], j]:
                return False
    return True


@compiled
def build_tree(X, places, max_points, max_depth):
    """Return per node: first child (-1 for leaves), low corner, depth, number of points;
    and per point: its leaf. Sorts the rows of `places` by leaf, in place.
    """
    n, d = X.shape
    parts = 1 << d
    room, n_nodes = 4 * parts, 1
    children, depths = np.full(room, -1), np.zeros(room, dtype=np.int64)
    first, last = np.zeros(room, dtype=np.int64), np.zeros(room, dtype=np.int64)
    lows = np.zeros((room, d))
    order, moved, codes = np.arange(n), np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    aside, cut = np.empty((n, d)), np.empty(d)
    ends = np.empty(parts + 1, dtype=np.int64)
    leaf_of = np.zeros(n, dtype=np.int64)
    last[0] = n
    node = 0
    while node < n_nodes:
        begin, stop = first[node], last[node]
        # Small, deep or constant boxes stay leaves.
        if (
            stop - begin <= max_points
            or depths[node] >= max_depth
            or all_equal(X, order, begin, stop)
        ):
            for k in range(begin, stop):
                leaf_of[order[k]] = node
            node += 1
            continue
        # Double the arrays when the next children don't fit.
        if n_nodes + parts > room:
            room = 2 * room + parts
            children = np.concatenate((children, np.full(room - len(children), -1)))
            depths = np.concatenate((depths, np.zeros(room - len(depths), dtype=np.int64)))
            first = np.concatenate((first, np.zeros(room - len(first), dtype=np.int64)))
            last = np.concatenate((last, np.zeros(room - len(last), dtype=np.int64)))
            lows = np.concatenate((lows, np.zeros((room - len(lows), d))))
        # Code of each point's part, and the number of points per part.
        half = 0.5 ** (depths[node] + 1)
        for j in range(d):
            cut[j] = lows[node, j] + half
        ends[:] = 0
        for k in range(begin, stop):
            code = 0
            for j in range(d):
                code |= (places[k, j] >= cut[j]) << j
            codes[k] = code
            ends[code + 1] += 1
        # Running sums turn counts into places; then set up the children.
        for part in range(parts):
            ends[part + 1] += ends[part]
        for part in range(parts):
            child = n_nodes + part
            first[child], last[child] = begin + ends[part], begin + ends[part + 1]
            depths[child] = depths[node] + 1
            for j in range(d):
                lows[child, j] = lows[node, j] + (half if part >> j & 1 else 0.0)
        # Sort the points of this node by part (a counting sort), together with their places.
        for k in range(begin, stop):
            to = begin + ends[codes[k]]
            ends[codes[k]] += 1
            moved[to] = order[k]
            for j in range(d):
                aside[to, j] = places[k, j]
        for k in range(begin, stop):
            order[k] = moved[k]
            for j in range(d):
                places[k, j] = aside[k, j]
        children[node] = n_nodes
        n_nodes += parts
        node += 1
    counts = last[:n_nodes] - first[:n_nodes]
    return children[:n_nodes], lows[:n_nodes], depths[:n_nodes], counts, leaf_of
