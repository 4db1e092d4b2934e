"""The best cut of each column of numbers at each node: keys, sorted, and a scan of them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shallows.tree._ask_random import draw_thresholds
from shallows.tree._keys import Fields, Items, Pairs, gather_keys
from shallows.tree._monotonic import allowed_cuts
from shallows.tree._purity import LOGARITHMIC, SQUARED, split_entropy
from shallows.tree._questions import BELOW, Candidates
from shallows.tree._scan_classes import scan_entropy, scan_gini
from shallows.tree._scan_medians import scan_medians
from shallows.tree._scan_numbers import scan_many_squares, scan_squares
from shallows.tree._scan_tables import scan_tables
from shallows.tree._sparse_keys import listed_keys


class Keyed(NamedTuple):
    """Sorted keys of pairs, the items that their places stand for, and the samples of these."""

    keys: np.ndarray
    fields: Fields
    pairs: Pairs
    items: Items
    samples: np.ndarray


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
    return _candidates(task, front, totals, Keyed(keys, fields, pairs, items, samples))


def ask_listed_numbers(task, front, totals, pairs: Pairs) -> Candidates:
    """Return the best cut of each pair of a node and a sparse column."""
    keys, fields, items = listed_keys(task, front, totals, pairs)
    zeros = np.full(len(items.weights) - len(front.samples), -1, dtype=np.int32)
    samples = np.concatenate([front.samples, zeros])
    return _candidates(task, front, totals, Keyed(keys, fields, pairs, items, samples))


def _candidates(task, front, totals, keyed) -> Candidates:
    """Scan the keys and return the best cuts as questions."""
    keys, fields, pairs, _, samples = keyed
    drawn, only = None, None
    if task.rules.splitter == "random":
        drawn, only = _draw_cuts(task.ranks, front, keyed)
    found = _scan(task, front, keyed, only)
    asks = np.flatnonzero(found.place >= 0)
    place, node = found.place[asks], pairs.node[asks]
    parts, cut = np.zeros(len(asks)), fields.rank_of(keys[place])
    if task.rules.criterion == "gain-ratio":
        whole, known, below = totals.weight[node], found.known[asks], found.below[asks]
        parts = split_entropy(np.column_stack([below, known - below, whole - known]), whole)
    return Candidates(
        node=node,
        feature=pairs.feature[asks],
        question=np.full(len(asks), BELOW, dtype=np.int8),
        cut=cut,
        low=samples[keys[place] & fields.mask],
        high=samples[keys[place + 1] & fields.mask],
        threshold=_given_thresholds(task.ranks, drawn, asks, pairs.feature[asks], cut),
        side=np.zeros((len(asks), task.widest_subset), dtype=np.uint8),
        branches=np.full(len(asks), 2),
        gain=found.score[asks] - found.before[asks],
        parts=parts,
    )


def _scan(task, front, keyed, only) -> Found:
    """Scan the keys by the criterion of the task."""
    keys, fields, pairs, items, _ = keyed
    n, limits, criterion = len(pairs.node), task.rules.limits, task.rules.criterion
    found = Found(np.full(n, -1), np.full(n, -np.inf), *(np.zeros(n) for _ in range(3)))
    kernel = _kernel_of(task, items.own)
    if only is not None or task.rules.signs or kernel is None:
        if task.n_classes:
            items = items._replace(own=np.eye(task.n_classes)[items.own])
        allowed = allowed_cuts(task, front, pairs)
        scan_tables(criterion, keys, fields.mask, pairs, items, limits, found, only, allowed)
    elif kernel is scan_medians:
        scan_medians(keys, fields.mask, pairs, front.starts, items, limits, found)
    elif task.n_classes:
        kernel(keys, fields.mask, pairs, items, task.n_classes, limits, found)
    else:
        kernel(keys, fields.mask, pairs, items, limits, found)
    return found


def _kernel_of(task, own):
    """Return the compiled scan for a criterion, None where there is none."""
    criterion = task.rules.criterion
    if task.n_classes:
        entropy = scan_entropy if criterion in LOGARITHMIC else None
        return scan_gini if criterion == "gini" else entropy
    if criterion == "absolute_error":
        return scan_medians
    if criterion in SQUARED or criterion == "gini":  # of shares: Gini's is the squared error
        return scan_squares if own.shape[1] == 1 else scan_many_squares
    return None


def _draw_cuts(ranks, front, keyed):
    """Return a drawn threshold for each pair, and the place of the last key below it."""
    keys, fields, pairs, _, samples = keyed
    if not len(keys):
        return np.zeros(len(pairs.node)), pairs.begin
    varies = pairs.end > pairs.begin
    ends = (np.where(varies, place, 0) for place in (pairs.begin, pairs.end - 1))
    low, high = (ranks.values_at(samples[keys[end] & fields.mask], pairs.feature) for end in ends)
    drawn = draw_thresholds(front.seed[pairs.node], pairs.feature, low, high)
    lengths = pairs.end - pairs.begin
    pair = np.repeat(np.arange(len(varies)), lengths)
    places = np.arange(len(pair)) + (pairs.begin - np.cumsum(lengths) + lengths)[pair]
    values = ranks.values_at(samples[keys[places] & fields.mask], pairs.feature[pair])
    n_below = np.bincount(pair, values <= drawn[pair], len(varies)).astype(np.int64)
    return drawn, pairs.begin + n_below - 1


def _given_thresholds(ranks, drawn, asks, features, cut):
    """Return thresholds that were drawn, or edges of bins; NaN for half-way between two values."""
    if drawn is not None:
        return drawn[asks]
    if ranks.edges is None:
        return np.full(len(asks), np.nan)
    return np.array([ranks.edges[j][place] for j, place in zip(features, cut, strict=True)], float)
