"""The arrays of scikit-learn's trees, read off a tree with two branches everywhere."""

from __future__ import annotations

import numpy as np

from shallows.tree._questions import BELOW, EACH, EQUALS, LEAF

TREE_LEAF, TREE_UNDEFINED = -1, -2  # scikit-learn's marks: no branch, nothing asked


class ArrayForm:
    """The names under which scikit-learn's drawings and other tools read a tree."""

    first: np.ndarray
    branches: np.ndarray
    heaviest: np.ndarray
    feature: np.ndarray
    depth: np.ndarray
    gain: np.ndarray
    answer: np.ndarray
    n_classes: np.ndarray
    n_features: int
    question: np.ndarray

    @property
    def is_leaf(self) -> np.ndarray:
        """Tell which nodes ask nothing."""
        return self.question == LEAF

    @property
    def children_left(self) -> np.ndarray:
        """Number of the branch for "yes" of each node, -1 for leaves."""
        self._check_binary()
        return np.where(self.is_leaf, TREE_LEAF, self.first).astype(np.int64)

    @property
    def children_right(self) -> np.ndarray:
        """Number of the branch for "no" of each node, -1 for leaves."""
        self._check_binary()
        return np.where(self.is_leaf, TREE_LEAF, self.first + 1).astype(np.int64)

    @property
    def missing_go_to_left(self) -> np.ndarray:
        """1 where the heavier branch, to which a gap goes, is the left one."""
        self._check_binary()
        return (~self.is_leaf & (self.heaviest == 0)).astype(np.uint8)

    @property
    def value(self) -> np.ndarray:
        """Class shares or means, of shape (n_nodes, n_outputs, max_n_classes)."""
        shape = len(self.first), self.n_outputs, self.max_n_classes
        value, start = np.zeros(shape), 0
        for output, width in enumerate(self.n_classes):
            value[:, output, :width] = self.answer[:, start : start + width]
            start += width
        return value

    @property
    def n_outputs(self) -> int:
        """Number of targets."""
        return len(self.n_classes)

    @property
    def max_n_classes(self) -> int:
        """Most classes of a target; 1 for numbers."""
        return int(self.n_classes.max())

    @property
    def node_count(self) -> int:
        """Number of nodes."""
        return len(self.first)

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return int(self.is_leaf.sum())

    @property
    def max_depth(self) -> int:
        """Most questions on a path."""
        return int(self.depth.max())

    def compute_feature_importances(self, normalize: bool = True) -> np.ndarray:
        """Return what the questions about each feature gain; all together 1 if normalised."""
        gains = np.bincount(self.feature[~self.is_leaf], self.gain[~self.is_leaf], self.n_features)
        return gains / gains.sum() if normalize and gains.sum() > 0 else gains

    def _check_binary(self) -> None:
        """Raise ValueError where a question has more than two branches."""
        if (self.branches > 2).any():
            raise ValueError(
                "This tree has questions with more than two branches, which scikit-learn's arrays "
                "can't express. Take shallows.tree.to_binary(model), or grow with multiway=False."
            )


def partial_dependence(tree, grid, features) -> np.ndarray:
    """Return the mean answer where some features have the values of a grid's rows.

    A question about another feature divides a row among its branches by their training weight
    [Friedman 2001, algorithm for trees].
    """
    weight, answers = np.zeros((len(tree.first), len(grid))), np.zeros(len(grid))
    weight[0], column = 1.0, {int(feature): k for k, feature in enumerate(features)}
    for node in range(len(tree.first)):
        if not tree.branches[node]:
            answers += weight[node] * tree.answer[node, 0]
            continue
        below = slice(tree.first[node], tree.first[node] + tree.branches[node])
        if int(tree.feature[node]) not in column:
            size = tree.weighted_n_node_samples[below]
            weight[below] = np.outer(size / size.sum(), weight[node])
            continue
        asked = _branch_of(tree, node, grid[:, column[int(tree.feature[node])]])
        weight[tree.first[node] + asked, np.arange(len(grid))] = weight[node]
    return answers


def _branch_of(tree, node, values):
    """Return the branch that each value leads to."""
    if tree.question[node] == BELOW:
        return (values > tree.threshold[node]).astype(np.int64)
    if tree.question[node] == EACH:
        return values.astype(np.int64)
    if tree.question[node] == EQUALS:
        return (values != tree.threshold[node]).astype(np.int64)
    return tree.side[node, values.astype(np.int64)].astype(np.int64)
