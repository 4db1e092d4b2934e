"""Experiment: the published table of ridge weights, and the penalty behind it."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from shallows._core.contract.params import Range
from shallows.data import curve_fitting
from shallows.lab import Run, experiment, line
from shallows.linear import Ridge, ridge_path

NOISE = 0.3
PRINTED = {
    -18: [0.35, 4.74, -0.77, -31.97, -3.89, 55.28, 41.32, -45.95, -91.53, 72.68],
    0: [0.13, -0.05, -0.06, -0.05, -0.03, -0.02, -0.01, -0.00, 0.00, 0.01],
}
STATED = {-18: [0.35, 5.77, -14.97], 0: [0.46, -0.34]}  # by the formula with lambda itself


@experiment(
    chapter="linear",
    sources="notes-003 E16, E17, Figs. 2.14-2.16, notes-002 F5",
    quick={"test_points": 2000, "penalties": 46},
)
def bishop_ridge(
    test_points: Annotated[int, Range(1000, 100_000)] = 10_000,
    penalties: Annotated[int, Range(10, 500)] = 181,
    *,
    run: Run,
) -> None:
    """Which penalty produced the published ridge weights?

    Without a penalty, degree 9 overfits ten points. The notes give weights for ln lambda = -18 and
    0 together with a formula, but the weights belong to ten times this lambda. The factor is the
    number of points, so the sum of squared errors was meant as a mean. Along the path the weights
    shrink, the training error rises, and the test error has a minimum in between.

    Parameters
    ----------
    test_points : int
        Fresh points for the test error.
    penalties : int
        Penalties along the path, from ln lambda = -40 to 5.
    """
    x, y = curve_fitting()
    design = np.vander(x, 10, increasing=True)
    for power, printed in PRINTED.items():
        penalty = np.exp(power)
        mean = Ridge(penalty, scaling="mean", fit_intercept=False).fit(design, y).coef_
        plain = Ridge(penalty, fit_intercept=False).fit(design, y).coef_
        fitted = 10.0 if power == 0 else 1.0375e-7
        best = Ridge(fitted, fit_intercept=False).fit(design, y).coef_
        run.rows(
            "weights",
            ln_lambda=power,
            exponent=np.arange(10),
            printed=np.array(printed),
            ten_lambda=mean,
            lambda_itself=plain,
        )
        off = float(np.abs(best - printed).max())
        run.claim(
            f"ln lambda = {power}: largest distance of penalty {fitted:g} to the printed weights",
            off,
            at_most=0.0051,
        )
        stated = np.array(STATED[power])
        run.claim(
            f"ln lambda = {power}: lambda itself gives {', '.join(map(str, STATED[power]))}, ...",
            float(np.abs(plain[: len(stated)] - stated).max()),
            at_most=0.0051,
        )
        run.claim(
            f"ln lambda = {power}: which is far from the printed weights",
            float(np.abs(plain - printed).max()),
            at_least=0.3,
        )
    path_test(run, design, y, test_points, penalties)
    run.note(
        "The notes give w = (X'X + lambda I)^-1 X'y and ln lambda = -18 and 0, but their weights "
        "belong to penalties 1.0375e-7 (ln = -16.08) and 10: ten times lambda, with -18 rounded "
        "from -18.38. In the mean form, which divides the squared error by the ten points, the "
        "column for 0 agrees to every printed digit."
    )


def path_test(
    run: Run, design: np.ndarray, y: np.ndarray, test_points: int, penalties: int
) -> None:
    """Follow weights and errors along the penalties."""
    fresh = run.rng.uniform(0, 1, test_points)
    target = np.sin(2 * np.pi * fresh) + NOISE * run.rng.standard_normal(test_points)
    powers = np.linspace(-40, 5, penalties)
    path = ridge_path(design, y, np.exp(powers), fit_intercept=False)
    weights = path.coef[:, 0]
    errors = [
        np.sqrt(np.mean((points @ weights.T - values[:, None]) ** 2, axis=0))
        for points, values in ((design, y), (np.vander(fresh, 10, increasing=True), target))
    ]
    norms = np.linalg.norm(weights, axis=1)
    run.rows(ln_lambda=powers, training=errors[0], test=errors[1], norm=norms)
    run.claim(
        "|w| never rises with lambda", float((np.diff(norms) / norms[:-1]).max()), at_most=1e-6
    )
    run.claim("the training error never falls", float(np.diff(errors[0]).min()), at_least=-1e-6)
    best = int(np.argmin(errors[1]))
    run.claim("the test error has its minimum inside", powers[best], at_least=-30, at_most=2)
    run.claim(
        "at both ends the test error is larger",
        min(errors[1][0], errors[1][-1]) / errors[1][best],
        at_least=1.1,
    )
    run.figure(
        line(
            "ln_lambda",
            ["training", "test"],
            title="RMS error of degree 9 on ten points along the penalty",
            x_title="ln of the penalty",
            y_title="RMS error",
        )
    )
