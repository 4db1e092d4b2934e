"""Experiment: a bound on what machines of K units can store."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from shallows import theory
from shallows._core.contract.params import Range
from shallows.lab import Run, experiment, line

TABLE = {2: 9.065, 6: 40.531, 10: 76.859}
CURVE = {1: 2.0, 2: 8.90, 3: 15.96, 5: 31.58, 10: 75.79, 20: 175.7}
LIMIT = {2: 9.089, 6: 40.61, 10: 77.00}


@experiment(
    chapter="theory",
    sources="notes-000a Fig. 4.4, M89, M90",
    quick={"largest": 20},
)
def machine_capacity(largest: Annotated[int, Range(20, 200)] = 20, *, run: Run) -> None:
    """How many random labels can a machine of K hidden units store at most?

    For any fixed function of K threshold units, the number of labelings is at most the K-th power
    of that of one unit. If this is below half of all labelings, the capacity is bounded. The bound
    grows slightly faster than the number of units.

    Parameters
    ----------
    largest : int
        Largest number of units.
    """
    for k in run.progress(range(1, largest + 1)):
        run.row(
            units=k,
            N_100=theory.machine_capacity(k, 100),
            N_1000=theory.machine_capacity(k, 1000),
            N_infinite=theory.machine_capacity(k),
            leading_order=k * np.log2(k),
            two_per_unit=2 * k,
        )
    run.figure(
        line(
            "units",
            ["N_100", "N_infinite", "leading_order", "two_per_unit"],
            title="Bound on the labels per input dimension that K units can store",
            x_title="hidden units K",
            y_title="labels per dimension",
        )
    )

    for k, printed in TABLE.items():
        run.claim(f"N = 1000, K = {k}", theory.machine_capacity(k, 1000), printed, within=1e-9)
    for k, printed in CURVE.items():
        value = theory.machine_capacity(k, 100)
        run.claim(f"N = 100, K = {k}", value, printed, within=0.05 if k == 20 else 0.005)
    for k, printed in LIMIT.items():
        value = theory.machine_capacity(k)
        run.claim(f"N infinite, K = {k}", value, printed, within=0.005)
    table = run.columns()
    spare = (table["N_100"] - table["two_per_unit"])[1:].min()
    run.claim("from two units on, more than 2 labels per unit and dimension", spare, at_least=0.01)
    ratio = theory.machine_capacity(10) / (10 * np.log2(10))
    run.claim("K = 10: bound over K ln K / ln 2", ratio, 2.32, within=0.01)
    run.note(
        "K ln K / ln 2 is often given as the bound. It is its leading order alone: at K = 10 the "
        "count allows 2.3 times, at a million units still 1.3 times as much."
    )
    run.claim(
        "K = 10^6: bound over K ln K / ln 2",
        theory.machine_capacity(10**6) / (10**6 * np.log2(1e6)),
        expected=1.31,
        within=0.01,
    )
