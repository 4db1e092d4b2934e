"""Experiment: the step width of Metropolis sampling."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from shallows._core.contract.params import Range
from shallows.lab import Run, experiment, line
from shallows.sampling import diagnose, metropolis


@experiment(
    chapter="sampling",
    sources="notes-004b C17, C19",
    quick={"chains": 20, "steps": 2000, "widths": 7},
)
def metropolis_tuning(
    chains: Annotated[int, Range(4, 200)] = 50,
    steps: Annotated[int, Range(1000, 100_000)] = 5000,
    widths: Annotated[int, Range(5, 30)] = 11,
    rho: Annotated[float, Range(0, 0.99)] = 0.9,
    *,
    run: Run,
) -> None:
    """How wide should the steps of a Metropolis walk be?

    Small steps are nearly all accepted but explore slowly; large ones are nearly all rejected. In
    between there is a width with the shortest autocorrelation time; states that far apart are
    nearly independent.

    Parameters
    ----------
    chains : int
        Number of chains.
    steps : int
        Steps of each chain, after a tenth as many of burn-in.
    widths : int
        Standard deviations of the steps, from 0.01 to 10.
    rho : float
        Correlation of the two coordinates of the law.
    """

    def log_density(x: NDArray[np.float64]) -> NDArray[np.float64]:
        quadratic = x[:, 0] ** 2 - 2 * rho * x[:, 0] * x[:, 1] + x[:, 1] ** 2
        return -quadratic / (2 * (1 - rho**2))

    worst = 0.0
    for width in run.progress(np.geomspace(0.01, 10, widths)):
        start = run.rng.standard_normal((chains, 2))
        start[:, 1] = rho * start[:, 0] + np.sqrt(1 - rho**2) * start[:, 1]
        sample = metropolis(
            log_density, start, steps, width=width, burn_in=steps // 10, random_state=run.rng
        )
        found = diagnose(sample.states)
        means = sample.states.mean(axis=1)  # chains are independent, whatever their steps
        errors = means.std(axis=0, ddof=1) / np.sqrt(chains)
        worst = max(worst, float(np.max(np.abs(means.mean(axis=0)) / errors)))
        run.row(width=width, acceptance=sample.acceptance, time=found.autocorrelation_time.max())
    run.figure(
        line(
            "width",
            "time",
            x_log=True,
            y_log=True,
            title="Steps per independent state",
            x_title="standard deviation of a step",
        )
    )
    table = run.columns()
    run.claim(
        "acceptance falls with the width (largest rise)",
        np.diff(table["acceptance"]).max(),
        at_most=0.01,
        probability=0.01,
    )
    best = table["time"].argmin()
    run.claim(
        "best width: shortest time is inside the range",
        float(0 < best < widths - 1),
        expected=1,
        within=0,
    )
    run.claim(
        "times at both ends over the shortest",
        min(table["time"][0], table["time"][-1]) / table["time"][best],
        at_least=3,
        probability=0.01,
    )
    run.claim("means: largest error in standard errors", worst, at_most=5.5, probability=0.001)
