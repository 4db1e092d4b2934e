"""Experiment: echoes found by an adaptive filter."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from shallows._core.contract.params import Range
from shallows.data import fir_plant
from shallows.lab import Run, bars, experiment
from shallows.signal import LMS, correlation, delay_line, wiener

LAYERS = {4: 1.0, 11: -0.6, 17: 0.35}


@experiment(chapter="signal", sources="notes-004b F5, F6, F16, Fig. 65", quick={"steps": 10_000})
def plant_identification(
    steps: Annotated[int, Range(10_000, 1_000_000)] = 50_000,
    length: Annotated[int, Range(18, 64)] = 24,
    noise: Annotated[float, Range(0, 0.2)] = 0.01,
    *,
    run: Run,
) -> None:
    """At which depth are the layers that cause echoes?

    Noise is sent into the ground, and the response is the sum of echoes from three layers. The
    weights of a filter that learns to give the same response are the echoes; their positions are
    the delays.

    Parameters
    ----------
    steps : int
        Number of samples.
    length : int
        Number of weights.
    noise : float
        Standard deviation of the noise of the measurement, relative to that of the signal.
    """
    plant = np.zeros(18)
    for delay, strength in LAYERS.items():
        plant[delay] = strength
    x, d = fir_plant(steps, plant, noise=float(noise * np.linalg.norm(plant)), random_state=run.rng)
    model = LMS(misadjustment=0.02).fit(delay_line(x, length), d)
    truth = np.concatenate([plant, np.zeros(length - len(plant))])
    best = wiener(*correlation(x, d, length)[:2])
    for delay in range(length):
        run.row(delay=delay, weight=model.coef_[delay], true=truth[delay], wiener=best[delay])
    run.figure(bars("delay", "weight", title="Weights after learning", x_title="delay in steps"))
    scale = np.abs(plant).max()
    run.claim(
        "largest error of a weight, relative to the largest weight",
        np.abs(model.coef_ - truth).max() / scale,
        at_most=0.05,
    )
    peaks = np.sort(np.argsort(-np.abs(model.coef_))[: len(LAYERS)])
    run.claim(
        "share of the three largest weights that are at the layers",
        np.mean(peaks == np.array(list(LAYERS))),
        expected=1,
        within=0,
    )
    run.claim(
        "largest gap between the filter and the Wiener solution",
        np.abs(model.coef_ - best).max() / scale,
        at_most=0.05,
    )
