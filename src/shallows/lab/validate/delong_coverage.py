"""Experiment: how often DeLong's interval contains the true area."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from scipy.special import ndtr, ndtri
from scipy.stats import binomtest

from shallows._core.contract.params import Range
from shallows.lab import Run, experiment, line
from shallows.validate import delong

LEVEL, FALSE_ALARM = 0.95, 1e-4
SIZES = (10, 15, 25, 50, 100, 200)
AT_LEAST = 0.92


@experiment(
    chapter="validate",
    sources="notes-003 M30, M31b; notes-000b M99",
    quick={"trials": 200},
)
def delong_coverage(
    trials: Annotated[int, Range(100, 20_000)] = 2000,
    distance: Annotated[float, Range(0.5, 2.5)] = 2.0,
    *,
    run: Run,
) -> None:
    """Can the interval of an area under the ROC curve be trusted with few samples?

    DeLong's variance is correct on average, up to a few per cent too large in small samples. The
    interval of plus and minus two standard errors still misses the true area too often if the area
    is large, because estimates near 1 have small standard errors; it even extends beyond 1. The
    interval on the logit scale is conservative instead.

    Parameters
    ----------
    trials : int
        Data sets of each size.
    distance : float
        Distance of the two Gaussian classes in standard deviations.
    """
    truth = float(ndtr(distance / np.sqrt(2)))
    z = ndtri(0.5 + LEVEL / 2)
    held = {}
    for size in run.progress(SIZES):
        y = np.repeat([0, 1], size)
        areas, variances, logit = np.empty(trials), np.empty(trials), np.empty(trials, dtype=bool)
        for trial in range(trials):
            estimate = delong(y, y * distance + run.rng.normal(size=2 * size))
            interval = estimate.interval(level=LEVEL)
            areas[trial], variances[trial] = estimate.auc[0], estimate.covariance[0, 0]
            logit[trial] = interval.low <= truth <= interval.high
        plain = np.abs(areas - truth) <= z * np.sqrt(variances)
        for name, covered in (("logit scale", logit), ("two standard errors", plain)):
            held[name, size] = int(covered.sum())
            run.row(
                interval=name,
                samples_per_class=size,
                coverage=covered.mean(),
                standard_error=np.sqrt(covered.mean() * (1 - covered.mean()) / trials),
            )
        run.row(
            "variance",
            samples_per_class=size,
            estimated_over_true=variances.mean() / areas.var(),
        )

    run.figure(
        line(
            "samples_per_class",
            "coverage",
            error="standard_error",
            color="interval",
            x_log=True,
            y_rule=LEVEL,
            title="Share of data sets whose 95 % interval holds the true area",
            x_title="samples of each class",
        )
    )
    run.figure(
        line(
            "samples_per_class",
            "estimated_over_true",
            table="variance",
            x_log=True,
            y_rule=1,
            title="DeLong's variance over the variance of the estimates",
            x_title="samples of each class",
        )
    )

    low = min(
        binomtest(held["logit scale", size], trials, AT_LEAST, "less").pvalue for size in SIZES
    )
    run.claim(
        "logit scale: covers at least 92 % at every size (smallest p-value against less)",
        low,
        at_least=FALSE_ALARM / len(SIZES),
        probability=FALSE_ALARM,
    )
    small = SIZES[0]
    run.claim(
        f"two standard errors: less often than the logit scale at {small} per class",
        (held["logit scale", small] - held["two standard errors", small]) / trials,
        at_least=0.01,
        probability=FALSE_ALARM,
    )
    large = run.columns("variance")["estimated_over_true"][-1]
    # the variance of a normal sample variance is 2 / trials of its square
    reach = 4 * np.sqrt(2 / trials) + 0.02
    run.claim(
        f"the variance is right at {SIZES[-1]} per class",
        large,
        expected=1,
        within=reach,
        probability=FALSE_ALARM,
    )
