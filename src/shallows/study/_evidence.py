"""Answers of all entries to the same rows, none of them learned from: what choices rest on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from shallows.study._calibrate import fit_scaling, scale, scaled_across
from shallows.study._fits import Entry, Shared, answer_fold
from shallows.study._journal import Evaluation
from shallows.study._measures import Measure, answers_for, row_losses
from shallows.study._problem import Array
from shallows.study._rungs import CHUNKS, Rung
from shallows.study._schedule import Results
from shallows.study._search import shares_of

SEVERAL = 4  # entries that a rung must have for a comparison on it
MOST_ENTRIES = 24  # that are calibrated with care
CALIBRATED_ROWS = 4000
QUICK_ROWS = 1000


@dataclass(frozen=True)
class Seen:
    """Calibrated answers of one entry, with its loss on each row."""

    entry: Entry
    answers: Array
    losses: Array
    seconds: float  # of one fit to as many rows as the folds have
    scaling: Array | None

    @property
    def loss(self) -> float:
        """Mean loss."""
        return float(self.losses.mean())


@dataclass(frozen=True)
class Evidence:
    """Rows with their folds and what each entry says of them."""

    rows: Array  # places in the training part; a row comes once in each repetition
    y: Array
    parts: Array
    shares: Array | None
    ratio: float  # of the size of a test fold to that of its training folds
    seen: Sequence[Seen]
    title: str
    full: bool
    n_learned: float

    @property
    def constant(self) -> Seen:
        """The entry that always gives the same answer."""
        return next(each for each in self.seen if each.entry.is_constant)

    @property
    def first(self) -> Array:
        """Where each row comes for the first time."""
        return np.unique(self.rows, return_index=True)[1]

    def part_scores(self, measure: Measure, answers: Array) -> list[float]:
        """Return the measure on each fold."""
        found = answers_for(measure, answers, self.shares)
        return [
            measure.score(self.y[self.parts == part], found[self.parts == part])
            for part in np.unique(self.parts)
        ]

    def part_losses(self, losses: Array) -> list[float]:
        """Return the mean loss on each fold."""
        return [float(losses[self.parts == part].mean()) for part in np.unique(self.parts)]


def gather(
    shared: Shared, results: Results, entries: Sequence[Entry], measure: Measure
) -> Evidence:
    """Return what the deepest rung that several entries have reached says of them."""
    rungs = shared.rungs
    results = _with_constant(shared, results, entries)
    depth = _deepest(results, entries, rungs)
    used = _rungs_in_use(rungs, depth)
    there = [e for e in entries if all(_answered(results, e, rung) for rung in used)]
    splits = [split for rung in used for split in rungs[rung].splits]
    rows = np.concatenate([test for _, test in splits])
    sizes = [len(test) for _, test in splits]
    parts = np.repeat(np.arange(len(splits)), sizes)
    ratio = float(np.mean([len(test) / len(train) for train, test in splits]))
    if len(splits) == 1:  # chunks of it show how the score varies from rows to rows
        parts, ratio = np.arange(len(rows)) * CHUNKS // len(rows), 0.0
    y = shared.problem.y[rows]
    raw = {
        e.key: np.concatenate([a for rung in used for a in results[e.key, rung].answers])
        for e in there
    }
    seconds = {
        e.key: sum(results[e.key, rung].seconds for rung in used) / len(splits) for e in there
    }
    title = rungs[depth].title
    evidence = Evidence(
        *(rows, y, parts, shares_of(shared, splits[0][0]), ratio, (), title),
        rungs[depth].full,
        float(np.mean([len(train) for train, _ in splits])),
    )
    kept = _promising(there, raw, y, measure)
    found = [_seen(e, raw[e.key], seconds[e.key], evidence, measure) for e in kept]
    return replace(evidence, seen=tuple(found))


def quick_loss(measure: Measure, y: Array, answers: Array) -> float:
    """Return the mean loss after a calibration on some of the same rows: good to rank by."""
    if measure.task == "classification":
        some = np.linspace(0, len(y) - 1, min(len(y), QUICK_ROWS)).astype(np.intp)
        answers = scale(answers, fit_scaling(answers[some], y[some]))
    return float(row_losses(measure, y, answers).mean())


def _answered(results: Results, entry: Entry, rung: int) -> bool:
    found = results.get((entry.key, rung))
    return found is not None and bool(found.answers)


def _with_constant(shared: Shared, results: Results, entries: Sequence[Entry]) -> Results:
    """Let the constant answer wherever a method has answered before its turn came.

    That takes milliseconds, and each method is compared with it.
    """
    filled = dict(results)
    reached = sorted({rung for (_, rung), found in results.items() if found.answers})
    for entry in entries:
        for rung in reached if entry.is_constant else ():
            if not _answered(filled, entry, rung):
                places = range(len(shared.rungs[rung].splits))
                work = (shared, entry.candidate.name, entry.setting, rung)
                folds = [answer_fold(*work, place) for place in places]
                answers, seconds = tuple(f.answers for f in folds), sum(f.seconds for f in folds)
                filled[entry.key, rung] = Evaluation((), answers, seconds)
    return filled


def _deepest(results: Results, entries: Sequence[Entry], rungs: Sequence[Rung]) -> int:
    """Return the deepest rung that several entries, or nearly all of them, have reached."""
    reached = [
        sum(not e.is_constant and _answered(results, e, rung) for e in entries)
        for rung in range(len(rungs))
    ]
    methods = len({e.candidate.name for e in entries if not e.is_constant})
    enough = max(1, min(SEVERAL, max(reached), methods))
    return max(rung for rung, n in enumerate(reached) if n >= enough)


def _rungs_in_use(rungs: Sequence[Rung], depth: int) -> list[int]:
    """Return the rungs whose answers count: all full ones up to the deepest, or one sample."""
    if not rungs[depth].full:
        return [depth]
    return [rung for rung in range(depth + 1) if rungs[rung].full]


def _promising(
    entries: Sequence[Entry], raw: dict[tuple[str, str], Array], y: Array, measure: Measure
) -> list[Entry]:
    """Return the best entry of each method, and of all others the best."""
    loss = {e.key: quick_loss(measure, y, raw[e.key]) for e in entries}
    ordered = sorted(entries, key=lambda entry: loss[entry.key])
    best = {entry.candidate.name: entry.key for entry in reversed(ordered)}
    some = {entry.key for entry in ordered[:MOST_ENTRIES]} | set(best.values())
    return [entry for entry in entries if entry.key in some]


def _seen(entry: Entry, raw: Array, seconds: float, where: Evidence, measure: Measure) -> Seen:
    if measure.task != "classification":
        return Seen(entry, raw, row_losses(measure, where.y, raw), seconds, None)
    n = len(where.y)
    some = np.linspace(0, n - 1, min(n, CALIBRATED_ROWS)).astype(np.intp)
    scaling = fit_scaling(raw[some], where.y[some])
    if n > CALIBRATED_ROWS:  # three numbers from thousands of rows flatter nobody
        answers = scale(raw, scaling)
    else:
        answers = scaled_across(raw, where.y, where.parts)
    return Seen(entry, answers, row_losses(measure, where.y, answers), seconds, scaling)
