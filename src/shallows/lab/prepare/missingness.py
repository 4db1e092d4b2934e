"""Experiment: which missing values bias a mean, and which methods correct it."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.special import expit
from scipy.stats import norm
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LinearRegression

from shallows._core.contract.params import Range
from shallows.lab import Run, bars, experiment
from shallows.prepare import ChainedImputer, mask_missing

STRENGTH = 2.0
KINDS = {"mcar": "completely at random", "mar": "at random", "mnar": "not at random"}
FALSE_ALARM = 1e-4


@experiment(
    chapter="prepare",
    sources="notes-000b M146, M149, M151, M152",
    quick={"n": 500, "trials": 25},
)
def missingness(
    n: Annotated[int, Range(100, 20_000)] = 1000,
    trials: Annotated[int, Range(20, 1000)] = 150,
    missing: Annotated[float, Range(0.05, 0.6)] = 0.2,
    correlation: Annotated[float, Range(0.3, 0.95)] = 0.7,
    *,
    run: Run,
) -> None:
    """Which missing values bias a mean, and how can it be corrected?

    Two correlated Gaussian columns of mean 0; values are missing in the second. If they are
    missing completely at random, the mean of the observed values is correct. If they are missing
    where the first column is large (at random), it is biased, and a regression on the first column
    corrects it. If large values themselves are missing (not at random), the data can't correct it
    completely. Imputing the mean keeps the mean, biased or not, and reduces the variance by the
    share of missing values.

    Parameters
    ----------
    n : int
        Rows of a data set.
    trials : int
        Data sets for every kind of gaps.
    missing : float
        Share of gaps.
    correlation : float
        Correlation of the two columns.
    """
    covariance = [[1, correlation], [correlation, 1]]
    pull = _observed_mean(missing)
    theory = {"mcar": 0.0, "mar": correlation * pull, "mnar": pull}
    bias: dict[tuple[str, str], tuple[float, float]] = {}
    shrinkage, restored = 0.0, 0.0
    for kind in run.progress(KINDS):
        means, regressed = [], []
        for _ in range(trials):
            X = run.rng.multivariate_normal([0, 0], covariance, size=n)
            holes = X.copy()
            holes[:, 1] = mask_missing(
                X, kind, missing, strength=STRENGTH, random_state=run.rng  # type: ignore[arg-type]
            )[:, 1]  # fmt: skip
            gaps = np.isnan(holes[:, 1])
            filled = SimpleImputer().fit_transform(holes)[:, 1]
            shares = filled.var() / np.nanvar(holes[:, 1]), 1 - gaps.mean()
            shrinkage = max(shrinkage, abs(shares[0] - shares[1]))
            means.append(filled.mean())
            regressed.append(ChainedImputer(LinearRegression()).fit_transform(holes)[:, 1].mean())
        exact = np.column_stack([X[:, 0], 2 * X[:, 0] - 1])
        exact_holes = np.where(gaps[:, None] & [False, True], np.nan, exact)
        back = ChainedImputer(LinearRegression()).fit_transform(exact_holes)
        restored = max(restored, float(np.abs(back - exact).max()))
        for method, values in (("mean", means), ("regression", regressed)):
            error = float(np.std(values, ddof=1) / np.sqrt(trials))
            bias[kind, method] = float(np.mean(values)), error
            expected = theory[kind] if method == "mean" else 0.0 if kind != "mnar" else np.nan
            run.row(
                gaps=KINDS[kind],
                filled_with=method,
                bias=bias[kind, method][0],
                standard_error=error,
                theory=expected,
            )

    run.figure(
        bars(
            "gaps",
            "bias",
            error="standard_error",
            color="filled_with",
            title="Bias of the mean of a column with gaps",
            x_title="values are missing",
        )
    )

    width = norm.isf(FALSE_ALARM / 2)
    for kind, text in KINDS.items():
        found, error = bias[kind, "mean"]
        run.claim(
            f"missing {text}: mean of the observed values, against the integral",
            found,
            expected=theory[kind],
            within=width * error + 2 / n,  # chances are set on the sample, theory on the law
            probability=FALSE_ALARM,
        )
    for kind in ("mcar", "mar"):
        found, error = bias[kind, "regression"]
        run.claim(
            f"missing {KINDS[kind]}: regression has no bias",
            found,
            expected=0,
            within=width * error + 2 / n,
            probability=FALSE_ALARM,
        )
    found, error = bias["mnar", "regression"]
    run.claim(
        "missing not at random: regression repairs a part, and a bias stays (share of it)",
        found / pull,
        at_least=0.05,
        at_most=0.95,
        probability=FALSE_ALARM,
    )
    run.claim(
        "filling with the mean leaves the observed share of the variance (largest deviation)",
        shrinkage,
        expected=0,
        within=1e-12,
    )
    run.claim(
        "an exact linear relation is restored by regression (largest error)",
        restored,
        expected=0,
        within=1e-8,
    )


def _observed_mean(missing: float) -> float:
    """Return the mean of a standard normal value that vanishes with logistic chance."""

    def mean(offset: float, power: int) -> float:
        def integrand(x: float) -> float:
            return float(x**power * expit(offset + STRENGTH * x) * norm.pdf(x))

        return float(quad(integrand, -9, 9)[0])

    offset = brentq(lambda a: mean(a, 0) - missing, -30, 30)
    return -mean(offset, 1) / (1 - missing)
