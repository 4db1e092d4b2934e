"""Experiment: energy on the way to an attractor."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from shallows._core.contract.params import Range
from shallows.attractor import Hopfield, energy, recurrent
from shallows.lab import Run, experiment, line


@experiment(chapter="attractor", sources="notes-000a M12", quick={"units": 60, "starts": 10})
def hopfield_energy(
    units: Annotated[int, Range(40, 500)] = 200,
    starts: Annotated[int, Range(5, 200)] = 50,
    *,
    run: Run,
) -> None:
    """Does the energy always fall?

    If units change one after the other, each to the sign of its field, every change lowers the
    energy for any symmetric couplings, so the network reaches a fixed point. If all units change
    at the same time, the energy may rise, and the network may end in a cycle of two states.

    Parameters
    ----------
    units : int
        Number of units.
    starts : int
        Random starts for each kind of couplings.
    """
    glass = run.rng.normal(size=(units, units)) / np.sqrt(units)
    glass = np.triu(glass, 1) + np.triu(glass, 1).T
    memory = Hopfield().fit(run.rng.choice([-1.0, 1.0], size=(units // 20, units)))
    couplings = {"random": glass, "Hebb": memory.weights_}
    rises, ends, gaps = [], [], []
    for kind, weights in couplings.items():
        for number in run.progress(range(starts)):
            start = run.rng.choice([-1.0, 1.0], size=units)
            path, states = [start], start.copy()
            while len(path) < 2 or (path[-1] != path[-1 - units]).any():
                for unit in range(units):
                    field = weights[unit] @ states
                    states[unit] = np.sign(field) if field else states[unit]
                    path.append(states.copy())
            energies = energy(weights, np.array(path))
            rises.append(np.diff(energies).max() / np.abs(energies).max())
            gaps.append(abs(energies[-1] - energy(weights, -states)))
            together = recurrent.run(start, weights, update="parallel", max_steps=500)
            ends.append((kind, together.period))
            if number == 0:
                every = energies[::units]
                whole = energy(weights, together.states[: len(every)])
                for update, values in (("one by one", every), ("all at once", whole)):
                    for sweep, value in enumerate(values):
                        run.row(case=f"{kind}, {update}", sweep=sweep, energy=value / units)
    run.figure(
        line("sweep", "energy", color="case", title="Energy per unit", x_title="updates per unit")
    )
    run.claim("one by one: largest rise, relative to the energy", max(rises), at_most=1e-12)
    run.claim("a state and its opposite: largest gap of energies", max(gaps), at_most=1e-9)
    cycles = np.mean([period == 2 for kind, period in ends if kind == "random"])
    run.claim(
        "random couplings, all at once: share of runs that end in a cycle of two",
        cycles,
        at_least=0.1,
        probability=0.01,
    )
    run.claim(
        "all at once: share of runs that neither rest nor cycle",
        np.mean([period == 0 for _, period in ends]),
        expected=0,
        within=0,
    )
