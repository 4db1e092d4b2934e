"""Experiment: a perceptron run small enough to follow by hand."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from shallows._core.contract.params import Range
from shallows.lab import Run, experiment, line
from shallows.perceptron import Perceptron

# Each row is an input times its label, so that a positive field means a correct answer.
FOLDED = np.array([[1, 2], [2, 1], [1, -1], [1, 1], [0.5, -1.2], [2, 1]])
LABELS = np.array([1, -1, 1, -1, -1, 1])


@experiment(chapter="perceptron", sources="notes-000a Fig. 3.4, M39; notes-001 S-21..30, M16")
def rosenblatt_trace(
    rate: Annotated[float, Range(0.01, 100)] = 0.5,
    *,
    run: Run,
) -> None:
    """What does a perceptron do as it sees one example after another?

    Six examples in the plane are presented in turn. Only a mistake, here at the first, third and
    fifth example, changes the weights, by adding the example times its label. The smallest field
    of the six examples starts at zero and may fall on the way; when it is positive, all examples
    are learned and the second round changes nothing.

    Parameters
    ----------
    rate : float
        Learning rate; 1/2 is one over the number of inputs.
    """
    inputs = FOLDED * LABELS[:, None]
    options: dict[str, Any] = {"fit_intercept": False, "eta0": rate, "shuffle": False, "tol": None}
    model = Perceptron(**options)
    visits = [*range(len(LABELS))] * 2
    weights = np.zeros(2)
    run.row(visit=0, example=0, field=0.0, update=False, w_1=0.0, w_2=0.0, smallest_field=0.0)
    for visit, mu in enumerate(run.progress(visits), start=1):
        field = float(FOLDED[mu] @ weights)
        model.partial_fit(inputs[[mu]], LABELS[[mu]], classes=[-1, 1])
        weights = model.coef_[0].copy()
        run.row(
            visit=visit,
            example=mu + 1,
            field=field,
            update=bool(model.history_["updates"][-1]),
            w_1=weights[0],
            w_2=weights[1],
            smallest_field=(FOLDED @ weights).min(),
        )

    run.figure(
        line(
            "visit",
            ["w_1", "w_2", "smallest_field"],
            title="Weights after each visit, and the smallest field of all six examples",
            y_rule=0,
        )
    )

    table = run.columns()
    updates = table["visit"][np.flatnonzero(table["update"])]
    model = Perceptron(**options).fit(inputs, LABELS)
    strengths = "".join(map(str, model.embedding_strengths_))
    run.claim(
        "updates happen at visits 1, 3 and 5 only", str(updates), holds=[*updates] == [1, 3, 5]
    )
    run.claim("embedding strengths are 1 0 1 0 1 0", strengths, holds=strengths == "101010")
    run.claim("one further epoch, without a change, ends the training", model.n_iter_, 2, within=0)
    gap = np.abs(weights - rate * np.array([2.5, -0.2])).max()
    run.claim(
        "the weights are the rate times the sum of the three examples", gap, at_most=1e-12 * rate
    )
    run.claim("at the end every field is positive", table["smallest_field"][-1], at_least=rate / 2)
