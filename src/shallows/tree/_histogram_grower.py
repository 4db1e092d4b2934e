"""Grow trees on binned columns, by gradients and hessians of any loss."""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from shallows._core.numerics.threads import map_blocks, n_threads
from shallows.tree._histogram_bins import Bins
from shallows.tree._histogram_kernels import (
    SPLIT,
    SUMS,
    Columns,
    Found,
    Pair,
    Rules,
    divide,
    search_columns,
)
from shallows.tree._histogram_tree import LEAF, STORED, GrownTree

LARGE = 300_000  # additions to histograms that are worth the threads
NO_LIMIT = 2**31 - 1


class Limits(NamedTuple):
    """What limits a tree; a node asks `share_drawn` of the columns, drawn by chance."""

    max_leaves: int = NO_LIMIT
    max_depth: int = NO_LIMIT
    share_drawn: float = 1.0


class Relations(NamedTuple):
    """What is demanded of columns.

    `signs` holds 1 where an effect must rise, -1 where it must fall, else 0. A path keeps to
    columns that are together in one of the `groups`, lines of a mask.
    """

    signs: np.ndarray
    groups: np.ndarray


def no_relations(n_columns: int) -> Relations:
    """Demand nothing."""
    return Relations(np.zeros(n_columns, np.int8), np.ones((1, n_columns), bool))


@dataclass(slots=True)
class Node:
    """A node of the growing tree; ``rows[start:end]`` are its own, `groups` fit its path."""

    start: int
    end: int
    depth: int
    gradient: float
    hessian: float
    groups: np.ndarray
    lower: float = -math.inf
    upper: float = math.inf
    histograms: np.ndarray | None = None
    feature: int = LEAF
    split: np.void | None = None
    left_bins: np.ndarray | None = None
    left: int = LEAF

    @property
    def size(self) -> int:
        return self.end - self.start

    def value(self, l2: float) -> float:
        return min(max(-self.gradient / (self.hessian + l2 + 1e-15), self.lower), self.upper)


