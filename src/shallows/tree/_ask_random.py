"""One cut of each column of numbers at each node, drawn between its smallest and largest value."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shallows._core.numerics.compile import compiled
from shallows.tree._draw_features import turns_of
from shallows.tree._medians import medians
from shallows.tree._monotonic import allowed_cuts
from shallows.tree._purity import LOGARITHMIC, purity, split_entropy
from shallows.tree._questions import BELOW, Candidates
from shallows.tree._scan_tables import fit_sides

SALT = np.uint64(0xD1B54A32D192ED03)  # an odd number, so that cuts and features differ by chance


class Sides(NamedTuple):
    """Sums of both sides of a cut: number, weight and sums of the labels or targets.

    `cut` is the largest rank on the left side.
    """

    table: np.ndarray
    cut: np.ndarray


def ask_random(task, front, totals, pairs) -> Candidates:
    """Return one drawn cut of each pair of a node and a dense column, if both sides may be."""
    ranks, n = task.ranks, len(pairs.node)
    ends = np.full((n, 2), -1)
    find_ends(ranks.table, ranks.n_values, front.samples, front.starts, pairs, ends)
    low, high = (ranks.values_at(sample, pairs.feature) for sample in ends.T)
    threshold = draw_thresholds(front.seed[pairs.node], pairs.feature, low, high)
    left, right, cut = _sides(task, front, totals, pairs, threshold)
    asks = np.flatnonzero(fit_sides(task.rules.criterion, left, right, task.rules.limits))
    allowed = allowed_cuts(task, front, pairs)
    if allowed is not None:
        asks = asks[allowed(asks, left[asks], right[asks])]
    return _candidates(task, front, totals, pairs, asks, (left, right, cut), threshold)


def draw_thresholds(seeds, features, low, high) -> np.ndarray:
    """Return a number between `low` and `high`, below `high`, for each node and feature."""
    share = turns_of(seeds ^ SALT, features) / 2.0**63
    drawn = low + share * (high - low)
    return np.where(drawn < high, drawn, low)


def _sides(task, front, totals, pairs, threshold):
    """Return tables of number, weight and sums of the left and right sides, and the cuts."""
    n, width = len(pairs.node), task.n_classes or task.y.shape[1]
    sides = Sides(np.zeros((n, 2, 2 + width)), np.full(n, -1))
    ranks = task.ranks
    if task.n_classes:
        add_labels(ranks.X, ranks.table, front, pairs, threshold, totals.own, sides)
    else:
        add_targets(ranks.X, ranks.table, front, pairs, threshold, task.y[front.samples], sides)
    return sides.table[:, 0], sides.table[:, 1], sides.cut


def _candidates(task, front, totals, pairs, asks, sides, threshold) -> Candidates:
    criterion, node = task.rules.criterion, pairs.node[asks]
    left, right, cut = (side[asks] for side in sides)
    if criterion == "absolute_error":
        gain = _deviations(task, front, pairs.chosen(asks), threshold[asks])
    else:
        after = sum(purity(criterion, side[:, 2:], side[:, 1]) for side in (left, right))
        whole = left + right
        gain = after - purity(criterion, whole[:, 2:], whole[:, 1])
    weight, parts = totals.weight[node], np.zeros(len(asks))
    if criterion in LOGARITHMIC:
        gaps = weight - left[:, 1] - right[:, 1]
        parts = split_entropy(np.column_stack([left[:, 1], right[:, 1], gaps]), weight)
    return Candidates(
        node=node,
        feature=pairs.feature[asks],
        question=np.full(len(asks), BELOW, dtype=np.int8),
        cut=cut,
        low=np.zeros(len(asks), dtype=np.int64),
        high=np.zeros(len(asks), dtype=np.int64),
        threshold=threshold[asks],
        side=np.zeros((len(asks), task.widest_subset), dtype=np.uint8),
        branches=np.full(len(asks), 2),
        gain=gain,
        parts=parts,
    )


def _deviations(task, front, pairs, threshold):
    """Return by how much each cut lowers the sum of absolute deviations."""
    n, sizes = len(pairs.node), np.diff(front.starts)[pairs.node]
    pair = np.repeat(np.arange(n), sizes)
    i = np.arange(len(pair)) - (np.cumsum(sizes) - sizes)[pair] + front.starts[pairs.node][pair]
    values = task.ranks.values_at(front.samples[i], pairs.feature[pair])
    known = ~np.isnan(values)
    pair, i, values = pair[known], i[known], values[known]
    side, lowered = 2 * pair + (values > threshold[pair]), np.zeros(n)
    for column in task.y[front.samples[i]].T:
        _, before = medians(pair, n, column, front.weights[i])
        _, after = medians(side, 2 * n, column, front.weights[i])
        lowered += before - after[::2] - after[1::2]
    return lowered


@compiled
def find_ends(table, n_values, samples, starts, pairs, ends):
    """Write for each pair a sample with the smallest and one with the largest value.

    A pair whose feature varies gets to know of one key, of others none.
    """
    for p in range(len(pairs.node)):
        node, j = pairs.node[p], pairs.feature[p]
        missing = n_values[j]
        lowest, highest, low, high = missing, -1, -1, -1
        for i in range(starts[node], starts[node + 1]):
            rank = np.int64(table[j, samples[i]])
            if rank < lowest:
                lowest, low = rank, np.int64(samples[i])
            if rank > highest and rank != missing:
                highest, high = rank, np.int64(samples[i])
        ends[p, 0], ends[p, 1] = low, high
        pairs.begin[p], pairs.end[p] = 0, highest > lowest


@compiled
def add_labels(X, table, front, pairs, threshold, labels, sides):
    """Add samples to their side of each cut: number, weight, and weight of their class."""
    samples, weights = front.samples, front.weights
    for p in range(len(pairs.node)):
        node, j, cut = pairs.node[p], pairs.feature[p], -1
        first = front.starts[node]
        for i in range(first, front.starts[node + 1] if pairs.end[p] else first):
            x = X[samples[i], j]
            if x == x:
                side = np.int64(x > threshold[p])
                rank = np.int64(table[j, samples[i]])
                cut = rank if side == 0 and rank > cut else cut
                sides.table[p, side, 0] += 1.0
                sides.table[p, side, 1] += weights[i]
                sides.table[p, side, 2 + labels[i]] += weights[i]
        sides.cut[p] = cut


@compiled
def add_targets(X, table, front, pairs, threshold, targets, sides):
    """Add samples to their side of each cut: number, weight, and weighted targets."""
    samples, weights = front.samples, front.weights
    for p in range(len(pairs.node)):
        node, j, cut = pairs.node[p], pairs.feature[p], -1
        first = front.starts[node]
        for i in range(first, front.starts[node + 1] if pairs.end[p] else first):
            x = X[samples[i], j]
            if x == x:
                side = np.int64(x > threshold[p])
                rank = np.int64(table[j, samples[i]])
                cut = rank if side == 0 and rank > cut else cut
                sides.table[p, side, 0] += 1.0
                sides.table[p, side, 1] += weights[i]
                for k in range(targets.shape[1]):
                    sides.table[p, side, 2 + k] += weights[i] * targets[i, k]
        sides.cut[p] = cut
