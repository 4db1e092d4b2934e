"""Experiment: the cost of removing a weight, by Brain Damage and Brain Surgeon."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from shallows._core.contract.params import Range
from shallows.lab import Run, experiment, scatter
from shallows.network import saliencies


@experiment(chapter="network", sources="notes-000b Eq. 7.14-7.18, M77, M78", quick={"n": 20})
def pruning_saliency(
    n: Annotated[int, Range(4, 60)] = 20,
    correlation: Annotated[float, Range(0.5, 0.99)] = 0.9,
    *,
    run: Run,
) -> None:
    """Which weight can be removed?

    Near a minimum the cost is quadratic. Optimal Brain Damage uses the diagonal of the Hessian:
    setting a weight to zero with the others fixed costs half of H_kk w_k^2. Optimal Brain Surgeon
    lets the others adapt, at a cost of w_k^2 / (2 [H^-1]_kk). Both are exact for a diagonal
    Hessian. If weights are correlated, one can replace another; only the surgeon takes this into
    account, so its ranking differs.

    Parameters
    ----------
    n : int
        Number of weights.
    correlation : float
        Correlation within pairs of inputs, in the first half of them.
    """
    weights = run.rng.standard_normal(n)
    place = np.arange(n)
    scale = run.rng.uniform(0.5, 2, n)
    pairs = (place[:, None] // 2 == place // 2) & (place < n // 2) & (place[:, None] < n // 2)
    full = np.where(pairs, correlation, 0.0)
    np.fill_diagonal(full, 1.0)
    full *= np.outer(scale, scale)
    for kind, hessian in (("diagonal", np.diag(scale**2)), ("with pairs", full)):
        damage, surgeon = (saliencies(weights, hessian, method) for method in ("obd", "obs"))
        for k in run.progress(range(n)):
            free = np.delete(place, k)
            step = np.zeros(n)
            step[k] = -weights[k]
            alone = 0.5 * float(step @ hessian @ step)
            step[free] = np.linalg.solve(hessian[np.ix_(free, free)], -hessian[free, k] * step[k])
            adapted = 0.5 * float(step @ hessian @ step)
            run.row(
                hessian=kind,
                weight=k,
                damage=float(damage[k]),
                surgeon=float(surgeon[k]),
                cost_alone=alone,
                cost_adapted=adapted,
            )
    run.figure(
        scatter(
            "cost_adapted",
            "damage",
            color="hessian",
            x_log=True,
            y_log=True,
            title="Saliency of Brain Damage against the cost after the others adapt",
        )
    )
    table = run.columns()
    is_full = table["hessian"] == "with pairs"

    def gap(left: str, right: str, rows: np.ndarray) -> float:
        return float((np.abs(table[left] - table[right]) / table[right])[rows].max())

    run.claim(
        "surgeon: exact cost after the correction",
        gap("surgeon", "cost_adapted", is_full),
        expected=0,
        within=1e-8,
    )
    run.claim(
        "damage (half of H w^2): exact cost if nothing adapts",
        gap("damage", "cost_alone", is_full),
        expected=0,
        within=1e-8,
    )
    run.claim(
        "diagonal Hessian: both agree", gap("damage", "surgeon", ~is_full), expected=0, within=1e-8
    )
    share = float((table["cost_adapted"] / table["cost_alone"])[is_full].mean())
    run.claim(
        "correlated weights: adapting saves (mean share of the cost left)", share, at_most=0.9
    )
    orders = [np.argsort(table[name][is_full]) for name in ("damage", "surgeon")]
    run.claim(
        "correlated weights: places where the rankings differ",
        int((orders[0] != orders[1]).sum()),
        at_least=1,
    )
