"""The best question about each column of categories at each node, from tables of sums."""

from __future__ import annotations

import numpy as np

from shallows.tree._keys import Fields, gather_keys
from shallows.tree._purity import purity, split_entropy
from shallows.tree._questions import EACH, EQUALS, SUBSET, Candidates, is_first
from shallows.tree._totals import ROUNDING


def ask_categories(task, front, totals, pairs) -> Candidates:
    """Return the best question of each pair: for each category, for one, or for a subset."""
    table, pair, category = _tabulate(task, front, totals, pairs)
    ask = {True: _each, False: _equals, "subset": _subset}[task.rules.multiway]
    return ask(task, totals, pairs, table, pair, category)


def _tabulate(task, front, totals, pairs):
    """Return number, weight and sums of the samples with each category, pair after pair."""
    ranks, samples, starts = task.ranks, front.samples, front.starts
    fields = Fields.of(len(samples), ranks.n_values.max())
    keys = np.empty(int(np.diff(starts)[pairs.node].sum()) + 1, dtype=np.int64)
    gather_keys(ranks.table, ranks.n_values, samples, starts, pairs, fields, keys)
    keys = keys[: pairs.end[-1] if len(pairs.end) else 0]
    sizes = ranks.n_values[pairs.feature]
    begins = np.cumsum(sizes) - sizes
    row = begins[keys >> (fields.place + fields.rank)] + fields.rank_of(keys)
    i, n_rows = keys & fields.mask, int(sizes.sum())
    weights = front.weights[i]
    count, weight = np.bincount(row, minlength=n_rows), np.bincount(row, weights, n_rows)
    if task.n_classes:
        cells = row * task.n_classes + totals.own[i]
        sums = np.bincount(cells, weights, n_rows * task.n_classes).reshape(n_rows, -1)
    else:
        heavy = (weights[:, None] * totals.own[i]).T
        sums = np.column_stack([np.bincount(row, column, n_rows) for column in heavy])
    pair = np.repeat(np.arange(len(sizes)), sizes)
    table = np.column_stack([count, weight, sums])
    return table, pair, np.arange(n_rows) - begins[pair]


def _each(task, totals, pairs, table, pair, category):
    """One branch for each category; every branch that has samples must have enough.

    By gain ratio two such branches are enough [Quinlan 1993].
    """
    n = len(pairs.node)
    whole = _sum_by(pair, table, n)
    used, limits = table[:, 0] > 0, task.rules.limits
    small = used & ((table[:, 0] < limits.min_leaf) | (table[:, 1] < limits.min_weight))
    after = np.bincount(pair, np.where(used, _purity(task, table), 0.0), n)
    several = np.bincount(pair, used, n) > 1
    n_small = np.bincount(pair, small, n)
    enough = n_small == 0
    if task.rules.criterion == "gain-ratio":
        enough = np.bincount(pair, used, n) - n_small > 1
    asks = np.flatnonzero(several & enough)
    weight = totals.weight[pairs.node]
    sizes = np.bincount(pair, split_part(table[:, 1], weight[pair]), n)
    sizes += split_part(weight - whole[:, 1], weight)
    return _candidates(
        task, pairs, asks, EACH, np.zeros(len(asks), int), after - _purity(task, whole), sizes
    )


def _equals(task, totals, pairs, table, pair, category):
    """Two branches: one category, and all others."""
    whole = _sum_by(pair, table, len(pairs.node))
    _, found = _two_branches(task, totals, pairs, (table, whole, pair), category, EQUALS)
    return found


