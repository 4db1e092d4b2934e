"""Experiment: how far is one neighbour from the best rule?"""

from __future__ import annotations

from typing import Annotated

import numpy as np
from scipy.stats import norm

from shallows._core.params import Range
from shallows.lab import Run, experiment, line
from shallows.prototype import KNeighborsClassifier

DISTANCES = (0.5, 1.0, 1.5, 2.0, 3.0)


@experiment(
    chapter="prototype",
    sources="notes-003 M50, M57",
    quick={"n": 2000, "test_points": 5000},
)
def nearest_neighbour_rate(
    n: Annotated[int, Range(1000, 200_000)] = 20_000,
    test_points: Annotated[int, Range(1000, 200_000)] = 50_000,
    *,
    run: Run,
) -> None:
    r"""How far is one neighbour from the best rule?

    With many training points the nearest one has the class probabilities of the query itself, so
    that the rule errs as often as two draws from them differ: :math:`2 E[p (1 - p)]`. This lies
    between the Bayes error :math:`E^*` and :math:`2 E^* (1 - E^*)`, Cover and Hart's bound. Two
    Gaussian classes on a line, at different distances, have all three in closed form or by a
    simple integral.

    Parameters
    ----------
    n : int
        Training points.
    test_points : int
        Test points.
    """
    grid = np.linspace(-12, 12, 20_001)
    worst = {"below Bayes": np.inf, "above the bound": np.inf, "off the limit": 0.0}
    for distance in run.progress(DISTANCES):
        y = run.rng.integers(2, size=n + test_points)
        x = (run.rng.standard_normal(len(y)) + distance * (y - 0.5))[:, None]
        model = KNeighborsClassifier(1).fit(x[:n], y[:n])
        error = float(np.mean(model.predict(x[n:]) != y[n:]))
        bayes = float(norm.cdf(-distance / 2))
        chance = 1 / (1 + np.exp(-distance * grid))
        density = (norm.pdf(grid - distance / 2) + norm.pdf(grid + distance / 2)) / 2
        limit = float(np.trapezoid(2 * chance * (1 - chance) * density, grid))
        bound = 2 * bayes * (1 - bayes)
        run.row(
            distance=distance,
            one_neighbour=error,
            limit=limit,
            Bayes=bayes,
            bound=bound,
            standard_error=float(np.sqrt(error * (1 - error) / test_points)),
        )
        worst["below Bayes"] = min(worst["below Bayes"], error - bayes)
        worst["above the bound"] = min(worst["above the bound"], bound - error)
        worst["off the limit"] = max(worst["off the limit"], abs(error - limit))
    run.figure(
        line(
            "distance",
            "one_neighbour",
            theory=["limit", "Bayes", "bound"],
            error="standard_error",
            x_title="distance of the classes",
            y_title="error",
        )
    )
    # the training set matters, too: the error of one training set spreads as that of n draws
    reach = 4 * np.sqrt(0.25 / test_points) + 4 * np.sqrt(0.25 / n)
    run.claim(
        "the error is that of two draws: largest deviation",
        measured=worst["off the limit"],
        at_most=reach,
        probability=1e-3,
    )
    run.claim(
        "one neighbour is worse than the best rule",
        worst["below Bayes"],
        at_least=0.0,
        probability=0.001,
    )
    run.claim(
        "one neighbour obeys Cover and Hart's bound: least room below it",
        worst["above the bound"],
        at_least=-reach,
        probability=1e-3,
    )
