"""The best cut of each column of numbers at each node: keys, sorted, and a scan of them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shallows.tree._keys import Fields, Items, Pairs, gather_keys
from shallows.tree._purity import LOGARITHMIC, split_entropy
from shallows.tree._questions import BELOW, Candidates
from shallows.tree._scan_classes import scan_entropy, scan_gini
from shallows.tree._scan_numbers import scan_many_squares, scan_squares
from shallows.tree._scan_tables import scan_tables
from shallows.tree._sparse_keys import listed_keys


class Found(NamedTuple):
    """The best cut of each pair, or place -1.

    `place` is the key after which to cut, `before` the purity of the samples with a value and
    `known` their weight, `score` the purity of both sides, `below` the weight of the first.
    """

    place: np.ndarray
    score: np.ndarray
    before: np.ndarray
    below: np.ndarray
    known: np.ndarray


def ask_numbers(task, front, totals, pairs: Pairs) -> Candidates:
    """Return the best cut of each pair of a node and a dense column."""
    ranks, samples = task.ranks, front.samples
    fields = Fields.of(len(samples), ranks.n_values.max())
    keys = np.empty(int(np.diff(front.starts)[pairs.node].sum()) + 1, dtype=np.int64)
    gather_keys(ranks.table, ranks.n_values, samples, front.starts, pairs, fields, keys)
    keys = keys[: pairs.end[-1]] if len(pairs.end) else keys[:0]
    keys.sort()
    items = Items(totals.own, front.weights, front.ones)
    return _candidates(task, totals, samples, pairs, keys, fields, items)


def ask_listed_numbers(task, front, totals, pairs: Pairs) -> Candidates:
    """Return the best cut of each pair of a node and a sparse column."""
    keys, fields, items = listed_keys(task, front, totals, pairs)
    zeros = np.full(len(items.weights) - len(front.samples), -1, dtype=np.int32)
    samples = np.concatenate([front.samples, zeros])
    return _candidates(task, totals, samples, pairs, keys, fields, items)


def _candidates(task, totals, samples, pairs, keys, fields, items) -> Candidates:
    """Scan the keys and return the best cuts as questions; `samples` are those of the places."""
    found = _scan(task, keys, fields.mask, pairs, items)
    asks = np.flatnonzero(found.place >= 0)
    place, node = found.place[asks], pairs.node[asks]
    parts = np.zeros(len(asks))
    if task.rules.criterion == "gain-ratio":
        whole, known, below = totals.weight[node], found.known[asks], found.below[asks]
        parts = split_entropy(np.column_stack([below, known - below, whole - known]), whole)
    return Candidates(
        node=node,
        feature=pairs.feature[asks],
        question=np.full(len(asks), BELOW, dtype=np.int8),
        cut=fields.rank_of(keys[place]),
        low=samples[keys[place] & fields.mask],
        high=samples[keys[place + 1] & fields.mask],
        side=np.zeros((len(asks), task.widest_subset), dtype=np.uint8),
        branches=np.full(len(asks), 2),
        gain=found.score[asks] - found.before[asks],
        parts=parts,
    )


def _scan(task, keys, mask, pairs, items) -> Found:
    """Scan the keys by the criterion of the task."""
    n, limits, criterion = len(pairs.node), task.rules.limits, task.rules.criterion
    found = Found(np.full(n, -1), np.full(n, -np.inf), *(np.zeros(n) for _ in range(3)))
    if not task.n_classes:
        scan = scan_squares if items.own.shape[1] == 1 else scan_many_squares
        scan(keys, mask, pairs, items, limits, found)
    elif criterion == "gini":
        scan_gini(keys, mask, pairs, items, task.n_classes, limits, found)
    elif criterion in LOGARITHMIC:
        scan_entropy(keys, mask, pairs, items, task.n_classes, limits, found)
    else:
        shares = items._replace(own=np.eye(task.n_classes)[items.own])
        scan_tables(criterion, keys, mask, pairs, shares, limits, found)
    return found
