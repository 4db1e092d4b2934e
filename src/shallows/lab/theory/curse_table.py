"""Experiment: the curse of dimensionality in numbers."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from scipy.stats import binomtest

from shallows._core.contract.params import Range
from shallows.lab import Run, experiment, line
from shallows.lab.theory._ball import nearest_to_centre
from shallows.theory import (
    captured_fraction,
    count_corners,
    edge_length,
    equal_density_size,
    mean_distance,
    median_nearest_distance,
)

FALSE_ALARM = 1e-4


@experiment(
    chapter="theory",
    sources="notes-003 E21, E27, M62; notes-004a 5",
    quick={"trials": 200},
)
def curse_table(trials: Annotated[int, Range(100, 10_000)] = 1000, *, run: Run) -> None:
    """How far away is the nearest neighbour in many dimensions?

    In a cube of ten dimensions, a neighbourhood with one percent of the data spans 63 % of every
    axis. In a ball, the nearest of 500 points is closer to the surface than to the centre. All
    distances in a cube become similar: about the square root of n/6, with a standard deviation
    that does not grow.

    Parameters
    ----------
    trials : int
        Random point sets, and random pairs of points, for each dimension.
    """
    chance = 1.0
    tested = 0
    for d in run.progress(range(1, 21)):
        theory = float(median_nearest_distance(500, d))
        nearest = nearest_to_centre(trials, 500, d, run.rng)
        below = int(np.sum(nearest < theory))
        chance = min(chance, binomtest(below, trials).pvalue)
        pairs = np.linalg.norm(run.rng.random((trials, d)) - run.rng.random((trials, d)), axis=1)
        mean, error = pairs.mean(), pairs.std(ddof=1) / np.sqrt(trials)
        tested += 1
        run.row(
            dimension=d,
            measured_nearest=float(np.median(nearest)),
            median_nearest=theory,
            side_for_1_percent=float(edge_length(0.01, d)),
            side_for_10_percent=float(edge_length(0.1, d)),
            measured_distance=mean,
            standard_error=error,
            mean_distance=mean_distance(d),
            relative_spread=pairs.std(ddof=1) / mean,
        )
    run.figure(
        line(
            "dimension",
            "measured_nearest",
            theory=["median_nearest", "side_for_1_percent", "side_for_10_percent"],
            title="Nearest of 500 points in the unit ball, and sides of small cubes",
            y_title="distance, side",
        )
    )
    run.figure(
        line(
            "dimension",
            "measured_distance",
            theory="mean_distance",
            error="standard_error",
            title="Mean distance of two points in the unit cube",
            y_title="distance",
        )
    )

    numbers = {
        "side for 1 %, 10 dimensions": (edge_length(0.01, 10), 0.631, 5e-4),
        "side for 10 %, 10 dimensions": (edge_length(0.1, 10), 0.794, 5e-4),
        "side for 10 %, 2 dimensions": (edge_length(0.1, 2), 0.316, 5e-4),
        "median distance, 500 points, 10 dimensions": (
            median_nearest_distance(500, 10),
            0.5178,
            5e-5,
        ),
        "mean distance in 100 dimensions": (mean_distance(100), 4.07, 0.01),
        "mean distance in 1000 dimensions": (mean_distance(1000), 12.90, 0.01),
    }
    for text, (value, expected, within) in numbers.items():
        run.claim(text, float(value), expected, within=within)
    black, white = np.zeros((600, 800, 3)), np.ones((600, 800, 3))
    run.claim(
        "inputs of an image of 600 x 800 pixels in three colours", black.size, 1.44e6, within=0
    )
    apart = float(np.linalg.norm(white - black))
    run.claim("from black to white: diagonal of the cube of such images", apart, 1200, within=1e-9)
    for side, name, printed in (
        (1 / 3, "1/3", (0.333, 0.111, 0.0370, 1.69e-5)),
        (0.3, "0.3", (0.3, 0.09, 0.027, 5.9e-6)),
    ):
        for d, expected in zip((1, 2, 3, 10), printed, strict=True):
            text = f"share of a cube of side {name}, {d} dimensions"
            value = float(captured_fraction(side, d))
            run.claim(text, value, expected, within=3e-3 * expected)
    run.claim(
        "as dense as 100 points on a line, 10 dimensions: digits of the number of points",
        len(str(equal_density_size(100, 10))),
        expected=21,
        within=0,
    )
    run.claim(
        "corners of the cube in 100 dimensions: digits", len(str(count_corners(100))), 31, within=0
    )
    run.claim(
        "nearest points: half below the median (smallest p-value of exact binomial tests)",
        chance,
        at_least=FALSE_ALARM / tested,
        probability=FALSE_ALARM,
    )
    table = run.columns()
    worst = np.abs((table["measured_distance"] - table["mean_distance"]) / table["standard_error"])
    run.claim(
        "distances: largest deviation in standard errors", worst.max(), at_most=5, probability=1e-4
    )
    run.note(
        "Such images come in 388.8 million a year, at 25 a second, 12 hours a day on 360 days: far "
        "too few to fill a space of so many dimensions."
    )
    run.note(
        "The shares 3.7 % and 0.0017 % are printed for a side of 0.3. They belong to 1/3; a side "
        "of 0.3 captures 2.7 % and 0.00059 %."
    )
