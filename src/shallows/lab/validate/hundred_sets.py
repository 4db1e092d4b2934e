"""Experiment: training and test error over many training sets."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from shallows._core.contract.params import Range
from shallows.lab import Run, experiment, line

FALSE_ALARM = 1e-4


@experiment(
    chapter="validate",
    sources="notes-003 E24, Fig. 5.1; notes-004a Fig. 32, 108; notes-000b M68-M69",
    quick={"repeats": 40},
)
def hundred_sets(
    n: Annotated[int, Range(40, 100)] = 50,
    degrees: Annotated[int, Range(12, 15)] = 12,
    noise: Annotated[float, Range(0.3, 0.6)] = 0.5,
    repeats: Annotated[int, Range(40, 2000)] = 100,
    *,
    run: Run,
) -> None:
    """How do training and test error change as a model class grows?

    Training sets are drawn from one distribution, and polynomials of growing degree are fitted to
    each. The training error can only fall. The error against the truth is bias^2 + variance,
    exactly so for the same runs: the bias vanishes, the variance grows with each degree by the
    noise variance over n, and their sum has a minimum in between.

    Parameters
    ----------
    n : int
        Rows of a training set.
    degrees : int
        Largest degree.
    noise : float
        Standard deviation of the noise.
    repeats : int
        Training sets.
    """
    x = np.linspace(-1, 1, n)
    truth = np.sin(1.5 * np.pi * x)
    draws = truth + noise * run.rng.standard_normal((repeats, n))
    fresh = truth + noise * run.rng.standard_normal((repeats, n))
    basis = np.linalg.qr(np.polynomial.chebyshev.chebvander(x, degrees))[0]
    train = np.empty((degrees + 1, repeats))
    test = np.empty_like(train)
    gap, variance_error = 0.0, 0.0
    for degree in run.progress(range(degrees + 1)):
        kept = basis[:, : degree + 1]
        fits = draws @ kept @ kept.T
        train[degree] = np.mean((fits - draws) ** 2, axis=1)
        test[degree] = np.mean((fits - fresh) ** 2, axis=1)
        error = np.mean((fits - truth) ** 2)
        bias = np.mean((fits.mean(axis=0) - truth) ** 2)
        variance = np.mean(fits.var(axis=0))
        gap = max(gap, abs(error - bias - variance) / error)
        exact = noise**2 * (degree + 1) / n * (1 - 1 / repeats)
        spread = exact * np.sqrt(2 / ((degree + 1) * repeats))
        variance_error = max(variance_error, abs(variance - exact) / spread)
        run.row(
            degree=degree,
            training_error=train[degree].mean(),
            test_error=test[degree].mean(),
            bias_squared=bias,
            variance=variance,
            noise=noise**2,
            test_spread=test[degree].std(ddof=1),
        )

    run.figure(
        line(
            "degree",
            ["training_error", "test_error", "noise"],
            title="Mean error over all training sets",
            y_title="mean squared error",
        )
    )
    run.figure(
        line(
            "degree",
            ["bias_squared", "variance"],
            title="Parts of the error against the truth",
            y_title="mean squared error",
        )
    )

    run.claim("training error never rises, in any set", np.diff(train, axis=0).max(), at_most=1e-12)
    run.claim("error = bias^2 + variance, relative gap", gap, at_most=1e-10)
    run.claim(
        "variance is noise^2 (K + 1)/n, largest gap in standard deviations",
        variance_error,
        at_most=5.5,
        probability=FALSE_ALARM,
    )
    means = test.mean(axis=1)
    best = int(means.argmin())
    run.claim("the best degree lies inside", best, at_least=2, at_most=degrees - 1)
    paired = test[-1] - test[best]
    run.claim(
        "the largest degree is worse than the best, in standard errors of the mean difference",
        paired.mean() / (paired.std(ddof=1) / np.sqrt(repeats)),
        at_least=2,
        probability=0.01,
    )
    run.note(
        "A U-shaped test error is no law: beyond the point of interpolation it can fall again "
        "(see double_descent)."
    )
