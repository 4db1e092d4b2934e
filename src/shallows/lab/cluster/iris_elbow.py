"""Experiment: how many clusters does Iris have?"""

from __future__ import annotations

from typing import Annotated

import numpy as np
from sklearn.datasets import load_iris

from shallows._core.contract.params import Range
from shallows.cluster import KMeans
from shallows.cluster._selection import bend_of, chord_of, elbow_figure
from shallows.lab import Run, experiment

KNOWN = {1: 4.54, 2: 1.02, 3: 0.53, 4: 0.38, 5: 0.31}


@experiment(
    chapter="cluster",
    sources="notes-000b Fig. 8.7, M141",
    quick={"largest": 10, "restarts": 30},
)
def iris_elbow(
    largest: Annotated[int, Range(10, 20)] = 10,
    restarts: Annotated[int, Range(20, 200)] = 30,
    *,
    run: Run,
) -> None:
    """How many clusters does a data set have?

    The mean squared distance to the nearest of K centres falls with every further centre, down to
    zero if each sample has its own centre. So the cost alone does not determine K. It falls
    steeply while a new centre finds a separate cluster, and slowly afterwards; the bend of the
    curve, the elbow, suggests K. The elbow is defined as the point farthest below the chord, the
    straight line from K = 1 to the largest K. For Iris this is three, the number of species,
    although two of them overlap. If the curve ends at K = 9 or below, its elbow is at two: the
    result depends on the largest K.

    Parameters
    ----------
    largest : int
        Largest number of clusters.
    restarts : int
        Starts for each number; the best one counts.
    """
    X = load_iris(return_X_y=True)[0]
    sizes, costs = np.arange(1, largest + 1), []
    seeds = run.rng.spawn(largest)
    for k, seed in zip(run.progress(sizes), seeds, strict=True):
        model = KMeans(int(k), n_init=restarts, random_state=seed).fit(X)
        costs.append(model.inertia_ / len(X))
    cost = np.array(costs)
    bend = bend_of(sizes, cost)
    run.rows(clusters=sizes, cost=cost, chord=chord_of(sizes, cost))
    run.figure(
        elbow_figure(
            title="Mean squared distance to the nearest centre",
            x_title="number of clusters",
            x_rule=bend or 1,
        )
    )

    spread = X.var(axis=0).sum()
    run.claim("one cluster costs the total variance", cost[0], spread, within=1e-9 * spread)
    for size, known in KNOWN.items():
        run.claim(
            f"the cost of {size} clusters", cost[size - 1], known, within=0.01, probability=0.01
        )
    run.claim("the cost falls with every cluster", np.diff(cost).max(), at_most=0.0)
    run.claim("the curve bends at K = 3, the number of species", bend or 0, 3, within=0)
    run.claim("drawn to K = 9 only, it bends at 2", bend_of(sizes[:9], cost[:9]) or 0, 2, within=0)
