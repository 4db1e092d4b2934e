"""Experiment: irrelevant inputs harm nearest neighbours."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from sklearn.linear_model import LogisticRegression

from shallows._core.contract.params import Range
from shallows.lab import Run, experiment, line
from shallows.lab.theory._ball import nearest_to_centre
from shallows.prototype import KNeighborsClassifier
from shallows.theory import median_nearest_distance

DIMENSIONS = (2, 3, 5, 8, 12, 16, 20)
TRIALS = 400  # sets of points in a ball


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
    """How do irrelevant inputs affect nearest neighbours?

    The class depends only on the first two inputs. Every further input adds to all distances, so
    the nearest points are close in irrelevant inputs, and soon they are not close at all: as the
    theory predicts, the nearest point moves away from the centre. A method that weights its inputs
    suffers much less.

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
        theory = float(median_nearest_distance(samples, d))
        nearest = nearest_to_centre(TRIALS, samples, d, run.rng)
        run.row(
            "nearest",
            inputs=d,
            median=float(np.median(nearest)),
            theory=theory,
            deviation=(np.mean(nearest < theory) - 0.5) / (0.5 / np.sqrt(TRIALS)),
        )
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
    run.figure(
        line(
            "inputs",
            "median",
            theory="theory",
            table="nearest",
            title="Median distance of the nearest example from the centre of a ball",
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
    run.claim(
        "nearest distances below the median of theory: deviation from half, in standard errors",
        np.abs(run.columns("nearest")["deviation"]).max(),
        at_most=3,
        probability=0.02,
    )
    linear = table["error"][~own]
    gain = (linear[-1] - linear[0]) / (knn[-1] - knn[0])
    run.claim("a weighing method loses less than half as much", gain, at_most=0.5)
