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

from shallows._core.numerics.threads import limit_threads
from shallows.study._budget import Budget
from shallows.study._candidates import Candidate, Design, Setting
from shallows.study._interrupts import Interrupts
from shallows.study._journal import Evaluation, Journal, key_of
from shallows.study._measures import MEASURES, Measure, answers_of
from shallows.study._problem import Array, Problem, Split, make_folds, subsample

FIRST_ROWS, GROWTH = 1000, 4  # size of the first rung on large data, and from rung to rung
FEW_ROWS, MANY_ROWS = 5_000, 20_000
FINALISTS = 8
KEPT_SETTINGS = 1 / 3
FINAL_SHARE = 0.18  # of a budget, for the final fit of the choice
POWERS = (0.7, 3.0)  # of the number of rows, with which times may grow
MARGIN = 1.2  # by which work may take longer than foreseen


@dataclass(frozen=True)
class Rung:
    """Splits on which all that is left is scored; `full` if they use all training rows."""

    title: str
    splits: tuple[Split, ...]
    full: bool

    @property
    def rows(self) -> float:
        """Rows to which a fit is made, on average."""
        return float(np.mean([len(train) for train, _ in self.splits]))


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
    finished: bool
    rung: str
    interrupted: bool = False
    left_behind: tuple[str, ...] = ()  # methods too slow for the budget
    were_ahead: tuple[str, ...] = ()  # those of them that were the best until then

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
    left_behind: set[str] = set()
    leaders: set[str] = set()
    interrupted = False
    complete = 0
    for number, rung in enumerate(rungs):
        found: dict[tuple[str, str], Evaluation] = {}
        results.append(found)
        if number:
            clock = Foresight(rungs[:number], results[:number])
            able = alive  # a few rows tell too little about the time that all of them take
            if rung.full:
                able = [entry for entry in alive if clock.can_end(entry, len(problem.y), budget)]
            kept = _affordable(able, clock, rung, budget, known, number)
            if len(kept) < 2:
                break
            left_behind |= {entry.candidate.name for entry in alive if entry not in kept}
            alive = kept
        missing = [entry for entry in alive if (*entry.key, number) not in known]
        for entry in alive:
            if entry not in missing:
                found[entry.key] = known[*entry.key, number]
        work = _evaluations(problem, missing, design, measure, rung, budget, jobs)
        try:
            with Interrupts() as interrupts:
                for entry, evaluation in zip(missing, work, strict=False):
                    journal.record(stage, entry.candidate.name, entry.setting, number, evaluation)
                    found[entry.key] = evaluation
                    watch(stage, rung, len(found), len(alive), entry, evaluation)
                    interrupts.check()
        except KeyboardInterrupt:
            interrupted = True
        tried += [(entry, number, found[entry.key]) for entry in alive if entry.key in found]
        if interrupted or len(found) < len(alive):
            break
        complete = number + 1
        scored = [entry for entry in alive if found[entry.key].scores]
        if scored:
            leaders.add(_leader(scored, found).candidate.name)
        if complete < len(rungs):
            alive = _survivors(alive, found, last=rungs[complete].full)
    finished = complete == len(rungs)
    used = max(complete - 1, 0)
    clock = Foresight(rungs[: used + 1], results[: used + 1])
    found_all = _standings(candidates, tried, rungs, used)
    standings = [each for each in found_all if clock.can_end(each.entry, len(problem.y), budget)]
    if interrupted and len(standings) < 2:
        raise KeyboardInterrupt
    there = {standing.entry.candidate.name for standing in standings}
    left_behind |= {standing.entry.candidate.name for standing in found_all}
    return Search(
        tuple(standings),
        tuple(tried),
        finished,
        rungs[used].title,
        interrupted,
        tuple(c.name for c in candidates if c.name in left_behind - there),
        tuple(c.name for c in candidates if c.name in leaders - there),
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
            for split in rung.splits:
                if budget.left_to_search <= 0:
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


@dataclass(frozen=True)
class Foresight:
    """What the rungs behind tell about the time of a fit to more rows."""

    rungs: Sequence[Rung]
    results: Sequence[dict[tuple[str, str], Evaluation]]

    def seconds(self, entry: Entry, rows: float) -> float:
        """Return the time of one fit: it grows as it did from rung to rung."""
        sizes, times = zip(*(self._seen(entry, place) for place in (-1, -2)), strict=True)
        power = 1.0
        if sizes[0] > 1.5 * sizes[1] > 0 and times[1] > 0:
            power = float(np.log(times[0] / times[1]) / np.log(sizes[0] / sizes[1]))
        return float(times[0] * (rows / sizes[0]) ** np.clip(power, *POWERS))

    def can_end(self, entry: Entry, rows: int, budget: Budget) -> bool:
        """Tell whether an entry, if chosen, could be fitted to all rows in the end."""
        return self.seconds(entry, rows) <= budget.share(FINAL_SHARE)

    def _seen(self, entry: Entry, place: int) -> tuple[float, float]:
        """Return rows and seconds of a fit on one of the last rungs, zeros where there is none."""
        if -place > len(self.rungs):
            return 0.0, 0.0
        rung = self.rungs[place]
        return rung.rows, self.results[place][entry.key].seconds / len(rung.splits)


def _leader(entries: Sequence[Entry], found: dict[tuple[str, str], Evaluation]) -> Entry:
    """Return the entry with the best mean, the first of equals."""
    return max(entries, key=lambda entry: np.mean(found[entry.key].scores))


def _affordable(
    alive: Sequence[Entry],
    clock: Foresight,
    rung: Rung,
    budget: Budget,
    known: dict[tuple[str, str, int], Evaluation],
    number: int,
) -> list[Entry]:
    """Leave out what would not end in time; the cheap ones first, so that many methods go on."""
    if not np.isfinite(budget.left):
        return list(alive)
    costs = {
        entry.key: 0.0
        if (*entry.key, number) in known
        else len(rung.splits) * clock.seconds(entry, rung.rows)
        for entry in alive
    }
    left, kept = budget.left_to_search, set()
    for key in sorted(costs, key=lambda key: costs[key]):
        left -= MARGIN * costs[key]
        if left > 0:
            kept.add(key)
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
