"""What a worker does: fit a method to some rows, answer others."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from shallows.study._candidates import Candidate, Setting
from shallows.study._journal import key_of
from shallows.study._measures import chances_of
from shallows.study._prepare import Design
from shallows.study._problem import Array, Problem
from shallows.study._rungs import Rung


@dataclass(frozen=True)
class Entry:
    """A method with one setting."""

    candidate: Candidate
    setting: Setting = field(hash=False)

    @property
    def key(self) -> tuple[str, str]:
        """Its name in the journal."""
        return self.candidate.name, key_of(self.setting)

    @property
    def is_constant(self) -> bool:
        """Whether it always gives the same answer."""
        return self.candidate.complexity == 0


@dataclass(frozen=True)
class Shared:
    """What all fits of a search need; workers have it before the first."""

    problem: Problem
    design: Design
    rungs: Sequence[Rung]
    candidates: Mapping[str, Candidate]


@dataclass(frozen=True)
class Fold:
    """Answers for the test rows of one split: probabilities of all classes, or numbers."""

    answers: Array
    seconds: float


def answer_fold(shared: Shared, name: str, setting: Setting, rung: int, place: int) -> Fold:
    """Fit a method to the training rows of a split and answer its test rows."""
    problem = shared.problem
    train, test = shared.rungs[rung].splits[place]
    start = time.perf_counter()
    model = shared.candidates[name].build(shared.design, setting)
    model.fit(problem.X[train], problem.y[train])
    answers = raw_answers(model, problem.X[test], len(problem.classes))
    if not np.all(np.isfinite(answers)):
        raise ValueError("an answer is not a number")
    return Fold(answers, time.perf_counter() - start)


def fit_whole(parts: Any, part: str, name: str, setting: Setting) -> tuple[Any, float]:
    """Fit a method to all rows of one of several problems; return the model and its seconds."""
    problem = parts.problem[part]
    start = time.perf_counter()
    model = parts.candidates[name].build(parts.design, setting)
    return model.fit(problem.X, problem.y), time.perf_counter() - start


def raw_answers(model: Any, X: Array, n_classes: int) -> Array:
    """Return probabilities of all classes as a model gives them, or numbers."""
    if n_classes:
        return chances_of(model, X, n_classes)
    return np.asarray(model.predict(X), dtype=np.float64)
