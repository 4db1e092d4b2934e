"""Experiment: the reconstruction error of PCA is the discarded part of the spectrum."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np

from shallows._core.contract.params import Range
from shallows.lab import Run, experiment, line
from shallows.reduce import PCA


@experiment(
    chapter="reduce",
    sources="notes-002 B5, notes-004a 69-71, Fig. 18, notes-004b H10",
    quick={"samples": 60, "features": 6},
)
def spectrum_error(
    samples: Annotated[int, Range(10, 5000)] = 200,
    features: Annotated[int, Range(3, 100)] = 20,
    *,
    run: Run,
) -> None:
    """How much does a projection to m principal components lose?

    Exactly the variance along the discarded directions: the sum of squared distances between
    samples and their projections is the sum of the remaining eigenvalues of the covariance matrix,
    times its divisor. No other plane of the same dimension loses less.

    Parameters
    ----------
    samples : int
        Points of an anisotropic Gaussian cloud.
    features : int
        Dimensions; the spread along each is 0.8 of the one before.
    """
    rotation = np.linalg.qr(run.rng.standard_normal((features, features)))[0]
    spread = 0.8 ** np.arange(features)
    X = run.rng.standard_normal((samples, features)) * spread @ rotation + 1.0

    gap = {0: 0.0, 1: 0.0}
    divisors: tuple[Literal[0, 1], ...] = (0, 1)
    for ddof in divisors:
        model = PCA(ddof=ddof).fit(X)
        for m in range(features + 1):
            kept = model.components_[:m]
            lost = X - model.mean_ - (X - model.mean_) @ kept.T @ kept
            measured = float((lost**2).sum())
            predicted = (samples - ddof) * float(model.explained_variance_[m:].sum())
            gap[ddof] = max(gap[ddof], abs(measured - predicted) / samples)
            if ddof == 1:
                run.row(components=m, lost=measured / samples, left_over=predicted / samples)

    run.figure(
        line(
            "components",
            "lost",
            theory="left_over",
            title="Mean squared distance to the projection",
            x_title="components kept",
            y_title="mean squared error",
        )
    )
    run.claim(
        "the error equals the left-over spectrum, covariance by n - 1", gap[1], 0, within=1e-10
    )
    run.claim("the error equals the left-over spectrum, covariance by n", gap[0], 0, within=1e-10)
    run.claim("all components restore the data", run.columns()["lost"][-1], 0, within=1e-20)

    deflated = _by_deflation(X, 3)
    overlap = np.abs((deflated * PCA(3).fit(X).components_).sum(axis=1))
    run.claim(
        "components found one after the other are the same up to sign",
        overlap.min(),
        1,
        within=1e-10,
    )
    centred = X - X.mean(axis=0)
    best = PCA(2).fit(X).reconstruction_error(2)
    planes = [np.linalg.qr(run.rng.standard_normal((features, 2)))[0] for _ in range(100)]
    others = [((centred - centred @ q @ q.T) ** 2).sum() for q in planes]
    run.claim(
        "the best of 100 random planes loses more than the principal plane, by the factor",
        min(others) / best,
        at_least=1,
    )


def _by_deflation(X: np.ndarray, n_components: int) -> np.ndarray:
    """Take the direction of largest variance, remove it from the data, and repeat."""
    rest, found = X - X.mean(axis=0), []
    for _ in range(n_components):
        direction = np.linalg.svd(rest, full_matrices=False)[2][0]
        rest = rest - np.outer(rest @ direction, direction)
        found.append(direction)
    return np.array(found)
