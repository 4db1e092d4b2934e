"""Experiment: Gaussian kernels in many dimensions."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from shallows._core.contract.params import Range
from shallows.kernel import KernelRidgeCV, gaussian
from shallows.lab import Run, experiment, line

FALSE_ALARM = 1e-4


@experiment(
    chapter="kernel",
    sources="notes-002 G6; notes-003 L2084-2119",
    quick={"pairs": 2000, "n": 150},
)
def kernel_curse(
    pairs: Annotated[int, Range(1000, 200_000)] = 20_000,
    n: Annotated[int, Range(100, 1500)] = 400,
    *,
    run: Run,
) -> None:
    """What happens to a Gaussian kernel in many dimensions?

    Squared distances between Gaussian points are chi-square distributed. If the width grows as
    sqrt(d), the kernel value of two points has mean (1 + 2/d)^(-d/2), which tends to 1/e, and a
    standard deviation that falls as 1/sqrt(d): all points are equally far apart. A function of one
    coordinate is then hard to learn if all others are noise, for any width.

    Parameters
    ----------
    pairs : int
        Independent pairs of points for each dimension.
    n : int
        Training samples of the regression.
    """
    dimensions = [1, 2, 5, 10, 20, 50, 100]
    for d in run.progress(dimensions):
        points, others = run.rng.normal(size=(2, pairs, d))
        values = _kernel_of_pairs(points, others, np.sqrt(d))
        mean = (1 + 2 / d) ** (-d / 2)
        spread = np.sqrt((1 + 4 / d) ** (-d / 2) - mean**2)
        X, new = run.rng.normal(size=(n, d)), run.rng.normal(size=(1000, d))
        target = np.sin(2 * X[:, 0]) + 0.1 * run.rng.normal(size=n)
        truth = np.sin(2 * new[:, 0])
        model = KernelRidgeCV(np.geomspace(1e-4, 10, 11)).fit(X, target)
        run.row(
            d=d,
            mean=values.mean(),
            mean_theory=mean,
            spread=values.std(),
            spread_theory=spread,
            error=np.mean((model.predict(new) - truth) ** 2) / truth.var(),
        )
    run.figure(
        line(
            "d",
            ["mean", "spread"],
            theory=["mean_theory", "spread_theory"],
            x_log=True,
            title="Mean and spread of the Gaussian kernel with width sqrt(d)",
        )
    )
    run.figure(
        line(
            "d",
            "error",
            x_log=True,
            title="Share of the variance that kernel ridge regression misses",
        )
    )
    table = run.columns()
    standard = table["spread_theory"] / np.sqrt(pairs)
    deviation = np.abs(table["mean"] - table["mean_theory"]) / standard
    # Each deviation is below 4.5 with probability 1 - 7e-6.
    run.claim(
        "largest deviation of the mean, in standard errors",
        deviation.max(),
        at_most=4.5,
        probability=FALSE_ALARM,
    )
    ratio = table["spread"][-1] / table["spread_theory"][-1]
    run.claim("d = 100: measured over predicted spread", ratio, 1, within=0.15, probability=1e-4)
    scaled = table["spread"] * np.sqrt(dimensions)
    limit = np.exp(-1) * np.sqrt(2)
    run.claim(
        "spread times sqrt(d) tends to sqrt(2)/e",
        scaled[-1],
        limit,
        within=0.15 * limit,
        probability=1e-4,
    )
    run.claim(
        "regression: missed share at d = 100 over that at d = 1",
        table["error"][-1] / table["error"][0],
        at_least=10,
    )


def _kernel_of_pairs(points: np.ndarray, others: np.ndarray, sigma: float) -> np.ndarray:
    """Return the Gaussian kernel of each row with the row beside it."""
    few = [slice(start, start + 50) for start in range(0, len(points), 50)]
    return np.concatenate([gaussian(points[p], others[p], sigma).diagonal() for p in few])
