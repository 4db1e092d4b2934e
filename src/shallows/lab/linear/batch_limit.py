"""Experiment: the largest learning rate of batch descent."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from shallows._core.contract.params import Range
from shallows.data import make_linear
from shallows.lab import Run, experiment, line
from shallows.linear import DeltaRule, LinearRegression


@experiment(
    chapter="linear",
    sources="notes-001 M32, M33, M36, notes-003 E11, E13",
    quick={"passes": 3000},
)
def batch_limit(
    samples: Annotated[int, Range(10, 500)] = 40,
    passes: Annotated[int, Range(2000, 20_000)] = 6000,
    *,
    run: Run,
) -> None:
    """How large may the learning rate of batch descent be?

    The error is a quadratic bowl; its largest curvature is the largest eigenvalue of X'X. A rate
    below two over this eigenvalue converges to the least-squares weights, a larger rate diverges.
    With the best rate for each step the error falls at least by the factor ((k-1)/(k+1))^2, where
    k is the condition number. One incremental pass differs from one batch step by the square of
    the rate; with a constant rate it ends in a cycle near the solution.

    Parameters
    ----------
    samples : int
        Training samples.
    passes : int
        Largest number of batch steps.
    """
    X, y = make_linear(samples, [1.0, -2.0, 0.5], noise=0.5, random_state=run.rng)
    design = np.column_stack([X, np.ones(samples)])
    values = np.linalg.eigvalsh(design.T @ design)
    solution = LinearRegression().fit(X, y)
    best = np.append(solution.coef_, solution.intercept_)
    limit = 2 / values[-1]

    for share in run.progress((0.5, 0.99, 1.01)):
        weights = np.zeros(4)
        for step in range(passes + 1):
            gap = float(np.linalg.norm(weights - best))
            if step <= 300 and step % 5 == 0:
                run.row(rate=f"{share} of the limit", step=step, distance=gap)
            if gap > 1e6 or gap < 1e-14:
                break
            weights = weights + share * limit * (design.T @ (y - design @ weights))
        if share < 1:
            run.claim(f"{share} of the limit converges", gap, at_most=1e-12)
        else:
            run.claim(
                f"{share} of the limit diverges: final distance over the first",
                gap / float(np.linalg.norm(best)),
                at_least=10,
            )

    batch = DeltaRule("batch", learning_rate=0.5 * limit, max_iter=2000, tol=1e-16).fit(X, y)
    run.claim(
        "DeltaRule ends at least squares",
        float(np.abs(np.append(batch.coef_, batch.intercept_) - best).max()),
        at_most=1e-6,
    )

    weights, worst = np.zeros(4), 0.0
    bound = ((values[-1] - values[0]) / (values[-1] + values[0])) ** 2
    for _ in range(20):
        slope = design.T @ (design @ weights - y)
        rate = slope @ slope / (slope @ design.T @ design @ slope)
        before = excess(design, weights, best)
        weights = weights - rate * slope
        if before > 1e-10:
            worst = max(worst, excess(design, weights, best) / before)
    run.claim(
        "exact line search: worst ratio of errors over the bound", worst / bound, at_most=1 + 1e-9
    )

    ratios = []
    for eta in (0.3 * limit, 0.03 * limit, 0.003 * limit):
        weights = np.zeros(4)
        for row, target in zip(design, y, strict=True):
            weights = weights + eta * (target - row @ weights) * row
        gap = weights - eta * (design.T @ y)
        ratios.append(float(np.linalg.norm(gap)) / eta**2)
        run.row("passes", rate=eta, gap_over_rate_squared=ratios[-1])
    run.claim(
        "incremental less batch, over rate squared, tends to a constant",
        ratios[2] / ratios[1],
        expected=1,
        within=0.1,
    )
    gaps = []
    for eta in (0.6 * limit, 0.3 * limit):
        enough = int(10 / (eta * values[0])) + 100
        squares = []
        for _ in range(20):
            model = DeltaRule(learning_rate=eta, max_iter=enough, tol=None, random_state=run.rng)
            model.fit(X, y)
            squares.append(np.sum((np.append(model.coef_, model.intercept_) - best) ** 2))
        gaps.append(float(np.sqrt(np.mean(squares))))
        run.row("cycles", rate=eta, distance=gaps[-1])
    run.claim("a constant rate ends near the solution, not in it", gaps[1], at_least=1e-5)
    # Visited in a new order in each pass, samples leave a distance of the rate to the power 3/2.
    run.claim(
        "half the rate ends nearer: ratio of the distances",
        gaps[0] / gaps[1],
        at_least=2,
        at_most=4,
    )
    run.figure(
        line(
            "step",
            "distance",
            color="rate",
            y_log=True,
            title="Distance to the least-squares weights",
        )
    )


def excess(design: np.ndarray, weights: np.ndarray, best: np.ndarray) -> float:
    """Return how far half the squared error lies above its minimum."""
    return float(np.sum((design @ (weights - best)) ** 2)) / 2
