"""Experiment: examples cut the version space."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from shallows._core.contract.params import Range
from shallows.lab import Run, experiment, scatter
from shallows.perceptron import VersionSpace
from shallows.theory import generalization_error

Floats = NDArray[np.float64]


@experiment(
    chapter="perceptron",
    sources="notes-000a Figs. 3.13, 3.14, 3.16, M55",
    quick={"members": 600},
)
def version_space(members: Annotated[int, Range(400, 20_000)] = 2000, *, run: Run) -> None:
    """Which examples are informative?

    In weight space an example is a plane; all students that classify it correctly lie on one side.
    The students that agree with all examples form a cell of the sphere, here in three dimensions.
    If a plane misses the cell, the label of the example was already determined; if it cuts the
    cell, the example is informative. Two examples leave so much room that two students that know
    both can disagree almost everywhere.

    Parameters
    ----------
    members : int
        Students drawn from every version space.
    """
    teacher = np.array([0.2, 0.1, 1.0]) / np.sqrt(1.05)
    X = run.rng.standard_normal((3, 3))
    y = np.sign(X @ teacher)
    space = VersionSpace(X, y)
    sample = space.sample(members, random_state=run.rng)

    between = run.rng.dirichlet(np.ones(3), 20) @ (X * y[:, None])  # known from the three
    new = np.vstack([run.rng.standard_normal((40, 3)), between, -between[:10]])
    informative = np.array([space.is_informative(x) for x in new])
    ambiguity = space.ambiguity(new, members, random_state=run.rng)
    silent = new[40]
    telling = new[informative][np.argmax(ambiguity[informative])]
    stages = {"P = 3": space}
    for name, x in (("P = 4, uninformative", silent), ("P = 5, informative", telling)):
        X, y = np.vstack([X, x]), np.append(y, np.sign(x @ teacher))
        stages[name] = VersionSpace(X, y)
    axes = np.linalg.svd(teacher[None])[2][1:]
    for name, stage in run.progress(stages.items()):
        weights = stage.sample(members, random_state=run.rng).weights
        flat = weights @ axes.T
        run.rows(examples=name, first=flat[:, 0], second=flat[:, 1], student="member")
        run.row(examples=name, first=0.0, second=0.0, student="teacher")
    run.figure(
        scatter(
            "first",
            "second",
            color="student",
            facet="examples",
            title="Students that agree with all examples, seen along the teacher",
        )
    )

    kept = {name: float(stage.contains(sample.weights).mean()) for name, stage in stages.items()}
    run.claim(
        "the teacher is in every version space",
        _all_hold(stages, teacher),
        holds=_all_hold(stages, teacher),
    )
    run.claim(
        "uninformative: share of members that stay", kept["P = 4, uninformative"], 1, within=0
    )
    run.claim(
        "informative, the most ambiguous: share of members that stay",
        kept["P = 5, informative"],
        at_least=0.2,
        at_most=0.8,
    )
    run.claim(
        "combinations of known examples with one sign are uninformative: exceptions",
        int(informative[40:].sum()),
        expected=0,
        within=0,
    )
    disputed = float(np.max(ambiguity[~informative], initial=0))
    run.claim("what the programs call uninformative, no two members dispute", disputed, 0, within=0)
    missed = np.sum((ambiguity == 0) & informative)
    run.claim(
        "what they call informative, members do: exceptions among 70",
        int(missed),
        at_most=6,
        probability=0.01,
    )
    run.claim("the chains have mixed: r_hat", sample.r_hat, at_most=1.05, probability=0.01)

    two = VersionSpace(X[:2], y[:2]).sample(members, random_state=run.rng).weights
    farthest = max(float(generalization_error(two, w).max()) for w in two[:200])
    run.claim("P = 2: two students that know both can differ on", farthest, at_least=0.85)


def _all_hold(stages: dict[str, VersionSpace], teacher: Floats) -> bool:
    return all(bool(stage.contains(teacher)) for stage in stages.values())
