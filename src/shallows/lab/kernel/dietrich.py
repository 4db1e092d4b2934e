"""Experiment: quadratic features make quadrant data separable."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from scipy.optimize import linprog

from shallows._core.contract.params import Range
from shallows.data import make_quadrants
from shallows.kernel import SVC, quadratic_features
from shallows.lab import Run, experiment, scatter
from shallows.perceptron import AdaTron

WEIGHTS = np.array([1.0, 1.0, -1.0])


@experiment(chapter="kernel", sources="notes-000a M93, Fig. 4.5", quick={"n": 80})
def dietrich(n: Annotated[int, Range(20, 2000)] = 300, *, run: Run) -> None:
    """Can a linear classifier learn opposite sectors?

    The label is the sign of x1^2 + sqrt(2) x1 x2 - x2^2, which is linear in the three features
    (x1^2, sqrt(2) x1 x2, x2^2). The boundary in the plane is a pair of orthogonal lines, so no
    single line separates the classes, but a plane in feature space does. A kernel method finds it
    without computing the features.

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
    plane = AdaTron(None, threshold="none", max_iter=10**5, random_state=0).fit(features, y)
    angles = _border_angles(plane.coef_[0])
    expected = _border_angles(WEIGHTS)  # of slopes (sqrt2 -+ sqrt6)/2, which are orthogonal
    off = np.abs((angles - expected + 90) % 180 - 90)
    # On each side of a border the next point is nearer but for a probability of 1e-5; of 180
    # degrees, those of n points in a square lie at most 1.3 times as thin as on average.
    near = 1.3 * 180 / n * np.log(1e5)
    run.claim(
        "largest angle of the borders learned to the true ones",
        off.max(),
        at_most=near,
        probability=4e-5,
    )
    run.claim(
        "the borders are orthogonal: degrees between them",
        abs(angles[1] - angles[0]),
        expected=90,
        within=2 * near,
        probability=4e-5,
    )
    linear = np.column_stack([X, np.ones(n)])
    run.claim("lines that separate the inputs", int(_separable(linear, y)), expected=0, within=0)
    run.claim("planes that separate the features", int(_separable(features, y)), at_least=1)
    run.claim(
        "errors of the stated weights", float(np.sum(y * (features @ WEIGHTS) <= 0)), 0, within=0
    )
    run.claim("linear kernel: share of errors", 1 - plain.score(X, y), at_least=0.2)
    run.claim("quadratic kernel: share of errors", 1 - model.score(X, y), at_most=0.05)


def _border_angles(weights: np.ndarray) -> np.ndarray:
    """Return the directions, in degrees, in which the quadratic form of the weights vanishes."""
    slopes = np.roots([weights[2], np.sqrt(2) * weights[1], weights[0]]).real
    return np.sort(np.degrees(np.arctan(slopes)))


def _separable(inputs: np.ndarray, y: np.ndarray) -> bool:
    """Tell by a linear programme whether weights with y w.x >= 1 exist."""
    size = inputs.shape[1]
    found = linprog(
        np.zeros(size), A_ub=-inputs * y[:, None], b_ub=-np.ones(len(y)), bounds=(None, None)
    )
    return bool(found.status == 0)
