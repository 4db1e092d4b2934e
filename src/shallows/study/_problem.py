"""The question that a study answers: rows, targets, parts and folds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import (
    GroupKFold,
    GroupShuffleSplit,
    KFold,
    ShuffleSplit,
    StratifiedGroupKFold,
    StratifiedKFold,
    StratifiedShuffleSplit,
    TimeSeriesSplit,
)

from shallows.data import Table
from shallows.study._errors import StudyError
from shallows.study._infer_task import FEWEST_OF_A_CLASS, MOST_CLASSES, Task, infer_task
from shallows.study._schema import Schema, as_text, listed, order_levels
from shallows.validate import check_splits

Array = NDArray[Any]
Split = tuple[Array, Array]
FEWEST_ROWS = 20
FEWEST_GROUPS = 10


@dataclass(frozen=True)
class Problem:
    """Rows with their targets; class labels are codes of `classes`."""

    X: NDArray[np.float64]
    y: Array
    task: Task
    classes: tuple[str, ...]
    groups: Array | None
    order: Array | None  # ranks of the times, where rows are a time series
    rows: Array  # places in the file, or in the sample of it
    schema: Schema
    notes: tuple[str, ...] = field(default=())

    @property
    def is_classification(self) -> bool:
        """Whether the target is a class."""
        return self.task == "classification"

    def part(self, places: Array) -> Problem:
        """Return some of the rows."""
        return Problem(
            self.X[places],
            self.y[places],
            self.task,
            self.classes,
            None if self.groups is None else self.groups[places],
            None if self.order is None else self.order[places],
            self.rows[places],
            self.schema,
        )


def build_problem(
    table: Table, schema: Schema, *, task: Task | None = None, positive: str | None = None
) -> Problem:
    """Return the rows whose target is known, with targets as numbers or class codes."""
    column = schema.named("target")
    if column is None:
        raise StudyError("A supervised study needs a target column.")
    cells, kind = table.columns[column.name], table.types[column.name]
    words = _target_words(table, column.name)
    known = np.array([word is not None for word in words])
    notes = []
    if not known.any():
        raise StudyError(f"The target {column.name!r} has no value in any row.")
    if not known.all():
        notes.append(f"{int((~known).sum()):,} rows without a target were left out.")
    if task is None:
        task, why = infer_task(cells[known], kind)
        notes += [why] if why else []
    classes: tuple[str, ...] = ()
    if task == "regression":
        if kind not in ("integer", "number", "boolean"):
            raise StudyError(
                f"The target {column.name!r} holds {kind} cells, which can't be regressed; leave "
                "--task out or choose a column of numbers."
            )
        y = np.asarray(cells[known], dtype=np.float64)
        if np.ptp(y) == 0:
            raise StudyError(f"The target {column.name!r} has the same value in every row.")
        places = np.flatnonzero(known)
    else:
        y, classes, kept, more = _class_codes(words[known], column.name, positive)
        places = np.flatnonzero(known)[kept]
        notes += more
    if len(y) < FEWEST_ROWS:
        raise StudyError(
            f"{len(y)} rows with a target are too few to train and to test; {FEWEST_ROWS} are "
            "the least."
        )
    return Problem(
        schema.matrix(table.columns)[places],
        y,
        task,
        classes,
        _groups(table, schema, places),
        _order(table, schema, places),
        places,
        schema,
        tuple(notes),
    )


def lock_test_part(problem: Problem, share: float, seed: int) -> Split:
    """Return the rows for training and those that are touched once, at the end."""
    n, y = len(problem.y), problem.y
    places = np.arange(n)
    if problem.order is not None:
        by_time = np.argsort(problem.order, kind="stable")
        cut = n - max(1, round(share * n))
        return by_time[:cut], by_time[cut:]
    if problem.groups is not None:
        if problem.is_classification and len(np.unique(problem.groups)) >= 2 * round(1 / share):
            splitter: Any = StratifiedGroupKFold(round(1 / share), shuffle=True, random_state=seed)
        else:
            splitter = GroupShuffleSplit(1, test_size=share, random_state=seed)
        found = next(splitter.split(places, y, problem.groups))
        return check_splits([found], groups=problem.groups)[0]
    kind = StratifiedShuffleSplit if problem.is_classification else ShuffleSplit
    train, test = next(kind(1, test_size=share, random_state=seed).split(places, y))
    return np.sort(train), np.sort(test)


def make_folds(problem: Problem, folds: int, repeats: int, seed: int) -> list[list[Split]]:
    """Return the folds of each repetition; a time series has one repetition, in order."""
    if problem.order is not None:
        by_time = np.argsort(problem.order, kind="stable")
        splits = TimeSeriesSplit(folds).split(by_time)
        return [[(by_time[train], by_time[test]) for train, test in splits]]
    labels = problem.y if problem.is_classification else None
    folds = _possible_folds(problem, folds)
    seeds = np.random.default_rng(seed).integers(2**31, size=repeats)
    grouped = problem.groups is not None
    kinds: dict[tuple[bool, bool], Any] = {
        (True, True): StratifiedGroupKFold,
        (True, False): StratifiedKFold,
        (False, True): GroupKFold,
        (False, False): KFold,
    }
    kind = kinds[problem.is_classification, grouped]
    return [
        check_splits(
            kind(folds, shuffle=True, random_state=int(s)).split(
                problem.X, problem.y, problem.groups
            ),
            None if grouped else labels,
            problem.groups,
        )
        for s in seeds
    ]


def subsample(problem: Problem, size: int, seed: int) -> Array:
    """Return the places of a smaller training set: the latest rows, whole groups, or a draw."""
    n = len(problem.y)
    if problem.order is not None:
        return np.sort(np.argsort(problem.order, kind="stable")[-size:])
    rng = np.random.default_rng(seed)
    if problem.groups is not None:
        labels, of_row = np.unique(problem.groups, return_inverse=True)
        drawn = rng.permutation(len(labels))
        taken = np.cumsum(np.bincount(of_row)[drawn])
        chosen = drawn[: max(10, int(np.searchsorted(taken, size)))]
        return np.flatnonzero(np.isin(of_row, chosen))
    if problem.is_classification:
        shares = StratifiedShuffleSplit(1, train_size=size, random_state=seed)
        return np.sort(next(shares.split(np.arange(n), problem.y))[0])
    return np.sort(rng.choice(n, size=size, replace=False))


def _possible_folds(problem: Problem, folds: int) -> int:
    if problem.groups is not None:
        return max(2, min(folds, len(np.unique(problem.groups))))
    if problem.is_classification:
        return max(2, min(folds, int(np.bincount(problem.y).min())))
    return folds


def _target_words(table: Table, name: str) -> Array:
    """Return the target as text, booleans by the words of the file."""
    words = as_text(table.columns[name])
    if name in table.words:
        as_written = dict(zip(("no", "yes"), table.words[name], strict=True))
        words = np.array([as_written.get(word) for word in words], dtype=object)
    return words


def _class_codes(
    words: Array, name: str, positive: str | None
) -> tuple[Array, tuple[str, ...], Array, list[str]]:
    """Return codes, class names, the places that are kept, and what to tell."""
    labels, counts = np.unique(words.astype(str), return_counts=True)
    if len(labels) < 2:
        raise StudyError(f"The target {name!r} has one class only, {str(labels[0])!r}.")
    if len(labels) > max(MOST_CLASSES, len(words) / 10):
        raise StudyError(
            f"The target {name!r} has {len(labels)} classes in {len(words)} rows; choose another "
            "column, or merge classes."
        )
    rare = [
        str(label) for label, count in zip(labels, counts, strict=True) if count < FEWEST_OF_A_CLASS
    ]
    notes = []
    if rare:
        notes.append(
            f"Rows of {listed(rare)} were left out: a class needs {FEWEST_OF_A_CLASS} rows to be "
            "trained and tested."
        )
    common = order_levels([str(label) for label in labels if label not in rare])
    if len(common) < 2:
        raise StudyError(
            f"The target {name!r} needs two classes with {FEWEST_OF_A_CLASS} rows each, and "
            f"{len(common)} of its {len(labels)} have as many; merge classes or gather more rows."
        )
    if positive is not None:
        if positive not in common or len(common) != 2:
            raise StudyError(
                f"--positive must name one of two classes, got {positive!r}; the classes are "
                f"{listed(common)}."
            )
        common = tuple(sorted(common, key=lambda label: label == positive))
    place = {label: code for code, label in enumerate(common)}
    kept = np.flatnonzero([word in place for word in words])
    return np.array([place[word] for word in words[kept]]), common, kept, notes


def _groups(table: Table, schema: Schema, places: Array) -> Array | None:
    column = schema.named("group")
    if column is None:
        return None
    words = as_text(table.columns[column.name])[places]
    if any(word is None for word in words):
        raise StudyError(f"The group {column.name!r} must be known in every row.")
    found = np.unique(words.astype(str), return_inverse=True)[1]
    if found.max() + 1 < FEWEST_GROUPS:
        raise StudyError(
            f"The group {column.name!r} has {found.max() + 1} values; {FEWEST_GROUPS} are the "
            "least to train and to test on different ones."
        )
    return found


def _order(table: Table, schema: Schema, places: Array) -> Array | None:
    column = schema.named("time")
    if column is None:
        return None
    return np.unique(times_of(table, column.name, places), return_inverse=True)[1]


def times_of(table: Table, name: str, places: Any = slice(None)) -> Array:
    """Return a column that orders rows, or say why it can't."""
    cells = table.columns[name][places]
    if cells.dtype.kind not in "ifmM":
        raise StudyError(f"The time {name!r} must be dates or numbers, it is {table.types[name]}.")
    gaps = np.isnat(cells) if cells.dtype.kind in "mM" else np.isnan(cells.astype(np.float64))
    if gaps.any():
        raise StudyError(f"The time {name!r} must be known in every row.")
    return cells


def class_shares(problem: Problem) -> Sequence[float]:
    """Return the share of each class."""
    return (np.bincount(problem.y, minlength=len(problem.classes)) / len(problem.y)).tolist()
