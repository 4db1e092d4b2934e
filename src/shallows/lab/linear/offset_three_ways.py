"""Experiment: three ways to fit an offset."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from shallows._core.contract.params import Range
from shallows.data import make_linear
from shallows.lab import Run, experiment, line
from shallows.linear import LinearRegression, Ridge


@experiment(chapter="linear", sources="notes-002 F3, notes-004a 43", quick={})
def offset_three_ways(
    samples: Annotated[int, Range(20, 1000)] = 60,
    level: Annotated[float, Range(1, 1000)] = 50.0,
    *,
    run: Run,
) -> None:
    """Does it matter how the offset of a linear model is fitted?

    Centre the data, fit the offset explicitly, or append a column of ones. For least squares all
    three are equal. A penalty also applies to the weight of the column of ones, so predictions
    depend on the zero point of the targets; the difference grows with the penalty.

    Parameters
    ----------
    samples : int
        Training samples.
    level : float
        Mean of the targets.
    """
    X, y = make_linear(samples, [1.0, -2.0, 0.5], noise=0.5, random_state=run.rng)
    X, y = X + 1.0, y + level
    moved, centred = X - X.mean(axis=0), y - y.mean()
    column = np.column_stack([X, np.ones(samples)])

    by_hand = LinearRegression(fit_intercept=False).fit(moved, centred).predict(moved) + y.mean()
    explicit = LinearRegression().fit(X, y).predict(X)
    ones = LinearRegression(fit_intercept=False).fit(column, y).predict(column)
    gap = max(float(np.abs(by_hand - explicit).max()), float(np.abs(ones - explicit).max()))
    run.claim("least squares: largest gap between the three", gap / level, at_most=1e-10)

    for penalty in run.progress(np.logspace(-3, 3, 25)):
        hand = Ridge(penalty, fit_intercept=False).fit(moved, centred).predict(moved) + y.mean()
        free = Ridge(penalty).fit(X, y).predict(X)
        bound = Ridge(penalty, penalize_intercept=True).fit(X, y)
        run.row(
            penalty=penalty,
            centring_against_explicit=float(np.abs(hand - free).max()),
            column_against_explicit=float(np.abs(bound.predict(X) - free).max()),
            offset_of_column=float(bound.intercept_),
        )
    table = run.columns()
    run.claim(
        "ridge: centring and a free offset agree",
        float(table["centring_against_explicit"].max()) / level,
        at_most=1e-10,
    )
    gaps = table["column_against_explicit"]
    run.claim(
        "ridge: a column of ones differs, 100 times more at penalty 1 than at 0.001",
        gaps[len(gaps) // 2] / gaps[0],
        at_least=100,
    )
    run.claim("and more again at the largest penalty", gaps[-1] / gaps[len(gaps) // 2], at_least=2)
    run.claim("at the largest penalty the gap is most of the level", gaps[-1] / level, at_least=0.5)
    column_fit = Ridge(10.0, fit_intercept=False).fit(column, y)
    own = Ridge(10.0, penalize_intercept=True).fit(X, y)
    run.claim(
        "penalize_intercept is the column of ones",
        float(np.abs(column_fit.predict(column) - own.predict(X)).max()) / level,
        at_most=1e-10,
    )
    run.figure(
        line(
            "penalty",
            "column_against_explicit",
            x_log=True,
            y_log=True,
            title="Predictions with a penalised column of ones against a free offset",
            y_title="largest difference",
        )
    )
    run.note(
        "The notes let the difference grow with the penalty. It does from end to end, but not at "
        "every step: where the weights take over what the column lost, the largest difference can "
        "fall a little."
    )
