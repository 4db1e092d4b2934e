"""The blend of a study: which methods answer together, and how good that is on unseen rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from shallows.study._blend import Blend, join_chances, join_numbers
from shallows.study._calibrate import fit_scaling
from shallows.study._evidence import Evidence, Seen
from shallows.study._measures import SMALLEST, Measure, row_losses
from shallows.study._problem import Array
from shallows.study._weights import greedy_weights, stacked_chances, stacked_numbers

MOST_MEMBERS = 8
FEWEST_ROWS = 40  # from which weights can be told apart


@dataclass(frozen=True)
class Recipe:
    """Members with weights, and what they answer together to rows none of them has learned.

    The answers to each fold come from weights that the other folds gave.
    """

    members: tuple[Seen, ...]
    weights: Array
    last: Any
    stacked: bool
    answers: Array
    losses: Array

    def model(self, fitted: Sequence[Any], unfitted: Sequence[Any]) -> Any:
        """Return the model made of fitted members; a single one for numbers stays itself."""
        scalings = [member.scaling for member in self.members]
        if scalings[0] is None and len(fitted) == 1 and self.last is None:
            return fitted[0]
        some = None if scalings[0] is None else scalings
        return Blend(list(unfitted), self.weights, some, self.last, self.stacked).filled(fitted)


def alone(seen: Seen) -> Recipe:
    """Return the recipe of one method, calibrated."""
    return Recipe((seen,), np.ones(1), None, False, seen.answers, seen.losses)


def together(
    evidence: Evidence, measure: Measure, affordable: Callable[[Sequence[Seen]], bool]
) -> Recipe | None:
    """Return the best blend of members that can be fitted in time, None where one is best alone."""
    pool = sorted((s for s in evidence.seen if not s.entry.is_constant), key=lambda s: s.loss)
    pool = [seen for seen in pool if affordable([seen])]
    if len(pool) < 2 or len(evidence.y) < FEWEST_ROWS:
        return None
    weights = _weights(evidence, pool, measure, np.ones(len(evidence.y), dtype=bool))
    while True:
        members = [seen for seen, weight in zip(pool, weights, strict=True) if weight > 0]
        if len(members) < 2:
            return None
        if len(members) <= MOST_MEMBERS and affordable(members):
            break
        worth = weights[weights > 0] / np.array([0.05 + seen.seconds for seen in members])
        by_weight = len(members) > MOST_MEMBERS
        weakest = int(np.argmin(weights[weights > 0] if by_weight else worth))
        pool = [seen for place, seen in enumerate(members) if place != weakest]
        weights = _weights(evidence, pool, measure, np.ones(len(evidence.y), dtype=bool))
    weights = weights[weights > 0]
    plain, stack = (_recipe(evidence, members, measure, weights, kind) for kind in (False, True))
    gap = plain.losses - stack.losses
    better = gap.mean() > gap.std() / np.sqrt(len(gap))
    return stack if better else plain


def _weights(evidence: Evidence, pool: Sequence[Seen], measure: Measure, rows: Array) -> Array:
    """Return greedy weights from some rows."""
    y = evidence.y[rows]
    if measure.task == "classification":
        hits = np.column_stack([seen.answers[rows][np.arange(len(y)), y] for seen in pool])
        return greedy_weights(hits, lambda p: -np.log(np.maximum(p, SMALLEST)).mean(axis=0))
    parts = np.column_stack([seen.answers[rows] for seen in pool])
    if measure.name == "mae":
        return greedy_weights(parts, lambda f: np.abs(y[:, None] - f).mean(axis=0))
    return greedy_weights(parts, lambda f: ((y[:, None] - f) ** 2).mean(axis=0))


def _recipe(
    evidence: Evidence, members: Sequence[Seen], measure: Measure, weights: Array, stacked: bool
) -> Recipe:
    """Return a blend or stack; its answers to each fold rest on the other folds."""
    everything = np.ones(len(evidence.y), dtype=bool)
    answers = np.empty_like(members[0].answers)
    for part in np.unique(evidence.parts):
        here = evidence.parts == part
        answers[here] = _fitted(evidence, members, measure, ~here, stacked)(here)
    losses = row_losses(measure, evidence.y, answers)
    join = _fitted(evidence, members, measure, everything, stacked)
    return Recipe(tuple(members), join.weights, join.last, stacked, answers, losses)


@dataclass(frozen=True)
class _Join:
    """Weights that some rows gave, and the answers that they make of other rows."""

    members: Sequence[Seen]
    weights: Array
    last: Any
    stacked: bool

    def __call__(self, rows: Array) -> Array:
        parts = [seen.answers[rows] for seen in self.members]
        if self.members[0].scaling is None:
            return np.asarray(join_numbers(parts, self.weights, self.last))
        return np.asarray(join_chances(parts, self.weights, self.last, self.stacked))


def _fitted(
    evidence: Evidence, members: Sequence[Seen], measure: Measure, rows: Array, stacked: bool
) -> _Join:
    weights = _weights(evidence, members, measure, rows)
    y = evidence.y[rows]
    if measure.task != "classification":
        if not stacked or measure.name == "mae":
            return _Join(members, weights, None, False)
        parts = np.column_stack([seen.answers[rows] for seen in members])
        return _Join(members, *stacked_numbers(parts, y, weights), True)
    if stacked:
        weights = stacked_chances([seen.answers[rows] for seen in members], y, weights)
    joint = _Join(members, weights, None, stacked)(rows)
    return _Join(members, weights, fit_scaling(joint, y), stacked)
