"""The best cut of sorted columns for numbers, by squared error.

The score of a cut is sum s^2 / w over both sides and all outputs, where `s` is the weighted sum of
the targets of a side and `w` its weight. The squared error of the means falls by as much as the
score exceeds that of the whole node.

The low bits of a key, which `mask` takes, are the place of a sample among the items.
"""

from __future__ import annotations

import numpy as np

from shallows._core.numerics.compile import compiled

ROUNDING = 1e-12  # of the weight: scores closer than this are equal, and the first is taken


@compiled
def scan_squares(keys, mask, pairs, items, limits, found):
    """Find for each pair the cut that lowers the squared error of one target most."""
    targets, weights, sizes = items.own, items.weights, items.sizes
    for p in range(len(pairs.node)):
        begin, end = pairs.begin[p], pairs.end[p]
        weight, n, left, right, below, count = 0.0, 0, 0.0, 0.0, 0.0, 0
        for at in range(begin, end):
            i = keys[at] & mask
            n += sizes[i]
            weight += weights[i]
            right += weights[i] * targets[i, 0]
        tie, best = ROUNDING * weight, -np.inf
        least = limits.min_weight if limits.min_weight > tie else tie
        found.before[p], found.known[p] = right * right / weight, weight
        for at in range(begin, end - 1):
            i = keys[at] & mask
            count += sizes[i]
            below += weights[i]
            left += weights[i] * targets[i, 0]
            right -= weights[i] * targets[i, 0]
            if (keys[at] ^ keys[at + 1]) <= mask:
                continue
            above = weight - below
            score = left * left / below + right * right / above
            enough = count >= limits.min_leaf and n - count >= limits.min_leaf
            if score > best + tie and enough and below >= least and above >= least:
                best = score
                found.place[p], found.score[p], found.below[p] = at, score, below


@compiled
def scan_many_squares(keys, mask, pairs, items, limits, found):
    """Find for each pair the cut that lowers the squared error of several targets most."""
    targets, weights, sizes = items.own, items.weights, items.sizes
    n_outputs = targets.shape[1]
    left, right = np.empty(n_outputs), np.empty(n_outputs)
    for p in range(len(pairs.node)):
        begin, end = pairs.begin[p], pairs.end[p]
        weight, n, below, count, before = 0.0, 0, 0.0, 0, 0.0
        for k in range(n_outputs):
            left[k], right[k] = 0.0, 0.0
        for at in range(begin, end):
            i = keys[at] & mask
            n += sizes[i]
            weight += weights[i]
            for k in range(n_outputs):
                right[k] += weights[i] * targets[i, k]
        for k in range(n_outputs):
            before += right[k] * right[k] / weight
        tie, best = ROUNDING * weight, -np.inf
        least = limits.min_weight if limits.min_weight > tie else tie
        found.before[p], found.known[p] = before, weight
        for at in range(begin, end - 1):
            i = keys[at] & mask
            w = weights[i]
            count += sizes[i]
            below += w
            square_left, square_right = 0.0, 0.0
            for k in range(n_outputs):
                left[k] += w * targets[i, k]
                right[k] -= w * targets[i, k]
                square_left += left[k] * left[k]
                square_right += right[k] * right[k]
            if (keys[at] ^ keys[at + 1]) <= mask:
                continue
            above = weight - below
            score = square_left / below + square_right / above
            enough = count >= limits.min_leaf and n - count >= limits.min_leaf
            if score > best + tie and enough and below >= least and above >= least:
                best = score
                found.place[p], found.score[p], found.below[p] = at, score, below
