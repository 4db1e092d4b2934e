"""What the samples of nodes sum to, and where a sparse matrix has entries of theirs."""

from __future__ import annotations

import numpy as np

from shallows._core.compile import compiled
from shallows.tree._questions import ROUNDING, SQUARE, WEIGHT


@compiled
def measure(starts, samples, weights, labels, targets):
    """Return the numbers and sums of each node, whether its samples differ in what they should
    answer, and labels or targets of all samples in their order.

    Node k has the samples from ``starts[k]`` to ``starts[k + 1]``. The sums are weights of classes
    where there are labels, or else sums of targets.
    """  # fmt: skip
    n_nodes, n_sums, for_classes = len(starts) - 1, targets.shape[1], len(labels) > 0
    numbers, sums = np.zeros((n_nodes, 3)), np.zeros((n_nodes, n_sums))
    mixed = np.zeros(n_nodes, np.bool_)
    own_labels = np.empty(len(samples) if for_classes else 0, labels.dtype)
    own_targets = np.empty((0 if for_classes else len(samples), n_sums))
    for node in range(n_nodes):
        for i in range(starts[node], starts[node + 1]):
            w = weights[i]
            numbers[node, WEIGHT] += w
            if for_classes:
                own_labels[i] = labels[samples[i]]
                sums[node, own_labels[i]] += w
                continue
            for k in range(n_sums):
                t = targets[samples[i], k]
                own_targets[i, k] = t
                sums[node, k] += w * t
                numbers[node, SQUARE] += w * t * t
                mixed[node] |= t != own_targets[starts[node], k]
        if for_classes:
            largest = 0.0
            for k in range(n_sums):
                largest = max(largest, sums[node, k])
            mixed[node] = largest < (1 - ROUNDING) * numbers[node, WEIGHT]
    return numbers, sums, mixed, own_labels, own_targets


@compiled
def list_columns(starts, samples, table, asking):
    """List the entries of asking nodes by their columns.

    Node k has entries in the `columns` from ``first[k]`` to ``first[k + 1]``; those of the column
    at place c are the `keys` from ``begins[c]`` to ``begins[c + 1]``: the rank of a value above
    the place of its sample in the node. Returns first, columns, begins and keys.
    """
    n_nodes, n_entries, is_sparse = len(starts) - 1, 0, len(table.starts) > 0
    for node in range(n_nodes):
        for i in range(starts[node], starts[node + 1] if is_sparse and asking[node] else 0):
            n_entries += table.starts[samples[i] + 1] - table.starts[samples[i]]
    first, keys = np.zeros(n_nodes + 1, np.int64), np.empty(n_entries, np.int64)
    columns, begins = np.empty(n_entries, np.int32), np.zeros(n_entries + 1, np.int64)
    counts = np.zeros(len(table.counted) if is_sparse else 0, np.int64)
    for node in range(n_nodes):
        begin = end = first[node]
        last = starts[node + 1] if is_sparse and asking[node] else starts[node]
        for i in range(starts[node], last):
            for entry in range(table.starts[samples[i]], table.starts[samples[i] + 1]):
                j = table.columns[entry]
                if counts[j] == 0:
                    columns[end] = j
                    end += 1
                counts[j] += 1
        for c in range(begin, end):  # counts become the places to write to
            size = counts[columns[c]]
            counts[columns[c]] = begins[c]
            begins[c + 1] = begins[c] + size
        for i in range(starts[node], last):
            for entry in range(table.starts[samples[i]], table.starts[samples[i] + 1]):
                j = table.columns[entry]
                keys[counts[j]] = (np.int64(table.ranks[entry]) << 32) | (i - starts[node])
                counts[j] += 1
        for c in range(begin, end):
            counts[columns[c]] = 0
        first[node + 1] = end
    return first, columns, begins, keys
