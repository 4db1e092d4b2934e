"""The rungs of a search: growing samples, all rows, all folds, more repetitions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shallows.study._problem import Problem, Split, make_folds

FIRST_ROWS, GROWTH = 1000, 4  # size of the first rung on large data, and from rung to rung
FEW_ROWS, MANY_ROWS = 2_500, 20_000
MOST_ANSWERED = 20_000  # test rows of a split on large data
CHUNKS = 5  # parts of the test rows where there is one split only


@dataclass(frozen=True)
class Rung:
    """Splits on which entries are scored; `full` if they use all training rows."""

    title: str
    splits: tuple[Split, ...]
    full: bool

    @property
    def rows(self) -> float:
        """Rows to which a fit is made, on average."""
        return float(np.mean([len(train) for train, _ in self.splits]))


def plan_rungs(problem: Problem, folds: int, repeats: int | None, seed: int) -> list[Rung]:
    """Return the rungs, each of them more work than the one before.

    On more than a few rows the first split comes first, with growing samples of its training
    rows; its test rows stay the same, so that answers of all these rungs can be compared.
    """
    n = len(problem.y)
    if repeats is None:
        repeats = 3 if n < FEW_ROWS else 1
    first, *rest = make_folds(problem, folds, repeats, seed)
    rng = np.random.default_rng(seed)
    first = [(train, _some(test, problem, rng)) for train, test in first]
    rungs = []
    if n < FEW_ROWS:
        rungs.append(Rung("all rows", tuple(first), full=True))
    else:
        # Of a series the last split comes first: it has the most rows to learn from.
        leading = first[-1] if problem.order is not None else first[0]
        others = first[:-1] if problem.order is not None else first[1:]
        train, test = leading
        drawn = _drawn(train, problem, rng)
        size = FIRST_ROWS
        while size <= len(train) / 2:
            some = np.sort(drawn[:size])
            rungs.append(Rung(f"{size:,} rows", ((some, test),), full=False))
            size *= GROWTH
        rungs.append(Rung("first fold", (leading,), full=True))
        rungs.append(Rung("all rows", tuple(others), full=True))
    rungs += [Rung(f"repetition {k}", tuple(more), full=True) for k, more in enumerate(rest, 2)]
    return rungs


def _some(test: np.ndarray, problem: Problem, rng: np.random.Generator) -> np.ndarray:
    if len(test) <= MOST_ANSWERED:
        return test
    if problem.order is not None:
        return test[:MOST_ANSWERED]
    return np.sort(rng.choice(test, MOST_ANSWERED, replace=False))


def _drawn(train: np.ndarray, problem: Problem, rng: np.random.Generator) -> np.ndarray:
    """Return training rows in random order, each class early; of a series the latest first."""
    if problem.order is not None:
        return train[np.argsort(problem.order[train], kind="stable")][::-1]
    drawn = rng.permutation(train)
    if not problem.is_classification:
        return drawn
    early = [drawn[problem.y[drawn] == code][:10] for code in np.unique(problem.y[drawn])]
    first = np.concatenate(early)
    return np.concatenate([first, drawn[~np.isin(drawn, first)]])