class Grower:
    """Grows trees on one table, one after the other, in memory that it keeps.

    Parameters
    ----------
    bins : Bins
        Where the columns are cut.
    table : ndarray of uint8, shape (n_features, n_samples)
        The rows as bins, by `bin_rows`.
    rules : Rules
        What a split must keep to.
    limits : Limits
        What limits a tree.
    relations : Relations
        Monotonic effects, and columns that may meet.
    rng : Generator
        Draws columns at each node, if not all are asked.
    """

    def __init__(
        self,
        bins: Bins,
        table: np.ndarray,
        rules: Rules,
        limits: Limits,
        relations: Relations,
        rng: np.random.Generator,
    ):
        n_columns, n_rows = table.shape
        self.bins, self.rules, self.limits, self.rng = bins, rules, limits, rng
        self.groups = relations.groups
        self._columns = Columns(table, bins.n_bins, bins.is_categorical, relations.signs)
        self._rows, self._spare = np.empty((2, n_rows), np.uint32)
        self._gradients = np.empty((n_rows, 2))
        self._free: list[np.ndarray] = []  # histograms that no node needs
        self._width = bins.gap_bin + 1
        left = np.zeros((2, n_columns, self._width), bool)
        self._found = Found(np.zeros((2, n_columns), SPLIT), left)

    def grow(self, gradients, hessians, rows=None) -> GrownTree:
        """Return the tree whose leaf values lower the loss most, split after split.

        Parameters
        ----------
        gradients, hessians : ndarray of shape (n_samples,)
            First and second derivative of each row's loss.
        rows : ndarray of int or None, default=None
            Rows to grow on, ascending; all with None.

        Returns
        -------
        tree : GrownTree
            The tree, and the rows of each leaf until the next call.
        """
        self._gradients[:, 0], self._gradients[:, 1] = gradients, hessians
        n_rows = len(self._rows) if rows is None else len(rows)
        self._rows[:n_rows] = np.arange(n_rows) if rows is None else rows
        used = self._gradients if rows is None else self._gradients[rows]
        gradient, hessian = used.sum(axis=0).tolist()
        nodes = [Node(0, n_rows, 0, gradient, hessian, np.ones(len(self.groups), bool))]
        waiting: list[tuple[float, int]] = []
        self._search(nodes, (0,), waiting)
        n_leaves = 1
        while waiting and n_leaves < self.limits.max_leaves:
            pair = self._divide(nodes, heapq.heappop(waiting)[1])
            n_leaves += 1
            if n_leaves < self.limits.max_leaves:
                self._search(nodes, pair, waiting)
        for node in nodes:
            self._release(node)
        return self._finished(nodes, n_rows)

    def _search(self, nodes, pair, waiting) -> None:
        """Look for the best split of one or two new nodes, and put those on the heap that have one.

        The last of the pair, with more rows, holds the histograms of its parent.
        """
        members = [nodes[number] for number in pair]
        usable = np.zeros((2, len(self._columns.bins)), bool)
        for mask, node in zip(usable, members, strict=False):
            if self._may_split(node):
                self._draw(node, mask)
        if not usable.any():
            return
        self._find(members, usable)
        splits, left = self._found
        # The smaller is taken first where the order is free: fewer nodes wait with histograms.
        limited = self.limits.max_leaves < NO_LIMIT
        for which, number in reversed(list(enumerate(pair))):
            feature = int(splits[which]["gain"].argmax())
            split = splits[which, feature]
            if split["gain"] > 0:
                node = nodes[number]
                node.feature, node.split = feature, split.copy()
                node.left_bins = self._left_bins(node, left[which, feature])
                key = -float(split["gain"]) if limited else -float(len(nodes) - which)
                heapq.heappush(waiting, (key, number))

    def _find(self, members, usable) -> None:
        """Fill `_found` for one or two nodes, on threads where there is enough to do."""
        first = members[0]
        first.histograms = self._take_histograms()
        sums = np.array(
            [(one.gradient, one.hessian, one.size, one.lower, one.upper) for one in members], SUMS
        )
        large = members[1].histograms if len(members) > 1 else first.histograms[:0]
        rows = self._rows[first.start : first.end]
        task = (
            self._columns,
            self._gradients,
            Pair(rows, first.histograms, large, sums, usable),
            self.rules,
            self._found,
        )
        n_columns = len(self._columns.bins)
        if first.size * n_columns < LARGE:
            search_columns(*task, 0, n_columns)
            return

        def search(part: slice) -> None:
            search_columns(*task, part.start, part.stop)

        # Each column has sums of its own, so how they are shared out changes no bit.
        map_blocks(search, n_columns, math.ceil(n_columns / (2 * n_threads())))

    def _divide(self, nodes, number) -> tuple[int, int]:
        """Append the children of a node; returns their numbers, that with fewer rows first."""
        node = nodes[number]
        rows = self._rows[node.start : node.end]
        n_left = divide(rows, self._spare, self._columns.bins[node.feature], node.left_bins)
        middle = node.start + n_left
        groups = node.groups & self.groups[:, node.feature]
        gradient, hessian = float(node.split["gradient"]), float(node.split["hessian"])
        left = Node(node.start, middle, node.depth + 1, gradient, hessian, groups)
        right = Node(
            middle,
            node.end,
            node.depth + 1,
            node.gradient - gradient,
            node.hessian - hessian,
            groups,
        )
        left.lower = right.lower = node.lower
        left.upper = right.upper = node.upper
        sign = self._columns.signs[node.feature]
        if sign:
            # Below a monotonic split each side keeps to its half of the values.
            l2 = self.rules.l2
            lesser, greater = (left, right) if sign > 0 else (right, left)
            lesser.upper = greater.lower = (left.value(l2) + right.value(l2)) / 2
        node.left = len(nodes)
        nodes += [left, right]
        small, large = (left, right) if left.size <= right.size else (right, left)
        large.histograms, node.histograms = node.histograms, None
        return (node.left, node.left + 1) if small is left else (node.left + 1, node.left)

    def _may_split(self, node) -> bool:
        return (
            node.depth < self.limits.max_depth
            and node.size >= 2 * self.rules.min_samples
            and node.hessian >= 2 * self.rules.min_hessian
        )

    def _draw(self, node, mask) -> None:
        """Mark the columns that a node may ask."""
        mask[:] = self.groups[node.groups].any(axis=0)
        if self.limits.share_drawn < 1:
            allowed = self.rng.permutation(np.flatnonzero(mask))
            mask[allowed[max(1, int(self.limits.share_drawn * len(allowed))) :]] = False

    def _left_bins(self, node, categories) -> np.ndarray:
        """Return for each bin whether it goes left; the last is that of gaps."""
        if self._columns.is_categorical[node.feature]:
            left = categories.copy()
        else:
            left = np.arange(self._width) <= node.split["bin"]
        left[-1] = node.split["gap_left"]
        return left

    def _take_histograms(self) -> np.ndarray:
        if self._free:
            return self._free.pop()
        return np.empty((len(self._columns.bins), 3 * self._width))

    def _release(self, node) -> None:
        if node.histograms is not None:
            self._free.append(node.histograms)
            node.histograms = None

    def _finished(self, nodes, n_rows) -> GrownTree:
        """Return the tree in the form in which it is kept."""
        stored = np.zeros(len(nodes), STORED)
        asks_category: list[np.ndarray] = []
        l2 = self.rules.l2
        for place, node in zip(stored, nodes, strict=True):
            place["value"], place["count"] = node.value(l2), node.size
            place["feature"], place["left"] = LEAF, node.left
            if node.left == LEAF:
                continue
            place["feature"], place["gain"] = node.feature, node.split["gain"]
            place["gap_left"] = node.split["gap_left"]
            if self._columns.is_categorical[node.feature]:
                place["category"] = len(asks_category)
                asks_category.append(node.left_bins)
            else:
                place["category"] = LEAF
                place["threshold"] = self.bins.threshold(node.feature, node.split["bin"])
        left = np.array(asks_category, bool).reshape(-1, self._width)
        leaves = np.array([i for i, node in enumerate(nodes) if node.left == LEAF])
        starts = np.array([nodes[i].start for i in leaves])
        order = np.argsort(starts)
        bounds = np.append(starts[order], n_rows)
        return GrownTree(stored, left, self._rows[:n_rows], leaves[order], bounds)
