"""Experiment: too stiff, about right and too flexible."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from numpy.polynomial.legendre import legvander

from shallows._core.contract.params import Range
from shallows.data import noisy_sine
from shallows.lab import Run, experiment, line
from shallows.linear import LinearRegression, PolynomialRegression

POINTS = 11
NOISE_FREE = {1: 0.25884, 3: 0.0065785, 10: 0.0}
PRINTED = {1: 0.4852, 3: 0.0703, 10: 0.0}
FALSE_ALARM = 1e-5


@experiment(chapter="linear", sources="notes-004a 93, Figs. 27, 28", quick={"repeats": 200})
def noisy_sine_orders(
    noise: Annotated[float, Range(0.05, 2)] = 0.3,
    repeats: Annotated[int, Range(20, 20_000)] = 1000,
    *,
    run: Run,
) -> None:
    """Which order of polynomial should be fitted to eleven noisy points of a sine?

    A line is too stiff, a cubic about right, and order ten passes through every point. The
    training error falls with the order: its parts are the error of the best fit to the sine, and
    the noise minus one eleventh of its variance per weight. The error against the sine itself does
    not fall all the way.

    Parameters
    ----------
    noise : float
        Standard deviation of the noise.
    repeats : int
        Draws of the noise.
    """
    x, sine = noisy_sine(POINTS, noise=0.0)
    dense = np.linspace(0, 1, 201)
    draws = sine + noise * run.rng.normal(size=(repeats, POINTS))
    for order in run.progress(range(1, POINTS)):
        free = PolynomialRegression(order).fit(x[:, None], sine)
        bare = float(np.mean((free.predict(x[:, None]) - sine) ** 2))
        # Legendre's polynomials span the same functions; all draws are targets of one fit.
        fits = LinearRegression(fit_intercept=False).fit(legvander(2 * x - 1, order), draws.T)
        errors = ((fits.predict(legvander(2 * x - 1, order)) - draws.T) ** 2).mean(axis=0)
        curves = fits.predict(legvander(2 * dense - 1, order))
        risk = (curves - np.sin(2 * np.pi * dense)[:, None]) ** 2
        if order < POINTS - 1:  # at order ten nothing is left to draw
            run.row(
                order=order,
                training_error=float(errors.mean()),
                expected=bare + noise**2 * (POINTS - 1 - order) / POINTS,
                error_against_sine=float(risk.mean()),
            )
        if order in NOISE_FREE:
            _claim_order(run, order, bare, errors, noise)
            curve = PolynomialRegression(order).fit(x[:, None], draws[0])
            run.rows(
                "curves",
                order=f"order {order}",
                x=dense,
                fit=curve.predict(dense[:, None]),
                sine=np.sin(2 * np.pi * dense),
            )
    table = run.columns()
    run.claim(
        "the training error never rises with the order",
        float(np.diff(table["training_error"]).max()),
        at_most=1e-12,
    )
    best = int(table["order"][np.argmin(table["error_against_sine"])])
    run.claim("the order of least error against the sine lies between", best, at_least=3, at_most=6)
    slope = (PRINTED[1] - NOISE_FREE[1]) * POINTS / 9, (PRINTED[3] - NOISE_FREE[3]) * POINTS / 7
    run.note(
        "The notes print training errors 0.4852, 0.0703 and 0.0000 of one draw whose noise they "
        "don't give. If these were means, the noise would have variance "
        f"{slope[0]:.3f} by the first and {slope[1]:.3f} by the second: one draw tells little."
    )
    run.figure(
        line(
            "x",
            ["fit", "sine"],
            facet="order",
            table="curves",
            title="Too stiff, about right, too flexible",
            y_title="y",
        )
    )
    run.figure(
        line(
            "order",
            ["training_error", "error_against_sine"],
            theory="expected",
            y_log=True,
            title="Mean squared errors by order, and the expected training error",
        )
    )


def _claim_order(run: Run, order: int, bare: float, errors: np.ndarray, noise: float) -> None:
    run.claim(
        f"order {order}: error of the best fit to the sine itself",
        bare,
        expected=NOISE_FREE[order],
        within=5e-6 if order == 1 else 5e-8,
    )
    if order == POINTS - 1:
        run.claim("order 10 passes through all points", float(errors.max()), at_most=1e-12)
        return
    # The sum of squares is noise^2 times a noncentral chi-squared variable.
    freedom, shift = POINTS - 1 - order, POINTS * bare / noise**2
    deviation = noise**2 / POINTS * np.sqrt(2 * (freedom + 2 * shift) / len(errors))
    run.claim(
        f"order {order}: mean training error is that plus (10 - m) / 11 of the noise variance",
        float(errors.mean()),
        expected=bare + noise**2 * freedom / POINTS,
        within=4.5 * float(deviation),
        probability=FALSE_ALARM,
    )
