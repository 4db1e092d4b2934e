"""Sorted columns of nodes: every sample as a key, one whole number that sorts by rank.

From its top bits down a key has the number of a pair of a node and a feature, the rank of the
sample in that feature, and the place of the sample. So one call of NumPy's vectorised sort puts
all pairs in order, and the place leads to the weight and the target of a sample.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shallows._core.numerics.compile import compiled

BITS = 63


class Pairs(NamedTuple):
    """Nodes with one of their features each, and where the keys of such a pair are.

    ``keys[begin[p]:end[p]]`` are those of pair p, without the samples that have no value. A pair
    whose feature does not vary has no keys.
    """

    node: np.ndarray
    feature: np.ndarray
    begin: np.ndarray
    end: np.ndarray

    @classmethod
    def of(cls, node, feature) -> Pairs:
        """Return pairs that have no keys yet."""
        n = len(node)
        return cls(node, feature, np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64))

    def chosen(self, which) -> Pairs:
        """Return some of the pairs."""
        return Pairs(*(array[which] for array in self))


class Fields(NamedTuple):
    """How many of the low bits of a key hold the place, and how many above them the rank."""

    place: int
    rank: int

    @classmethod
    def of(cls, n_places: int, n_values: int) -> Fields:
        """Return fields that are wide enough; rank `n_values` means a gap."""
        return cls(int(n_places).bit_length(), int(n_values).bit_length())

    @property
    def most_pairs(self) -> int:
        """How many pairs can be told apart."""
        return 1 << (BITS - self.place - self.rank)

    @property
    def mask(self) -> int:
        """Ones at the bits of the place."""
        return (1 << self.place) - 1

    def rank_of(self, keys):
        """Return the ranks of samples."""
        return (keys >> self.place) & ((1 << self.rank) - 1)


class Items(NamedTuple):
    """What places stand for: labels or targets, weights, and numbers of samples.

    An item is a sample, or all zeros of a node in a sparse matrix.
    """

    own: np.ndarray
    weights: np.ndarray
    sizes: np.ndarray


@compiled
def gather_keys(table, n_values, samples, starts, pairs, fields, keys):
    """Write the keys of all pairs one after the other."""
    at = 0
    for p in range(len(pairs.node)):
        node, j, begin = pairs.node[p], pairs.feature[p], at
        missing, above = n_values[j], p << (fields.place + fields.rank)
        lowest, highest = missing, -1
        for i in range(starts[node], starts[node + 1]):
            rank = np.int64(table[j, samples[i]])
            keys[at] = above | (rank << fields.place) | i
            known = rank != missing
            at += known
            lowest = rank if rank < lowest else lowest
            highest = rank if known & (rank > highest) else highest
        if lowest >= highest:
            at = begin
        pairs.begin[p], pairs.end[p] = begin, at
