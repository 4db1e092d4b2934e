"""Experiment: double descent of minimum-norm fits."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import numpy as np

from shallows._core.contract.params import Range
from shallows.lab import Run, experiment, line
from shallows.validate import double_descent_curve


@experiment(
    chapter="validate",
    sources="notes-000b Fig. 7.3, M70",
    quick={"repeats": 20, "n": 30},
)
def double_descent(
    n: Annotated[int, Range(20, 60)] = 40,
    noise: Annotated[float, Range(0.05, 2)] = 0.3,
    repeats: Annotated[int, Range(15, 500)] = 50,
    *,
    run: Run,
) -> None:
    """Why can a model with more parameters than data predict well again?

    Random features are fitted by least squares; if many solutions are exact, the one with the
    smallest norm is chosen. The test error rises towards the point of equally many parameters and
    data: there the fit must pass through every noisy point with no freedom left. Beyond this point
    the smallest norm selects ever smoother interpolations, and the error falls again. A ridge
    penalty removes the peak. The same peak appears if the number of features is fixed and rows are
    added.

    Parameters
    ----------
    n : int
        Training rows.
    noise : float
        Standard deviation of the noise.
    repeats : int
        Training sets and feature draws.
    """
    shares = np.array([0.1, 0.25, 0.5, 0.7, 0.8, 0.9, 1, 1.1, 1.2, 1.4, 2, 3, 5, 8, 12])
    sizes = np.unique(np.maximum(1, np.round(shares * n).astype(int)))
    curve_of = partial(double_descent_curve, noise=noise, n_repeats=repeats, random_state=run.rng)
    curves = {
        "smallest norm": curve_of(sizes, n),
        "ridge": curve_of(sizes, n, alpha=0.1),
    }
    for fit, curve in run.progress(curves.items()):
        run.rows(
            fit=fit,
            parameters=curve.n_parameters,
            test_error=curve.typical_test_errors,
            training_error=np.median(curve.train_errors, axis=1),
        )
    rows = curve_of(n, sizes)
    run.rows("rows_added", training_rows=rows.n_points, test_error=rows.typical_test_errors)

    run.figure(
        line(
            "parameters",
            "test_error",
            color="fit",
            x_log=True,
            y_log=True,
            x_rule=n,
            title="Test error against the number of parameters (median)",
        )
    )
    run.figure(
        line(
            "training_rows",
            "test_error",
            table="rows_added",
            x_log=True,
            y_log=True,
            x_rule=n,
            title="Test error against the number of training rows (median)",
        )
    )

    plain, ridge = curves["smallest norm"], curves["ridge"]
    run.claim(
        "the test error peaks where parameters = rows (peak over rows)",
        plain.peak[0] / n,
        at_least=0.89,
        at_most=1.11,
    )
    run.claim(
        "beyond the peak the error falls again (last over peak)",
        plain.typical_test_errors[-1] / plain.typical_test_errors.max(),
        at_most=0.5,
    )
    beyond = plain.n_parameters > n
    run.claim(
        "more parameters than rows: no training error",
        plain.train_errors[beyond].max(),
        at_most=1e-10,
    )
    run.claim(
        "ridge removes the peak (ridge over smallest norm at parameters = rows)",
        ridge.typical_test_errors[sizes == n][0] / plain.typical_test_errors[sizes == n][0],
        at_most=0.5,
    )
    run.claim(
        "with fixed parameters the error peaks where rows = parameters (peak over parameters)",
        rows.peak[1] / n,
        at_least=0.89,
        at_most=1.11,
    )
    run.note("That risk first falls and then always rises holds up to interpolation only.")
