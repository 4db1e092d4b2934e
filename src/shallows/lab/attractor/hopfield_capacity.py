"""Experiment: the capacity of an associative memory."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from shallows._core.contract.params import Range
from shallows.attractor import Hopfield
from shallows.lab import Run, experiment, line


@experiment(
    chapter="attractor",
    sources="notes-000a M11, M13",
    quick={"units": 500, "loads": 5, "repetitions": 1},
)
def hopfield_capacity(
    units: Annotated[int, Range(400, 4000)] = 1000,
    loads: Annotated[int, Range(5, 41)] = 11,
    repetitions: Annotated[int, Range(1, 20)] = 3,
    trained_units: Annotated[int, Range(50, 500)] = 200,
    *,
    run: Run,
) -> None:
    """When does a memory break down?

    Patterns stored by Hebb's rule disturb each other. Up to about 0.14 patterns per unit, a state
    that starts at a pattern stays near it; slightly above, all patterns are lost at once. In
    networks of finite size the drop is at a somewhat higher load. If each unit learns its
    couplings as a perceptron, the network stores many more patterns, even correlated ones.

    Parameters
    ----------
    units : int
        Number of units.
    loads : int
        Loads, that is patterns per unit, from 0.05 to 0.25.
    repetitions : int
        Sets of patterns for each load.
    trained_units : int
        Number of units of the network with learned couplings.
    """
    for load in run.progress(np.linspace(0.05, 0.25, loads)):
        overlaps = []
        for _ in range(repetitions):
            patterns = run.rng.choice([-1.0, 1.0], size=(round(load * units), units))
            memory = Hopfield(update="parallel", max_sweeps=50).fit(patterns)
            overlaps.append((memory.transform(patterns) * patterns).mean())
        run.row(couplings="Hebb", load=load, overlap=np.mean(overlaps))

    kept = []
    for load in np.linspace(0.1, 0.5, 5):
        shape = round(load * trained_units), trained_units
        patterns = np.where(run.rng.random(shape) < 0.75, 1.0, -1.0)  # correlated by their bias
        memory = Hopfield("perceptron", margin=0.5, max_passes=5000).fit(patterns)
        end = memory.transform(patterns)
        kept.append((end == patterns).all())
        run.row(couplings="learned", load=load, overlap=(end * patterns).mean())

    run.figure(
        line(
            "load",
            "overlap",
            color="couplings",
            title="Overlap with the pattern at which the state began",
            x_title="patterns per unit",
        )
    )
    table = run.columns()
    hebb = table["couplings"] == "Hebb"
    low = hebb & (table["load"] <= 0.12)
    run.claim(
        "Hebb, up to 0.12 patterns per unit: least overlap",
        table["overlap"][low].min(),
        at_least=0.95,
        probability=0.01,
    )
    run.claim(
        "Hebb, 0.25 patterns per unit: overlap",
        table["overlap"][hebb][-1],
        at_most=0.7,
        probability=0.01,
    )
    run.claim(
        "learned couplings keep every unit of every pattern (share of loads)",
        np.mean(kept),
        expected=1,
        within=0,
    )
