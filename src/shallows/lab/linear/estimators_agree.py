"""Experiment: four ways to the same weights."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from shallows._core.contract.params import Range
from shallows.data import make_linear
from shallows.lab import Run, experiment, line
from shallows.linear import BayesianLinear, LinearRegression, Ridge, hat_matrix


@experiment(
    chapter="linear",
    sources="notes-000a M23-M29, notes-000b M163, notes-004a 44, Fig. 10",
    quick={},
)
def estimators_agree(
    features: Annotated[int, Range(2, 50)] = 8,
    sigma: Annotated[float, Range(0.05, 5)] = 0.5,
    gamma: Annotated[float, Range(0.01, 100)] = 2.0,
    *,
    run: Run,
) -> None:
    """Do pseudo-inverse, ridge, maximum likelihood and Bayes agree?

    Least squares is maximum likelihood under Gaussian noise. A Gaussian prior turns it into ridge
    regression with penalty sigma^2 gamma, which is also the posterior mean. As the penalty
    vanishes, ridge weights tend to those of the pseudo-inverse. This is also true with fewer
    samples than weights, if infinitely many weights fit: the limit is the shortest solution.
    Geometrically the fit is a projection of the targets onto the span of the columns.

    Parameters
    ----------
    features : int
        Number of weights N.
    sigma : float
        Standard deviation of the noise.
    gamma : float
        Precision of the prior.
    """
    truth = run.rng.standard_normal(features)
    for kind, samples in {"P > N": 3 * features, "P < N": max(features // 2, 1)}.items():
        X, y = make_linear(samples, truth, noise=sigma, random_state=run.rng)
        pseudo = np.linalg.pinv(X) @ y
        plain = LinearRegression(fit_intercept=False).fit(X, y)
        run.claim(
            f"{kind}: least squares is the pseudo-inverse",
            float(np.abs(plain.coef_ - pseudo).max()),
            at_most=1e-9,
        )
        for power in run.progress(range(-10, 4)):
            weights = Ridge(10.0**power, fit_intercept=False).fit(X, y).coef_
            gap = float(np.linalg.norm(weights - pseudo))
            norm = float(np.linalg.norm(weights))
            run.row(samples=kind, penalty=10.0**power, gap=gap, norm=norm)
        table = run.columns()
        own = table["samples"] == kind
        run.claim(
            f"{kind}: the ridge limit is the pseudo-inverse",
            table["gap"][own][0],
            at_most=1e-5 * max(1.0, float(np.linalg.norm(pseudo))),
        )
        run.claim(
            f"{kind}: |w| never rises with the penalty",
            float(np.diff(table["norm"][own]).max()),
            at_most=1e-9,
        )
        bayes = BayesianLinear(sigma=sigma, gamma=gamma, fit_intercept=False).fit(X, y)
        ridge = Ridge(sigma**2 * gamma, fit_intercept=False).fit(X, y)
        run.claim(
            f"{kind}: the posterior mean is ridge with sigma^2 gamma",
            float(np.abs(bayes.coef_ - ridge.coef_).max()),
            at_most=1e-10,
        )

    X, y = make_linear(3 * features, truth, noise=sigma, random_state=run.rng)
    fitted = LinearRegression(fit_intercept=False).fit(X, y)
    steps = np.linspace(-0.1, 0.1, 5)
    likelihoods = []
    for step in steps:
        moved = LinearRegression(fit_intercept=False).fit(X, y)
        moved.coef_ = moved.coef_ + step
        likelihoods.append(moved.log_likelihood(X, y, sigma))
    run.claim(
        "least squares is maximum likelihood", int(np.argmax(likelihoods)), expected=2, within=0
    )
    H = hat_matrix(X)
    run.claim("the hat matrix is idempotent", float(np.abs(H @ H - H).max()), at_most=1e-12)
    run.claim("its trace is N", float(np.trace(H)), expected=features, within=1e-10)
    residual = y - fitted.predict(X)
    run.claim(
        "the residual is orthogonal to every column",
        float(np.abs(X.T @ residual).max()) / float(np.linalg.norm(y)),
        at_most=1e-11,
    )
    run.figure(
        line(
            "penalty",
            "gap",
            color="samples",
            x_log=True,
            y_log=True,
            title="Distance of ridge weights to those of the pseudo-inverse",
        )
    )
