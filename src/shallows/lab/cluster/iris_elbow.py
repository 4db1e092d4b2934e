"""Experiment: how many clusters does Iris have?"""

from __future__ import annotations

from typing import Annotated

import numpy as np
from sklearn.datasets import load_iris

from shallows._core.params import Range
from shallows.cluster import KMeans
from shallows.lab import Run, experiment, line

KNOWN = {1: 4.54, 2: 1.02, 3: 0.53, 4: 0.38, 5: 0.31}


@experiment(
    chapter="cluster",
    sources="notes-000b Fig. 8.7, M141",
    quick={"largest": 6, "restarts": 30},
)
def iris_elbow(
    largest: Annotated[int, Range(5, 30)] = 10,
    restarts: Annotated[int, Range(5, 200)] = 30,
    *,
    run: Run,
) -> None:
    """How many clusters does a data set have?

    The least mean squared distance to the nearest of K centres falls with every further
    centre, to zero where each sample has its own, so the cost alone does not tell. It falls
    steeply while a centre still finds a cluster of its own and slowly thereafter: the bend
    of the curve, the elbow, suggests K. The curve of Iris bends twice: most at two, since two
    of its three species overlap, and once more at three.

    Parameters
    ----------
    largest : int
        Largest number of clusters.
    restarts : int
        Starts for each number, of which the best counts.
    """
    X = load_iris(return_X_y=True)[0]
    sizes = np.arange(1, largest + 1)
    seeds = run.rng.spawn(largest)
    for k, seed in zip(run.progress(sizes), seeds, strict=True):
        model = KMeans(int(k), init="random", n_init=restarts, random_state=seed).fit(X)
        run.row(clusters=k, cost=model.inertia_ / len(X))
    run.figure(
        line(
            "clusters",
            ["cost"],
            title="Mean squared distance to the nearest centre",
            x_rule=3,
            y_log=True,
        )
    )

    cost = run.columns()["cost"]
    spread = X.var(axis=0).sum()
    run.claim("one cluster costs the total variance", cost[0], spread, within=1e-9 * spread)
    for size, known in KNOWN.items():
        run.claim(
            f"the cost of {size} clusters", cost[size - 1], known, within=0.01, probability=0.01
        )
    run.claim("the cost falls with every cluster", np.diff(cost).max(), at_most=0.0)
    bend = np.diff(np.log(cost), n=2)
    sharpest = 2 + np.argsort(-bend)[:2]
    run.claim("the curve bends most at K = 2", sharpest[0], 2, within=0)
    run.claim("and next at K = 3, the number of species", sharpest[1], 3, within=0)
