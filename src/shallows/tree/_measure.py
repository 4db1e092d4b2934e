"""What the samples of nodes sum to."""

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
