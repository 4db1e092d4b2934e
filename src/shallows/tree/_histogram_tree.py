"""Finished trees on numbers and categories, and how rows walk down them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shallows._core.numerics.compile import compiled
from shallows._core.numerics.threads import map_blocks

LEAF = -1
BLOCK_ROWS = 512  # rows that stay in the cache while all trees are visited

# A node. Its children are `left` and `left` + 1, and a row goes left whose value is at most
# `threshold`. A node that asks for categories names its line of `left_categories`.
STORED = np.dtype(
    [
        ("threshold", np.float64),
        ("value", np.float64),
        ("feature", np.int32),
        ("left", np.int32),
        ("category", np.int32),
        ("gap_left", np.int32),
        ("gain", np.float64),
        ("count", np.int64),
    ]
)


class GrownTree(NamedTuple):
    """A tree and where its training rows are: leaf k has ``rows[bounds[k]:bounds[k + 1]]``."""

    nodes: np.ndarray
    left_categories: np.ndarray
    rows: np.ndarray
    leaves: np.ndarray
    bounds: np.ndarray


class Trees(NamedTuple):
    """Trees one after the other: their nodes, where each begins, and how many outputs they serve.

    Tree t adds to output t modulo `n_outputs`.
    """

    nodes: np.ndarray
    roots: np.ndarray
    left_categories: np.ndarray
    n_outputs: int


def join_trees(trees: list[GrownTree], n_outputs: int, before: Trees | None = None) -> Trees:
    """Put trees one after the other, those of `before` first."""
    parts = [] if before is None else [before]
    parts += [Trees(tree.nodes, np.zeros(1, np.int64), tree.left_categories, 1) for tree in trees]
    nodes = np.concatenate([np.zeros(0, STORED), *(part.nodes for part in parts)])
    roots, n_nodes, n_lines = [], 0, 0
    for part in parts:
        mine = nodes[n_nodes : n_nodes + len(part.nodes)]
        mine["left"][mine["left"] != LEAF] += n_nodes
        mine["category"][(mine["feature"] != LEAF) & (mine["category"] != LEAF)] += n_lines
        roots.append(part.roots + n_nodes)
        n_nodes, n_lines = n_nodes + len(part.nodes), n_lines + len(part.left_categories)
    width = max((part.left_categories.shape[1] for part in parts), default=0)
    lines = [part.left_categories for part in parts if part.left_categories.shape[1] == width]
    left = np.concatenate([np.zeros((0, width), bool), *lines])
    return Trees(nodes, np.concatenate([np.zeros(0, np.int64), *roots]), left, n_outputs)


def add_answers(trees: Trees, X, raw, first=0, last=None) -> None:
    """Add to `raw`, of shape (n_samples, n_outputs), what the trees from `first` on answer."""
    roots = trees.roots[first:last]

    def add(rows: slice) -> None:
        add_trees(X[rows], trees.nodes, roots, trees.left_categories, raw[rows])

    map_blocks(add, len(X), BLOCK_ROWS)


@compiled
def add_trees(X, nodes, roots, left_categories, raw):
    """Add the value of the leaf of each row, tree by tree."""
    for t in range(len(roots)):
        output = t % raw.shape[1]
        for i in range(len(X)):
            node = nodes[roots[t]]
            while node["feature"] >= 0:
                x = X[i, node["feature"]]
                if x != x:
                    left = node["gap_left"] != 0
                elif node["category"] >= 0:
                    left = left_categories[node["category"], np.int64(x)]
                else:
                    left = x <= node["threshold"]
                node = nodes[node["left"] + 1 - left]
            raw[i, output] += node["value"]
