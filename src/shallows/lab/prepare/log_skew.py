"""Experiment: the logarithm of a skewed feature."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from scipy.stats import norm, normaltest, skew
from sklearn.preprocessing import FunctionTransformer

from shallows._core.contract.params import Range
from shallows.lab import Run, experiment, histogram

FALSE_ALARM = 1e-4


@experiment(
    chapter="prepare",
    sources="notes-000b M115, Eq. 8.4-8.5, Fig. 8.1",
    quick={"n": 1000, "trials": 40},
)
def log_skew(
    n: Annotated[int, Range(200, 20_000)] = 2000,
    trials: Annotated[int, Range(20, 1000)] = 200,
    width: Annotated[float, Range(0.1, 0.6)] = 0.4,
    *,
    run: Run,
) -> None:
    """What does the logarithm do to a skewed feature?

    The logarithm of a log-normal value is Gaussian, so its skewness vanishes. Before, it is
    (exp(s^2) + 2) sqrt(exp(s^2) - 1), with s the width of the logarithm. A feature with zeros
    takes log(1 + x), which leaves them at zero.

    Parameters
    ----------
    n : int
        Values in a sample.
    trials : int
        Samples.
    width : float
        Standard deviation s of the logarithm.
    """
    log = FunctionTransformer(np.log, inverse_func=np.exp, feature_names_out="one-to-one")
    moments = np.empty((trials, 3))
    after = []
    for trial in run.progress(range(trials)):
        x = run.rng.lognormal(0, width, size=(n, 1))
        centred = x - np.exp(width**2 / 2)
        moments[trial] = [np.mean(centred**k) for k in (1, 2, 3)]
        after.append(skew(log.fit_transform(x)[:, 0]))

    shown = x[:500, 0]
    for value in shown:
        run.row(feature="before", value=value, density=norm.pdf(np.log(value), 0, width) / value)
    for value in np.log(shown):
        run.row(feature="after the logarithm", value=value, density=norm.pdf(value, 0, width))
    run.figure(histogram("value", theory="density", facet="feature", title="A log-normal feature"))

    # The known mean is taken off, so that the moments have no bias; see the delta method
    scale = np.exp(width**2)
    theory = (scale + 2) * np.sqrt(scale - 1)
    second, third = moments[:, 1].mean(), moments[:, 2].mean()
    slope = np.array([-1.5 * third / second**2.5, second**-1.5])
    error = np.sqrt(slope @ np.cov(moments[:, 1:].T) @ slope / trials)
    reach = norm.isf(FALSE_ALARM / 2)
    run.claim(
        "skewness before: (exp(s^2) + 2) sqrt(exp(s^2) - 1)",
        third / second**1.5,
        expected=theory,
        within=reach * error + 0.02 * theory,
        probability=FALSE_ALARM,
    )
    run.claim(
        "skewness after: 0",
        np.mean(after),
        expected=0,
        within=reach * np.std(after, ddof=1) / np.sqrt(trials),
        probability=FALSE_ALARM,
    )
    run.claim(
        "after the logarithm the values pass a test for normality (p-value)",
        normaltest(np.log(x[:, 0])).pvalue,
        at_least=FALSE_ALARM,
        probability=FALSE_ALARM,
    )
    zeros = FunctionTransformer(np.log1p).fit_transform(np.zeros((3, 1)))
    run.claim("log(1 + x) leaves zeros at zero", np.abs(zeros).max(), expected=0, within=0)
    back = log.inverse_transform(log.transform(x))
    run.claim(
        "the exponential undoes it (largest relative error)",
        np.abs(back / x - 1).max(),
        at_most=1e-12,
    )
