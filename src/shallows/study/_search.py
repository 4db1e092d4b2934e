"""The search: fits side by side, every evaluation on disk, stopped in time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from shallows.study._budget import Budget
from shallows.study._candidates import Candidate
from shallows.study._fits import Entry, Fold, Shared, answer_fold
from shallows.study._interrupts import Interrupts
from shallows.study._journal import Evaluation, Journal
from shallows.study._measures import Measure, answers_for, row_losses
from shallows.study._problem import Array
from shallows.study._schedule import Results, Schedule
from shallows.study._workers import Failure, Workers

TICK = 0.25  # seconds between looks at the clock


@dataclass(frozen=True)
class Search:
    """All evaluations of a search by rung, and how it ended."""

    results: Results
    order: tuple[tuple[Entry, int], ...]
    finished: bool
    interrupted: bool = False

    @property
    def tried(self) -> list[tuple[Entry, int, Evaluation]]:
        """Entry, rung and what was found, in order."""
        return [(entry, rung, self.results[entry.key, rung]) for entry, rung in self.order]


Watch = Callable[[str, str, int, Entry, Evaluation], None]


def search(
    shared: Shared,
    schedule: Schedule,
    workers: Workers,
    *,
    measure: Measure,
    journal: Journal,
    stage: str,
    budget: Budget,
    watch: Watch,
) -> Search:
    """Evaluate what the schedule asks for until it has no more wishes or the time is up."""
    known = journal.known(stage)
    results: Results = {}
    order: list[tuple[Entry, int]] = []
    open_work: dict[tuple[tuple[str, str], int], _Open] = {}
    waiting: list[tuple[Entry, int, int]] = []  # splits of what has begun
    interrupted = False

    def note(entry: Entry, rung: int, found: Evaluation) -> None:
        results[entry.key, rung] = found
        order.append((entry, rung))
        schedule.learn(entry, rung, found)

    def begin() -> bool:
        """Take the next wish of the schedule; return whether there is one."""
        wish = schedule.next(busy=bool(open_work))
        if wish is None:
            return False
        entry, rung = wish
        if (*entry.key, rung) in known:
            note(entry, rung, known[*entry.key, rung])
            return True
        splits = range(len(shared.rungs[rung].splits))
        open_work[entry.key, rung] = _Open(entry, rung, [None] * len(splits))
        waiting.extend((entry, rung, place) for place in splits)
        return True

    try:
        with Interrupts() as interrupts:
            while budget.left_to_search > schedule.reserve():
                while len(waiting) < workers.size - workers.running() and begin():
                    pass
                while waiting and workers.running() < workers.size:
                    entry, rung, place = waiting.pop(0)
                    task = (entry.candidate.name, entry.setting, rung, place)
                    workers.submit((entry.key, rung, place), answer_fold, *task)
                if not workers.running():
                    break
                for key, result in workers.wait(_patience(budget, schedule)):
                    interrupts.check()
                    entry_key, rung, place = key
                    work = open_work.get((entry_key, rung))
                    if work is None:  # another split has failed
                        continue
                    work.splits[place] = result
                    if isinstance(result, Failure):
                        waiting = [each for each in waiting if each[:2] != (work.entry, rung)]
                    elif None in work.splits:
                        continue
                    del open_work[entry_key, rung]
                    found = _evaluation(work, shared, measure)
                    journal.record(stage, work.entry.key, rung, found)
                    note(work.entry, rung, found)
                    watch(stage, shared.rungs[rung].title, len(order), work.entry, found)
                interrupts.check()
    except KeyboardInterrupt:
        interrupted = True
    finished = not interrupted and not open_work and schedule.is_done
    if open_work:
        workers.stop()
    order.sort(key=lambda pair: (pair[1], schedule.place(pair[0])))  # whoever came back first
    return Search(results, tuple(order), finished, interrupted)


@dataclass
class _Open:
    """An evaluation at work: results of its splits so far."""

    entry: Entry
    rung: int
    splits: list[Fold | Failure | None]


def _patience(budget: Budget, schedule: Schedule) -> float | None:
    left = budget.left_to_search - schedule.reserve()
    return None if left == np.inf else float(np.clip(left, 0.001, TICK))


def _evaluation(work: _Open, shared: Shared, measure: Measure) -> Evaluation:
    """Return what all splits of an evaluation have found."""
    failed = [each for each in work.splits if isinstance(each, Failure)]
    if failed:
        return Evaluation((), (), 0.0, failed[0].reason)
    folds = [each for each in work.splits if isinstance(each, Fold)]
    scores = []
    for (train, test), fold in zip(shared.rungs[work.rung].splits, folds, strict=True):
        y, shares = shared.problem.y[test], shares_of(shared, train)
        scores.append(measure.score(y, answers_for(measure, fold.answers, shares)))
    seconds = float(sum(fold.seconds for fold in folds))
    return Evaluation(tuple(scores), tuple(fold.answers for fold in folds), seconds)


def shares_of(shared: Shared, rows: Array) -> Array | None:
    """Return the share of each class among some rows."""
    if not shared.problem.is_classification:
        return None
    counts = np.bincount(shared.problem.y[rows], minlength=len(shared.problem.classes))
    return np.asarray(counts / len(rows))


def loss_on(shared: Shared, rung: int, found: Evaluation, measure: Measure) -> float:
    """Return the mean proper loss of an evaluation, infinite where there is none."""
    if not found.answers:
        return float("inf")
    losses = [
        row_losses(measure, shared.problem.y[test], answers)
        for (_, test), answers in zip(shared.rungs[rung].splits, found.answers, strict=True)
    ]
    return float(np.concatenate(losses).mean())


def entries_of(candidates: Sequence[Candidate]) -> list[Entry]:
    """Return every method with each of its settings."""
    return [Entry(each, setting) for each in candidates for setting in each.settings]