def _subset(task, totals, pairs, table, pair, category):
    """Two branches: the categories up to one, in the order of their mean answer, and the others.

    For two classes and for one number the best of all subsets is among these [Fisher 1958,
    Breiman 1984]. Several classes are ordered by their first principal component [Coppersmith
    1999].
    """
    whole = _sum_by(pair, table, len(pairs.node))
    order = np.lexsort((_place_on_line(task, table, pair), table[:, 0] == 0, pair))
    sums = np.cumsum(table[order], axis=0)
    begins = np.flatnonzero(is_first(pair))
    before = np.concatenate([np.zeros((1, table.shape[1])), sums])[begins]
    left = sums - before[pair]
    rows, found = _two_branches(task, totals, pairs, (left, whole, pair), category, SUBSET)
    for k, row in enumerate(rows):
        found.side[k] = 1
        found.side[k, category[order[begins[pair[row]] : row + 1]]] = 0
    found.cut[:] = -1
    return found


def _two_branches(task, totals, pairs, tables, category, question):
    """Take rows of a table as one of two branches; return the best of each pair, as a question."""
    left, whole, pair = tables
    right, limits = whole[pair] - left, task.rules.limits
    gain = _purity(task, left) + _purity(task, right) - _purity(task, whole)[pair]
    lighter = np.minimum(left[:, 1], right[:, 1])
    fewer = np.minimum(left[:, 0], right[:, 0])
    allowed = (fewer >= max(limits.min_leaf, 1)) & (lighter >= limits.min_weight)
    rows = np.flatnonzero(allowed)
    gains, best = np.full(len(whole), -np.inf), np.full(len(whole), -1)
    np.maximum.at(gains, pair[rows], gain[rows])
    top = rows[gain[rows] >= gains[pair[rows]] - ROUNDING * whole[pair[rows], 1]]
    best[pair[top[::-1]]] = top[::-1]  # the first of equal ones stays
    asks = np.flatnonzero(best >= 0)
    weight, row = totals.weight[pairs.node], best[asks]
    parts = np.column_stack([left[row, 1], right[row, 1], weight[asks] - whole[asks, 1]])
    sizes = np.zeros(len(whole))
    sizes[asks] = split_entropy(parts, weight[asks])
    gains[asks] = gain[row]
    return row, _candidates(task, pairs, asks, question, category[row], gains, sizes)


def _candidates(task, pairs, asks, question, cut, gain, sizes) -> Candidates:
    feature = pairs.feature[asks]
    n_branches = task.ranks.n_values[feature] if question == EACH else np.full(len(asks), 2)
    return Candidates(
        node=pairs.node[asks],
        feature=feature,
        question=np.full(len(asks), question, dtype=np.int8),
        cut=cut,
        low=np.zeros(len(asks), dtype=np.int32),
        high=np.zeros(len(asks), dtype=np.int32),
        threshold=cut.astype(np.float64),
        side=np.zeros((len(asks), task.widest_subset), dtype=np.uint8),
        branches=n_branches,
        gain=gain[asks],
        parts=sizes[asks],
    )


def _purity(task, table):
    return purity(task.rules.criterion, table[:, 2:], table[:, 1])


def _sum_by(pair, table, n):
    return np.column_stack([np.bincount(pair, column, n) for column in table.T])


def split_part(part, whole):
    """Return what a part adds to the entropy of sizes, in units of weight."""
    return part * np.log2(np.where(part > 0, whole / np.where(part > 0, part, 1.0), 1.0))


def _place_on_line(task, table, pair):
    """Return a number for each category whose order makes good subsets contiguous."""
    weight = np.where(table[:, 1] > 0, table[:, 1], 1.0)
    means = table[:, 2:] / weight[:, None]
    if means.shape[1] == 1:
        return means[:, 0]
    if task.n_classes == 2:
        return means[:, 1]
    line = np.zeros(len(pair))
    begins = np.flatnonzero(is_first(pair))
    for begin, end in zip(begins, np.append(begins[1:], len(pair)), strict=True):
        own, heavy = means[begin:end], table[begin:end, 1]
        around = own - np.average(own, axis=0, weights=heavy)
        _, axes = np.linalg.eigh((around * heavy[:, None]).T @ around)
        axis = axes[:, -1] * (1 if axes[np.abs(axes[:, -1]).argmax(), -1] > 0 else -1)
        line[begin:end] = around @ axis
    return line
