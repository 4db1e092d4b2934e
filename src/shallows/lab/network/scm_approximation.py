"""Experiment: a soft committee fits better with more units."""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated

import numpy as np

from shallows._core.contract.params import Range
from shallows.lab import Run, experiment, line
from shallows.network import SoftCommitteeMachine, count_parameters


@experiment(
    chapter="network",
    sources="notes-000b Fig. 5.5, M5, M6; notes-004b G5",
    quick={"starts": 3, "iterations": 150},
)
def scm_approximation(
    points: Annotated[int, Range(20, 500)] = 60,
    starts: Annotated[int, Range(2, 50)] = 6,
    iterations: Annotated[int, Range(100, 5000)] = 500,
    *,
    run: Run,
) -> None:
    """How well can a sum of few sigmoids follow a sine?

    Cybenko's theorem says that sums of sigmoids approximate any continuous function, but not how
    many it takes. Here soft committees of growing size are fitted to one period of a sine, each
    from several random starts. A larger committee contains the smaller ones, so its best error
    can't be larger; descent may still miss it from some starts.

    Parameters
    ----------
    points : int
        Points on the curve.
    starts : int
        Random starts of each size.
    iterations : int
        Iterations of descent from each start.
    """
    X = np.linspace(0, 1, points)[:, None]
    y = np.sin(2 * np.pi * X).ravel()
    best = []
    for units in run.progress([1, 2, 3, 5, 10]):
        errors = []
        for _ in range(starts):
            model = SoftCommitteeMachine(
                units, max_iter=iterations, tol=None, random_state=run.rng
            ).fit(X, y)
            errors.append(float(np.mean((model.predict(X) - y) ** 2)))
        best.append(min(errors))
        fitted = model.coef_.size + model.thresholds_.size + model.output_weights_.size
        run.row(
            units=units,
            best_error=min(errors),
            median_error=float(np.median(errors)),
            parameters=fitted,
            formula=count_parameters([1, units], "soft_committee"),
        )
    run.figure(
        line(
            "units",
            ["best_error", "median_error"],
            y_log=True,
            title="Mean squared error of the fit to a sine",
        )
    )
    table = run.columns()
    growth = [late - early for early, late in pairwise(best)]
    run.claim("largest growth of the best error with the units", max(growth), at_most=1e-3)
    run.claim("one sigmoid can't follow a sine (error)", best[0], at_least=0.05)
    run.claim("ten can (error)", best[-1], at_most=1e-3, probability=1e-3)
    run.claim(
        "the committee has K N + 2 K parameters",
        float(np.abs(table["parameters"] - table["formula"]).max()),
        expected=0,
        within=0,
    )
