"""Experiment: a stiff polynomial of degree ten."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from shallows._core.contract.params import Range
from shallows.data import noisy_sine
from shallows.lab import Run, experiment, line
from shallows.linear import PolynomialRegression, roughness_matrix


@experiment(chapter="linear", sources="notes-004a 98", quick={"penalties": 13})
def roughness_penalty(
    noise: Annotated[float, Range(0.01, 2)] = 0.3,
    penalties: Annotated[int, Range(5, 100)] = 25,
    *,
    run: Run,
) -> None:
    """What does a penalty on curvature do to a polynomial of degree ten?

    The integral of the squared second derivative is a quadratic form of the weights. Without this
    penalty eleven weights fit eleven points exactly. As the penalty grows, the curve straightens
    until it is the least-squares line.

    Parameters
    ----------
    noise : float
        Standard deviation of the noise on eleven points of a sine.
    penalties : int
        Penalties from 1e-8 to 1e4.
    """
    C = roughness_matrix(10)
    run.claim("C_22", C[2, 2], expected=4, within=1e-12)
    run.claim("C_23", C[2, 3], expected=6, within=1e-12)
    run.claim("C_33", C[3, 3], expected=12, within=1e-12)
    run.claim("C_10,10 = 90^2 / 17", C[10, 10], expected=8100 / 17, within=1e-9)
    i = np.arange(2, 11)
    formula = np.outer(i * (i - 1), i * (i - 1)) / (np.add.outer(i, i) - 3)
    run.claim(
        "C_ij = i (i-1) j (j-1) / (i+j-3)",
        float(np.abs(C[2:, 2:] / formula - 1).max()),
        at_most=1e-12,
    )
    run.claim("its rank is 9", int(np.linalg.matrix_rank(C, tol=1e-9)), expected=9, within=0)

    x, y = noisy_sine(11, noise=noise, random_state=run.rng)
    straight = PolynomialRegression(1).fit(x[:, None], y).predict(x[:, None])
    grid = np.linspace(0, 1, 101)
    for power in run.progress(np.linspace(-8, 4, penalties)):
        model = PolynomialRegression(10, penalty="roughness", alpha=10.0**power).fit(x[:, None], y)
        fitted = model.predict(x[:, None])
        theta = np.append(model.intercept_, model.coef_[0])
        run.row(
            penalty=10.0**power,
            training_error=float(np.mean((fitted - y) ** 2)),
            roughness=float(theta @ C @ theta),
            gap_to_line=float(np.abs(fitted - straight).max()),
        )
    for name, alpha in {"1e-8": 1e-8, "1e-4": 1e-4, "1": 1.0}.items():
        model = PolynomialRegression(10, penalty="roughness", alpha=alpha).fit(x[:, None], y)
        run.rows(
            "curves",
            penalty=f"penalty {name}",
            x=grid,
            fit=model.predict(grid[:, None]),
            sine=np.sin(2 * np.pi * grid),
        )
    table = run.columns()
    run.claim(
        "the roughness never rises with the penalty",
        float((np.diff(table["roughness"]) / table["roughness"][:-1]).max()),
        at_most=1e-7,
    )
    run.claim(
        "the training error never falls",
        float(np.diff(table["training_error"]).min()),
        at_least=-1e-9,
    )
    fall = table["gap_to_line"][-1] / table["gap_to_line"][-2]
    run.claim(
        "towards the line the gap falls as one over the penalty",
        fall * table["penalty"][-1] / table["penalty"][-2],
        expected=1,
        within=0.02,
    )
    run.claim("at 1e4 it is the least-squares line", table["gap_to_line"][-1], at_most=1e-7)
    free = PolynomialRegression(10).fit(x[:, None], y)
    run.claim(
        "without it the curve passes through every point",
        float(np.abs(free.predict(x[:, None]) - y).max()),
        at_most=1e-8,
    )
    run.figure(
        line(
            "x",
            ["fit", "sine"],
            facet="penalty",
            table="curves",
            title="Degree ten on eleven points, more and more straightened",
            y_title="y",
        )
    )
    run.figure(
        line(
            "penalty",
            "gap_to_line",
            x_log=True,
            y_log=True,
            title="Largest distance to the least-squares line",
        )
    )
