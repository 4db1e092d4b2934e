"""Experiment: Bayesian regression with few and with many samples."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from scipy.stats import binomtest

from shallows._core.contract.params import Range
from shallows.lab import Run, experiment, line
from shallows.linear import BayesianLinear, LinearRegression

FALSE_ALARM = 1e-4


@experiment(chapter="linear", sources="notes-000a M26-M29, Eqs. 2.11-2.18", quick={"repeats": 40})
def bayesian_shrinkage(
    features: Annotated[int, Range(2, 50)] = 10,
    sigma: Annotated[float, Range(0.1, 5)] = 1.0,
    repeats: Annotated[int, Range(20, 1000)] = 200,
    *,
    run: Run,
) -> None:
    """What is the benefit of a prior, and does the model know its own error?

    Weights are drawn from the prior and samples from the model, so Bayes' rule is exact. The
    posterior mean shrinks the least-squares weights and is closer to the truth, most of all for
    few samples. The predicted standard deviation is never below the noise and approaches it; 95 %
    of new targets lie within 1.96 of it. Maximising the evidence finds noise and prior.

    Parameters
    ----------
    features : int
        Number of weights.
    sigma : float
        Standard deviation of the noise.
    repeats : int
        Draws of weights and samples.
    """
    sizes = [features + 2, 2 * features, 4 * features, 8 * features, 16 * features]
    inside, total = 0, 0
    for size in run.progress(sizes):
        gaps: dict[str, list[float]] = {"least_squares": [], "posterior_mean": [], "deviation": []}
        shrunk = []
        for _ in range(repeats):
            truth = run.rng.standard_normal(features)
            X = run.rng.standard_normal((size + 1, features))
            y = X @ truth + sigma * run.rng.standard_normal(size + 1)
            plain = LinearRegression(fit_intercept=False).fit(X[:-1], y[:-1])
            bayes = BayesianLinear(sigma=sigma, gamma=1.0, fit_intercept=False).fit(X[:-1], y[:-1])
            mean, deviation = bayes.predict(X[-1:], return_std=True)
            inside += int(abs(y[-1] - mean[0]) <= 1.959964 * deviation[0])
            total += 1
            gaps["least_squares"].append(float(np.sum((plain.coef_ - truth) ** 2)))
            gaps["posterior_mean"].append(float(np.sum((bayes.coef_ - truth) ** 2)))
            gaps["deviation"].append(float(deviation[0]))
            shrunk.append(np.linalg.norm(bayes.coef_) < np.linalg.norm(plain.coef_))
        run.row(
            samples=size,
            least_squares=np.mean(gaps["least_squares"]),
            posterior_mean=np.mean(gaps["posterior_mean"]),
            deviation=np.mean(gaps["deviation"]),
            smallest_deviation=np.min(gaps["deviation"]),
            shrunk=np.mean(shrunk),
        )
    table = run.columns()
    run.figure(
        line(
            "samples",
            ["least_squares", "posterior_mean"],
            x_log=True,
            y_log=True,
            title="Squared distance to the true weights",
            y_title="squared distance",
        )
    )
    run.claim(
        "the posterior mean is shorter than the least-squares weights, always",
        float(table["shrunk"].min()),
        expected=1,
        within=0,
    )
    run.claim(
        "it is closer to the truth at the smallest size: ratio of squared distances",
        table["posterior_mean"][0] / table["least_squares"][0],
        at_most=0.9,
        probability=FALSE_ALARM,
    )
    ratio = table["posterior_mean"][-1] / table["least_squares"][-1]
    run.claim(
        "with many samples the two meet", ratio, at_least=0.8, at_most=1.02, probability=FALSE_ALARM
    )
    run.claim(
        "the predicted deviation exceeds the noise",
        float(table["smallest_deviation"].min()),
        at_least=sigma,
    )
    run.claim(
        "and shrinks with the samples",
        float(np.diff(table["deviation"]).max()),
        at_most=0,
        probability=FALSE_ALARM,
    )
    run.claim(
        "95 % of new targets lie within 1.96 deviations (p-value of an exact test)",
        binomtest(inside, total, 0.95).pvalue,
        at_least=FALSE_ALARM,
        probability=FALSE_ALARM,
    )
    truth = run.rng.standard_normal(features)
    X = run.rng.standard_normal((100 * features, features))
    y = X @ truth + sigma * run.rng.standard_normal(len(X))
    learned = BayesianLinear().fit(X, y)
    run.claim(
        "evidence finds the noise: estimate over truth",
        learned.sigma_ / sigma,
        expected=1,
        within=4 / np.sqrt(2 * 99 * features),
        probability=FALSE_ALARM,
    )
