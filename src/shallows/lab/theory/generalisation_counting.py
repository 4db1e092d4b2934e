"""Experiment: the generalisation error by counting."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from shallows._core.contract.params import Range
from shallows.lab import Run, experiment, line
from shallows.theory import (
    counting_error,
    counting_error_limit,
    learning_curve_bayes,
    learning_curve_gibbs,
    separable_labelings,
)

PRINTED = {
    5: [0.46875, 0.25391, 0.15976, 0.11517, 0.08976],
    20: [0.50000, 0.37463, 0.21951, 0.15137, 0.11510],
    100: [0.50000, 0.44365, 0.24290, 0.16340, 0.12294],
}


@experiment(
    chapter="theory",
    sources="notes-000a Fig. 3.15, M56, M57",
    quick={"points": 21, "p": 5},
)
def generalisation_counting(
    points: Annotated[int, Range(11, 201)] = 81,
    p: Annotated[int, Range(3, 8)] = 6,
    *,
    run: Run,
) -> None:
    """How well does a student generalise if all separable labelings are equally likely?

    An example is informative if the earlier labels do not determine its own label. The share of
    labelings that leave it open is a ratio of two counts; a guess is then wrong with probability
    1/2. The count gives large and small version spaces the same weight, but a random teacher is
    more often in a large one. So real students do better than this count.

    Parameters
    ----------
    points : int
        Values of alpha = P / N along the curves.
    p : int
        Points of the set whose labelings are counted one by one.
    """
    for n in run.progress((5, 20, 100)):
        for size in np.unique(np.round(np.linspace(0, 6, points) * n).astype(int)):
            run.row(dimension=f"N = {n}", alpha=size / n, error=float(counting_error(size, n)))
    alpha = np.linspace(0, 6, points)
    run.rows(dimension="N infinite", alpha=alpha, error=counting_error_limit(alpha))
    run.rows(dimension="true, random student", alpha=alpha, error=learning_curve_gibbs(alpha))
    run.rows(dimension="true, best student", alpha=alpha, error=learning_curve_bayes(alpha))
    run.figure(
        line(
            "alpha",
            "error",
            color="dimension",
            title="Generalisation error by counting, and the true one for N infinite",
            x_title="examples per dimension, P / N",
            y_title="generalisation error",
        )
    )

    for n, printed in PRINTED.items():
        values = counting_error(np.arange(1, 6) * n, n).round(5)
        gap = np.abs(values - printed).max()
        run.claim(f"N = {n}, alpha = 1 to 5, five digits: largest deviation", gap, 0, within=1e-12)
    run.claim("P = N - 1: still a guess", float(counting_error(19, 20)), 0.5, within=0)
    run.claim("P = N: a little better", float(counting_error(20, 20)), 0.5 - 2.0**-20, within=1e-15)

    n = 3
    X = run.rng.standard_normal((p + 1, n))
    longer = {tuple(row) for row in separable_labelings(X).tolist()}
    shorter = separable_labelings(X[:p]).tolist()
    open_ones = sum((*row, 1) in longer and (*row, -1) in longer for row in shorter)
    run.claim(
        f"P = {p}, N = {n}: error counted one by one",
        0.5 * open_ones / len(shorter),
        float(counting_error(p, n)),
        within=1e-12,
    )
    far = 1e4
    run.claim("many examples: error times alpha", far * counting_error_limit(far), 0.5, within=1e-3)
    worse = np.min(counting_error_limit(alpha) - learning_curve_gibbs(alpha))
    run.claim("a random student is never worse than the count", worse, at_least=0)
