"""Compiled walks of rows down a tree to its leaves."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shallows._core.numerics.compile import compiled

LEAF, BELOW, EACH, EQUALS, SUBSET = range(5)  # as in _questions; a kernel's file has its constants
QUESTION_BITS = 3
ASKED = (1 << QUESTION_BITS) - 1
FEATURE = (1 << 32) - 1
GROUP = 8  # rows that walk abreast: while the memory of one is on its way others go on


class Steps(NamedTuple):
    """The nodes of a tree for a walk.

    `packed` has first branch, feature and question of a node in one number: from the top 32, 29
    and 3 bits.
    """

    packed: np.ndarray
    threshold: np.ndarray
    heaviest: np.ndarray
    side: np.ndarray

    @classmethod
    def of(cls, tree) -> Steps:
        """Read the arrays of a tree."""
        packed = tree.first.astype(np.int64) << 32
        feature = np.maximum(tree.feature, 0).astype(np.int64)
        packed |= (feature << QUESTION_BITS) | tree.question
        return cls(packed, tree.threshold, tree.heaviest, tree.side)


class Parts(NamedTuple):
    """Parts of rows: which row, the leaf that a part comes to, and its size."""

    row: np.ndarray
    leaf: np.ndarray
    size: np.ndarray

    @classmethod
    def room(cls, n_parts: int) -> Parts:
        """Return room for so many parts."""
        return cls(np.empty(n_parts, np.int64), np.empty(n_parts, np.int64), np.empty(n_parts))


@compiled
def find_leaves(X, steps, leaves):
    """Write the leaf of each row; where a value is missing the heaviest branch is followed."""
    packed, threshold = steps.packed, steps.threshold
    for start in range(0, len(leaves), GROUP):
        end = start + GROUP if start + GROUP < len(leaves) else len(leaves)
        walking = True
        for i in range(start, end):
            leaves[i] = 0
        while walking:
            walking = False
            for i in range(start, end):
                node = leaves[i]
                if packed[node] & ASKED != LEAF:
                    walking = True
                    x = X[i, (packed[node] & FEATURE) >> QUESTION_BITS]
                    leaves[i] = (packed[node] >> 32) + _branch(x, node, threshold[node], steps)


@compiled
def find_leaves_of_entries(rows, steps, leaves):
    """Write the leaf of each sparse row, spread out one after the other."""
    spread = np.zeros(rows.width, rows.values.dtype)
    for i in range(len(leaves)):
        node = 0
        for entry in range(rows.starts[i], rows.starts[i + 1]):
            spread[rows.columns[entry]] = rows.values[entry]
        while steps.packed[node] & ASKED != LEAF:
            x = spread[(steps.packed[node] & FEATURE) >> QUESTION_BITS]
            node = (steps.packed[node] >> 32) + _branch(x, node, steps.threshold[node], steps)
        leaves[i] = node
        for entry in range(rows.starts[i], rows.starts[i + 1]):
            spread[rows.columns[entry]] = 0


@compiled
def find_parts(X, steps, branches, share, found):
    """Return how many parts the rows fall into, and write row, leaf and size of each.

    Where a value is missing a row goes down all branches, with their shares of it. Parts beyond
    the length of `found` are only counted.
    """
    stack, sizes, n_parts = np.empty(len(share), np.int64), np.empty(len(share)), 0
    for i in range(len(X)):
        stack[0], sizes[0], waiting = 0, 1.0, 1
        while waiting > 0:
            waiting -= 1
            node, size = stack[waiting], sizes[waiting]
            first = steps.packed[node] >> 32
            if steps.packed[node] & ASKED == LEAF:
                if n_parts < len(found.row):
                    found.row[n_parts], found.leaf[n_parts], found.size[n_parts] = i, node, size
                n_parts += 1
                continue
            x = X[i, (steps.packed[node] & FEATURE) >> QUESTION_BITS]
            if x == x:
                low = first + _branch(x, node, steps.threshold[node], steps)
                high = low + 1
            else:
                low, high = first, first + branches[node]
            for branch in range(low, high):
                part = size if x == x else size * share[branch]
                if part > 0:
                    stack[waiting], sizes[waiting] = branch, part
                    waiting += 1
    return n_parts


@compiled
def add_answers(answer, leaves, answers):
    """Add the answer of each row's leaf."""
    for i in range(len(leaves)):
        for k in range(answer.shape[1]):
            answers[i, k] += answer[leaves[i], k]


@compiled
def _branch(x, node, threshold, steps):
    """Return which branch a value leads to."""
    if x != x:
        return np.int64(steps.heaviest[node])
    asked = steps.packed[node] & ASKED
    if asked == BELOW:
        return np.int64(x > threshold)
    if asked == EQUALS:
        return np.int64(x != threshold)
    if asked == SUBSET:
        return np.int64(steps.side[node, int(x)])
    return np.int64(x)
