"""Experiment: exact bias and variance of polynomials on eleven points of a cubic."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures

from shallows._core.contract.params import Range
from shallows.data import noisy_cubic
from shallows.lab import Run, experiment, line
from shallows.validate import smoother_bias_variance, smoother_matrix

FALSE_ALARM = 1e-4
EDGE = 1.1
VARIANCE_AT_EDGE = {1: 0.366, 3: 1.603, 7: 38.69}


@experiment(
    chapter="validate",
    sources="notes-000b Fig. 7.1, M66-M68",
    quick={"repeats": 500},
)
def cubic_bias_variance(
    noise: Annotated[float, Range(0.01, 10)] = 0.2,
    repeats: Annotated[int, Range(200, 20_000)] = 3000,
    *,
    run: Run,
) -> None:
    """How do bias and variance change as the degree of a polynomial grows?

    Eleven equidistant points of a cubic, with noise. A line is biased. Degrees 3 and 7 contain the
    truth and have no bias, but more variance: on average over the points exactly (K + 1) / 11 of
    the noise variance, and much more outside of them.

    Parameters
    ----------
    noise : float
        Standard deviation of the noise; ratios don't depend on it.
    repeats : int
        Training sets of the Monte Carlo check.
    """
    x = noisy_cubic(noise=0.0).x
    truth = x**3
    grid = np.linspace(-EDGE, EDGE, 89)
    draws = np.array([noisy_cubic(noise=noise, random_state=run.rng).y for _ in range(repeats)])
    for degree, at_edge in run.progress(VARIANCE_AT_EDGE.items()):
        model = make_pipeline(PolynomialFeatures(degree), LinearRegression(fit_intercept=False))
        inside = smoother_matrix(model, x[:, None], x[:, None])
        outside = smoother_matrix(model, x[:, None], grid[:, None])
        own = smoother_bias_variance(inside, truth, truth, noise**2)
        far = smoother_bias_variance(outside, truth, grid**3, noise**2)
        run.rows(
            degree=f"degree {degree}",
            x=grid,
            bias=far.bias,
            standard_deviation=np.sqrt(far.variance),
        )
        run.claim(
            f"degree {degree}: mean variance over the points is {degree + 1}/11 of the noise",
            own.variance.mean() / noise**2,
            expected=(degree + 1) / 11,
            within=1e-9,
        )
        run.claim(
            f"degree {degree}: variance at x = 1.1 over noise variance",
            far.variance[-1] / noise**2,
            expected=at_edge,
            within=5e-4 if degree < 7 else 5e-3,
        )
        if degree == 1:
            slope = inside[-1] @ truth - inside[0] @ truth
            run.claim("degree 1: slope of the mean line", slope / 2, expected=0.712, within=1e-9)
            run.claim(
                "degree 1: mean squared bias",
                np.mean(own.bias**2),
                expected=0.03594,
                within=5e-6,
            )
            run.claim("degree 1: bias at x = 1.1", far.bias[-1], expected=-0.5478, within=1e-9)
        else:
            worst = np.abs(np.concatenate([own.bias, far.bias])).max()
            run.claim(f"degree {degree}: no bias anywhere", worst, at_most=1e-8)
        measured = draws @ inside.T
        ratio = np.mean(measured.var(axis=0, ddof=1)) / own.variance.mean()
        run.claim(
            f"degree {degree}: variance over drawn training sets, over the exact one",
            ratio,
            expected=1,
            within=4.0 * np.sqrt(2 / ((degree + 1) * repeats)),
            probability=FALSE_ALARM,
        )

    run.figure(
        line(
            "x",
            ["bias", "standard_deviation"],
            facet="degree",
            title="Bias and standard deviation of the fit",
            y_title="in units of y",
        )
    )
    run.note("The figure's caption speaks of 10 points, the text of 11; the ratios belong to 11.")
