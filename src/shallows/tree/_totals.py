"""What the samples of each node sum to."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

ROUNDING = 1e-12  # of the weight: class weights closer than this are equal


class Totals(NamedTuple):
    """Weight of nodes, class weights or sums of targets, and whether the samples differ.

    `own` has the label or the targets of each sample in the order of the nodes.
    """

    weight: np.ndarray
    sums: np.ndarray
    squares: np.ndarray
    is_mixed: np.ndarray
    own: np.ndarray | None


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
    heavy = front.weights[:, None] * targets
    weight = _sum(front.weights[:, None], front.starts)[:, 0]
    squares = _sum(heavy * targets, front.starts).sum(axis=1)
    first = np.repeat(front.starts[:-1], np.diff(front.starts))
    differs = (targets != targets[first]).any(axis=1)
    is_mixed = np.bincount(front.node_of, differs, minlength=len(weight)) > 0
    return Totals(weight, _sum(heavy, front.starts), squares, is_mixed, targets)


def _sum(rows, starts):
    """Sum rows from each start to the next."""
    sums = np.zeros((len(starts) - 1, rows.shape[1]))
    filled = np.flatnonzero(np.diff(starts))
    if len(filled):
        sums[filled] = np.add.reduceat(rows, starts[filled], axis=0)
    return sums
