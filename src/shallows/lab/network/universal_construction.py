"""Experiment: a network that approximates by construction."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from shallows._core.contract.params import Range
from shallows.lab import Run, experiment, line
from shallows.network import forward, interval_selector, layer_outputs, roi_network


@experiment(
    chapter="network",
    sources="notes-000b Eq. 5.3-5.6, Fig. 5.2-5.4, M3, M4",
    quick={"points": 500},
)
def universal_construction(
    gain: Annotated[float, Range(1, 50)] = 5.0,
    largest: Annotated[int, Range(8, 40)] = 24,
    points: Annotated[int, Range(200, 5000)] = 2000,
    *,
    run: Run,
) -> None:
    """How many units does it take to approximate a function of two variables?

    The difference of two sigmoids selects an interval. Two such selectors, one per variable, add
    up to 2 inside a rectangle and to at most 1 outside, so a steep unit with threshold 3/2
    recognises it. Take one unit for each of the k x k cells of a grid, weighted with the value of
    the function at the centre of its cell. The error is then at most the variation of the function
    within a cell. N variables need k^N units.

    Parameters
    ----------
    gain : float
        Steepness of the selectors in the first figure.
    largest : int
        Intervals per variable of the finest grid.
    points : int
        Random points on which the error is measured.
    """
    z = np.linspace(0, 8, 161)
    for steepness in (gain, 100 * gain):
        selected = interval_selector(z, 2, 6, steepness)
        run.rows("selector", gain=[steepness] * len(z), z=z, response=selected)
    run.figure(
        line(
            "z",
            "response",
            color="gain",
            table="selector",
            title="A selector of the interval from 2 to 6",
        )
    )
    inside, outside = (
        interval_selector([4.0], 2, 6, gain),
        interval_selector([0.0, 8.0], 2, 6, gain),
    )
    run.claim("response in the middle of the interval", float(inside[0]), expected=1, within=1e-3)
    run.claim("response two units outside", float(outside.max()), at_most=1e-3)

    X = run.rng.uniform(size=(points, 2))
    truth = np.sin(3 * X[:, 0]) + X[:, 1] ** 2
    slope = float(np.sqrt(9 + 4))
    worst_sum, sizes = 0.0, [2, 4, 8, 16, largest]
    for k in run.progress(sorted(set(sizes))):
        edges = np.linspace(0, 1, k + 1)
        away = (np.abs(X[:, :, None] - edges).min(axis=(1, 2))) > 1e-4
        middle = (edges[1:] + edges[:-1]) / 2
        values = np.sin(3 * middle)[:, None] + middle**2
        net = roi_network([edges, edges], values, gain=1e6)
        error = float(np.abs(forward(net, X[away]).ravel() - truth[away]).max())
        sums = np.sort(layer_outputs(net, X[away])[1] @ (net.weights[2] > 0), axis=1)
        worst_sum = max(worst_sum, float(sums[:, -2].max()))
        run.row(
            intervals=k,
            largest_error=error,
            bound=slope * np.sqrt(2) / (2 * k),
            units_of_layer_4=net.weights[2].shape[1],
            units_below=net.weights[0].shape[1] + net.weights[1].shape[1],
        )
    run.figure(
        line(
            "intervals",
            "largest_error",
            theory="bound",
            y_log=True,
            x_log=True,
            title="Largest error, and the modulus of continuity over half a cell",
        )
    )
    table = run.columns()
    run.claim(
        "the error never exceeds the modulus of continuity (largest ratio)",
        float((table["largest_error"] / table["bound"]).max()),
        at_most=1.0,
    )
    run.claim(
        "from the coarsest to the finest grid the error falls (ratio)",
        float(table["largest_error"][-1] / table["largest_error"][0]),
        at_most=4 / largest,
    )
    run.claim("outside a cell its selectors add up to at most", worst_sum, expected=1, within=1e-6)
    run.claim(
        "layer 4 has k^N units",
        float(np.abs(table["units_of_layer_4"] - table["intervals"] ** 2).max()),
        expected=0,
        within=0,
    )
