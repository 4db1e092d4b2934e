"""Candidates: the methods that fit a task and a table, each with the settings to try."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from shallows.study._errors import StudyError
from shallows.study._portfolio import with_settings
from shallows.study._prepare import MOST_ONE_HOT, Design
from shallows.study._problem import Problem
from shallows.study._schema import listed, near

Setting = dict[str, Any]
WINDOWS = (2, 5, 15)
MOST_IN_WINDOW = 1000  # numbers in the largest window


@dataclass(frozen=True)
class Candidate:
    """A method with the settings to try, in the order of the portfolio.

    `complexity` orders methods: among those that can't be told apart the lower one is the simpler.
    `axis` is the parameter along which the report draws scores. Beyond `most_rows` training
    rows the method takes too long and is left out. One for a `series` looks at several rows in
    order of time; one for `positive` targets can't learn others.
    """

    name: str
    source: str
    complexity: int
    build: Callable[[Design, Setting], Any]
    settings: tuple[Setting, ...] = ({},)
    axis: str = ""
    most_rows: int = 10**9
    series: bool = False


def design_of(problem: Problem, seed: int) -> Design:
    """Describe the columns of a problem."""
    features = problem.schema.features
    categories = tuple(i for i, feature in enumerate(features) if feature.is_category)
    numbers = tuple(i for i, feature in enumerate(features) if not feature.is_category)
    widths = [min(len(features[i].levels), MOST_ONE_HOT) for i in categories]
    width = len(numbers) + sum(widths)
    positive = not problem.is_classification and bool(problem.y.min() >= 0)
    return Design(numbers, categories, width, len(problem.classes), seed, positive)


def choose_candidates(
    problem: Problem, only: Sequence[str] = (), skip: Sequence[str] = ()
) -> tuple[list[Candidate], list[str]]:
    """Return the candidates that fit the task and the number of rows, and what was left out."""
    known = classifiers() if problem.is_classification else regressors()
    names = [candidate.name for candidate in known]
    if strange := [name for name in (*only, *skip) if name not in names]:
        raise StudyError(f"There is no method {listed(strange)}; {near(strange, names, 99)}")
    notes, kept = [], []
    for candidate in known:
        if candidate.complexity and (
            candidate.name in skip or (only and candidate.name not in only)
        ):
            continue
        if candidate.series and not _is_series(problem):
            if candidate.name in only:
                notes.append(
                    f"{candidate.name} was not tried: it needs --time with one row per moment, no "
                    "--group, and few columns."
                )
            continue
        if len(problem.y) > candidate.most_rows and candidate.name in only:
            notes.append(
                f"{candidate.name} takes too long beyond {candidate.most_rows:,} training rows, "
                "and was tried on fewer."
            )
        kept.append(candidate)
    if not any(candidate.complexity for candidate in kept):
        raise StudyError(
            f"No method is left to compare with {kept[0].name!r}; "
            + (" ".join(notes) or "name others with --only, or fewer with --skip.")
        )
    return kept, notes


def classifiers() -> list[Candidate]:
    """Return the candidates for classes."""
    from shallows.study._classifiers import CLASSIFIERS

    return with_settings(CLASSIFIERS, "classification")


def regressors() -> list[Candidate]:
    """Return the candidates for numbers."""
    from shallows.study._regressors import REGRESSORS

    return with_settings(REGRESSORS, "regression")


def _is_series(problem: Problem) -> bool:
    """Tell whether the rows are one series, a row at each time, narrow enough for windows."""
    if problem.order is None or problem.groups is not None:
        return False
    narrow = design_of(problem, 0).n_columns * max(WINDOWS) <= MOST_IN_WINDOW
    return narrow and len(set(problem.order.tolist())) == len(problem.order)
