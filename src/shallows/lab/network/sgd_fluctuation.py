"""Experiment: the noise of stochastic gradient descent, and what averaging does to it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from shallows._core.contract.params import Range
from shallows.descent import schedule
from shallows.lab import Run, experiment, line

Vector = NDArray[np.float64]
FALSE_ALARM = 1e-4


@experiment(
    chapter="network",
    sources="notes-000b Fig. 5.7, M11, M12, M15",
    quick={"steps": 4000, "n": 5},
)
def sgd_fluctuation(
    n: Annotated[int, Range(2, 100)] = 10,
    examples: Annotated[int, Range(20, 1000)] = 60,
    rate: Annotated[float, Range(0.001, 0.1)] = 0.02,
    steps: Annotated[int, Range(2000, 100_000)] = 20_000,
    *,
    run: Run,
) -> None:
    """Why does stochastic descent not converge, and how can it?

    In linear regression on noisy targets no weights fit all examples, so single gradients don't
    vanish at the minimum. On average a stochastic step is a batch step, but with a constant rate
    the weights keep fluctuating around the minimum. The average of the path is much closer to the
    minimum than its end. With rates a / (b + t) the weights converge to the minimum; with rates
    that fall as 1 / t^2 they stop too early.

    Parameters
    ----------
    n : int
        Number of weights.
    examples : int
        Number of examples.
    rate : float
        Constant learning rate.
    steps : int
        Steps of each run.
    """
    X = run.rng.standard_normal((examples, n))
    y = X @ run.rng.standard_normal(n) + run.rng.standard_normal(examples)
    best = np.asarray(np.linalg.lstsq(X, y, rcond=None)[0], dtype=np.float64)

    def gradients(w: Vector) -> Vector:
        return (X @ w - y)[:, None] * X

    start = best + run.rng.standard_normal(n)
    batch = X.T @ (X @ start - y) / examples
    mean_step = (-rate * gradients(start)).mean(axis=0)
    run.claim(
        "the mean stochastic step is the batch step",
        float(np.abs(mean_step + rate * batch).max()),
        at_most=1e-12,
    )

    squares = np.sum((rate * gradients(best)) ** 2, axis=1)
    drawn = squares[run.rng.integers(examples, size=steps)]
    error = drawn.std() / np.sqrt(steps)
    run.claim(
        "at the minimum the mean squared step is eta^2 / P sum |grad e|^2 (in standard errors)",
        float(abs(drawn.mean() - rate**2 * np.sum(gradients(best) ** 2) / examples) / error),
        at_most=4,
        probability=FALSE_ALARM,
    )

    rates = {
        "constant": schedule("constant", rate=rate),
        "a / (b + t)": schedule("inverse_time", a=20 * rate * 50, b=50 * 20),
        "1 / t^2": schedule("power", rate=rate, p=2.0),
    }
    ends = {}
    for name, rate_of in run.progress(rates.items()):
        path = _descend(X, y, start, rate_of, steps, run.rng)
        distance = np.linalg.norm(path - best, axis=1)
        shown = np.unique(np.geomspace(1, steps, 80).astype(int)) - 1
        run.rows(rate=[name] * len(shown), step=shown + 1, distance=distance[shown])
        ends[name] = float(distance[steps // 5 :].mean())
        if name == "constant":
            late = path[steps // 5 :]
            threes = np.array([late[i : i + 3].mean(axis=0) for i in range(0, len(late) - 3, 3)])
            ends["mean of 3"] = float(np.linalg.norm(threes - best, axis=1).mean())
            ends["mean of all"] = float(np.linalg.norm(late.mean(axis=0) - best))
    run.figure(
        line(
            "step",
            "distance",
            color="rate",
            x_log=True,
            y_log=True,
            title="Distance from the minimum",
        )
    )
    run.claim(
        "the average of the whole path is closer to the minimum than its end (ratio)",
        ends["mean of all"] / ends["constant"],
        at_most=0.5,
        probability=1e-3,
    )
    run.claim(
        "an average over three steps helps little (ratio)",
        ends["mean of 3"] / ends["constant"],
        at_least=0.8,
        at_most=1.0,
    )
    run.claim(
        "a falling rate a / (b + t) ends closer than a constant one (ratio)",
        ends["a / (b + t)"] / ends["constant"],
        at_most=0.7,
        probability=1e-3,
    )
    first = float(np.linalg.norm(start - best))
    run.claim(
        "1 / t^2 stops early: share of the way that is left",
        ends["1 / t^2"] / first,
        at_least=0.5,
    )


def _descend(
    X: Vector,
    y: Vector,
    start: Vector,
    rate_of: Callable[[int], float],
    steps: int,
    rng: np.random.Generator,
) -> Vector:
    path, place = np.empty((steps, len(start))), start.copy()
    for step, example in enumerate(rng.integers(len(X), size=steps)):
        gap = X[example] @ place - y[example]
        place = place - float(rate_of(step + 1)) * gap * X[example]
        path[step] = place
    return path
