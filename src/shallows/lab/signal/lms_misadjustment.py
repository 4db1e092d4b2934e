"""Experiment: the cost of noisy steps."""

from __future__ import annotations

import warnings
from typing import Annotated

import numpy as np

from shallows._core.contract.params import Range
from shallows.lab import Run, experiment, line
from shallows.signal import LMS

RATES = 0.02, 0.04, 0.08, 0.16, 1 / 3
MEASURED = 0.0202, 0.0425, 0.0894, 0.197, 0.572  # by the notes' reader


@experiment(
    chapter="signal",
    sources="notes-004b F24, F25, F26, Fig. 79",
    quick={"runs": 20, "steps": 1500},
)
def lms_misadjustment(
    runs: Annotated[int, Range(10, 1000)] = 60,
    steps: Annotated[int, Range(1000, 100_000)] = 3000,
    length: Annotated[int, Range(2, 64)] = 8,
    *,
    run: Run,
) -> None:
    """How far above the least error does an adaptive filter stay?

    With a constant step size the weights keep fluctuating around the optimum, because the
    gradients are noisy. The excess of the error over its minimum, the misadjustment, is about mu
    tr R for small steps and more for large ones. From about 1 / tr R on the filter is unstable;
    one third of this is safe.

    Parameters
    ----------
    runs : int
        Repetitions for each step size.
    steps : int
        Samples in each run, which starts at the best weights.
    length : int
        Number of weights; the input is white with variance 1, so that tr R is this number.
    """
    best, noise = np.ones(length) / np.sqrt(length), 0.1
    spread = {}
    for rate in run.progress(RATES):
        excess = []
        for _ in range(runs):
            X = run.rng.standard_normal((steps, length))
            # the deviation from the best weights moves like a filter whose target is the noise
            model = LMS(rate / length).fit(X, noise * run.rng.standard_normal(steps))
            excess.append(np.mean(model.errors_[steps // 10 :] ** 2) / noise**2 - 1)
        spread[rate] = np.std(excess) / np.sqrt(runs)
        run.row(
            rate=rate, misadjustment=np.mean(excess), small_steps=rate, standard_error=spread[rate]
        )
    run.figure(
        line(
            "rate",
            "misadjustment",
            theory="small_steps",
            error="standard_error",
            title="Excess of the error over the least one",
            x_title="mu tr R",
        )
    )
    table = run.columns()
    if length == 8:
        for rate, expected, found in zip(RATES, MEASURED, table["misadjustment"], strict=True):
            run.claim(
                f"mu tr R = {rate:.3g}: misadjustment",
                found,
                expected=expected,
                within=0.1 * expected + 4 * spread[rate],
                probability=1e-3,
            )

    R = np.array([[1.0, 0.7], [0.7, 1.0]])
    root, mu, n = np.linalg.cholesky(R), 0.03, 60
    target = np.array([1.0, -0.5])
    paths = []
    for _ in range(10 * runs):
        X = run.rng.standard_normal((n, 2)) @ root.T
        paths.append(LMS(mu, keep_path=True).fit(X, X @ target).path_[n // 2])
    decay = np.linalg.matrix_power(np.eye(2) - 2 * mu * R, n // 2 + 1)
    gap = np.mean(paths, axis=0) - (target - decay @ target)
    run.claim(
        "mean path against exact descent, in standard errors",
        np.max(np.abs(gap) / (np.std(paths, axis=0) / np.sqrt(len(paths)))),
        at_most=4.5,
        probability=1e-4,
    )
    X = run.rng.standard_normal((20_000, length))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # it says that this is above the bound
            LMS(3 / length).fit(X, X @ best)
        bounded = 1.0
    except FloatingPointError:
        bounded = 0.0
    run.claim(
        "nine times the bound 1 / (3 tr R): the filter stays bounded", bounded, expected=0, within=0
    )
