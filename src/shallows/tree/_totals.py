"""What the samples of each node sum to."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shallows.tree._medians import Ordered, medians, order_targets
from shallows.tree._purity import own_purity

ROUNDING = 1e-12  # of the weight: class weights closer than this are equal


class Totals(NamedTuple):
    """Weight of nodes, class weights or sums of targets, and whether the samples differ.

    For the absolute error `sums` are the medians times the weight. `squares` are what impurities
    are counted from. `own` has the label or the targets of each sample in the order of the nodes.
    """

    weight: np.ndarray
    sums: np.ndarray
    squares: np.ndarray
    is_mixed: np.ndarray
    own: np.ndarray | Ordered | None


def total_of(task, front) -> Totals:
    """Sum up the labels or targets of each node."""
    own = task.y[front.samples]
    return (_of_labels if task.n_classes else _of_targets)(task, front, own)


def _of_labels(task, front, labels):
    n_nodes, q = len(front.depth), task.n_classes
    cells = front.node_of * q + labels
    sums = np.bincount(cells, front.weights, minlength=n_nodes * q).reshape(n_nodes, q)
    weight = sums.sum(axis=1)
    is_mixed = sums.max(axis=1) < (1 - ROUNDING) * weight
    return Totals(weight, sums, np.zeros(n_nodes), is_mixed, labels)


def _of_targets(task, front, targets):
    weight = _sum(front.weights[:, None], front.starts)[:, 0]
    first = np.repeat(front.starts[:-1], np.diff(front.starts))
    differs = (targets != targets[first]).any(axis=1)
    is_mixed = np.bincount(front.node_of, differs, minlength=len(weight)) > 0
    if task.rules.criterion == "absolute_error":
        return _of_medians(front, targets, weight, is_mixed)
    sums = _sum(front.weights[:, None] * targets, front.starts)
    alone = front.weights * own_purity(task.rules.criterion, targets)
    return Totals(weight, sums, _sum(alone[:, None], front.starts)[:, 0], is_mixed, targets)


def _of_medians(front, targets, weight, is_mixed):
    node_of, n = front.node_of, len(weight)
    found = [medians(node_of, n, column, front.weights) for column in targets.T]
    sums = np.column_stack([middle * weight for middle, _ in found])
    deviations = np.sum([deviation for _, deviation in found], axis=0)
    own = order_targets(node_of, front.starts, targets)
    return Totals(weight, sums, deviations, is_mixed, own)


def _sum(rows, starts):
    """Sum rows from each start to the next."""
    sums = np.zeros((len(starts) - 1, rows.shape[1]))
    filled = np.flatnonzero(np.diff(starts))
    if len(filled):
        sums[filled] = np.add.reduceat(rows, starts[filled], axis=0)
    return sums
