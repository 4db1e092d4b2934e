"""Experiment: the error of one neighbour, compared with the Bayes error."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from scipy.stats import norm

from shallows._core.contract.params import Range
from shallows.lab import Run, experiment, line
from shallows.prototype import KNeighborsClassifier

DISTANCES = (0.5, 1.0, 1.5, 2.0, 3.0)
CELLS = 1.5  # mean square of the cells of points on a line, over the square of their mean
FAR = 3.72  # standard errors, beyond which one of five deviations is with probability 0.001


@experiment(
    chapter="prototype",
    sources="notes-003 M50, M57",
    quick={"n": 2000, "test_points": 5000},
)
def nearest_neighbour_rate(
    n: Annotated[int, Range(2000, 200_000)] = 20_000,
    test_points: Annotated[int, Range(2000, 200_000)] = 50_000,
    *,
    run: Run,
) -> None:
    r"""How close is one neighbour to the best rule?

    With many training points the nearest one has the same class probabilities as the query, so the
    rule errs as often as two draws from them differ: :math:`2 E[p (1 - p)]`. This lies between the
    Bayes error :math:`E^*` and :math:`2 E^* (1 - E^*)`, the bound of Cover and Hart. For two
    Gaussian classes on a line, at different distances, all three are known in closed form or as a
    simple integral.

    Parameters
    ----------
    n : int
        Training points.
    test_points : int
        Test points.
    """
    grid = np.linspace(-12, 12, 20_001)
    for distance in run.progress(DISTANCES):
        y = run.rng.integers(2, size=n + test_points)
        x = (run.rng.standard_normal(len(y)) + distance * (y - 0.5))[:, None]
        model = KNeighborsClassifier(1).fit(x[:n], y[:n])
        bayes = float(norm.cdf(-distance / 2))
        chance = 1 / (1 + np.exp(-distance * grid))
        density = (norm.pdf(grid - distance / 2) + norm.pdf(grid + distance / 2)) / 2
        differ = chance * (1 - chance)
        limit = float(np.trapezoid(2 * differ * density, grid))
        # the label that a training point happened to get decides for all around it
        luck = np.trapezoid(differ * (1 - 2 * chance) ** 2 * density, grid)
        run.row(
            distance=distance,
            one_neighbour=float(np.mean(model.predict(x[n:]) != y[n:])),
            limit=limit,
            Bayes=bayes,
            bound=2 * bayes * (1 - bayes),
            standard_error=np.sqrt(limit * (1 - limit) / test_points + CELLS * luck / n),
        )
    run.figure(
        line(
            "distance",
            "one_neighbour",
            theory=["limit", "Bayes", "bound"],
            error="standard_error",
            x_title="distance of the classes",
            y_title="error",
            title="One neighbour, between the best rule (Bayes) and Cover and Hart's bound",
        )
    )
    table = run.columns()
    error, unit = table["one_neighbour"], table["standard_error"]
    run.claim(
        "the error is that of two draws: largest deviation in standard errors",
        np.max(np.abs(error - table["limit"]) / unit),
        at_most=FAR,
        probability=1e-3,
    )
    run.claim(
        "one neighbour is worse than the best rule: least gap in standard errors",
        np.min((error - table["Bayes"]) / unit),
        at_least=0.0,
        probability=1e-3,
    )
    run.claim(
        "one neighbour obeys Cover and Hart's bound: least room below it in standard errors",
        np.min((table["bound"] - error) / unit),
        at_least=-FAR,
        probability=1e-3,
    )
