"""The best cut of sorted columns by any criterion: on whole arrays, without a kernel."""

from __future__ import annotations

import numpy as np

from shallows.tree._purity import purity
from shallows.tree._questions import is_first
from shallows.tree._totals import ROUNDING


def scan_tables(criterion, keys, mask, pairs, items, limits, found) -> None:
    """Find for each pair the best cut; ``items.own`` has a row of ones and zeros for a class."""
    lengths = pairs.end - pairs.begin
    if not lengths.any():
        return
    pair = np.repeat(np.arange(len(lengths)), lengths)
    begins = np.cumsum(lengths) - lengths
    place = np.arange(len(pair)) - begins[pair] + pairs.begin[pair]
    i = keys[place] & mask
    heavy = items.weights[i]
    table = np.column_stack([items.sizes[i], heavy, heavy[:, None] * items.own[i]])
    left, total = _sums_within(table, begins, lengths, pair)
    right = total[pair] - left
    found.before[:], found.known[:] = purity(criterion, total[:, 2:], total[:, 1]), total[:, 1]
    score = purity(criterion, left[:, 2:], left[:, 1]) + purity(
        criterion, right[:, 2:], right[:, 1]
    )
    is_last = np.append(pair[1:] != pair[:-1], True)
    is_cut = ~is_last & np.append((keys[place[1:]] ^ keys[place[:-1]]) > mask, True)
    is_cut &= np.minimum(left[:, 0], right[:, 0]) >= limits.min_leaf
    lighter = np.minimum(left[:, 1], right[:, 1])
    is_cut &= (lighter >= limits.min_weight) & (lighter > ROUNDING * total[pair, 1])
    at = np.flatnonzero(is_cut)
    for p, best in _first_best(pair[at], score[at], ROUNDING * total[pair[at], 1]):
        k = at[best]
        found.place[p], found.score[p], found.below[p] = place[k], score[k], left[k, 1]


def _sums_within(table, begins, lengths, pair):
    """Return the sums of rows up to each, within its pair, and those of whole pairs."""
    sums = np.cumsum(table, axis=0)
    before = np.concatenate([np.zeros((1, table.shape[1])), sums])
    return sums - before[begins][pair], before[begins + lengths] - before[begins]


def _first_best(pair, score, tie):
    """Return the pairs, and the first of the best scores of each."""
    if not len(pair):
        return ()
    begins = np.flatnonzero(is_first(pair))
    best = np.repeat(np.maximum.reduceat(score, begins), np.diff(np.append(begins, len(pair))))
    top = np.flatnonzero(score >= best - tie)
    first = top[is_first(pair[top])]
    return zip(pair[first], first, strict=True)
