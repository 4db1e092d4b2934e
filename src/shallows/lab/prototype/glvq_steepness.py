"""Experiment: the steepness of the GLVQ cost leads from distances to counting errors."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from scipy.special import expit
from sklearn.datasets import load_iris
from sklearn.preprocessing import StandardScaler

from shallows._core.contract.params import PositiveInt, Range
from shallows.lab import Run, experiment, line
from shallows.prototype import GLVQ

SMALL = 0.1  # the least steepness


@experiment(
    chapter="prototype",
    sources="notes-000b M52",
    quick={"epochs": 20, "steps": 5},
)
def glvq_steepness(
    epochs: PositiveInt = 100,
    steps: Annotated[int, Range(3, 30)] = 9,
    *,
    run: Run,
) -> None:
    """What does the steepness of the GLVQ cost change?

    The cost of a sample is `1 / (1 + exp(-gamma e))` of its relative distance `e`, which is
    negative exactly if the sample is classified correctly. With a small gamma its slope is gamma /
    4 for all samples, so training minimises the sum of `e`. With a large gamma the cost is nearly
    0 or 1, and the sum counts the errors. The slope grows with gamma, so the learning rate must
    shrink with it; otherwise the steps of a steep cost move the prototypes out of the data.

    Parameters
    ----------
    epochs : int
        Passes over the z-scored iris data.
    steps : int
        Values of gamma from 0.1 to 1000.
    """
    X, y = load_iris(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    signs_agree, ends = True, []
    shared: dict[str, Any] = {"max_iter": epochs, "tol": None, "random_state": run.seed}
    for gamma in run.progress(np.geomspace(SMALL, 1000, steps)):
        model = GLVQ(gamma=float(gamma), learning_rate=0.4 / max(4.0, gamma), **shared).fit(X, y)
        ends.append(model.prototypes_)
        margin = model.decision_function(X)[np.arange(len(y)), y]
        wrong = model.predict(X) != y
        signs_agree &= bool(np.array_equal(margin < 0, wrong))
        cost = expit(-gamma * margin)
        run.row(
            gamma=gamma,
            cost=cost.mean(),
            error_rate=wrong.mean(),
            undecided=np.mean((cost > 0.05) & (cost < 0.95)),
        )

    run.figure(
        line(
            "gamma",
            ["cost", "error_rate", "undecided"],
            title="GLVQ on iris: cost, errors, and samples whose cost is neither 0 nor 1",
            y_title="share",
            x_log=True,
        )
    )
    table = run.columns()
    gap = np.abs(table["cost"] - table["error_rate"])
    run.claim(
        "a sample is wrong exactly where its relative distance is positive",
        signs_agree,
        holds=signs_agree,
    )
    plain = GLVQ(gamma=None, learning_rate=0.1 * SMALL / 4, **shared).fit(X, y).prototypes_
    start = np.array([X[y == k].mean(axis=0) for k in range(3)])
    run.claim(
        "with gamma = 0.1 the prototypes end where e alone leads them (gap by length of the way)",
        np.linalg.norm(ends[0] - plain) / np.linalg.norm(plain - start),
        at_most=0.02,
    )
    run.claim(
        "with gamma = 1000 the mean cost is nearly the share of errors", gap[-1], at_most=0.01
    )
    run.claim(
        "fewer samples are undecided with gamma = 1000 than with gamma = 0.1",
        table["undecided"][-1] - table["undecided"][0],
        at_most=-0.5,
    )
    run.claim(
        "gamma = 1 or the value next to it classifies",
        _near_one(table),
        at_most=0.15,
        probability=0.01,
    )


def _near_one(table: dict[str, np.ndarray]) -> float:
    return float(table["error_rate"][np.abs(np.log(table["gamma"])).argmin()])
