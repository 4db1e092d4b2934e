"""Experiment: polynomials of ten degrees on ten points."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from shallows._core.contract.params import Range
from shallows.data import curve_fitting
from shallows.lab import Run, experiment, line
from shallows.linear import PolynomialRegression

FALSE_ALARM = 1e-4
NOISE = 0.3
PRINTED = {
    0: [0.19],
    1: [0.82, -1.27],
    3: [0.31, 7.99, -25.43, 17.37],
    9: [
        0.35,
        232.37,
        -5321.83,
        48568.31,
        -231639.30,
        640042.26,
        -1061800.52,
        1042400.18,
        -557682.99,
        125201.43,
    ],
}
TRAINING = [0.6143, 0.4622, 0.4587, 0.1870, 0.1868, 0.1850, 0.1817, 0.1797, 0.1682, 0.0]
TEST = [0.795, 0.602, 0.600, 0.377, 0.376, 0.370, 0.367, 0.371, 0.382]


@experiment(
    chapter="linear",
    sources="notes-003 E2, E5-E7, D1, Figs. 1.8-1.12",
    quick={"test_points": 5000},
)
def bishop_polynomials(
    test_points: Annotated[int, Range(2000, 200_000)] = 20_000,
    *,
    run: Run,
) -> None:
    """Which degree of polynomial suits ten noisy points?

    The weights of the famous table, computed from the ten points. The training error never rises
    with the degree and is zero at degree 9, where ten weights fit ten points exactly; the test
    error falls, stays flat and then explodes. With more points degree 9 is harmless.

    Parameters
    ----------
    test_points : int
        Fresh points of sin(2 pi x) plus noise 0.3 for the test error.
    """
    x, y = curve_fitting()
    fresh = run.rng.uniform(0, 1, test_points)
    noise = NOISE * run.rng.standard_normal(test_points)
    target = np.sin(2 * np.pi * fresh) + noise
    for degree in run.progress(range(10)):
        model = PolynomialRegression(degree).fit(x[:, None], y)
        weights = np.append(model.intercept_, model.coef_.ravel())
        run.row(
            degree=degree,
            training=rms(model, x, y),
            test=rms(model, fresh, target),
            largest_weight=float(np.abs(weights).max()),
        )
        if degree in PRINTED:
            printed = np.array(PRINTED[degree])
            run.claim(
                f"degree {degree}: largest distance to a printed weight, in units of what its "
                "digits and those of the points allow",
                float((np.abs(weights - printed) / (0.005 + 1e-6 * np.abs(printed))).max()),
                at_most=1.0001,
            )
    table = run.columns()
    run.claim(
        "training RMS error as in the catalogue, all degrees",
        float(np.abs(table["training"] - TRAINING).max()),
        at_most=5e-5,
    )
    run.claim(
        "it never rises with the degree", float(np.diff(table["training"]).max()), at_most=1e-9
    )
    run.claim(
        "test RMS error of degrees 0 to 8",
        float(np.abs(table["test"][:9] - TEST).max()),
        at_most=0.02 * max(1.0, np.sqrt(20_000 / test_points)),
        probability=FALSE_ALARM,
    )
    run.claim("degree 9 explodes: test RMS", table["test"][9], expected=1.3, within=0.3)
    run.figure(
        line(
            "degree",
            ["training", "test"],
            y_log=False,
            y_rule=NOISE,
            title="RMS error of polynomials on ten points; dashed: the noise",
            y_title="RMS error",
        )
    )

    for size in (10, 15, 100):
        points = np.linspace(0, 1, size)
        values = (
            y if size == 10 else np.sin(2 * np.pi * points) + NOISE * run.rng.standard_normal(size)
        )
        model = PolynomialRegression(9).fit(points[:, None], values)
        run.row("sizes", samples=size, test=rms(model, fresh, target))
    sizes = run.columns("sizes")["test"]
    run.claim(
        "degree 9 on 100 points comes near the noise",
        sizes[2],
        at_most=0.36,
        probability=FALSE_ALARM,
    )
    run.claim("and is better than on 10", sizes[2] / sizes[0], at_most=1)


def rms(model: PolynomialRegression, x: np.ndarray, y: np.ndarray) -> float:
    """Return the root of the mean squared error."""
    return float(np.sqrt(np.mean((model.predict(x[:, None]) - y) ** 2)))
