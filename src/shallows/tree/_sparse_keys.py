"""Keys of a sparse matrix: what the rows of a node list, and one item for all zeros together.

Zeros are not stored. Those of a node become items: one for each class, or one with the mean
target. An item has a place after those of the samples, a weight, and a number of samples.
"""

from __future__ import annotations

import numpy as np

from shallows._core.numerics.compile import compiled
from shallows.tree._keys import Fields, Items, Pairs


def varying_pairs(task, front, nodes) -> Pairs:
    """Return the pairs of some nodes with features that vary there."""
    listed = task.ranks.listed
    n_entries = np.concatenate([[0], np.cumsum(np.diff(listed.starts)[front.samples])])
    most = int((n_entries[front.starts[nodes + 1]] - n_entries[front.starts[nodes]]).sum())
    node, feature = np.empty(most, dtype=np.int64), np.empty(most, dtype=np.int64)
    n_pairs = find_varying(
        listed, task.ranks.n_values, front.samples, front.starts, nodes, node, feature
    )
    return Pairs.of(node[:n_pairs], feature[:n_pairs])


def listed_keys(task, front, totals, pairs):
    """Return the sorted keys of pairs, with their fields and the items that places stand for.

    Pairs have ascending nodes. They get to know where their keys are.
    """
    ranks, n = task.ranks, len(front.samples)
    fields = Fields.of(n + len(pairs.node) * max(task.n_classes, 1), ranks.n_values.max())
    bounds = np.searchsorted(pairs.node, np.arange(len(front.depth) + 1))
    n_entries = np.diff(ranks.listed.starts)[front.samples]
    has_pairs = np.repeat(np.diff(bounds) > 0, np.diff(front.starts))
    keys = np.empty(int(n_entries[has_pairs].sum()), dtype=np.int64)
    n_keys = list_keys(ranks.listed, front.samples, front.starts, pairs, bounds, fields, keys)
    keys = keys[:n_keys]
    pair, place = keys >> (fields.place + fields.rank), keys & fields.mask
    is_gap = fields.rank_of(keys) == ranks.n_values[pairs.feature[pair]]
    of_pair, *zeros = _zeros(task, front, totals, pairs.node, pair, place)
    zero = ranks.listed.zero[pairs.feature[of_pair]].astype(np.int64) << fields.place
    zero |= (of_pair << (fields.place + fields.rank)) | (n + np.arange(len(of_pair)))
    keys = np.sort(np.concatenate([keys, zero]))
    lengths = np.bincount(np.concatenate([pair, of_pair]), minlength=len(pairs.node))
    pairs.begin[:] = np.cumsum(lengths) - lengths
    pairs.end[:] = pairs.begin + lengths - np.bincount(pair[is_gap], minlength=len(lengths))
    samples = totals.own, front.weights, np.ones(n, dtype=np.int64)
    items = Items(*(np.concatenate(both) for both in zip(samples, zeros, strict=True)))
    return keys, fields, items


def _zeros(task, front, totals, nodes, pair, place):
    """Return pair, label or mean target, weight and number of the zeros, where there are any."""
    n, weights = len(nodes), front.weights[place]
    if task.n_classes:
        shape = n, task.n_classes
        cells = pair * task.n_classes + totals.own[place]
        in_node = np.bincount(
            front.node_of * task.n_classes + totals.own, minlength=totals.sums.size
        )
        count = in_node.reshape(totals.sums.shape)[nodes]
        count = count - np.bincount(cells, minlength=n * shape[1]).reshape(shape)
        weight = totals.sums[nodes] - np.bincount(cells, weights, n * shape[1]).reshape(shape)
        of_pair, label = np.nonzero(count)
        return of_pair, label.astype(np.int32), weight[of_pair, label], count[of_pair, label]
    count = np.diff(front.starts)[nodes] - np.bincount(pair, minlength=n)
    of_pair = np.flatnonzero(count)
    weight = (totals.weight[nodes] - np.bincount(pair, weights, n))[of_pair]
    heavy = (weights[:, None] * totals.own[place]).T
    listed = np.column_stack([np.bincount(pair, column, n) for column in heavy])
    means = (totals.sums[nodes] - listed)[of_pair] / weight[:, None]
    return of_pair, means, weight, count[of_pair]


@compiled
def find_varying(listed, n_values, samples, starts, nodes, pair_node, pair_feature):
    """Write all pairs of some nodes and features that have two values there; return how many."""
    d = len(n_values)
    count, known, touched = np.zeros(d, np.int64), np.zeros(d, np.int64), np.empty(d, np.int64)
    lowest, highest = np.empty(d, np.int64), np.empty(d, np.int64)
    n_pairs = 0
    for node in nodes:
        n_touched, size = 0, starts[node + 1] - starts[node]
        for i in range(starts[node], starts[node + 1]):
            for entry in range(listed.starts[samples[i]], listed.starts[samples[i] + 1]):
                j, rank = listed.columns[entry], listed.ranks[entry]
                if count[j] == 0:
                    touched[n_touched], lowest[j], highest[j] = j, rank, -1
                    n_touched += 1
                count[j] += 1
                if rank != n_values[j]:
                    known[j] += 1
                    lowest[j] = rank if rank < lowest[j] else lowest[j]
                    highest[j] = rank if rank > highest[j] else highest[j]
        for k in range(n_touched):
            j = touched[k]
            if known[j] > 0 and (count[j] < size or lowest[j] < highest[j]):
                pair_node[n_pairs], pair_feature[n_pairs] = node, j
                n_pairs += 1
            count[j], known[j] = 0, 0
    return n_pairs


@compiled
def list_keys(listed, samples, starts, pairs, bounds, fields, keys):
    """Write the keys of all entries that belong to a pair, and return how many there are.

    Node k has the pairs from ``bounds[k]`` to ``bounds[k + 1]``.
    """
    n_keys, place = 0, np.full(len(listed.zero), -1)
    for node in range(len(starts) - 1):
        for p in range(bounds[node], bounds[node + 1]):
            place[pairs.feature[p]] = p
        for i in range(starts[node], starts[node + 1] if bounds[node + 1] > bounds[node] else 0):
            for entry in range(listed.starts[samples[i]], listed.starts[samples[i] + 1]):
                p = place[listed.columns[entry]]
                if p >= 0:
                    rank = np.int64(listed.ranks[entry])
                    keys[n_keys] = (((p << fields.rank) | rank) << fields.place) | i
                    n_keys += 1
        for p in range(bounds[node], bounds[node + 1]):
            place[pairs.feature[p]] = -1
    return n_keys
