"""Experiment: noise cancelling with a second recording of the noise."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from shallows._core.contract.params import Range
from shallows.data import interference
from shallows.lab import Run, experiment, line
from shallows.signal import LMS, cancel_noise


@experiment(chapter="signal", sources="notes-004b F11, Fig. 71", quick={"steps": 20_000})
def interference_cancelling(
    steps: Annotated[int, Range(20_000, 1_000_000)] = 100_000,
    length: Annotated[int, Range(3, 32)] = 5,
    mu: Annotated[float, Range(1e-5, 1e-2)] = 1e-3,
    *,
    run: Run,
) -> None:
    """Can a signal be recovered from noise that is louder?

    One recording contains a sine and noise, a second one only the noise, before the room filtered
    it. An adaptive filter of the second recording learns to predict the first. It can predict only
    the noise, so the prediction error is the sine.

    Parameters
    ----------
    steps : int
        Number of samples.
    length : int
        Number of weights.
    mu : float
        Step size.
    """
    primary, reference, signal = interference(steps, random_state=run.rng)
    found = cancel_noise(primary, reference, length, LMS(mu))
    late = slice(steps // 2, None)
    noise, left = (primary - signal)[late], (found.signal - signal)[late]
    for t in range(0, 200):
        at = steps - 200 + t
        for name, values in (("recorded", primary), ("restored", found.signal), ("true", signal)):
            run.row(step=t, kind=name, value=values[at])
    run.figure(line("step", "value", color="kind", title="The last 200 samples"))
    run.claim(
        "power of the noise before, over that after", np.var(noise) / np.var(left), at_least=10
    )
    whole = found.signal[late] ** 2
    parts = signal[late] ** 2 + left**2
    blocks = (whole - parts)[: len(whole) // 50 * 50].reshape(-1, 50).mean(axis=1)
    run.claim(
        "E eps^2 = E s^2 + E (nu0 - y)^2 (gap in standard errors)",
        abs(blocks.mean()) / (blocks.std() / np.sqrt(len(blocks))),
        at_most=4.5,
        probability=1e-4,
    )
