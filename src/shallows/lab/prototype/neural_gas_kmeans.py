"""Experiment: neural gas against k-means over many starts."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from sklearn.datasets import make_blobs

from shallows._core.contract.params import Range
from shallows.cluster import KMeans
from shallows.lab import Run, bars, experiment, line
from shallows.prototype import CompetitiveVQ, NeuralGas


@experiment(
    chapter="prototype",
    sources="notes-000b M136-M139; notes-004a 77",
    quick={"groups": 8, "starts": 20, "samples": 200, "epochs": 40},
)
def neural_gas_kmeans(
    groups: Annotated[int, Range(8, 30)] = 15,
    samples: Annotated[int, Range(200, 5000)] = 600,
    starts: Annotated[int, Range(20, 500)] = 100,
    epochs: Annotated[int, Range(40, 500)] = 50,
    *,
    run: Run,
) -> None:
    """Does the result of vector quantisation depend on the start?

    Each method has one prototype per group and starts at random samples. K-means and competitive
    learning move only the nearest prototype. If two start in one group they stay there, so most
    starts end in a poor local minimum. Neural gas moves all prototypes at first, weighted by rank;
    it ends far below that error, and depends less on the start. This need not be the best result:
    a prototype may stop between groups, where it wins no sample. A careful start (k-means++) is as
    effective for k-means.

    Parameters
    ----------
    groups : int
        Round groups in the plane, and prototypes.
    samples : int
        Samples.
    starts : int
        Random starts.
    epochs : int
        Passes over the data of neural gas and competitive learning.
    """
    centers = _spread_out(groups, run.rng)
    X, _ = make_blobs(samples, centers=centers, cluster_std=0.25, random_state=run.seed)
    options: dict[str, Any] = {"max_iter": epochs}
    models = {
        "competitive": CompetitiveVQ(groups, **options),
        "k-means": KMeans(groups, init="random", n_init=1),
        "k-means++": KMeans(groups, n_init=1),
        "neural gas, batch": NeuralGas(groups, **options),
        "neural gas, online": NeuralGas(groups, algorithm="online", **options),
    }
    errors = {name: np.empty(starts) for name in models}
    dead = dict.fromkeys(models, 0)
    for start in run.progress(range(starts)):
        for name, model in models.items():
            model.set_params(random_state=run.rng).fit(X)
            distances = model.transform(X)
            errors[name][start] = (distances.min(axis=1) ** 2).mean()
            dead[name] += groups - len(np.unique(distances.argmin(axis=1)))
    best = min(values.min() for values in errors.values())
    for name, values in errors.items():
        run.row(
            method=name,
            ratio=values.mean() / best,
            spread=values.std() / best,
            good_starts=np.mean(values < 1.1 * best),
            dead_units=dead[name] / starts,
        )
        share = np.arange(1, starts + 1) / starts
        run.rows("starts", method=name, ratio=np.sort(values) / best, share=share)
    run.figure(
        line(
            "ratio",
            "share",
            color="method",
            table="starts",
            x_title="error against the best found",
            y_title="share of starts with at most this error",
            title="How good the starts end: the farther left, the better",
        )
    )
    run.figure(bars("method", "good_starts", title="Share of starts within 10 % of the best error"))

    table = run.columns()
    numbers = ("ratio", "spread", "good_starts")
    rows = {
        name: {number: float(table[number][i]) for number in numbers}
        for i, name in enumerate(models)
    }
    run.claim(
        "k-means from random samples: share of starts that end within 10 % of the best error",
        rows["k-means"]["good_starts"],
        at_most=0.4,
        probability=0.01,
    )
    for kind in ("batch", "online"):
        run.claim(
            f"{kind} neural gas: mean error as a share of that of k-means",
            rows[f"neural gas, {kind}"]["ratio"] / rows["k-means"]["ratio"],
            at_most=0.75,
            probability=0.01,
        )
    run.claim(
        "online neural gas: spread of the error over the starts, as a share of that of k-means",
        rows["neural gas, online"]["spread"] / rows["k-means"]["spread"],
        at_most=0.6,
        probability=0.05,
    )
    run.claim(
        "k-means from a careful start: mean error against the best found",
        rows["k-means++"]["ratio"],
        at_most=1.5,
        probability=0.01,
    )
    run.note(
        "Rank-based updates are said to avoid dead units. They rescue prototypes that start far "
        "from the data, but on well separated groups neural gas can leave a prototype between "
        "two of them, where it wins no sample."
    )


def _spread_out(groups: int, rng: np.random.Generator) -> np.ndarray:
    """Draw centres one after the other, the farthest of twenty places from those before."""
    side = 2.5 * np.sqrt(groups)
    centers = [side * rng.random(2)]
    while len(centers) < groups:
        places = side * rng.random((20, 2))
        gaps = ((places[:, None] - np.array(centers)) ** 2).sum(axis=2).min(axis=1)
        centers.append(places[gaps.argmax()])
    return np.array(centers)
