"""Questions of nodes, and what speaks for each."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

LEAF, BELOW, EACH, EQUALS, SUBSET = range(5)
# a node asks: nothing, x <= t?, which x?, x = a?, is x one of these?


class Questions(NamedTuple):
    """A question for each node; `branches` is 0 where there is none.

    A question about a number is "is its rank at most `cut`?", and `threshold` is the value that
    `cut` stands for. With categories `cut` is the number of one, and `side` gives the branch of
    each where a question is about a subset of them.
    """

    question: np.ndarray
    feature: np.ndarray
    cut: np.ndarray
    threshold: np.ndarray
    side: np.ndarray
    branches: np.ndarray
    gain: np.ndarray

    @classmethod
    def none(cls, n_nodes: int, widest: int) -> Questions:
        """Return nodes that ask nothing; subsets are of at most `widest` categories."""
        return cls(
            question=np.full(n_nodes, LEAF, dtype=np.int8),
            feature=np.full(n_nodes, -2),
            cut=np.full(n_nodes, -1, dtype=np.int64),
            threshold=np.full(n_nodes, -2.0),
            side=np.zeros((n_nodes, widest), dtype=np.uint8),
            branches=np.zeros(n_nodes, dtype=np.int64),
            gain=np.zeros(n_nodes),
        )

    def rows(self, nodes) -> Questions:
        """Return the questions of some nodes."""
        return Questions(*(array[nodes] for array in self))

    @classmethod
    def joined(cls, parts) -> Questions:
        """Return several lists of questions as one."""
        return cls(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))


class Candidates(NamedTuple):
    """The best questions about pairs of a node and a feature, in any order.

    A cut of numbers lies at `threshold` or, where that is NaN, half-way between the values of the
    samples `low` and `high`, of which -1 means a zero that a sparse matrix doesn't store. `parts`
    is the entropy of the sizes of all branches and the gaps, in units of weight.
    """

    node: np.ndarray
    feature: np.ndarray
    question: np.ndarray
    cut: np.ndarray
    low: np.ndarray
    high: np.ndarray
    threshold: np.ndarray
    side: np.ndarray
    branches: np.ndarray
    gain: np.ndarray
    parts: np.ndarray

    @classmethod
    def joined(cls, parts) -> Candidates:
        """Return several lists of candidates as one."""
        return cls(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))

    def chosen(self, which) -> Candidates:
        """Return some of the candidates."""
        return Candidates(*(array[which] for array in self))


def is_first(numbers) -> np.ndarray:
    """Return where a run of equal numbers begins."""
    first = np.ones(len(numbers), dtype=bool)
    np.not_equal(numbers[1:], numbers[:-1], out=first[1:])
    return first
