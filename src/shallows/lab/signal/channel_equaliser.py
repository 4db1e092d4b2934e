"""Experiment: a channel equaliser, and feedback-error learning."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from shallows._core.contract.params import Range
from shallows.data import binary_channel
from shallows.lab import Run, experiment, line
from shallows.signal import equalize, feedback_error_learning


@experiment(
    chapter="signal",
    sources="notes-004b F8, F9, F10, Fig. 69, 70",
    quick={"steps": 20_000},
)
def channel_equaliser(
    steps: Annotated[int, Range(10_000, 1_000_000)] = 100_000,
    training: Annotated[int, Range(500, 5000)] = 1000,
    length: Annotated[int, Range(8, 32)] = 12,
    noise: Annotated[float, Range(0.01, 0.3)] = 0.15,
    *,
    run: Run,
) -> None:
    """How long should a receiver wait before it decides?

    A channel distributes each sign over three steps and adds noise. A filter learns from a known
    sequence to restore the signs, and continues to learn from its own decisions. Without a delay
    it must decide before the whole effect of a sign has arrived; with a delay of about half its
    length it sees both sides.

    Parameters
    ----------
    steps : int
        Number of signs.
    training : int
        Number of signs that the receiver knows.
    length : int
        Number of weights.
    noise : float
        Standard deviation of the noise.
    """
    sent, received = binary_channel(steps, (0.5, 1.0, 0.5), noise=noise, random_state=run.rng)
    raw = np.mean(np.sign(received[1:]) != sent[:-1])
    for delay in run.progress(range(length)):
        signs = equalize(received, sent[:training], length, delay).signs
        wrong = signs[delay:] != sent[: len(sent) - delay]
        early, late = wrong[training : steps // 2], wrong[steps // 2 :]
        run.row(delay=delay, error=wrong[training:].mean(), early=early.mean(), late=late.mean())
    table = run.columns()
    run.figure(line("delay", "error", title="Share of wrong signs", x_title="delay in steps"))
    best = table["error"].argmin()
    run.claim(
        "wrong signs of the raw channel over those of the best delay",
        raw / max(table["error"][best], 1 / steps),
        at_least=3,
        probability=0.01,
    )
    run.claim(
        "wrong signs without a delay over those of the best delay",
        table["error"][0] / max(table["error"][best], 1 / steps),
        at_least=3,
        probability=0.01,
    )
    run.claim(
        "best delay: wrong signs in the second half, learned from decisions alone",
        table["late"][best],
        at_most=max(1.5 * table["early"][best], 20 / steps),
        probability=0.01,
    )

    control = feedback_error_learning(run.rng.standard_normal(20_000), [1.0, -0.5, 0.2], length=15)
    first, last = np.mean(control.feedback[:1000] ** 2), np.mean(control.feedback[-1000:] ** 2)
    run.claim(
        "feedback error learning: power of the feedback, last over first",
        last / first,
        at_most=1e-4,
    )
