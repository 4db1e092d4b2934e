"""The best cut of sorted columns by any criterion: on whole arrays, without a kernel."""

from __future__ import annotations

import numpy as np

from shallows.tree._purity import purity
from shallows.tree._questions import is_first
from shallows.tree._totals import ROUNDING


def scan_tables(criterion, keys, mask, pairs, items, limits, found, only=None, allowed=None):
    """Find for each pair the best cut; ``items.own`` has a row of ones and zeros for a class.

    With `only`, the places of one key for each pair, no other cuts are looked at. `allowed` says of
    cuts, given by the sums of both sides, which ones may be taken.
    """
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
    found.before[:], found.known[:] = purity(criterion, total[:, 2:], total[:, 1]), total[:, 1]

    is_last = np.append(pair[1:] != pair[:-1], True)
    is_cut = ~is_last & np.append((keys[place[1:]] ^ keys[place[:-1]]) > mask, True)
    if only is not None:
        is_cut &= place == only[pair]
    at = np.flatnonzero(is_cut)
    left, pair, total = left[at], pair[at], total[pair[at]]
    right = total - left
    is_fit = fit_sides(criterion, left, right, limits)
    if allowed is not None:
        is_fit &= allowed(pair, left, right)
    at, left, right, pair = at[is_fit], left[is_fit], right[is_fit], pair[is_fit]
    score = sum(purity(criterion, side[:, 2:], side[:, 1]) for side in (left, right))
    best = first_best(pair, score, ROUNDING * total[is_fit, 1])
    p = pair[best]
    found.place[p], found.score[p], found.below[p] = place[at[best]], score[best], left[best, 1]


def fit_sides(criterion, left, right, limits) -> np.ndarray:
    """Return which pairs of sides are large enough; a row has number, weight and sums."""
    lighter = np.minimum(left[:, 1], right[:, 1])
    least = ROUNDING * (left[:, 1] + right[:, 1])
    is_fit = np.minimum(left[:, 0], right[:, 0]) >= max(limits.min_leaf, 1)
    is_fit &= (lighter >= limits.min_weight) & (lighter > least)
    if criterion == "poisson":  # the mean of counts must not be 0: a log link can't express it
        is_fit &= (np.minimum(left[:, 2:], right[:, 2:]) > 0).all(axis=1)
    return is_fit


def first_best(pair, score, tie) -> np.ndarray:
    """Return for each pair that there is the place of the first of its best scores."""
    if not len(pair):
        return np.empty(0, dtype=np.int64)
    begins = np.flatnonzero(is_first(pair))
    best = np.repeat(np.maximum.reduceat(score, begins), np.diff(np.append(begins, len(pair))))
    top = np.flatnonzero(score >= best - tie)
    return top[is_first(pair[top])]


def _sums_within(table, begins, lengths, pair):
    """Return the sums of rows up to each, within its pair, and those of whole pairs."""
    sums = np.cumsum(table, axis=0)
    before = np.concatenate([np.zeros((1, table.shape[1])), sums])
    return sums - before[begins][pair], before[begins + lengths] - before[begins]
