"""Experiment: without a bias nothing is learned."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from shallows._core.contract.params import Range
from shallows.lab import Run, bars, experiment, line
from shallows.prototype import KNeighborsClassifier
from shallows.theory import (
    FiniteVersionSpace,
    conjunctions,
    count_boolean,
    count_conjunctions,
    count_consistent,
    no_free_lunch,
    unbiased_votes,
)

Table = NDArray[Any]
ROWS = ["0010", "0100", "0011", "1001", "0110", "1100", "0101"]
LABELS = [0, 0, 1, 1, 0, 0, 0]


@experiment(
    chapter="theory",
    sources="notes-003 E3, M13, M15-M18",
    quick={"seen": 3},
)
def unbiased_learner(seen: Annotated[int, Range(2, 7)] = 4, *, run: Run) -> None:
    """Can anything be learned without a bias?

    Seven rows of a truth table of four inputs are known. 512 Boolean functions agree with them,
    and their votes on each of the other nine rows are equal for 0 and 1: a learner that allows
    every rule only memorises the table. A learner that allows only conjunctions has a single one
    left. And with any bias, averaged over all possible targets, a learner is correct on half of
    the unseen rows.

    Parameters
    ----------
    seen : int
        Rows of eight, of three inputs, that the learners are shown.
    """
    rows = [[int(digit) for digit in row] for row in ROWS]
    space = FiniteVersionSpace(conjunctions(4))
    for seen_rows in range(8):
        functions = count_consistent(4, seen_rows)
        run.row("elimination", examples=seen_rows, hypotheses="conjunctions", left=len(space))
        run.row("elimination", examples=seen_rows, hypotheses="all functions", left=functions)
        if seen_rows < len(rows):
            space = space.update(rows[seen_rows], LABELS[seen_rows])
    run.figure(
        line(
            "examples",
            "left",
            color="hypotheses",
            table="elimination",
            y_log=True,
            title="Hypotheses left after each example",
            y_title="hypotheses",
        )
    )
    votes = unbiased_votes(4, rows, LABELS)
    run.claim("Boolean functions of four inputs", count_boolean(4), 65536, within=0)
    run.claim("functions left after seven rows", votes.total, 512, within=0)
    run.claim("rows not seen", len(votes.positive), 9, within=0)
    run.claim("fewest positive votes for an unseen row", votes.positive.min(), 256, within=0)
    run.claim("most positive votes for an unseen row", votes.positive.max(), 256, within=0)
    run.claim("conjunctions of four inputs", count_conjunctions(4), 82, within=0)
    run.claim(
        "the one conjunction that is left",
        ", ".join(space.names),
        holds=space.names == ("not x2 and x4",),
    )

    shown = [[int(digit) for digit in f"{i:03b}"] for i in run.rng.permutation(8)[:seen]]
    learners = {
        "nearest neighbour": KNeighborsClassifier(1),
        "tree": DecisionTreeClassifier(random_state=0),
        "logistic regression": LogisticRegression(),
    }
    for name, model in run.progress(learners.items()):
        accuracies = no_free_lunch(_learner(model), 3, shown)
        for right in range(9 - seen):
            count = int(np.sum(np.isclose(accuracies * (8 - seen), right)))
            run.row("targets", learner=name, right_answers=right, targets=count)
        run.claim(
            f"{name}: mean accuracy over all 256 targets", accuracies.mean(), 0.5, within=1e-12
        )
        run.claim(f"{name}: best target", accuracies.max(), 1, within=0)
        run.claim(f"{name}: worst target", accuracies.min(), 0, within=0)
    run.figure(
        bars(
            "right_answers",
            "targets",
            color="learner",
            table="targets",
            title="Targets by right answers to unseen rows: every learner gets the same",
            x_title="right answers",
        )
    )


def _learner(model: Any) -> Any:
    def learn(rows: Table, labels: Table, unseen: Table) -> Table:
        if len(np.unique(labels)) == 1:
            return np.full(len(unseen), labels[0])
        return np.asarray(model.fit(rows, labels).predict(unseen))

    return learn
