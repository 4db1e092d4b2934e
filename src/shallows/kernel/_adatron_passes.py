"""Passes of the kernel AdaTron: over all samples, or over those alone that move.

Most strengths soon rest at 0 or at their cap. The others learn among themselves, from their own
part of the Gram matrix, until they are calm: their largest violation of the optimality conditions
has fallen to a share of what it was. Then all samples are visited again. A class has learned only
when a pass over all its samples finds no violation.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shallows._core.numerics.compile import compiled

PASSES_OVER_ALL = 5  # at first, until most samples have found their place
PASSES_OVER_SOME = 50  # at most, before all are visited again
CALM = 0.1  # share of the violation at which those that move have learned enough
WORTH_WHILE = 0.5  # share of the Gram matrix that its parts may take up


class Passes:
    """Strengths of all classes on their way to the optimum.

    Parameters
    ----------
    gram : ndarray of shape (n_samples, n_samples)
        Gram matrix.
    signs : ndarray of shape (n_classes, n_samples)
        Labels -1 and +1 of each class against the rest.
    caps : ndarray of shape (n_samples,)
        Largest strengths.
    step : float
        Change of a strength where the slope of the dual value is 1.
    tol : float
        Violation at which a class has learned.

    Attributes
    ----------
    strengths : ndarray of shape (n_classes, n_samples)
        Strengths when all samples were last together.
    dual : float
        Dual value, summed over classes.
    worst : ndarray of shape (n_classes,)
        Largest violation that the last visit of each class met.
    largest : float
        The largest of these.
    learned : ndarray of shape (n_classes,)
        Whether no sample of a class violates the conditions by more than `tol`.
    done : bool
        Whether all classes have learned.
    """

    def __init__(self, gram, signs, caps, step, tol):
        self.gram, self.signs, self.caps, self.step, self.tol = gram, signs, caps, step, tol
        self.strengths, self.fields = np.zeros((2, *signs.shape))
        self.worst = np.full(len(signs), np.inf)
        self.learned = np.zeros(len(signs), dtype=bool)
        self.dual, self.largest, self.n_passes, self.done = 0.0, np.inf, 0, False
        self.movers: Movers | None = None

    def advance(self):
        """Visit once all samples, or those that were set apart."""
        self.n_passes += 1
        if self.movers is None:
            self._visit_all()
        else:
            gain, self.largest = self.movers.visit(self.step, self.worst)
            self.dual += gain
            if self.movers.calm:
                self.reunite()

    def reunite(self):
        """Bring all samples up to date with those that were set apart."""
        if self.movers is None:
            return
        moving, now = self.movers.mask, self.movers.strengths
        changes = self.signs[moving] * (now - self.strengths[moving])
        add_rows(self.gram, *np.nonzero(moving), changes, self.fields)
        self.strengths[moving] = now
        self.movers = None

    def _visit_all(self):
        state = State(self.strengths, self.fields, self.worst)
        gain, self.largest = visit_all(
            self.gram, self.signs, self.caps, self.step, self.learned, state
        )
        self.dual += gain
        self.learned = self.worst <= self.tol
        self.done = bool(self.learned.all())
        if not self.done and self.n_passes >= PASSES_OVER_ALL:
            self._set_apart()

    def _set_apart(self):
        """Let those that move learn among themselves, where they are few enough."""
        slopes = 1.0 - self.signs * self.fields
        moving = np.where(slopes > 0, self.strengths < self.caps, self.strengths > 0)
        moving[self.learned] = False
        if np.square(moving.sum(axis=1)).sum() <= WORTH_WHILE * self.gram.size:
            self.movers = Movers(self, moving)


class Movers:
    """Samples that move, class by class, with their parts of the Gram matrix."""

    def __init__(self, everyone, mask):
        self.mask, self.sizes = mask, mask.sum(axis=1)
        _, members = np.nonzero(mask)
        self.blocks = copy_blocks(everyone.gram, members, self.sizes)
        self.signs, self.caps = everyone.signs[mask], everyone.caps[members]
        self.strengths, self.fields = everyone.strengths[mask], everyone.fields[mask]
        self.limits = np.maximum(everyone.tol, CALM * everyone.worst)
        self.n_passes, self.calm = 0, False

    def visit(self, step, worst):
        """Visit once the classes that are not calm yet; return as `visit_all` does."""
        state = State(self.strengths, self.fields, worst)
        gain, largest, restless = visit_blocks(
            self.blocks, self.sizes, self.signs, self.caps, step, self.limits, state
        )
        self.n_passes += 1
        self.calm = not restless or self.n_passes == PASSES_OVER_SOME
        return gain, largest


class State(NamedTuple):
    """What the visits change in place: strengths, fields, and each class's largest violation."""

    strengths: np.ndarray
    fields: np.ndarray
    worst: np.ndarray


