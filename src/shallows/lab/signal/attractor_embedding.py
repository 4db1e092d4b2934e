"""Experiment: a system seen through one of its coordinates."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from sklearn.neighbors import KNeighborsRegressor

from shallows._core.contract.params import Range
from shallows.data import lorenz, mackey_glass
from shallows.lab import Run, experiment, line
from shallows.signal import delay_embedding

DELAYS = {"Lorenz": 5, "Mackey-Glass": 6}


@experiment(
    chapter="signal",
    sources="notes-004a 56, 57, Fig. 13, 14",
    quick={"steps": 3000, "dimensions": 5},
)
def attractor_embedding(
    steps: Annotated[int, Range(2000, 50_000)] = 10_000,
    dimensions: Annotated[int, Range(4, 12)] = 8,
    *,
    run: Run,
) -> None:
    """How many past values replace unobserved coordinates?

    The Lorenz system moves in three dimensions, on an attractor of dimension 2.06. By theory, more
    than twice as many delayed values of one coordinate surely reconstruct it; three are enough.
    Nearest neighbours among the delay vectors then predict the next value. The error falls until
    the vectors determine the state, and is constant from there on.

    Parameters
    ----------
    steps : int
        Length of each series.
    dimensions : int
        Numbers of delayed values, from 1 to this.
    """
    series = {
        "Lorenz": lorenz(steps, dt=0.02, random_state=run.rng)[:, 0],
        "Mackey-Glass": mackey_glass(steps, random_state=run.rng),
    }
    for name, x in series.items():
        delay = DELAYS[name]
        for k in run.progress(range(1, dimensions + 1)):
            vectors = delay_embedding(x, k, delay)[:-delay]
            targets = x[(k - 1) * delay + delay :]
            split = len(vectors) // 2
            model = KNeighborsRegressor(4, weights="distance")
            model.fit(vectors[:split], targets[:split])
            gaps = model.predict(vectors[split:]) - targets[split:]
            run.row(system=name, dimension=k, error=np.sqrt(np.mean(gaps**2)) / x.std())
    run.figure(
        line(
            "dimension",
            "error",
            color="system",
            title="Error of the nearest neighbours' next value",
            x_title="number of delayed values",
        )
    )
    table = run.columns()
    for name, x in series.items():
        errors = table["error"][table["system"] == name]
        best = errors.min()
        run.claim(
            f"{name}: error with one value over the least",
            errors[0] / best,
            at_least=3,
            probability=0.01,
        )
        run.claim(
            f"{name}: from 4 values on no error is much above the least",
            errors[3:].max() / best,
            at_most=2.5,
            probability=0.01,
        )
        again = np.abs(delay_embedding(x, 3, DELAYS[name]) - delay_embedding(x, 3, DELAYS[name])[0])
        nearest = np.sqrt((again[500:] ** 2).sum(axis=1)).min()
        run.claim(
            f"{name}: the path never closes (least distance to its start)", nearest, at_least=1e-9
        )
        run.claim(f"{name}: the path stays bounded", np.abs(x).max(), at_most=30)
