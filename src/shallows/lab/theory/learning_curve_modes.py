"""Experiment: the learning curve of gradient descent has one exponential per eigenvalue."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from scipy.stats import ortho_group

from shallows._core.contract.params import Range
from shallows.lab import Run, experiment, line
from shallows.theory import descent_risk, optimal_rate, time_constants

EIGENVALUES = np.array([1.0, 0.1, 0.01])


@experiment(
    chapter="theory",
    sources="notes-004b Figs. 77, 78, F20-F22",
    quick={"steps": 2000},
)
def learning_curve_modes(
    mu: Annotated[float, Range(1e-4, 0.02)] = 0.01,
    steps: Annotated[int, Range(1000, 100_000)] = 20_000,
    *,
    run: Run,
) -> None:
    """Why does training slow down several times?

    The risk of gradient descent on a bowl is a sum of exponentials, one for each eigenvalue of the
    correlation matrix. On a logarithmic scale the curve has a straight section for each: steep
    directions converge first, flat ones take the time. With the best rate, only the eigenvalue
    spread determines the speed.

    Parameters
    ----------
    mu : float
        Rate; the largest eigenvalue is 1.
    steps : int
        Steps of descent.
    """
    axes = ortho_group.rvs(3, random_state=run.rng)
    R = (axes * EIGENVALUES) @ axes.T
    start = axes @ np.array([1.0, 1.0, 1.0])
    predicted = descent_risk(R, start, mu, steps)
    v, risks = start.copy(), [start @ R @ start]
    for _ in range(steps):
        v = v - 2 * mu * (R @ v)
        risks.append(v @ R @ v)
    risk = np.array(risks)
    times = np.unique(np.geomspace(1, steps, 200).astype(int))
    modes = EIGENVALUES * (1 - 2 * mu * EIGENVALUES) ** (2 * times[:, None])
    modes[modes < 1e-8] = np.nan
    run.rows(
        step=times,
        risk=np.where(np.arange(len(times)) % 8 == 0, risk[times], np.nan),
        theory=predicted[times],
        steep_mode=modes[:, 0],
        middle_mode=modes[:, 1],
        flat_mode=modes[:, 2],
    )
    run.figure(
        line(
            "step",
            "risk",
            theory=["theory", "steep_mode", "middle_mode", "flat_mode"],
            y_log=True,
            x_log=True,
            title="Learning curve of gradient descent, and its three modes",
        )
    )
    gap = np.max(np.abs(risk - predicted) / predicted)
    run.claim("simulated risk against the sum of modes, largest relative gap", gap, at_most=1e-9)
    small = 1e-3
    exact = time_constants(R, small) * 4 * small * EIGENVALUES
    run.claim(
        "small rate: time constants over 1/(4 mu lambda), largest deviation",
        np.abs(exact - 1).max(),
        at_most=0.01,
    )
    rate, factor, spread = optimal_rate(R)
    run.claim("best rate is 1 / (largest + smallest)", rate, 1 / 1.01, within=1e-12)
    run.claim("factor (s - 1) / (s + 1)", factor, (spread - 1) / (spread + 1), within=1e-12)
    v = axes @ np.array([1.0, 0.0, 1.0])
    for _ in range(50):
        v = v - 2 * rate * (R @ v)
    parts = np.abs(axes.T @ v)[[0, 2]] ** (1 / 50)
    run.claim(
        "best rate: both extreme parts shrink alike, per step", parts.max(), factor, within=1e-9
    )
    run.claim("best rate: the other extreme part", parts.min(), factor, within=1e-9)
