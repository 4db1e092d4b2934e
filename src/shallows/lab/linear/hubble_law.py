"""Experiment: the expansion of the universe as a line through the origin."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from shallows._core.contract.params import Range
from shallows.data import hubble
from shallows.lab import Run, experiment, line
from shallows.linear import LinearRegression, simple_regression


@experiment(chapter="linear", sources="notes-000a Fig. 2.1, M30, Eq. 2.1", quick={"resamples": 200})
def hubble_law(
    resamples: Annotated[int, Range(100, 20_000)] = 2000,
    *,
    run: Run,
) -> None:
    """How fast does the universe expand, according to the nebulae of 1929?

    Hubble fitted v = H0 d to 24 nebulae. Through the origin, the closed-form solution is the sum
    of v d over the sum of d squared. The bootstrap shows how poorly 24 nebulae determine the
    slope. It also shows that chance does not explain today's much smaller value: the distances of
    1929 were too small.

    Parameters
    ----------
    resamples : int
        Samples of 24 nebulae drawn with repetition.
    """
    distance, velocity, _ = hubble()
    slope = simple_regression(distance, velocity, through_origin=True).slope
    free = simple_regression(distance, velocity)
    general = LinearRegression(fit_intercept=False).fit(distance[:, None], velocity)
    run.rows(
        distance=distance,
        velocity=velocity,
        through_origin=slope * distance,
        with_offset=free.offset + free.slope * distance,
    )

    slopes = []
    for _ in run.progress(range(resamples)):
        drawn = run.rng.integers(len(distance), size=len(distance))
        slopes.append(
            simple_regression(distance[drawn], velocity[drawn], through_origin=True).slope
        )
    low, high = np.quantile(slopes, [0.025, 0.975])

    run.figure(
        line(
            "distance",
            "velocity",
            theory=["through_origin", "with_offset"],
            title="Velocity of nebulae against their distance",
            x_title="distance in Mpc",
            y_title="velocity in km/s",
        )
    )
    run.claim("H0 = sum v d / sum d^2 in km/s/Mpc", slope, expected=423.9, within=0.05)
    run.claim(
        "the general solver finds the same slope", general.coef_[0], expected=slope, within=1e-9
    )
    run.claim(
        "with an offset the residuals sum to zero",
        float(np.sum(velocity - free.offset - free.slope * distance)),
        expected=0,
        within=1e-9,
    )
    run.claim(
        "Hubble's own 500 is where the bootstrap interval of 24 nebulae ends",
        high,
        expected=500,
        within=20,
        probability=1e-4,
    )
    run.claim("today's 73.5 is excluded: lower end", low, at_least=200, probability=1e-4)
