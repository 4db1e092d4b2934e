"""Experiment: least squares misclassifies points that a perceptron separates."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from shallows._core.contract.params import Range
from shallows.data import least_squares_counterexample
from shallows.lab import Run, experiment, line
from shallows.linear import LeastSquaresClassifier
from shallows.perceptron import Adaline, Perceptron


@experiment(
    chapter="linear", sources="notes-001 M39, M40, notes-003 Fig. 4.9, M71, notes-003 M35", quick={}
)
def least_squares_fails(
    farthest: Annotated[float, Range(12, 1000)] = 40.0,
    *,
    run: Run,
) -> None:
    """Why does least squares misclassify points that a line separates?

    Four points on a line: 0 and 1 of class 0, 2 and 10 of class 1. The squared error also
    penalises the distant point on the correct side, and the fitted line tilts towards it; the
    threshold 1/2 moves beyond the point at 2. The farther the last point, the larger the shift.
    Gradient descent on the squared error converges to the same line. A perceptron only requires
    the correct side and separates the points.

    Parameters
    ----------
    farthest : float
        How far the last point is moved.
    """
    X, y = least_squares_counterexample()
    for place in run.progress(np.linspace(3, farthest, 60)):
        X[3] = place
        model = LeastSquaresClassifier().fit(X, y)
        cut = (0.5 - model.intercept_[0]) / model.coef_[0, 0]
        errors = int(np.sum(model.predict(X) != y))
        run.row(last_point=place, threshold=cut, errors=errors)
    run.figure(
        line(
            "last_point",
            "threshold",
            y_rule=2.0,
            title="Where the fitted line crosses 1/2; above the dashes the point at 2 is wrong",
        )
    )
    for place, expected in ((10.0, 3.25), (20.0, 5.75)):
        X[3] = place
        model = LeastSquaresClassifier().fit(X, y)
        cut = (0.5 - model.intercept_[0]) / model.coef_[0, 0]
        run.claim(f"last point at {place:g}: threshold", cut, expected=expected, within=1e-9)
        wrong = np.flatnonzero(model.predict(X) != y)
        run.claim(
            f"last point at {place:g}: errors, the point at 2", len(wrong), expected=1, within=0
        )
        if place == 10.0:
            run.claim("offset", model.intercept_[0], expected=0.215139, within=5e-7)
            run.claim("slope", model.coef_[0, 0], expected=0.087649, within=5e-7)
        descent = Adaline("batch", tol=1e-12, max_iter=100_000).fit(X, y)
        run.claim(
            f"last point at {place:g}: threshold where gradient descent ends",
            -descent.intercept_[0] / descent.coef_[0, 0],
            expected=expected,
            within=1e-6,
        )
        run.claim(
            f"last point at {place:g}: errors of gradient descent",
            int(np.sum(descent.predict(X) != y)),
            expected=1,
            within=0,
        )
        unit = Perceptron(max_iter=1000, tol=None, random_state=0).fit(X, y)
        run.claim(
            f"last point at {place:g}: errors of a perceptron",
            int(np.sum(unit.predict(X) != y)),
            expected=0,
            within=0,
        )
    X[3] = 10.0
    signed = LeastSquaresClassifier("pm1").fit(X, y)
    plain = LeastSquaresClassifier().fit(X, y)
    run.claim(
        "coding -1/+1 doubles the slope",
        signed.coef_[0, 0] / plain.coef_[0, 0],
        expected=2,
        within=1e-12,
    )
    run.claim(
        "and leaves the decisions as they are",
        int(np.sum(signed.predict(X) != plain.predict(X))),
        expected=0,
        within=0,
    )
    zero = plain.coef_[0, 0] * X[:, 0] + plain.intercept_[0] > 0
    run.claim(
        "threshold 0 on targets 0/1 is wrong: all points become class 1",
        int(zero.sum()),
        expected=4,
        within=0,
    )
