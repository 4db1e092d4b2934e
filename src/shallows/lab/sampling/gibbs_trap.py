"""Experiment: a distribution that defeats one-coordinate moves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from shallows._core.contract.params import Range
from shallows.lab import Run, experiment, scatter
from shallows.sampling import detailed_balance_gap, gibbs, metropolis

Array = NDArray[np.float64]


@experiment(chapter="sampling", sources="notes-004b C18, Fig. 49", quick={"steps": 500})
def gibbs_trap(
    steps: Annotated[int, Range(200, 100_000)] = 5000,
    *,
    run: Run,
) -> None:
    """When does a Gibbs sampler miss half of the distribution?

    A distribution has its support in the first and the third quadrant. To go from one to the
    other, both coordinates must change sign, and a sampler that changes one at a time never does.
    A walk that proposes both together succeeds. A scan over both coordinates leaves the
    distribution invariant, but is not reversible, although each of its parts is.

    Parameters
    ----------
    steps : int
        Number of scans, and of steps of the walk.
    """

    def conditional(i: int) -> Callable[[Array, np.random.Generator], Any]:
        return lambda x, rng: np.sign(x[1 - i]) * rng.random()

    def log_density(x: Array) -> Array:
        inside = (np.abs(x) <= 1).all(axis=1) & (x[:, 0] * x[:, 1] > 0)
        return np.where(inside, 0.0, -np.inf)

    trapped = gibbs([conditional(0), conditional(1)], [0.5, 0.5], steps, random_state=run.rng)
    walk = metropolis(log_density, [0.5, 0.5], steps, width=0.5, random_state=run.rng).states
    for name, states in (("Gibbs", trapped), ("Metropolis", walk)):
        for x, y in states[:: max(1, steps // 300)]:
            run.row(sampler=name, x=x, y=y)
    run.figure(scatter("x", "y", color="sampler", title="States that were visited"))
    run.claim(
        "Gibbs: share of states in the third quadrant",
        np.mean(trapped[:, 0] < 0),
        expected=0,
        within=0,
    )
    run.claim(
        "Metropolis: share of states in the third quadrant",
        np.mean(walk[:, 0] < 0),
        expected=0.5,
        within=0.45,
        probability=0.01,
    )

    table = run.rng.dirichlet(np.ones(6)).reshape(2, 3)
    law, rows, columns = table.ravel(), np.zeros((6, 6)), np.zeros((6, 6))
    for i in range(2):
        for j in range(3):
            columns[3 * i + j, j::3] = table[:, j] / table[:, j].sum()
            rows[3 * i + j, 3 * i : 3 * i + 3] = table[i] / table[i].sum()
    scan = columns @ rows
    run.claim(
        "each coordinate alone is in detailed balance (largest gap)",
        max(detailed_balance_gap(columns, law), detailed_balance_gap(rows, law)),
        at_most=1e-15,
    )
    run.claim("the scan keeps the law (largest gap)", np.abs(law @ scan - law).max(), at_most=1e-15)
    run.claim(
        "the scan is not in detailed balance (gap)",
        detailed_balance_gap(scan, law),
        at_least=1e-6,
    )
    run.note(
        "The notes leave it as an exercise to show that the composed step is in detailed balance. "
        "It is not, for nearly any law, and need not be: invariance is what counts."
    )