@compiled
def visit_all(gram, signs, caps, step, learned, state):
    """Visit all samples of the classes that have not learned, and change the state.

    Returns the gain of the dual value and the largest violation.
    """
    strengths, fields, worst = state
    total, largest = 0.0, 0.0
    for k in range(len(signs)):
        if not learned[k]:
            worst[k], gain = visit(gram, signs[k], caps, step, strengths[k], fields[k])
            total += gain
        largest = max(largest, worst[k])
    return total, largest


@compiled
def visit_blocks(blocks, sizes, signs, caps, step, limits, state):
    """Visit the samples set apart of the classes above their limits.

    Classes lie one behind the other; the state changes. Returns the gain of the dual value, the
    largest violation and the number of classes that are still above their limits.
    """
    strengths, fields, worst = state
    total, largest, restless, start, corner = 0.0, 0.0, 0, 0, 0
    for k in range(len(sizes)):
        size = sizes[k]
        own, square = slice(start, start + size), slice(corner, corner + size * size)
        start, corner = start + size, corner + size * size
        if worst[k] > limits[k]:
            gram = blocks[square].reshape(size, size)
            worst[k], gain = visit(gram, signs[own], caps[own], step, strengths[own], fields[own])
            total += gain
            restless += worst[k] > limits[k]
        largest = max(largest, worst[k])
    return total, largest, restless


@compiled
def visit(gram, signs, caps, step, strengths, fields):
    """Visit the samples of one class in turn; change strengths and fields in place.

    Returns the largest violation of the optimality conditions met on the way and the gain of the
    dual value.
    """
    largest, gain = 0.0, 0.0
    for i in range(len(signs)):
        # Slope of the dual value, 1 - S f(x); it violates the conditions unless a bound stops it.
        slope = 1.0 - signs[i] * fields[i]
        old = strengths[i]
        if slope > 0.0 and old < caps[i]:
            largest = max(largest, slope)
        elif slope < 0.0 and old > 0.0:
            largest = max(largest, -slope)

        # AdaTron's step, cut off at the bounds; the fields follow by a row of the Gram matrix.
        new = min(max(old + step * slope, 0.0), caps[i])
        if new != old:
            strengths[i] = new
            gain += (new - old) * (slope - (new - old) * gram[i, i] / 2)
            change, row = (new - old) * signs[i], gram[i]
            for j in range(len(signs)):
                fields[j] += change * row[j]
    return largest, gain


@compiled
def copy_blocks(gram, members, sizes):
    """Return the parts of the Gram matrix between the members of each class, one by one."""
    blocks = np.empty((sizes * sizes).sum())
    start, corner = 0, 0
    for size in sizes:
        own = members[start : start + size]
        for p in range(size):
            row, part = gram[own[p]], blocks[corner : corner + size]
            for q in range(size):
                part[q] = row[own[q]]
            corner += size
        start += size
    return blocks


@compiled
def add_rows(gram, classes, members, changes, fields):
    """Add to the fields of each class what its changed coefficients contribute, in place."""
    for p in range(len(changes)):
        if changes[p] != 0.0:
            row, field = gram[members[p]], fields[classes[p]]
            for j in range(len(row)):
                field[j] += changes[p] * row[j]
