"""The best cut of sorted columns for numbers, by the absolute error.

The score of a cut is minus the sum of all deviations from the median of their side. A side's sum of
deviations grows sample by sample, once from the left and once from the right. Weights and weighted
targets up to each place in the order of the targets are kept in a tree of partial sums [Fenwick
1994], in which a sample is added and the median found in about log2 n steps.

The low bits of a key, which `mask` takes, are the place of a sample among the items.
"""

from __future__ import annotations

import numpy as np

from shallows._core.numerics.compile import compiled

ROUNDING = 1e-12  # of the weight: scores closer than this are equal, and the first is taken


@compiled
def scan_medians(keys, mask, pairs, starts, items, limits, found):
    """Find for each pair the cut that lowers the absolute error most."""
    place, values, weights = items.own.place, items.own.values, items.weights
    for p in range(len(pairs.node)):
        begin, end, node = pairs.begin[p], pairs.end[p], pairs.node[p]
        if end <= begin:
            continue
        errors, whole = np.zeros(end - begin), 0.0
        ordered = values[starts[node] : starts[node + 1]]
        for k in range(values.shape[1]):
            whole += add_errors(keys[begin:end], mask, place, ordered, weights, k, errors)
        weight, n = 0.0, end - begin
        for at in range(begin, end):
            weight += weights[keys[at] & mask]
        tie, best, below = ROUNDING * weight, -np.inf, 0.0
        least = limits.min_weight if limits.min_weight > tie else tie
        found.before[p], found.known[p] = -whole, weight
        for at in range(begin, end - 1):
            below += weights[keys[at] & mask]
            if (keys[at] ^ keys[at + 1]) <= mask:
                continue
            count, above, score = at + 1 - begin, weight - below, -errors[at - begin]
            enough = count >= limits.min_leaf and n - count >= limits.min_leaf
            if score > best + tie and enough and below >= least and above >= least:
                best = score
                found.place[p], found.score[p], found.below[p] = at, score, below


@compiled
def add_errors(keys, mask, place, ordered, weights, k, errors):
    """Add the absolute error of both sides of each cut, of output k; returns that of the node."""
    size, n, whole = len(ordered), len(keys), 0.0
    mass, heavy = np.empty(size + 1), np.empty(size + 1)
    top = 1
    while 2 * top <= size:
        top *= 2
    for turn in range(2):
        for r in range(size + 1):
            mass[r], heavy[r] = 0.0, 0.0
        weight, total = 0.0, 0.0
        for step in range(n):
            at = step if turn == 0 else n - 1 - step
            i = keys[at] & mask
            r = place[i, k]
            w, v = weights[i], weights[i] * ordered[r, k]
            weight += w
            total += v
            r += 1
            while r <= size:
                mass[r] += w
                heavy[r] += v
                r += r & -r
            # Go to the last place up to which at most half of the weight lies.
            found, lighter, sum_below, jump = 0, 0.0, 0.0, top
            while jump > 0:
                further = found + jump
                if further <= size and lighter + mass[further] <= weight / 2:
                    found = further
                    lighter += mass[further]
                    sum_below += heavy[further]
                jump >>= 1
            median = ordered[found if found < size else size - 1, k]
            error = median * (2 * lighter - weight) + total - 2 * sum_below
            if turn == 0:
                errors[at] += error
                whole = error
            elif at > 0:
                errors[at - 1] += error
    return whole
