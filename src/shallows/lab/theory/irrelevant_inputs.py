"""Experiment: inputs that don't matter spoil nearest neighbours."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from sklearn.linear_model import LogisticRegression

from shallows._core.params import Range
from shallows.lab import Run, experiment, line
from shallows.prototype import KNeighborsClassifier

DIMENSIONS = (2, 3, 5, 8, 12, 16, 20)


@experiment(
    chapter="theory",
    sources="notes-003 M62, Tasks",
    quick={"repetitions": 8, "samples": 150},
)
def irrelevant_inputs(
    samples: Annotated[int, Range(100, 5000)] = 300,
    repetitions: Annotated[int, Range(5, 200)] = 30,
    neighbors: Annotated[int, Range(1, 50)] = 5,
    *,
    run: Run,
) -> None:
    """What do inputs that don't matter do to nearest neighbours?

    The class depends on the first two inputs alone. Every further input adds to all distances,
    so the neighbours that decide are near in inputs that say nothing. A method that weighs its
    inputs suffers much less.

    Parameters
    ----------
    samples : int
        Training examples.
    repetitions : int
        Data sets for every number of inputs.
    neighbors : int
        Neighbours that vote.
    """
    models = {
        "nearest neighbours": KNeighborsClassifier(neighbors),
        "logistic regression": LogisticRegression(C=10),
    }
    for d in run.progress(DIMENSIONS):
        errors: dict[str, list[float]] = {name: [] for name in models}
        for _ in range(repetitions):
            X = run.rng.random((samples + 1000, d))
            y = X[:, 0] + X[:, 1] > 1
            for name, model in models.items():
                model.fit(X[:samples], y[:samples])
                errors[name].append(float(np.mean(model.predict(X[samples:]) != y[samples:])))
        for name, values in errors.items():
            run.row(
                method=name,
                inputs=d,
                error=np.mean(values),
                standard_error=np.std(values, ddof=1) / np.sqrt(repetitions),
            )
    run.figure(
        line(
            "inputs",
            "error",
            error="standard_error",
            color="method",
            title="Test error where two inputs matter and the rest is noise",
            x_title="number of inputs",
        )
    )

    table = run.columns()
    own = table["method"] == "nearest neighbours"
    knn, spread = table["error"][own], table["standard_error"][own]
    rise = np.diff(knn) / np.hypot(spread[1:], spread[:-1])
    run.claim(
        "nearest neighbours get worse with every step: smallest rise in standard errors",
        rise.min(),
        at_least=-2.5,
        probability=0.04,
    )
    run.claim("20 inputs against 2: error grows by a factor", knn[-1] / knn[0], at_least=2.5)
    linear = table["error"][~own]
    gain = (linear[-1] - linear[0]) / (knn[-1] - knn[0])
    run.claim("a weighing method loses less than half as much", gain, at_most=0.5)
