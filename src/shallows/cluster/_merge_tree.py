"""Trees of merges in SciPy's format."""

from __future__ import annotations

import numpy as np

from shallows._core.numerics.compile import compiled


def tree_of_merges(first, second, height, ordered=False):
    """Return the linkage matrix of merges, each named by a sample of either cluster.

    Parameters
    ----------
    first, second : ndarray of shape (n_samples - 1,)
        A sample of either cluster of each merge.
    height : ndarray of shape (n_samples - 1,)
        Height of each merge.
    ordered : bool, default=False
        Whether the merges are in order; otherwise they are sorted by height.

    Returns
    -------
    tree : ndarray of shape (n_samples - 1, 4)
        The two clusters of each merge, its height, and the number of samples in it; cluster
        ``n_samples + i`` comes from merge ``i``.
    """
    if not ordered:
        order = np.argsort(height, kind="stable")
        first, second, height = first[order], second[order], height[order]
    tree = np.empty((len(height), 4))
    tree[:, 2] = height
    name_clusters(first, second, tree)
    return tree


def cut_tree(tree, n_clusters):
    """Return the cluster of each sample after all merges but the last ``n_clusters - 1``.

    Clusters are numbered by their first samples.
    """
    n = len(tree) + 1
    return _labels_after(tree, np.arange(n - 1) < n - n_clusters)


def cut_tree_below(tree, height):
    """Return the cluster of each sample after the merges below a height, and how many there are.

    A merge is as high as the highest in it, so that cutting at a height makes sense where a
    merge is lower than one before, too. Clusters are numbered by their first samples.
    """
    made = highest_within(tree[:, :2].astype(np.int64), tree[:, 2].copy()) < height
    return _labels_after(tree, made), len(tree) + 1 - int(made.sum())


def _labels_after(tree, made):
    labels = np.empty(len(tree) + 1, np.int64)
    number_clusters(tree[:, :2].astype(np.int64), made, labels)
    return labels


@compiled
def name_clusters(first, second, tree):
    """Fill in clusters and sizes, by a forest in which each sample points towards its root."""
    n = len(tree) + 1
    parent = np.arange(2 * n - 1)
    size = np.ones(2 * n - 1)
    for step in range(n - 1):
        a, b = find_root(parent, first[step]), find_root(parent, second[step])
        parent[a] = parent[b] = n + step
        size[n + step] = size[a] + size[b]
        tree[step, 0], tree[step, 1], tree[step, 3] = min(a, b), max(a, b), size[n + step]


@compiled
def highest_within(children, height):
    """Raise each merge's height to that of the highest merge in it, in place; return them."""
    n = len(height) + 1
    for step in range(n - 1):
        for side in range(2):
            if children[step, side] >= n:
                height[step] = max(height[step], height[children[step, side] - n])
    return height


@compiled
def number_clusters(children, made, labels):
    """Write the number of each sample's cluster after some of the merges."""
    n = len(labels)
    parent = np.arange(n + len(children))
    for step in range(len(children)):
        if made[step]:
            parent[children[step, 0]] = parent[children[step, 1]] = n + step
    number, count = np.full(n + len(children), -1), 0
    for i in range(n):
        root = find_root(parent, i)
        if number[root] < 0:
            number[root] = count
            count += 1
        labels[i] = number[root]


@compiled
def find_root(parent, node):
    """Return the root above a node; nodes on the way then point to it."""
    root = node
    while parent[root] != root:
        root = parent[root]
    while parent[node] != root:
        parent[node], node = root, parent[node]
    return root
