"""Experiment: window regression as a first model of a signal."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from shallows._core.contract.params import Range
from shallows.lab import Run, experiment, line
from shallows.signal import WindowRegression, volterra_features


@experiment(
    chapter="signal",
    sources="notes-004a 51, 52, 53, Fig. 11, 12",
    quick={"steps": 400, "horizons": 4},
)
def window_baseline(
    steps: Annotated[int, Range(200, 20_000)] = 2000,
    window: Annotated[int, Range(2, 20)] = 5,
    horizons: Annotated[int, Range(2, 20)] = 8,
    *,
    run: Run,
) -> None:
    """What can a window of past values predict?

    A linear recurrence that is not longer than the window is predicted exactly, at any horizon.
    The logistic map is not linear: a window of values fails, but their products predict one step
    ahead. For longer horizons the degree of the required polynomial doubles with each step.

    Parameters
    ----------
    steps : int
        Length of each series.
    window : int
        Number of values in the window.
    horizons : int
        Steps ahead, from 1 to this number.
    """
    wave = np.empty((steps, 1))
    wave[:2, 0] = run.rng.standard_normal(2)
    for t in range(2, steps):
        wave[t] = 1.9 * wave[t - 1] - wave[t - 2]
    logistic = np.empty((steps, 1))
    logistic[0] = run.rng.uniform(0.2, 0.8)
    for t in range(1, steps):
        logistic[t] = 3.9 * logistic[t - 1] * (1 - logistic[t - 1])

    cases = {
        "recurrence, values": (wave, 1),
        "logistic map, values": (logistic, 1),
        "logistic map, products": (logistic, 2),
    }
    half, rows = steps // 2, 0
    for horizon in run.progress(range(1, horizons + 1)):
        for name, (series, degree) in cases.items():
            model = WindowRegression(window, horizon=horizon, degree=degree, alpha=1e-12)
            model.fit(series[:half])
            rows += model.n_rows_ != half - (window - 1) - horizon
            found = model.predict(series[half:])[window - 1 : -horizon]
            truth = series[half + window - 1 + horizon :]
            error = np.sqrt(np.mean((found - truth) ** 2)) / series.std()
            run.row(case=name, horizon=horizon, error=error)
    run.figure(
        line(
            "horizon",
            "error",
            color="case",
            title="Error on the second half, relative to the spread",
            x_title="steps ahead",
        )
    )
    table = run.columns()
    near = table["horizon"] == 1
    of = {name: table["error"][near & (table["case"] == name)][0] for name in cases}
    run.claim("linear recurrence, one step: error", of["recurrence, values"], at_most=1e-6)
    run.claim("logistic map, values, one step: error", of["logistic map, values"], at_least=0.3)
    run.claim("logistic map, products, one step: error", of["logistic map, products"], at_most=1e-4)
    run.claim(
        "windows with a target are steps - (window - 1) - horizon (exceptions)",
        rows,
        expected=0,
        within=0,
    )
    run.claim(
        "number of values and products of a window of 5",
        volterra_features(np.ones((1, 5))).shape[1],
        expected=20,
        within=0,
    )
