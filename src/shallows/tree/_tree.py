"""A decision tree as flat arrays, one entry per node, and what can be read off it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import csr_array

from shallows._core.numerics.threads import map_blocks
from shallows.tree._grow import grow_nodes
from shallows.tree._growth import Growth, logs_of, rules_of
from shallows.tree._impurity import impurity_of
from shallows.tree._questions import (
    BELOW,
    BRANCHES,
    CUT,
    DEPTH,
    ENTROPY,
    ERROR,
    FEATURE,
    FIRST,
    GAIN,
    GINI,
    HEAVIEST,
    HIGH,
    LEAF,
    LOW,
    QUESTION,
    RATIO,
    ROUNDING,
    SHARE,
    SIZE,
    SQUARE,
    SQUARES,
    WEIGHT,
)
from shallows.tree._ranks import Ranks
from shallows.tree._rows import Rows
from shallows.tree._walk import add_answers, add_values, add_visits, find_leaves, pack

BLOCK_BYTES = 2**20  # of rows that stay in the cache while tree after tree answers them
IMPURITIES = {GINI: "gini", ENTROPY: "entropy", RATIO: "entropy", ERROR: "misclassification"}


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
    def grow(cls, ranks: Ranks, y, n_classes: int, samples, weights, growth: Growth, rng) -> Tree:
        """Grow a tree for class indices, or, with no classes, for targets in columns."""
        labels, targets, offset, n_outputs = y, None, np.zeros(1), 1
        if not n_classes:
            offset = np.average(y[samples], axis=0, weights=weights)
            labels, targets, n_outputs = None, y - offset, y.shape[1]
        total = float(weights.sum())
        rules = rules_of(growth, total, len(weights), n_outputs, ranks.any_missing)
        logs = logs_of(rules, weights) if n_classes else None
        integers, numbers, sums = grow_nodes(
            samples, weights, labels, targets, n_classes or n_outputs, ranks.table, ranks.listed,
            rules, logs, rng,
        )  # fmt: skip
        weight, gain = numbers[:, WEIGHT], numbers[:, GAIN]
        tree = cls(
            feature=integers[:, FEATURE].astype(np.int32),
            question=integers[:, QUESTION].astype(np.int8),
            threshold=_thresholds(integers, ranks),
            first=integers[:, FIRST].astype(np.int32),
            branches=integers[:, BRANCHES].astype(np.int32),
            heaviest=integers[:, HEAVIEST].astype(np.int32),
            share=numbers[:, SHARE].copy(),
            depth=integers[:, DEPTH].astype(np.int32),
            n_node_samples=integers[:, SIZE].copy(),
            weighted_n_node_samples=weight.copy(),
            impurity=_impurity(growth.criterion, sums, numbers),
            gain=np.where(gain < ROUNDING * weight, 0.0, gain) / (n_outputs * total),
            value=sums / np.where(weight > 0, weight, 1.0)[:, None] + offset,
        )
        empty = np.flatnonzero(tree.n_node_samples == 0)
        if len(empty):
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
        leaves = np.empty(X.shape[0], dtype=np.int64)
        nodes = self.packed(), self.threshold, self.heaviest
        map_blocks(lambda rows: find_leaves(*Rows.of(X[rows]), *nodes, leaves[rows]), X.shape[0])
        return leaves

    def paths_of(self, X) -> csr_array:
        """Tell which nodes each row comes by, as ones in a matrix of rows and nodes."""
        parent, n_nodes = self.parent, len(self.first)
        node = above = np.arange(n_nodes)
        nodes, ancestors = [], []
        while len(node):
            nodes.append(node)
            ancestors.append(above)
            deeper = parent[above] >= 0
            node, above = node[deeper], parent[above[deeper]]
        places = np.concatenate(nodes), np.concatenate(ancestors)
        passed = csr_array((np.ones(len(places[0]), dtype=np.int64), places), (n_nodes, n_nodes))
        return passed[self.leaves_of(X)]

    def packed(self) -> np.ndarray:
        """Return the nodes as `add_answers` wants them."""
        return pack(self.feature, self.question, self.first)

    def add_answers(self, rows: Rows, packed, fractional: bool, answers, hard: bool = False):
        """Add to `answers` what each row is told, or with `hard` a vote for the likeliest class.

        With `fractional`, rows with gaps are told the mean of all branches.
        """
        nodes = self.feature, self.question, self.threshold, self.first
        own = np.zeros(answers.shape) if fractional or hard else answers
        if fractional:
            add_answers(*rows, *nodes, self.branches, self.share, self.value, own)
        else:
            leaves = np.empty(len(answers), dtype=np.int64)
            find_leaves(*rows, packed, self.threshold, self.heaviest, leaves)
            add_values(self.value, leaves, own)
        if hard:
            answers[np.arange(len(answers)), own.argmax(axis=1)] += 1
        elif fractional:
            answers += own

    def answers(self, X, fractional: bool) -> np.ndarray:
        """Return class shares or means for each row, of shape (n_samples, n_outputs)."""
        if fractional and Rows.of(X).any_missing():
            return mean_answers([self], X, fractional)
        return self.value[self.leaves_of(X)]

    def choices(self, X, fractional: bool) -> np.ndarray:
        """Return the place of the likeliest class for each row."""
        if fractional and Rows.of(X).any_missing():
            return mean_answers([self], X, fractional).argmax(axis=1)
        return self.value.argmax(axis=1)[self.leaves_of(X)]

    def visits(self, X, marks, weights, n_marks: int) -> np.ndarray:
        """Return the weight of rows with each mark that come by each node, in parts by gaps."""
        visits = np.zeros((len(self.first), n_marks))
        nodes = self.feature, self.question, self.threshold, self.first
        add_visits(*Rows.of(X), marks, weights, *nodes, self.branches, self.share, visits)
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
    n, n_outputs = X.shape[0], trees[0].value.shape[1]
    answers = np.zeros((n, n_outputs))
    packed = [tree.packed() for tree in trees]

    def add(part):
        rows = Rows.of(X[part])
        gaps = fractional and rows.any_missing()
        for tree, nodes in zip(trees, packed, strict=True):
            tree.add_answers(rows, nodes, gaps, answers[part], hard)

    map_blocks(add, n, max(1024, BLOCK_BYTES // (X.shape[1] * X.dtype.itemsize)))
    answers /= len(trees)
    return answers


def _impurity(criterion, sums, numbers):
    weight = np.where(numbers[:, WEIGHT] > 0, numbers[:, WEIGHT], np.inf)
    if criterion == SQUARES:
        impure = numbers[:, SQUARE] / weight - ((sums / weight[:, None]) ** 2).sum(axis=1)
        return np.maximum(impure, 0.0) / sums.shape[1]
    return impurity_of(sums, IMPURITIES[criterion])


def _thresholds(integers, ranks):
    """Return thresholds half-way between the values on both sides, or numbers of categories."""
    threshold = integers[:, CUT].astype(np.float64)
    nodes = np.flatnonzero(integers[:, QUESTION] == BELOW)
    low, high = (
        ranks.values_at(integers[nodes, FEATURE], integers[nodes, side]) for side in (LOW, HIGH)
    )
    middle = low / 2 + high / 2
    threshold[nodes] = np.where((low <= middle) & (middle < high), middle, low)
    return threshold
