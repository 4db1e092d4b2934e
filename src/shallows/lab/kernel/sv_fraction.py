"""Experiment: the share of support vectors warns of overfitting."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from sklearn.base import clone
from sklearn.datasets import make_moons

from shallows._core.contract.params import Range
from shallows.kernel import SVC, support_fraction
from shallows.lab import Run, experiment, line


@experiment(chapter="kernel", sources="notes-000a M103", quick={"n": 150, "widths": 9})
def sv_fraction(
    n: Annotated[int, Range(50, 2000)] = 400,
    widths: Annotated[int, Range(7, 60)] = 21,
    noise: Annotated[float, Range(0.05, 0.5)] = 0.25,
    C: Annotated[float, Range(0.1, 100)] = 10.0,
    *,
    run: Run,
) -> None:
    """What does a large share of support vectors mean?

    Samples that are not support vectors can be removed without changing the solution, so the
    leave-one-out error is at most the share of support vectors. As the Gaussian kernel becomes
    narrow, every sample becomes a support vector, and the error on new data rises to chance. A
    very wide kernel also has many, because it underfits: the share is a warning, not a measure.

    Parameters
    ----------
    n : int
        Training points, two noisy half-moons.
    widths : int
        Kernel widths from 0.003 to 10, on a logarithmic scale.
    noise : float
        Standard deviation of the noise.
    C : float
        Cost of margin violations.
    """
    draws = run.rng.integers(2**31, size=2)
    X, y = make_moons(n, noise=noise, random_state=int(draws[0]))
    new, truth = make_moons(4000, noise=noise, random_state=int(draws[1]))
    for sigma in run.progress(np.geomspace(0.003, 10, widths)):
        model = SVC(C, gamma=0.5 / sigma**2).fit(X, y)
        run.row(
            kernel="Gaussian",
            sigma=sigma,
            support_fraction=support_fraction(model),
            test_error=1 - model.score(new, truth),
        )
    run.figure(
        line(
            "sigma",
            ["support_fraction", "test_error"],
            x_log=True,
            title="Share of support vectors and test error against kernel width",
        )
    )
    table = run.columns()
    share, error = table["support_fraction"], table["test_error"]
    best = int(error.argmin())
    run.claim("narrowest kernel: share of support vectors", share[0], at_least=0.97)
    run.claim("narrowest kernel: test error over the best", error[0] / error[best], at_least=2)
    run.claim("best width: share of support vectors", share[best], at_most=0.8)

    kernels: dict[str, dict[str, Any]] = {
        "linear": {"kernel": "linear"},
        "quadratic": {"kernel": "poly", "degree": 2, "coef0": 1.0},
        "Gaussian, best": {"gamma": 0.5 / table["sigma"][best] ** 2},
    }
    for name, options in kernels.items():
        model = SVC(C, **options).fit(X, y)
        wrong = _wrong_when_left_out(model, X, y)
        left_out, share_here = wrong.mean(), support_fraction(model)
        run.row("kernels", kernel=name, support_fraction=share_here, leave_one_out=left_out)
        run.claim(
            f"{name} kernel: leave-one-out error less share of support vectors",
            left_out - share_here,
            at_most=0,
        )
        others = np.setdiff1d(np.arange(n), model.support_)
        run.claim(
            f"{name} kernel: other samples that are wrong when left out",
            int(wrong[others].sum()),
            expected=0,
            within=0,
        )


def _wrong_when_left_out(model: SVC, X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return which samples a fit to all others gets wrong."""
    part = clone(model).set_params(gamma=model._kernel.gamma)
    wrong = np.empty(len(y), dtype=bool)
    for i in range(len(y)):
        others = np.arange(len(y)) != i
        wrong[i] = part.fit(X[others], y[others]).predict(X[i : i + 1])[0] != y[i]
    return wrong
