"""Medians of nodes, absolute deviations from them, and the order of targets within nodes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

ROUNDING = 1e-12  # of the weight: a half closer than this is met exactly


class Ordered(NamedTuple):
    """Targets in ascending order within each node.

    ``values[starts[k] + place[i]]`` is the target of sample i of node k; a column for each output.
    """

    place: np.ndarray
    values: np.ndarray


def medians(groups, n_groups: int, values, weights) -> tuple[np.ndarray, np.ndarray]:
    """Return the weighted median of each group, and the sum of absolute deviations from it.

    Where half of the weight ends between two values the median is half-way between them.
    """
    order = np.lexsort((values, groups))
    value, weight, group = values[order], weights[order], groups[order]
    reached, size = np.cumsum(weight), np.bincount(groups, minlength=n_groups)
    total, ends = np.bincount(group, weight, n_groups), np.cumsum(size)
    before = np.concatenate([[0.0], reached])[ends - size]
    middle = np.zeros(n_groups)
    filled = size > 0
    for shift in (-ROUNDING, ROUNDING):
        place = np.searchsorted(reached, before + total * (0.5 + shift))
        place = np.clip(place, ends - size, np.maximum(ends - 1, 0))
        middle[filled] += value[place[filled]] / 2
    return middle, np.bincount(group, weight * np.abs(value - middle[group]), n_groups)


def order_targets(node_of, starts, targets) -> Ordered:
    """Sort the targets of each node."""
    place, values = np.empty(targets.shape, dtype=np.int64), np.empty(targets.shape)
    for k, column in enumerate(targets.T):
        order = np.lexsort((column, node_of))
        values[:, k] = column[order]
        place[order, k] = np.arange(len(order)) - starts[node_of[order]]
    return Ordered(place, values)
