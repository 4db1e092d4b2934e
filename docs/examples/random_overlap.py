"""Experiment: random directions in many dimensions."""

from __future__ import annotations

import numpy as np

from shallows._core.contract.params import PositiveInt
from shallows.lab import Run, experiment, line


@experiment(
    chapter="theory",
    sources="second and fourth moment of a uniform direction",
    quick={"trials": 2000},
)
def random_overlap(trials: PositiveInt = 20_000, *, run: Run) -> None:
    """Are random directions orthogonal?

    The cosine between two random directions in `n` dimensions has mean 0 and variance `1 / n`.

    Parameters
    ----------
    trials : int
        Pairs of directions drawn for every dimension.
    """
    worst = 0.0
    for n in run.progress([2, 4, 8, 16, 32, 64]):
        one, other = run.rng.standard_normal((2, trials, n))
        lengths = np.linalg.norm(one, axis=1) * np.linalg.norm(other, axis=1)
        cosine = np.sum(one * other, axis=1) / lengths
        deviation = np.sqrt((3 / (n * (n + 2)) - 1 / n**2) / trials)
        worst = max(worst, abs(np.mean(cosine**2) - 1 / n) / deviation)
        run.row(dimensions=n, squared_cosine=np.mean(cosine**2), theory=1 / n)

    run.figure(line("dimensions", "squared_cosine", theory="theory", x_log=True, y_log=True))
    run.claim(
        "the mean squared cosine is 1/n (largest distance in standard errors)",
        worst,
        at_most=5,
        probability=1e-4,
    )
