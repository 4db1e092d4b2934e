"""Experiment: copies with noisy inputs act like a penalty."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from shallows._core.contract.params import Range
from shallows.data import make_linear
from shallows.lab import Run, experiment, line
from shallows.linear import LinearRegression, Ridge


@experiment(
    chapter="linear", sources="notes-004a 100", quick={"repeats": 40, "copies": 10, "samples": 200}
)
def noise_is_ridge(
    samples: Annotated[int, Range(50, 2000)] = 400,
    copies: Annotated[int, Range(1, 50)] = 20,
    variance: Annotated[float, Range(0.05, 2)] = 0.5,
    repeats: Annotated[int, Range(20, 1000)] = 300,
    *,
    run: Run,
) -> None:
    """Which penalty is equivalent to training on noisy copies?

    Each sample gets l copies with input noise of variance s2. On average this adds s2 l / (l + 1)
    to the diagonal of the input correlations: ridge regression in the mean form, to first order in
    the noise of the products.

    Parameters
    ----------
    samples : int
        Training samples.
    copies : int
        Noisy copies l of each.
    variance : float
        Variance s2 of the noise.
    repeats : int
        Draws of the noise.
    """
    truth = np.array([1.0, -2.0, 0.5, 1.5, -1.0])
    X, y = make_linear(samples, truth, noise=0.5, random_state=run.rng)
    penalty = variance * copies / (copies + 1)
    ridge = Ridge(penalty, scaling="mean", fit_intercept=False).fit(X, y).coef_
    plain = LinearRegression(fit_intercept=False).fit(X, y).coef_
    target = np.tile(y, copies + 1)
    found = []
    for _ in run.progress(range(repeats)):
        wide = np.tile(X, (copies + 1, 1))
        wide[samples:] += np.sqrt(variance) * run.rng.standard_normal(wide[samples:].shape)
        found.append(LinearRegression(fit_intercept=False).fit(wide, target).coef_)
    mean = np.mean(found, axis=0)
    spread = np.std(found, axis=0, ddof=1) / np.sqrt(repeats)
    run.rows(weight=np.arange(1, 6), noisy_copies=mean, ridge=ridge, least_squares=plain)
    run.figure(
        line(
            "weight",
            "noisy_copies",
            theory=["ridge", "least_squares"],
            title="Weights learned from noisy copies",
        )
    )
    # The mean of a ratio differs from the ratio of means by about 1 / (number of copies)
    bias = 2.0 / (samples * copies)
    run.claim(
        "mean weights are those of ridge with a^2 = s2 l / (l + 1): largest distance",
        float(np.abs(mean - ridge).max()),
        at_most=float(5 * spread.max() + bias),
        probability=1e-4,
    )
    run.claim(
        "far from least squares",
        float(np.abs(mean - plain).max()),
        at_least=0.5 * float(np.abs(ridge - plain).max()),
        probability=1e-4,
    )
