"""Experiment: quadratic features make quadrant data separable."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from scipy.optimize import linprog

from shallows._core.params import Range
from shallows.data import make_quadrants
from shallows.kernel import SVC, quadratic_features
from shallows.lab import Run, experiment, scatter

WEIGHTS = np.array([1.0, 1.0, -1.0])


@experiment(chapter="kernel", sources="notes-000a M93, Fig. 4.5", quick={"n": 80})
def dietrich(n: Annotated[int, Range(20, 2000)] = 300, *, run: Run) -> None:
    """Can a linear classifier learn opposite quadrants?

    The label is the sign of x1^2 + sqrt(2) x1 x2 - x2^2, which is linear in the three features
    (x1^2, sqrt(2) x1 x2, x2^2). The border in the plane is a pair of orthogonal lines, so no
    single line separates the classes, while a plane in feature space does. A kernel method finds
    it without computing a feature.

    Parameters
    ----------
    n : int
        Points.
    """
    X, y = make_quadrants(n, random_state=run.rng)
    features = quadratic_features(X)
    plain = SVC(kernel="linear").fit(X, y)
    model = SVC(100.0, kernel="poly", degree=2, gamma=1.0).fit(X, y)
    run.rows(x1=X[:, 0], x2=X[:, 1], label=np.where(y > 0, "+1", "-1"))
    run.figure(scatter("x1", "x2", color="label", title="Labels by the sign of a quadratic form"))
    slopes = np.sort(np.roots([-WEIGHTS[2], -np.sqrt(2) * WEIGHTS[1], -WEIGHTS[0]]).real)

    run.claim("first border has slope (sqrt2 - sqrt6)/2", slopes[0], expected=-0.5176, within=1e-4)
    run.claim("second border has slope (sqrt2 + sqrt6)/2", slopes[1], expected=1.9319, within=1e-4)
    run.claim("the borders are orthogonal: product of slopes", slopes.prod(), -1, within=1e-12)
    linear = np.column_stack([X, np.ones(n)])
    run.claim("a line separates the inputs", _separable(linear, y), holds=not _separable(linear, y))
    run.claim("a plane separates the features", _separable(features, y), expected=1, within=0)
    run.claim(
        "errors of the stated weights", float(np.sum(y * (features @ WEIGHTS) <= 0)), 0, within=0
    )
    run.claim("linear kernel: share of errors", 1 - plain.score(X, y), at_least=0.2)
    run.claim("quadratic kernel: share of errors", 1 - model.score(X, y), at_most=0.05)


def _separable(inputs: np.ndarray, y: np.ndarray) -> bool:
    """Tell by a linear programme whether weights with y w.x >= 1 exist."""
    size = inputs.shape[1]
    found = linprog(
        np.zeros(size), A_ub=-inputs * y[:, None], b_ub=-np.ones(len(y)), bounds=(None, None)
    )
    return bool(found.status == 0)
