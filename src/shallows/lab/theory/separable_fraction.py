"""Experiment: the share of random labelings that a hyperplane realises."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from scipy.stats import binomtest

from shallows._core.contract.params import Range
from shallows.lab import Run, experiment, line
from shallows.theory import fraction_separable, is_separable

DIMENSIONS = (5, 20, 100)
FALSE_ALARM = 1e-4
PRINTED = {
    (5, 1.4): 0.89062,
    (5, 3.0): 0.08978,
    (20, 1.6): 0.92519,
    (20, 2.4): 0.12148,
    (100, 1.8): 0.93264,
    (100, 2.2): 0.08820,
}


@experiment(
    chapter="theory",
    sources="notes-000a Fig. 3.10, M49, M50",
    quick={"trials": 20, "points": 7},
)
def separable_fraction(
    trials: Annotated[int, Range(10, 10_000)] = 200,
    points: Annotated[int, Range(5, 41)] = 15,
    *,
    run: Run,
) -> None:
    """How many random labels can a perceptron store?

    Random points get random labels. The share of labelings that a hyperplane through the origin
    separates falls from 1 to 0 as the number of points grows. Up to N points every labeling is
    separable, at 2N points exactly half of them; the larger the dimension N, the steeper the fall.
    The capacity is 2 labels per weight.

    Parameters
    ----------
    trials : int
        Random labelings of every size.
    points : int
        Sizes P = alpha N at which labelings are drawn, from alpha = 1 to 3.
    """
    tested, chance = 0, 1.0
    for n in run.progress(DIMENSIONS):
        sizes = np.unique(np.round(np.linspace(1, 3, points) * n).astype(int))
        for p in range(1, 4 * n + 1):
            theory = float(fraction_separable(p, n))
            measured = np.nan
            if p in sizes:
                count = sum(
                    is_separable(run.rng.standard_normal((p, n)), run.rng.choice([-1, 1], p))
                    for _ in range(trials)
                )
                measured = count / trials
                chance = min(chance, binomtest(count, trials, theory).pvalue)
                tested += 1
            run.row(
                dimension=f"N = {n}",
                alpha=p / n,
                measured=measured,
                theory=theory,
            )

    run.figure(
        line(
            "alpha",
            "measured",
            theory="theory",
            color="dimension",
            x_rule=2,
            title="Share of random labelings that are linearly separable",
            x_title="points per dimension, P / N",
            y_title="share separable",
        )
    )

    each = np.array(DIMENSIONS)
    run.claim(
        "up to P = N every labeling is separable", fraction_separable(each, each).min(), 1, within=0
    )
    half = np.abs(fraction_separable(2 * each, each) - 0.5).max()
    run.claim("at P = 2N exactly half: largest deviation", half, 0, within=0)
    for (dimension, alpha), printed in PRINTED.items():
        value = round(float(fraction_separable(round(alpha * dimension), dimension)), 5)
        run.claim(f"N = {dimension}, P = {alpha:g} N, five digits", value, printed, within=0)
    run.claim(
        "drawn labelings agree with the theory (smallest p-value of exact binomial tests)",
        chance,
        at_least=FALSE_ALARM / tested,
        probability=FALSE_ALARM,
    )
