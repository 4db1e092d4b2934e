"""The best cut of sorted columns for classes, by Gini's impurity or by entropy.

The score of a cut is the purity of both sides in units of weight: sum c^2 / w for Gini,
sum c log c - w log w for entropy, where `c` are the class weights of a side and `w` is their sum.
One sweep over the keys moves each sample from the right side to the left one.

The low bits of a key, which `mask` takes, are the place of a sample among the items.
"""

from __future__ import annotations

import numpy as np

from shallows._core.numerics.compile import compiled

ROUNDING = 1e-12  # of the weight: scores closer than this are equal, and the first is taken


@compiled
def scan_gini(keys, mask, pairs, items, n_classes, limits, found):
    """Find for each pair the cut that lowers Gini's impurity most."""
    labels, weights, sizes = items.own, items.weights, items.sizes
    left, right = np.empty(n_classes), np.empty(n_classes)
    for p in range(len(pairs.node)):
        begin, end = pairs.begin[p], pairs.end[p]
        weight, n = 0.0, 0
        for k in range(n_classes):
            left[k], right[k] = 0.0, 0.0
        for at in range(begin, end):  # all samples on the right side
            i = keys[at] & mask
            right[labels[i]] += weights[i]
            weight += weights[i]
            n += sizes[i]
        below, count, square_left, square_right = 0.0, 0, 0.0, 0.0
        for k in range(n_classes):
            square_right += right[k] * right[k]
        tie, best = ROUNDING * weight, -np.inf
        least = limits.min_weight if limits.min_weight > tie else tie
        found.before[p], found.known[p] = square_right / weight, weight
        for at in range(begin, end - 1):
            # A sample of class k and weight w changes c_k^2 by w (2 c_k + w) on the left.
            i = keys[at] & mask
            w, k = weights[i], labels[i]
            count += sizes[i]
            below += w
            square_left += w * (2 * left[k] + w)
            square_right += w * (w - 2 * right[k])
            left[k] += w
            right[k] -= w
            if (keys[at] ^ keys[at + 1]) <= mask:
                continue
            above = weight - below
            score = square_left / below + square_right / above
            enough = count >= limits.min_leaf and n - count >= limits.min_leaf
            if score > best + tie and enough and below >= least and above >= least:
                best = score
                found.place[p], found.score[p], found.below[p] = at, score, below


@compiled
def scan_entropy(keys, mask, pairs, items, n_classes, limits, found):
    """Find for each pair the cut that lowers entropy most."""
    labels, weights, sizes = items.own, items.weights, items.sizes
    left, right, logs = np.empty(n_classes), np.empty(n_classes), limits.logs
    for p in range(len(pairs.node)):
        begin, end = pairs.begin[p], pairs.end[p]
        weight, n = 0.0, 0
        for k in range(n_classes):
            left[k], right[k] = 0.0, 0.0
        for at in range(begin, end):  # all samples on the right side
            i = keys[at] & mask
            right[labels[i]] += weights[i]
            weight += weights[i]
            n += sizes[i]
        below, count, purity = 0.0, 0, 0.0
        for k in range(n_classes):
            purity += _log(right[k], logs)
        tie, best = ROUNDING * weight, -np.inf
        least = limits.min_weight if limits.min_weight > tie else tie
        found.before[p], found.known[p] = purity - _log(weight, logs), weight
        for at in range(begin, end - 1):
            i = keys[at] & mask
            w, k = weights[i], labels[i]
            count += sizes[i]
            below += w
            purity -= _log(left[k], logs) + _log(right[k], logs)
            left[k] += w
            right[k] -= w
            purity += _log(left[k], logs) + _log(right[k], logs)
            if (keys[at] ^ keys[at + 1]) <= mask:
                continue
            above = weight - below
            score = purity - _log(below, logs) - _log(above, logs)
            enough = count >= limits.min_leaf and n - count >= limits.min_leaf
            if score > best + tie and enough and below >= least and above >= least:
                best = score
                found.place[p], found.score[p], found.below[p] = at, score, below


@compiled
def _log(c, logs):
    """Return c log2 c, looked up where weights are whole."""
    if len(logs) > 0:
        return logs[int(c)]
    return c * np.log2(c) if c > 0 else 0.0
