"""Greedy top-down growth of a decision tree, on columns of ranks.

All nodes of a level are looked at together. With a limit on the number of leaves it is the
branches of one node: then the question that gains most is asked first, wherever it is.
"""

from __future__ import annotations

import heapq
from typing import NamedTuple

import numpy as np

from shallows.tree._divide import divide
from shallows.tree._growth import Growth
from shallows.tree._measure import measure
from shallows.tree._questions import (
    BRANCHES,
    ENTROPY,
    GAIN,
    LEAF,
    QUESTION,
    RATIO,
    WEIGHT,
    Rules,
    find_questions,
)
from shallows.tree._ranks import Ranks

LIGHT = 0.01  # of the mean weight: a lighter part of a sample is not divided further


class Level(NamedTuple):
    """Nodes of one depth, and what they ask.

    Node k has the samples from ``starts[k]`` to ``starts[k + 1]`` and the part ``share[k]`` of its
    parent's weight; `constant` tells which dense columns have one value there. The columns of
    `integers` and `numbers` are named in `_questions`; `sums` are class weights or sums of
    targets. The branches of a node stand side by side in the whole tree, from `first` on.
    """

    depth: int
    starts: np.ndarray
    samples: np.ndarray
    weights: np.ndarray
    share: np.ndarray
    constant: np.ndarray
    integers: np.ndarray
    numbers: np.ndarray
    sums: np.ndarray
    first: np.ndarray
    heaviest: np.ndarray


class Grower:
    """Grows a tree for labels, or for targets where there are no labels."""

    def __init__(self, ranks: Ranks, labels, targets, weights, growth: Growth, rng):
        total = float(weights.sum())
        mean = total / len(weights)
        divided = growth.fractional and ranks.any_missing
        n_outputs = 1 if len(labels) else targets.shape[1]
        max_depth, min_split, min_leaf, max_leaves = growth.limits
        self.max_depth, self.max_leaves = max_depth, max_leaves
        self.table, self.labels, self.targets, self.rng = ranks.table, labels, targets, rng
        self.features = np.arange(len(self.table.n_values))
        self.min_size = max(min_split, 2 * min_leaf)
        self.least_weight = min_split * mean if divided else 0.0
        self.light = LIGHT * mean if divided else np.inf
        self.logs = _logs(growth.criterion, weights, divided)
        self.rules = Rules(
            growth.criterion,
            growth.multiway,
            min_leaf,
            min_weight=growth.min_weight_fraction * total,
            min_gain=growth.min_impurity_decrease * total * n_outputs,
            n_drawn=growth.n_drawn,
        )

    def grow(self, samples, weights) -> list[Level]:
        """Return all nodes, in the order of their numbers."""
        width = 0 if len(self.table.starts) else len(self.features)
        constant = np.zeros((1, width), dtype=bool)
        root = self._look(0, np.array([0, len(samples)]), samples, weights, np.zeros(1), constant)
        return self._grow_best_first(root) if self.max_leaves else self._grow_by_levels(root)

    def _grow_by_levels(self, level):
        levels, n_nodes = [], 1
        while level is not None:
            nodes = np.flatnonzero(level.integers[:, BRANCHES])
            below = self._descend(level, nodes, n_nodes) if len(nodes) else None
            levels.append(_without_samples(level))
            level, n_nodes = below, n_nodes + (len(below.share) if below else 0)
        return levels

    def _grow_best_first(self, level):
        levels, waiting, n_nodes, n_leaves = [level], [], 1, 1
        _queue(waiting, level, 0)
        while waiting:
            *_, level, node = heapq.heappop(waiting)
            if n_leaves + level.integers[node, BRANCHES] - 1 > self.max_leaves:
                level.integers[node, QUESTION] = LEAF
                level.integers[node, BRANCHES] = level.numbers[node, GAIN] = 0
                continue
            below = self._descend(level, np.array([node]), n_nodes)
            _queue(waiting, below, n_nodes)
            levels.append(below)
            n_nodes, n_leaves = n_nodes + len(below.share), n_leaves + len(below.share) - 1
        return levels

    def _look(self, depth, starts, samples, weights, share, constant):
        """Find the questions of nodes."""
        numbers, sums, mixed, *answers = measure(
            starts, samples, weights, self.labels, self.targets
        )
        asking = mixed & (np.diff(starts) >= self.min_size)
        asking &= (numbers[:, WEIGHT] >= self.least_weight) & (depth < self.max_depth)
        integers = find_questions(
            asking,
            starts,
            samples,
            weights,
            *answers,
            numbers,
            sums,
            constant,
            self.table,
            self.rules,
            self.logs,
            self.features,
            self.rng,
        )
        later = np.zeros((2, len(share)), dtype=np.int64)
        return Level(
            depth, starts, samples, weights, share, constant, integers, numbers, sums, *later
        )

    def _descend(self, level, nodes, n_nodes):
        """Hand the samples of some nodes to their branches, and look at these."""
        branches = level.integers[nodes, BRANCHES]
        level.first[nodes] = n_nodes + np.cumsum(branches) - branches
        starts, samples, weights, share, level.heaviest[nodes] = divide(
            level.starts,
            level.samples,
            level.weights,
            nodes,
            level.integers,
            self.table,
            self.light,
        )
        constant = level.constant[np.repeat(nodes, branches)]
        return self._look(level.depth + 1, starts, samples, weights, share, constant)


def _without_samples(level):
    return level._replace(samples=None, weights=None, constant=None)


def _queue(waiting, level, n_nodes):
    """Let the nodes of a level wait for their turn; of equal gains the latest comes first."""
    for node in np.flatnonzero(level.integers[:, BRANCHES]):
        heapq.heappush(waiting, (-level.numbers[node, GAIN], -n_nodes, node, level, node))


def _logs(criterion, weights, divided):
    """Return x log2 x for all whole numbers up to the total weight, if all weights are whole."""
    whole = not divided and (weights == np.floor(weights)).all()
    whole &= weights.sum() < 4 * len(weights) + 100_000  # a table of sensible size
    if criterion not in (ENTROPY, RATIO) or not whole:
        return np.empty(0)
    counts = np.arange(int(weights.sum()) + 1, dtype=np.float64)
    return counts * np.log2(np.maximum(counts, 1.0))
