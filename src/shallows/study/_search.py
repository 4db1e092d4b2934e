"""Successive halving over methods and settings, within a budget, with every step on disk."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from threadpoolctl import threadpool_limits

from shallows._core.threads import limit_threads
from shallows.study._candidates import Candidate, Design, Setting
from shallows.study._journal import Evaluation, Journal, key_of
from shallows.study._measures import MEASURES, Measure, answers_of
from shallows.study._problem import Array, Problem, Split, make_folds, subsample

FIRST_ROWS, GROWTH = 1000, 4  # size of the first rung on large data, and from rung to rung
FEW_ROWS, MANY_ROWS = 5_000, 20_000
FINALISTS = 8
KEPT_SETTINGS = 1 / 3


@dataclass(frozen=True)
class Rung:
    """Splits on which all that is left is scored; `full` if they use all training rows."""

    title: str
    splits: tuple[Split, ...]
    full: bool


@dataclass(frozen=True)
class Entry:
    """A method with one setting."""

    candidate: Candidate
    setting: Setting = field(hash=False)

    @property
    def key(self) -> tuple[str, str]:
        """Its name in the journal."""
        return self.candidate.name, key_of(self.setting)


@dataclass(frozen=True)
class Standing:
    """An entry with its scores on the furthest rungs that all finalists reached."""

    entry: Entry
    scores: tuple[float, ...]
    seconds: float

    @property
    def mean(self) -> float:
        """Mean score."""
        return float(np.mean(self.scores))


@dataclass(frozen=True)
class Search:
    """What a search found: the best entry of each method that lasted, and all that was tried."""

    standings: tuple[Standing, ...]  # in the order of the candidates, that is of complexity
    tried: tuple[tuple[Entry, int, Evaluation], ...]
    folds: int
    finished: bool
    rung: str
    interrupted: bool = False
    left_behind: tuple[str, ...] = ()  # methods too slow for the budget

    @property
    def why_stopped(self) -> str:
        """Say that not all was done, and what the comparison rests on."""
        cause = "interrupted" if self.interrupted else "stopped by its budget"
        return f"The study was {cause} before its end; methods are compared on “{self.rung}”."


def plan_rungs(problem: Problem, folds: int, repeats: int | None, seed: int) -> list[Rung]:
    """Return the rungs: growing samples of large data, then all rows, then more repetitions."""
    n = len(problem.y)
    if repeats is None:
        repeats = 5 if n < FIRST_ROWS else 3 if n < FEW_ROWS else 2 if n < MANY_ROWS else 1
    rungs, size = [], FIRST_ROWS
    while size <= n / 2:
        places = subsample(problem, size, seed)
        splits = make_folds(problem.part(places), folds, 1, seed)[0]
        there = tuple((places[train], places[test]) for train, test in splits)
        rungs.append(Rung(f"{len(places):,} rows", there, full=False))
        size *= GROWTH
    first, *rest = make_folds(problem, folds, repeats, seed)
    rungs.append(Rung("all rows", tuple(first), full=True))
    if rest:
        more = tuple(split for repetition in rest for split in repetition)
        rungs.append(Rung("more folds", more, full=True))
    return rungs


class Budget:
    """Seconds of work; what an interrupted run spent before counts."""

    def __init__(self, seconds: float | None, spent: float = 0.0):
        self._seconds, self._start = seconds, time.monotonic() - spent

    @property
    def is_spent(self) -> bool:
        """Whether no new work shall begin."""
        return self._seconds is not None and self.left <= 0

    @property
    def left(self) -> float:
        """Seconds that are left."""
        if self._seconds is None:
            return np.inf
        return self._seconds - (time.monotonic() - self._start)


Watch = Callable[[str, Rung, int, int, Entry, Evaluation], None]


def search(
    problem: Problem,
    candidates: Sequence[Candidate],
    design: Design,
    measure: Measure,
    rungs: Sequence[Rung],
    *,
    journal: Journal,
    stage: str,
    budget: Budget,
    jobs: int,
    watch: Watch,
) -> Search:
    """Evaluate all settings on the first rung, the better ones on the next, and so on."""
    alive = [
        Entry(candidate, setting) for candidate in candidates for setting in candidate.settings
    ]
    known = journal.known(stage)
    results: list[dict[tuple[str, str], Evaluation]] = []
    tried: list[tuple[Entry, int, Evaluation]] = []
    left_behind: list[str] = []
    interrupted = False
    complete = 0
    for number, rung in enumerate(rungs):
        found: dict[tuple[str, str], Evaluation] = {}
        results.append(found)
        if number:
            last = rungs[number - 1]
            kept = _affordable(alive, results[-2], last, rung, budget, known, number)
            if len(kept) < 2:
                break
            left_behind += [entry.candidate.name for entry in alive if entry not in kept]
            alive = kept
        missing = [entry for entry in alive if (*entry.key, number) not in known]
        for entry in alive:
            if entry not in missing:
                found[entry.key] = known[*entry.key, number]
        work = _evaluations(problem, missing, design, measure, rung, budget, jobs)
        try:
            for entry, evaluation in zip(missing, work, strict=False):
                journal.record(stage, entry.candidate.name, entry.setting, number, evaluation)
                found[entry.key] = evaluation
                watch(stage, rung, len(found), len(alive), entry, evaluation)
        except KeyboardInterrupt:
            interrupted = True
        tried += [(entry, number, found[entry.key]) for entry in alive if entry.key in found]
        if interrupted or len(found) < len(alive):
            break
        complete = number + 1
        if complete < len(rungs):
            alive = _survivors(alive, found, last=rungs[complete].full)
    finished = complete == len(rungs)
    used = max(complete - 1, 0)
    standings = _standings(candidates, tried, rungs, used)
    if interrupted and len(standings) < 2:
        raise KeyboardInterrupt
    n_folds = len(rungs[used].splits)
    return Search(
        tuple(standings),
        tuple(tried),
        n_folds,
        finished,
        rungs[used].title,
        interrupted,
        tuple(dict.fromkeys(left_behind)),
    )


def evaluate(model: Any, X: Array, y: Array, split: Split, measure: str, n_classes: int) -> Any:
    """Fit a model to one part, score it on the other: score, seconds, reason of failure."""
    train, test = split
    start = time.perf_counter()
    with warnings.catch_warnings(), threadpool_limits(1), limit_threads(1):
        warnings.simplefilter("ignore")  # a setting that does not converge shows in its score
        try:
            fitted = model.fit(X[train], y[train])
            found = MEASURES[measure]
            score = found.score(y[test], answers_of(fitted, X[test], found, n_classes))
            reason = "" if np.isfinite(score) else "the score is not a number"
        except (ValueError, ArithmeticError, RuntimeError, MemoryError) as error:
            score, reason = np.nan, f"{type(error).__name__}: {error}".split("\n")[0]
    return score, time.perf_counter() - start, reason


def _evaluations(
    problem: Problem,
    entries: Sequence[Entry],
    design: Design,
    measure: Measure,
    rung: Rung,
    budget: Budget,
    jobs: int,
) -> Iterator[Evaluation]:
    """Yield the evaluation of each entry in order; stop before the next when time is up."""
    size = len(rung.splits)

    def tasks() -> Iterable[Any]:
        for entry in entries:
            if budget.is_spent:
                return
            for split in rung.splits:
                if budget.is_spent:
                    return
                model = entry.candidate.build(design, entry.setting)
                yield delayed(evaluate)(
                    model, problem.X, problem.y, split, measure.name, design.n_classes
                )

    results = Parallel(n_jobs=jobs, return_as="generator")(tasks())
    collected = []
    for result in results:
        collected.append(result)
        if len(collected) == size:
            scores, seconds, reasons = zip(*collected, strict=True)
            reason = next((text for text in reasons if text), "")
            yield Evaluation(() if reason else tuple(scores), float(sum(seconds)), reason)
            collected = []


def _affordable(
    alive: Sequence[Entry],
    before: dict[tuple[str, str], Evaluation],
    last: Rung,
    rung: Rung,
    budget: Budget,
    known: dict[tuple[str, str, int], Evaluation],
    number: int,
) -> list[Entry]:
    """Leave out what would not end in time, as the last rung lets one foresee.

    Times grow at least with the number of rows. The cheap ones come first, so that as many
    methods as possible reach the rung.
    """
    if not np.isfinite(budget.left):
        return list(alive)
    rows = [sum(len(train) for train, _ in each.splits) for each in (rung, last)]
    left, kept = budget.left, set()
    for entry in sorted(alive, key=lambda entry: before[entry.key].seconds):
        cost = before[entry.key].seconds * rows[0] / rows[1]
        if (*entry.key, number) in known:
            cost = 0.0
        left -= cost
        if left > 0:
            kept.add(entry.key)
    return [entry for entry in alive if entry.key in kept]


def _survivors(
    alive: Sequence[Entry], found: dict[tuple[str, str], Evaluation], *, last: bool
) -> list[Entry]:
    """Keep the better settings of each method, and the better methods for the last rungs."""
    means = {key: np.mean(each.scores) for key, each in found.items() if each.scores}
    by_name: dict[str, list[Entry]] = {}
    for entry in alive:
        if entry.key in means:
            by_name.setdefault(entry.candidate.name, []).append(entry)
    kept: dict[str, list[Entry]] = {}
    for name, entries in by_name.items():
        n_kept = 1 if last else max(1, round(len(entries) * KEPT_SETTINGS))
        # sorted() is stable: of equal settings the simpler one comes first
        kept[name] = sorted(entries, key=lambda entry: -means[entry.key])[:n_kept]
    if last:
        best = sorted(kept, key=lambda name: -means[kept[name][0].key])[:FINALISTS]
        kept = {
            name: entries
            for name, entries in kept.items()
            if name in best or entries[0].candidate.complexity == 0
        }
    chosen = {entry.key for entries in kept.values() for entry in entries}
    return [entry for entry in alive if entry.key in chosen]


def _standings(
    candidates: Sequence[Candidate],
    tried: Sequence[tuple[Entry, int, Evaluation]],
    rungs: Sequence[Rung],
    used: int,
) -> list[Standing]:
    """Return the best entry of each method on rung `used`, with all scores on full data."""
    by_entry: dict[tuple[str, str], dict[int, Evaluation]] = {}
    entries = {}
    for entry, number, evaluation in tried:
        by_entry.setdefault(entry.key, {})[number] = evaluation
        entries[entry.key] = entry
    best: dict[str, Standing] = {}
    for key, found in by_entry.items():
        if used not in found or not found[used].scores:
            continue
        numbers = [
            n for n in found if n <= used and (n == used or rungs[n].full == rungs[used].full)
        ]
        if not rungs[used].full:
            numbers = [used]
        scores = [score for n in sorted(numbers) for score in found[n].scores]
        seconds = sum(each.seconds for each in found.values())
        standing = Standing(entries[key], tuple(scores), seconds)
        name = entries[key].candidate.name
        if name not in best or standing.mean > best[name].mean:
            best[name] = standing
    return [best[candidate.name] for candidate in candidates if candidate.name in best]
