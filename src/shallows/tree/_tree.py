"""A decision tree as flat arrays, one entry per node, and what can be read off it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from shallows._core.threads import map_blocks
from shallows.tree import _grow
from shallows.tree._grow import BELOW, LEAF
from shallows.tree._growth import Growth
from shallows.tree._ranks import Ranks
from shallows.tree._walk import add_answers, add_visits, find_leaves, pack

BLOCK_BYTES = 2**20  # of rows that stay in the cache while tree after tree answers them
LIGHT = 0.01  # of the mean weight: a lighter part of a sample is not divided further


@dataclass
class Tree:
    """A decision tree as flat arrays, one entry per node; node 0 is the root.

    Parameters
    ----------
    feature : ndarray of shape (n_nodes,)
        Column that a node asks for.
    question : ndarray of shape (n_nodes,)
        0 for a leaf, 1 for "is it at most the threshold?", 2 for "which category?", 3 for "is it
        the category `threshold`?".
    threshold : ndarray of shape (n_nodes,)
        Threshold, or number of the category.
    first, branches : ndarray of shape (n_nodes,)
        Number of the first branch, and how many there are side by side: yes and no, or one for
        each category.
    heaviest : ndarray of shape (n_nodes,)
        Which branch had most weight in training.
    share : ndarray of shape (n_nodes,)
        Part of the parent's weight, of rows without gap, that came here.
    depth : ndarray of shape (n_nodes,)
        Steps from the root.
    n_node_samples, weighted_n_node_samples : ndarray of shape (n_nodes,)
        Training rows, and their weight.
    impurity, gain : ndarray of shape (n_nodes,)
        Impurity, and by how much the question lowers that of the whole tree.
    value : ndarray of shape (n_nodes, n_outputs)
        Shares of the classes, or means of the targets.
    """

    feature: np.ndarray
    question: np.ndarray
    threshold: np.ndarray
    first: np.ndarray
    branches: np.ndarray
    heaviest: np.ndarray
    share: np.ndarray
    depth: np.ndarray
    n_node_samples: np.ndarray
    weighted_n_node_samples: np.ndarray
    impurity: np.ndarray
    gain: np.ndarray
    value: np.ndarray

    @classmethod
    def grow(cls, table: Ranks, y, n_classes: int, samples, weights, growth: Growth, rng) -> Tree:
        """Grow a tree for class indices, or, with no classes, for targets in columns."""
        labels, targets = y, np.empty((0, max(n_classes, 1)))
        offset = np.zeros(1)
        if not n_classes:
            offset = np.average(y[samples], axis=0, weights=weights)
            labels, targets = np.empty(0, dtype=np.int32), y - offset
        n_outputs = 1 if n_classes else targets.shape[1]
        total = float(weights.sum())
        mean = total / len(weights)
        divided = growth.fractional and table.any_missing
        n_nodes, *nodes = _grow.grow(
            table.ranks,
            table.n_values,
            table.is_category,
            labels,
            targets,
            samples,
            weights,
            targets.shape[1],
            growth.criterion,
            growth.multiway,
            LIGHT * mean if divided else np.inf,
            growth.limits,
            growth.limits[1] * mean if divided else 0.0,
            growth.min_weight_fraction * total,
            growth.min_impurity_decrease * total * n_outputs,
            growth.n_drawn,
            _logs(growth, weights, table.any_missing),
            rng,
        )
        integers, numbers, sums = (array[:n_nodes] for array in nodes)
        rounded = numbers[:, _grow.GAIN] < _grow.ROUNDING * numbers[:, _grow.WEIGHT]
        mass = sums.sum(axis=1) if n_classes else numbers[:, _grow.WEIGHT]
        tree = cls(
            feature=integers[:, _grow.FEATURE].astype(np.int32),
            question=integers[:, _grow.QUESTION].astype(np.int8),
            threshold=_thresholds(integers, table),
            first=integers[:, _grow.FIRST].astype(np.int32),
            branches=integers[:, _grow.BRANCHES].astype(np.int32),
            heaviest=integers[:, _grow.HEAVIEST].astype(np.int32),
            share=numbers[:, _grow.SHARE].copy(),
            depth=integers[:, _grow.DEPTH].astype(np.int32),
            n_node_samples=integers[:, _grow.COUNT].copy(),
            weighted_n_node_samples=numbers[:, _grow.WEIGHT].copy(),
            impurity=_impurity(growth.criterion, numbers) / n_outputs,
            gain=np.where(rounded, 0.0, numbers[:, _grow.GAIN]) / (n_outputs * total),
            value=sums / np.where(mass > 0, mass, 1.0)[:, None] + offset,
        )
        empty = tree.n_node_samples == 0
        tree.value[empty] = tree.value[tree.parent[empty]]
        return tree

    @property
    def is_leaf(self) -> np.ndarray:
        """Tell which nodes ask nothing."""
        return self.question == LEAF

    @property
    def parent(self) -> np.ndarray:
        """Number of the node above each, -1 for the root."""
        inner = np.flatnonzero(~self.is_leaf)
        inner = inner[np.argsort(self.first[inner])]  # in the order of their branches
        return np.concatenate([[-1], np.repeat(inner, self.branches[inner])])

    def leaves_of(self, X) -> np.ndarray:
        """Return the leaf of each row; a gap follows the heaviest branch."""
        leaves = np.empty(len(X), dtype=np.int64)
        nodes = self.packed(), self.threshold, self.heaviest
        map_blocks(lambda rows: find_leaves(X[rows], *nodes, leaves[rows]), len(X))
        return leaves

    def packed(self) -> np.ndarray:
        """Return the nodes as `add_answers` wants them."""
        return pack(self.feature, self.question, self.first)

    def add_answers(self, X, packed, fractional: bool, answers, hard: bool = False) -> None:
        """Add to `answers` what each row is told, or with `hard` a vote for the likeliest class.

        With `fractional`, rows with gaps are told the mean of all branches.
        """
        if fractional:
            own = np.zeros(answers.shape)
            nodes = self.feature, self.question, self.threshold, self.first
            add_answers(X, *nodes, self.branches, self.share, self.value, own)
        else:
            leaves = np.empty(len(X), dtype=np.int64)
            find_leaves(X, packed, self.threshold, self.heaviest, leaves)
            own = self.value[leaves]
        if hard:
            answers[np.arange(len(X)), own.argmax(axis=1)] += 1
        else:
            answers += own

    def answers(self, X, fractional: bool) -> np.ndarray:
        """Return class shares or means for each row, of shape (n_samples, n_outputs)."""
        return mean_answers([self], X, fractional)

    def visits(self, X, marks, weights, n_marks: int) -> np.ndarray:
        """Return the weight of rows with each mark that come by each node, in parts by gaps."""
        visits = np.zeros((len(self.first), n_marks))
        nodes = self.feature, self.question, self.threshold, self.first
        add_visits(X, marks, weights, *nodes, self.branches, self.share, visits)
        return visits

    def importances(self, n_features: int) -> np.ndarray:
        """Return the share of each feature in what all questions gain."""
        gains = np.bincount(self.feature, weights=self.gain, minlength=n_features)
        return gains / gains.sum() if gains.sum() > 0 else gains

    def cut(self, nodes) -> Tree:
        """Return a copy in which these nodes are leaves and nothing hangs below them."""
        question, branches, gain = self.question.copy(), self.branches.copy(), self.gain.copy()
        question[nodes], branches[nodes], gain[nodes] = LEAF, 0, 0.0
        kept = np.zeros(len(question), dtype=bool)
        kept[0] = True
        for node in np.flatnonzero(question != LEAF):  # a parent comes before its branches
            if kept[node]:
                kept[self.first[node] : self.first[node] + branches[node]] = True
        first = np.where(question == LEAF, 0, (np.cumsum(kept) - 1)[self.first])
        changed = {"question": question, "branches": branches, "gain": gain, "first": first}
        arrays = {name: changed.get(name, array)[kept] for name, array in vars(self).items()}
        arrays["first"] = arrays["first"].astype(np.int32)
        return replace(self, **arrays)


def mean_answers(trees: list[Tree], X, fractional: bool, hard: bool = False) -> np.ndarray:
    """Return the mean of what all trees answer: class shares, vote shares or numbers."""
    answers = np.zeros((len(X), trees[0].value.shape[1]))
    packed = [tree.packed() for tree in trees]

    def add(rows):
        gaps = fractional and bool(np.isnan(X[rows]).any())
        for tree, nodes in zip(trees, packed, strict=True):
            tree.add_answers(X[rows], nodes, gaps, answers[rows], hard)

    map_blocks(add, len(X), max(1024, BLOCK_BYTES // X[:1].nbytes))
    return answers / len(trees)


def _impurity(criterion, numbers):
    weight = np.where(numbers[:, _grow.WEIGHT] > 0, numbers[:, _grow.WEIGHT], np.inf)
    purity = numbers[:, _grow.PURITY] / weight
    if criterion == _grow.SQUARES:
        impurity = numbers[:, _grow.SQUARE] / weight - purity
    elif criterion in (_grow.ENTROPY, _grow.RATIO):
        impurity = -purity
    else:
        impurity = np.where(np.isinf(weight), 0.0, 1.0 - purity)
    return np.maximum(impurity, 0.0)


def _thresholds(integers, table):
    """Return thresholds half-way between the values on both sides, or numbers of categories."""
    threshold = integers[:, _grow.CUT].astype(np.float64)
    nodes = np.flatnonzero(integers[:, _grow.QUESTION] == BELOW)
    starts = table.starts[integers[nodes, _grow.FEATURE]]
    low = table.values[starts + integers[nodes, _grow.CUT]].astype(np.float64)
    high = table.values[starts + integers[nodes, _grow.NEXT]].astype(np.float64)
    middle = low / 2 + high / 2
    threshold[nodes] = np.where((low <= middle) & (middle < high), middle, low)
    return threshold


def _logs(growth, weights, any_missing):
    """Return x log2 x for all whole numbers up to the total weight, if all weights are whole."""
    whole = not (growth.fractional and any_missing) and (weights == np.floor(weights)).all()
    whole &= weights.sum() < 4 * len(weights) + 100_000  # a table of sensible size
    if growth.criterion not in (_grow.ENTROPY, _grow.RATIO) or not whole:
        return np.empty(0)
    counts = np.arange(int(weights.sum()) + 1, dtype=np.float64)
    return counts * np.log2(np.maximum(counts, 1.0))
