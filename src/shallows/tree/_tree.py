"""A decision tree as flat arrays, one entry per node, and what can be read off it."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import numpy as np
from scipy.sparse import csr_array, issparse

from shallows._core.numerics.compile import read_only
from shallows._core.numerics.threads import map_blocks
from shallows.tree._array_form import TREE_UNDEFINED, ArrayForm
from shallows.tree._questions import LEAF
from shallows.tree._rows import Rows, rows_with_gaps
from shallows.tree._walk import (
    Parts,
    Steps,
    add_answers,
    find_leaves,
    find_leaves_of_entries,
    find_parts,
)

CELLS_AT_ONCE = 2**20  # of sparse rows with gaps that are made dense
BLOCK_BYTES = 2**20  # of rows that stay in the cache while tree after tree answers them


@dataclass
class Tree(ArrayForm):
    """A decision tree as flat arrays, one entry per node; node 0 is the root.

    Where every question has two branches, `children_left`, `children_right`, `value` and the
    other names of scikit-learn's trees are there, too, so that its drawings work.

    Parameters
    ----------
    feature : ndarray of shape (n_nodes,)
        Column that a node asks for, -2 for leaves.
    question : ndarray of shape (n_nodes,)
        0 for a leaf, 1 for "is it at most the threshold?", 2 for "which category?", 3 for "is it
        the category `threshold`?", 4 for "is its `side` 0?".
    threshold : ndarray of shape (n_nodes,)
        Threshold, or number of the category; -2 for leaves.
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
    answer : ndarray of shape (n_nodes, n_answers)
        Shares of the classes, or means of the targets.
    side : ndarray of shape (n_nodes, n_categories)
        Branch of each category where a question is about a subset of them.
    n_classes : ndarray of shape (n_outputs,)
        How many of the answers belong to each target: its classes, or 1 for a number.
    n_features : int
        Number of columns.
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
    answer: np.ndarray
    side: np.ndarray
    n_classes: np.ndarray
    n_features: int

    @property
    def parent(self) -> np.ndarray:
        """Number of the node above each, -1 for the root."""
        inner = np.flatnonzero(~self.is_leaf)
        inner = inner[np.argsort(self.first[inner])]  # in the order of their branches
        return np.concatenate([[-1], np.repeat(inner, self.branches[inner])])

    def predict(self, X) -> np.ndarray:
        """Return `value` of the leaf of each row, as scikit-learn's trees do."""
        value = self.value[self.leaves_of(X)]
        return value[:, 0] if self.n_outputs == 1 else value

    def leaves_of(self, X) -> np.ndarray:
        """Return the leaf of each row; a gap follows the heaviest branch."""
        steps, leaves = self.steps(), np.empty(X.shape[0], dtype=np.int64)
        map_blocks(lambda rows: write_leaves(X[rows], steps, leaves[rows]), X.shape[0])
        return leaves

    def steps(self) -> Steps:
        """Return the nodes as compiled walks want them."""
        return Steps.of(self)

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

    def parts_of(self, X) -> csr_array:
        """Return how much of each row comes to each leaf; a gap divides it among all branches."""
        gaps = rows_with_gaps(X)
        leaves = self.leaves_of(X)
        whole = np.setdiff1d(np.arange(X.shape[0]), gaps)
        row, leaf, size = [whole], [leaves[whole]], [np.ones(len(whole))]
        most = max(1, CELLS_AT_ONCE // X.shape[1])
        for start in range(0, len(gaps), most):
            own = gaps[start : start + most]
            found = self._divided(X[own].toarray() if issparse(X) else X[own])
            for parts, one in zip((row, leaf, size), (own[found.row], *found[1:]), strict=True):
                parts.append(one)
        places = np.concatenate(row), np.concatenate(leaf)
        return csr_array((np.concatenate(size), places), (X.shape[0], len(self.first)))

    def _divided(self, X) -> Parts:
        """Return the parts of dense rows."""
        steps, X = self.steps(), read_only(X)
        n_parts = 4 * len(X)
        while True:
            found = Parts.room(n_parts)
            n_parts = find_parts(X, steps, self.branches, self.share, found)
            if n_parts <= len(found.row):
                return Parts(*(array[:n_parts] for array in found))

    def answers(self, X, fractional: bool) -> np.ndarray:
        """Return class shares or means for each row, of shape (n_samples, n_answers)."""
        if fractional and len(rows_with_gaps(X)):
            return self.parts_of(X) @ self.answer
        return self.answer[self.leaves_of(X)]

    def choices(self, X, fractional: bool) -> np.ndarray:
        """Return the place of the likeliest class for each row."""
        if fractional and len(rows_with_gaps(X)):
            return self.answers(X, fractional).argmax(axis=1)
        return self.answer.argmax(axis=1)[self.leaves_of(X)]

    def visits(self, X, marks, weights, n_marks: int) -> np.ndarray:
        """Return the weight of rows with each mark that come by each node, in parts by gaps."""
        parts = self.parts_of(X).tocoo()
        cells = parts.col * n_marks + marks[parts.row]
        shape = len(self.first), n_marks
        visits = np.bincount(cells, parts.data * weights[parts.row], shape[0] * n_marks)
        visits = visits.reshape(shape)
        for node in np.flatnonzero(~self.is_leaf)[::-1]:  # branches come after their parent
            visits[node] = visits[self.first[node] : self.first[node] + self.branches[node]].sum(0)
        return visits

    def cut(self, nodes) -> Tree:
        """Return a copy in which these nodes are leaves and nothing hangs below them."""
        names = "question", "branches", "gain", "feature", "threshold"
        changed = {name: getattr(self, name).copy() for name in names}
        question, branches = changed["question"], changed["branches"]
        for name, of_leaf in zip(names, (LEAF, 0, 0, *2 * [TREE_UNDEFINED]), strict=True):
            changed[name][nodes] = of_leaf
        kept = np.zeros(len(question), dtype=bool)
        kept[0] = True
        for node in np.flatnonzero(question != LEAF):  # a parent comes before its branches
            if kept[node]:
                kept[self.first[node] : self.first[node] + branches[node]] = True
        first = np.where(question == LEAF, 0, (np.cumsum(kept) - 1)[self.first])
        changed["first"] = first.astype(np.int32)
        arrays = {name: changed.get(name, getattr(self, name))[kept] for name in BY_NODE}
        return replace(self, **arrays)


# the arrays with an entry for each node: all but the last two fields
BY_NODE = tuple(
    field.name for field in fields(Tree) if field.name not in ("n_classes", "n_features")
)


def write_leaves(X, steps: Steps, leaves) -> None:
    """Write the leaf of each row of an array or a CSR matrix."""
    if issparse(X):
        find_leaves_of_entries(Rows.of(X), steps, leaves)
    else:
        find_leaves(read_only(X), steps, leaves)


def mean_answers(trees: list[Tree], X, fractional: bool, hard: bool = False) -> np.ndarray:
    """Return the mean of what all trees answer: class shares, vote shares or numbers."""
    n = X.shape[0]
    answers = np.zeros((n, trees[0].answer.shape[1]))
    steps, widths = [tree.steps() for tree in trees], trees[0].n_classes
    fractional = fractional and len(rows_with_gaps(X)) > 0

    def add(part):
        leaves = np.empty(part.stop - part.start, dtype=np.int64)
        for tree, own in zip(trees, steps, strict=True):
            if fractional:
                told = tree.answers(X[part], fractional)
                answers[part] += _votes(told, widths) if hard else told
                continue
            write_leaves(X[part], own, leaves)
            add_answers(_votes(tree.answer, widths) if hard else tree.answer, leaves, answers[part])

    map_blocks(add, n, max(1024, BLOCK_BYTES // (X.shape[1] * X.dtype.itemsize)))
    answers /= len(trees)
    return answers


def _votes(shares, widths) -> np.ndarray:
    """Return 1 for the largest share of each row and target, and 0 for the others."""
    parts = np.split(shares, np.cumsum(widths)[:-1], axis=1)
    return np.hstack([np.eye(part.shape[1])[part.argmax(axis=1)] for part in parts])
