"""Experiment: a memory restores corrupted patterns, up to a point."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from shallows._core.contract.params import Range
from shallows.attractor import Hopfield, overlap
from shallows.lab import Run, experiment, line


@experiment(
    chapter="attractor",
    sources="notes-000a Fig. 1.4, M11",
    quick={"units": 2500, "shares": 3, "repetitions": 5},
)
def hopfield_retrieval(
    units: Annotated[int, Range(2500, 4000)] = 2500,
    patterns: Annotated[int, Range(50, 150)] = 100,
    shares: Annotated[int, Range(3, 21)] = 11,
    repetitions: Annotated[int, Range(5, 100)] = 20,
    *,
    run: Run,
) -> None:
    """How many units of a stored pattern may be flipped?

    Hebb's rule stores a hundred random patterns in 2500 units. The network starts at a pattern
    with flipped units and runs into an attractor. This is the pattern itself, as long as the start
    is close enough.

    Parameters
    ----------
    units : int
        Number of units.
    patterns : int
        Number of stored patterns.
    shares : int
        Shares of flipped units from 0.35 to 0.45.
    repetitions : int
        Patterns that are damaged for each share.
    """
    stored = run.rng.choice([-1.0, 1.0], size=(patterns, units))
    chosen = np.arange(repetitions) % patterns
    memory = Hopfield(random_state=0).fit(stored)
    for share in run.progress(np.linspace(0.35, 0.45, shares)):
        start = stored[chosen]
        for row in start:
            row[run.rng.choice(units, round(share * units), replace=False)] *= -1
        for update in ("sequential", "parallel"):
            end = memory.set_params(update=update).transform(start)
            overlaps = (end * stored[chosen]).mean(axis=1)
            run.row(
                update=update,
                flipped=share,
                overlap=overlaps.mean(),
                restored=float(np.mean(overlaps == 1)),
                overlap_at_start=float(overlap(start[0], stored[chosen[0]])),
            )
    run.figure(
        line(
            "flipped",
            "overlap",
            color="update",
            title="Overlap with the stored pattern after retrieval",
            x_title="share of flipped units at the start",
        )
    )
    table = run.columns()
    for update in ("sequential", "parallel"):
        of_update = table["update"] == update
        middle = of_update & np.isclose(table["flipped"], 0.40)
        run.claim(
            f"{update}: share of patterns restored from 40 % flips",
            table["restored"][middle].mean(),
            expected=1,
            within=0,
            probability=0.01,
        )
        run.claim(
            f"{update}: share of patterns restored from 45 % flips",
            table["restored"][of_update & np.isclose(table["flipped"], 0.45)].mean(),
            at_most=0.2,
            probability=0.01,
        )
    run.note(
        "Forty per cent flips leave an overlap of 0.2, which is five times what two unrelated "
        "patterns of this size are expected to have at most, and enough to find the way back."
    )
