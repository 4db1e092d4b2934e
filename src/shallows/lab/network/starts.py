"""Experiment: why networks need random starts, and how to use several."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from shallows._core.contract.params import Range
from shallows.lab import Run, bars, experiment
from shallows.network import MLPRegressor, Network, Restarts, backpropagate


@experiment(chapter="network", sources="notes-003 M82, M83", quick={"members": 5, "epochs": 60})
def starts(
    units: Annotated[int, Range(2, 30)] = 6,
    members: Annotated[int, Range(3, 50)] = 10,
    epochs: Annotated[int, Range(50, 1000)] = 200,
    noise: Annotated[float, Range(0.05, 1)] = 0.3,
    *,
    run: Run,
) -> None:
    """Why must weights be random at the start, and what follows?

    Hidden units that start equal have equal gradients and stay equal: the network is no better
    than a single unit. With zero weights no error reaches the hidden units at all. Random starts
    break the symmetry and lead to different minima. The mean output of several networks has a
    squared error that is never larger than their mean error, and often smaller than most of their
    errors.

    Parameters
    ----------
    units : int
        Hidden units.
    members : int
        Random starts.
    epochs : int
        Iterations of descent from each.
    noise : float
        Standard deviation of the noise on the sine.
    """
    X = np.sort(run.rng.uniform(-3, 3, (40, 1)), axis=0)
    y = np.sin(2 * X) + noise * run.rng.standard_normal((40, 1))
    net = Network(
        [np.full((1, units), 0.4), np.full((units, 1), 0.3)],
        [np.full(units, 0.1), np.zeros(1)],
        ("tanh", "identity"),
    )
    for _ in range(200):
        found = backpropagate(net, X, y)
        for layer in (0, 1):
            net.weights[layer][:] -= 0.1 * found.weights[layer]
            net.biases[layer][:] -= 0.1 * found.biases[layer]
    run.claim(
        "units that start equal: their largest difference after 200 steps",
        float(np.ptp(net.weights[0])),
        expected=0,
        within=1e-12,
    )
    run.claim("though they have moved", float(np.abs(net.weights[0] - 0.4).max()), at_least=1e-3)
    dead = Network(
        [np.zeros((1, units)), np.zeros((units, 1))],
        [np.zeros(units), np.zeros(1)],
        ("tanh", "identity"),
    )
    run.claim(
        "zero weights: largest hidden delta",
        float(np.abs(backpropagate(dead, X, y).deltas[0]).max()),
        expected=0,
        within=0,
    )

    new = np.linspace(-3, 3, 300)[:, None]
    truth = np.sin(2 * new).ravel()
    single = MLPRegressor(
        hidden_layer_sizes=units,
        activation="tanh",
        solver="lbfgs",
        alpha=0.01,
        max_iter=epochs,
        tol=None,
    )
    committee = Restarts(single, members, combine="mean", random_state=run.rng).fit(X, y.ravel())
    errors = []
    for number, member in enumerate(run.progress(committee.estimators_)):
        errors.append(float(np.mean((member.predict(new) - truth) ** 2)))
        run.row(network=f"start {number + 1}", error=errors[-1])
    together = float(np.mean((committee.predict(new) - truth) ** 2))
    run.row(network="mean of all outputs", error=together)
    run.row(network="mean of all errors", error=float(np.mean(errors)))
    run.figure(bars("network", "error", title="Squared error of networks from random starts"))
    run.claim(
        "error of the committee over the mean error of its members",
        together / float(np.mean(errors)),
        at_most=1.0,
    )
    run.claim(
        "starts differ: largest over smallest error", max(errors) / min(errors), at_least=1.05
    )
