"""Experiment: polynomials of three orders on eleven noisy points of a sine."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from shallows._core.contract.params import Range
from shallows.data import noisy_sine
from shallows.lab import Run, experiment, line
from shallows.linear import hat_matrix

FALSE_ALARM = 1e-4
ORDERS = {1: 0.25884, 3: 0.0065785, 10: 0.0}  # with the mean squared residual without noise
PRINTED = {1: 0.4852, 3: 0.0703, 10: 0.0}


@experiment(
    chapter="validate",
    sources="notes-004a Figs. 27-28, 93",
    quick={"repeats": 200},
)
def sine_orders(
    noise: Annotated[float, Range(0.01, 0.6)] = 0.3,
    repeats: Annotated[int, Range(100, 20_000)] = 2000,
    *,
    run: Run,
) -> None:
    """Which order of polynomial suits eleven noisy points of a sine?

    A line is too stiff, a cubic follows the sine, and order 10 passes through every point and
    overfits the noise. Least squares is linear in the targets, so the expected training error is
    known exactly: the residual of the best fit to the sine, plus (10 - m) / 11 of the noise
    variance for order m. The expected risk contains the fitted part of the noise in addition
    instead.

    Parameters
    ----------
    noise : float
        Standard deviation of the noise.
    repeats : int
        Training sets drawn.
    """
    x = noisy_sine().x
    truth = np.sin(2 * np.pi * x)
    grid = np.linspace(0, 1, 201)
    draws = np.array([noisy_sine(noise=noise, random_state=run.rng).y for _ in range(repeats)])
    for order, residual in run.progress(ORDERS.items()):
        design = np.polynomial.chebyshev.chebvander(2 * x - 1, order)
        smoother = hat_matrix(design)
        losses = np.mean((draws - draws @ smoother) ** 2, axis=1)
        left = np.mean((truth - smoother @ truth) ** 2)
        expected = float(left + noise**2 * (10 - order) / 11)
        wide = np.polynomial.chebyshev.chebvander(2 * grid - 1, order) @ np.linalg.pinv(design)
        true_risk = np.mean((wide @ draws.T - np.sin(2 * np.pi * grid)[:, None]) ** 2)
        spread = losses.std(ddof=1) / np.sqrt(repeats)
        run.row(
            "orders",
            order=order,
            training_error=losses.mean(),
            expected_training_error=expected,
            squared_error_to_the_sine=true_risk,
        )
        run.rows(order=f"order {order}", x=grid, fit=wide @ draws[0], sine=np.sin(2 * np.pi * grid))
        run.claim(
            f"order {order}: mean squared residual without noise",
            left,
            expected=residual,
            within=5e-6,
        )
        if order < 10:
            run.claim(
                f"order {order}: mean training error is the residual + noise^2 (10 - m) / 11",
                losses.mean(),
                expected=expected,
                within=4.5 * spread,
                probability=FALSE_ALARM,
            )
        else:
            run.claim("order 10 interpolates", losses.max(), at_most=1e-20 + 1e-12 * noise**2)
    errors = run.columns("orders")["squared_error_to_the_sine"]
    run.claim("the cubic is closer to the sine than the line", errors[1] / errors[0], at_most=1)
    if noise >= 0.1:
        run.claim(
            "order 10 is farther from the sine than the cubic", errors[2] / errors[1], at_least=1
        )
    run.figure(
        line(
            "x",
            ["fit", "sine"],
            facet="order",
            title="The first training set, fitted",
            y_title="y",
        )
    )
    printed = ", ".join(f"{value} at order {order}" for order, value in PRINTED.items())
    run.note(
        f"The notes print training errors of one draw with unstated noise: {printed}. They are "
        "possible values, not expected ones: those are the exact residuals plus (10 - m)/11 of "
        "the noise variance."
    )
