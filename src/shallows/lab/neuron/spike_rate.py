"""Experiment: the rate at which a leaky neuron fires."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from shallows._core.contract.params import Range
from shallows.lab import Run, experiment, line
from shallows.neuron import integrate_and_fire, mean_firing_rate


@experiment(chapter="neuron", sources="notes-000a Fig. 1.2, M02, M04", quick={"currents": 8})
def spike_rate(
    currents: Annotated[int, Range(5, 100)] = 30,
    tau: Annotated[float, Range(1, 100)] = 20.0,
    dt: Annotated[float, Range(0.01, 1)] = 0.1,
    window: Annotated[float, Range(50, 1000)] = 200.0,
    *,
    run: Run,
) -> None:
    """How fast does a neuron fire under a constant current?

    A leaky integrate-and-fire neuron is silent up to the current whose stationary potential equals
    the threshold. Above, the time between spikes is tau ln(RI / (RI - 1)). Counting spikes in a
    window estimates its reciprocal, with an error of at most one spike.

    Parameters
    ----------
    currents : int
        Currents from 0.5 to 4 times the one at threshold.
    tau : float
        Time constant of the membrane in ms.
    dt : float
        Length of a step in ms.
    window : float
        Window in which spikes are counted, in ms.
    """
    neuron = integrate_and_fire.Neuron(tau=tau)
    gaps, silent = [], 0
    for current in run.progress(np.linspace(0.5, 4, currents)):
        drives = np.full(round(5 * window / dt), current)
        spikes = integrate_and_fire.simulate(drives, dt, neuron=neuron).spikes[0]
        rates = mean_firing_rate(spikes, window, duration=5 * window)
        theory = 1 / (tau * np.log(current / (current - 1))) if current > 1 else 0.0
        if current <= 1:
            silent += len(spikes)
        if len(spikes) > 1:
            gaps.append(np.abs(np.diff(spikes) - 1 / theory).max())
        run.row(
            current=current,
            rate=1000 * rates.mean(),
            theory=1000 * theory,
            largest_error=np.abs(rates - theory).max() * window,
        )
    run.figure(
        line(
            "current",
            "rate",
            theory="theory",
            title="Firing rate of a leaky neuron",
            x_title="current over that at threshold",
            y_title="spikes per second",
        )
    )
    run.claim("no spike below threshold", silent, expected=0, within=0)
    run.claim("interval between spikes: largest gap to the closed form", max(gaps), at_most=1e-6)
    run.claim(
        "rate in a window: largest error, in spikes per window",
        run.columns()["largest_error"].max(),
        at_most=1 + 1e-9,
    )
    run.note(
        "Spikes are placed by the exact solution within a step, so that intervals agree with "
        "the closed form far below the length of a step."
    )
