"""Experiment: exact leave-one-out without refitting."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from shallows._core.contract.params import Range
from shallows.kernel import KernelRidge
from shallows.lab import Run, experiment, line


@experiment(chapter="kernel", sources="notes-002 G6, H1, H3, H4", quick={"penalties": 7})
def loo_exact(
    n: Annotated[int, Range(5, 200)] = 30,
    sigma: Annotated[float, Range(0.05, 5)] = 0.5,
    noise: Annotated[float, Range(0, 1)] = 0.2,
    penalties: Annotated[int, Range(5, 50)] = 13,
    *,
    run: Run,
) -> None:
    """Does leave-one-out need n fits?

    In kernel ridge regression, one fit to all samples determines the prediction of each sample
    from all others: its residual is divided by 1 - S_ii, where the matrix S maps targets to
    predictions. One eigendecomposition gives this for every penalty. Brute force must give the
    same numbers.

    Parameters
    ----------
    n : int
        Samples of a noisy sine.
    sigma : float
        Width of the Gaussian kernel.
    noise : float
        Standard deviation of the noise.
    penalties : int
        Penalties from 1e-4 to 100.
    """
    X = (np.arange(n) + 0.8 * run.rng.random(n))[:, None] * 2 * np.pi / n
    y = np.sin(X[:, 0]) + noise * run.rng.normal(size=n)
    rbf: dict[str, Any] = {"kernel": "rbf", "gamma": 0.5 / sigma**2}
    alphas = np.geomspace(1e-4, 100, penalties)
    closed = KernelRidge(**rbf).leave_one_out(X, y, alphas)
    worst = 0.0
    for alpha, predictions in zip(run.progress(alphas), closed, strict=True):
        model = KernelRidge(alpha, **rbf)
        brute = _brute_force(model, X, y)
        fit = model.fit(X, y).predict(X)
        worst = max(worst, float(np.abs(brute - predictions).max()))
        run.row(
            penalty=alpha,
            training_error=np.mean((fit - y) ** 2),
            closed_form=np.mean((predictions - y) ** 2),
            brute_force=np.mean((brute - y) ** 2),
        )
    run.figure(
        line(
            "penalty",
            "brute_force",
            theory=["closed_form", "training_error"],
            x_log=True,
            title="Squared error of left-out samples, by brute force and in closed form",
        )
    )
    run.claim("closed form equals brute force: largest difference", worst, 0, within=1e-9)
    table = run.columns()
    run.claim(
        "the training error misleads: its best penalty is the smallest",
        table["training_error"].argmin(),
        expected=0,
        within=0,
    )
    alpha = 0.1
    closed_error = np.mean((KernelRidge(alpha, **rbf).leave_one_out(X, y)[0] - y) ** 2)
    brute_error = float(np.mean((_brute_force(KernelRidge(alpha, **rbf), X, y) - y) ** 2))
    run.claim("penalty 0.1: the errors agree", closed_error, brute_error, within=1e-12)
    narrow = KernelRidge(alpha, kernel="rbf", gamma=1e8).fit(X, y).predict(X)
    gap = np.abs(narrow - y / (1 + alpha)).max()
    run.claim("narrow limit: training outputs y / (1 + C)", gap, 0, within=1e-5)
    wide = KernelRidge(alpha, kernel="rbf", gamma=1e-12).fit(X, y).predict(X)
    gap = np.abs(wide - y.sum() / (n + alpha)).max()
    run.claim("wide limit: the constant sum(y) / (n + C)", gap, 0, within=1e-6)


def _brute_force(model: KernelRidge, X: NDArray[Any], y: NDArray[Any]) -> NDArray[Any]:
    """Predict each sample by a fit to all others."""
    parts = []
    for i in range(len(X)):
        others = np.arange(len(X)) != i
        parts.append(model.fit(X[others], y[others]).predict(X[i : i + 1]))
    return np.concatenate(parts)
