"""Experiment: least squares on truth tables."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np

from shallows._core.contract.params import Range
from shallows.data import truth_table
from shallows.lab import Run, bars, experiment
from shallows.linear import LinearRegression

Gate = Literal["and", "or", "xor"]

# offset and weights, half the sum of squared errors
EXPECTED: dict[Gate, tuple[list[float], float]] = {
    "and": ([-0.25, 0.5, 0.5], 0.125),
    "or": ([0.25, 0.5, 0.5], 0.125),
    "xor": ([0.5, 0.0, 0.0], 0.5),
}


@experiment(chapter="linear", sources="notes-001 M01, notes-003 M35, E12", quick={})
def gates_least_squares(
    scale: Annotated[float, Range(0.1, 10)] = 1.0,
    *,
    run: Run,
) -> None:
    """Which gates does least squares learn?

    With targets 0 and 1 the threshold is 1/2; with -1 and +1 it is 0, all weights double, and the
    offset is doubled and reduced by one, so the plane is the same. AND and OR are learned. For XOR
    all weights are zero, because the best linear function is the mean.

    Parameters
    ----------
    scale : float
        Size of the inputs: the weights shrink by it, the decisions stay.
    """
    for gate, (weights, error) in EXPECTED.items():
        X, y = truth_table(gate)
        X = X * scale
        plain = LinearRegression().fit(X, y)
        signed = LinearRegression().fit(X, 2 * y - 1)
        found = np.append(plain.intercept_, scale * plain.coef_)
        other = np.append(signed.intercept_, scale * signed.coef_)
        values = plain.predict(X)
        right = int(np.sum((values > 0.5) == (y == 1)))
        run.rows(gate=gate, row=["00", "01", "10", "11"], value=values)
        run.claim(f"{gate}: weights", float(np.abs(found - weights).max()), at_most=1e-12)
        run.claim(
            f"{gate}: half the squared error",
            float(np.sum((values - y) ** 2) / 2),
            expected=error,
            within=1e-12,
        )
        shifted = 2 * found - np.array([1.0, 0, 0])
        run.claim(
            f"{gate}: w of -1/+1 is 2 w of 0/1 less one in the offset",
            float(np.abs(other - shifted).max()),
            at_most=1e-12,
        )
        if gate != "xor":
            run.claim(f"{gate}: rows on the right side of 1/2", right, expected=4, within=0)
    run.figure(
        bars("row", "value", facet="gate", y_rule=0.5, title="Fitted values; above 1/2 is class 1")
    )
