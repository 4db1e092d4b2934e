"""Compiled parts of growing on binned columns: histograms, the search for a split, the division.

A node is judged by its sum of gradients G and of hessians H, the second derivatives of the loss.
Its best value is v = -G / (H + l2), by which the loss changes by G v + (H + l2) v^2 / 2. The gain
of a split is what its two sides lower the loss more than the node does.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shallows._core.numerics.compile import compiled, compiled_in_place

BLOCK = 4096  # rows whose gradients stay in the cache while all columns are visited
NO_BIN = -1

# What is known of a node that is searched for a split.
SUMS = np.dtype([(name, np.float64) for name in ("gradient", "hessian", "count", "lower", "upper")])
# The best split of one column: the sums of its left side, and where it cuts.
SPLIT = np.dtype(
    [
        ("gain", np.float64),
        ("gradient", np.float64),
        ("hessian", np.float64),
        ("bin", np.int32),
        ("gap_left", np.int32),
    ]
)


class Rules(NamedTuple):
    """What a split must keep to; `smoothing` pulls rare categories to the middle of their order."""

    min_samples: float
    min_hessian: float
    l2: float
    smoothing: float


class Columns(NamedTuple):
    """Bins of all rows, column by column, and what is known of each column.

    A sign of 1 or -1 forces its effect to rise or to fall.
    """

    bins: np.ndarray
    n_bins: np.ndarray
    is_categorical: np.ndarray
    signs: np.ndarray


class Pair(NamedTuple):
    """Two new nodes, that with fewer rows first; a root comes alone, with an empty `large`.

    `rows` are those of the first. `small` and `large` are the histograms: gradient, hessian and
    count of each bin, one line per column. `large` comes as the histograms of the parent.
    `usable` says which columns a node may ask.
    """

    rows: np.ndarray
    small: np.ndarray
    large: np.ndarray
    sums: np.ndarray
    usable: np.ndarray


class Found(NamedTuple):
    """The best split of each column for both nodes, and which categories go left by it."""

    splits: np.ndarray
    left: np.ndarray


@compiled_in_place
def fill_histograms(bins, rows, gradients, histograms, first, last):
    """Add gradient, hessian and one to the bin of each row, for each column."""
    block = np.empty((BLOCK, 2))
    for start in range(0, len(rows), BLOCK):
        part = rows[start : start + BLOCK]
        for i in range(len(part)):
            block[i, 0] = gradients[part[i], 0]
            block[i, 1] = gradients[part[i], 1]
        for j in range(first, last):
            column, sums = bins[j], histograms[j]
            for i in range(len(part)):
                place = np.uint64(3) * np.uint64(column[part[i]])
                sums[place] += block[i, 0]
                sums[place + np.uint64(1)] += block[i, 1]
                sums[place + np.uint64(2)] += 1.0


@compiled
def decrease(gradient, hessian, node, l2):
    """Return twice what the loss falls by the best value within the bounds of a node."""
    curvature = hessian + l2 + 1e-15
    value = min(max(-gradient / curvature, node["lower"]), node["upper"])
    return -value * (2 * gradient + curvature * value)


@compiled
def search_numbers(sums, n_bins, sign, node, rules, best):
    """Find the best threshold of a column, with its gaps on the right, then on the left."""
    gap = len(sums) - 3
    gaps = sums[gap + 2]
    for gap_left in range(2 if gaps > 0 else 1):
        gradient, hessian, count = 0.0, 0.0, 0.0
        if gap_left:
            gradient, hessian, count = sums[gap], sums[gap + 1], gaps
        # With all values on the left only gaps remain on the right.
        for place in range(n_bins if gaps > 0 and not gap_left else n_bins - 1):
            gradient += sums[3 * place]
            hessian += sums[3 * place + 1]
            count += sums[3 * place + 2]
            rest, other = node["gradient"] - gradient, node["hessian"] - hessian
            if node["count"] - count < rules.min_samples or other < rules.min_hessian:
                break
            if count < rules.min_samples or hessian < rules.min_hessian:
                continue
            gain = decrease(gradient, hessian, node, rules.l2)
            gain += decrease(rest, other, node, rules.l2)
            if gain <= best["gain"]:
                continue
            # The values -G / (H + l2) must not rise where they have to fall, nor the other way.
            if sign * (rest * (hessian + rules.l2) - gradient * (other + rules.l2)) > 0:
                continue
            best["gain"], best["bin"] = gain, place
            best["gradient"], best["hessian"] = gradient, hessian
            best["gap_left"] = gap_left if gaps > 0 else 2 * count > node["count"]


@compiled
def search_categories(sums, node, rules, best, left):
    """Find the best subset of categories: in the order of G / H it is a beginning (Fisher, 1958).

    Gaps count as one more category.
    """
    # 1. The categories that occur, sorted by insertion.
    order = np.empty(len(left), np.int64)
    slopes = np.empty(len(left))
    n_used = 0
    for place in range(len(left)):
        left[place] = False
        if sums[3 * place + 2] > 0:
            slope = sums[3 * place] / (sums[3 * place + 1] + rules.smoothing + 1e-15)
            k = n_used
            while k > 0 and slopes[k - 1] > slope:
                slopes[k], order[k] = slopes[k - 1], order[k - 1]
                k -= 1
            slopes[k], order[k] = slope, place
            n_used += 1
    # 2. The best cut of this order.
    gradient, hessian, count = 0.0, 0.0, 0.0
    n_left = 0
    for k in range(n_used - 1):
        gradient += sums[3 * order[k]]
        hessian += sums[3 * order[k] + 1]
        count += sums[3 * order[k] + 2]
        rest, other = node["gradient"] - gradient, node["hessian"] - hessian
        if min(count, node["count"] - count) < rules.min_samples:
            continue
        if min(hessian, other) < rules.min_hessian:
            continue
        gain = decrease(gradient, hessian, node, rules.l2)
        gain += decrease(rest, other, node, rules.l2)
        if gain > best["gain"]:
            n_left = k + 1
            best["gain"], best["gradient"], best["hessian"] = gain, gradient, hessian
            best["bin"], best["gap_left"] = k, 2 * count > node["count"]
    # 3. The subset as a mask.
    for k in range(n_left):
        left[order[k]] = True
    if n_left and sums[len(sums) - 1] > 0:
        best["gap_left"] = left[len(left) - 1]


@compiled
def search_columns(columns, gradients, pair, rules, found, first, last):
    """Find the best splits of two new nodes by the columns from `first` to before `last`."""
    # 1. The histograms of the node with fewer rows, by its rows.
    for j in range(first, last):
        for k in range(pair.small.shape[1]):
            pair.small[j, k] = 0.0
    fill_histograms(columns.bins, pair.rows, gradients, pair.small, first, last)
    # 2. Those of its sibling: what the parent has more. Then the search.
    for j in range(first, last):
        if len(pair.large):
            for k in range(pair.small.shape[1]):
                pair.large[j, k] -= pair.small[j, k]
        for which in range(len(pair.sums)):
            best, node = found.splits[which, j], pair.sums[which]
            best["gain"], best["bin"] = 0.0, NO_BIN
            if not pair.usable[which, j]:
                continue
            sums = pair.large[j] if which else pair.small[j]
            # What the node does alone must be surpassed, by more than rounding.
            alone = decrease(node["gradient"], node["hessian"], node, rules.l2)
            best["gain"] = alone + 1e-12 * abs(alone)
            if columns.is_categorical[j]:
                search_categories(sums, node, rules, best, found.left[which, j])
            else:
                search_numbers(sums, columns.n_bins[j], columns.signs[j], node, rules, best)
            best["gain"] = 0.0 if best["bin"] == NO_BIN else best["gain"] - alone


@compiled
def divide(rows, spare, column, is_left):
    """Put the rows that go left before the others, both in their order; returns how many."""
    n_left, n_right = 0, 0
    for i in range(len(rows)):
        row = rows[i]
        goes_left = is_left[column[row]]
        # Branch-free, because mispredicted branches would take most time.
        rows[n_left] = row
        spare[n_right] = row
        n_left += goes_left
        n_right += 1 - goes_left
    for i in range(n_right):
        rows[n_left + i] = spare[i]
    return n_left
