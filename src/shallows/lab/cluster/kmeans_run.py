"""Experiment: k-means step by step."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from shallows._core.contract.params import Range
from shallows.cluster import KMeans
from shallows.lab import Run, experiment, line, scatter

CENTERS = np.array([[0.0, 0.0], [5.0, 0.0], [2.5, 4.0]])


@experiment(
    chapter="cluster",
    sources="notes-004a Fig. 16, Fig. 17, S-66; notes-002 C1",
    quick={"samples": 60},
)
def kmeans_run(
    samples: Annotated[int, Range(60, 3000)] = 150,
    width: Annotated[float, Range(0.1, 0.6)] = 0.5,
    starts: Annotated[int, Range(100, 500)] = 100,
    *,
    run: Run,
) -> None:
    """What does k-means do in each step, and where does it end?

    Each step assigns the samples to the nearest centre and moves each centre to the mean of its
    samples. Neither can raise the cost, and there are finitely many assignments, so k-means
    converges, usually within a few steps. The result depends on the start: with three separate
    clusters, about one start in ten puts two centres into one cluster, which is a worse minimum.
    If clusters overlap, nearly all starts reach the best minimum.

    Parameters
    ----------
    samples : int
        Samples in the plane, one third around each of three points.
    width : float
        Standard deviation of each cluster; they are about five apart.
    starts : int
        Random starts.
    """
    own = np.arange(samples) % 3
    X = CENTERS[own] + width * run.rng.standard_normal((samples, 2))
    models = [
        KMeans(3, init="random", n_init=1, tol=0.0, random_state=seed).fit(X)
        for seed in run.progress(run.rng.spawn(starts))
    ]
    best, *_, worst = sorted(models, key=lambda model: model.inertia_)
    shown = {str(number): model for number, model in enumerate(models[:5], start=1)}
    for name, model in (shown | {"worst": worst}).items():
        losses = model.history_["loss"]
        run.rows("steps", step=range(1, len(losses) + 1), cost=losses, start=name)
    for name, model in {"best": best, "worst": worst}.items():
        labels = [str(label) for label in model.labels_]
        run.rows(x1=X[:, 0], x2=X[:, 1], cluster=labels, end=f"the {name} of {starts} ends")
    title = "Cost of five runs, and of the one that ends worst"
    run.figure(line("step", "cost", color="start", table="steps", title=title))
    run.figure(scatter("x1", "x2", color="cluster", facet="end", equal=True, title="Clusters"))

    rises = [np.diff(model.history_["loss"], prepend=np.inf).max() for model in models]
    total = ((X - X.mean(axis=0)) ** 2).sum()
    run.claim("the cost never rises", max(rises) / total, at_most=1e-12)
    steps = [model.n_iter_ for model in models]
    run.claim(
        "a run comes to rest in few steps (median)", np.median(steps), at_most=10, probability=0.01
    )
    costs = np.array([model.inertia_ for model in models])
    run.claim(
        "where a run ends depends on its start: the worst minimum against the best",
        costs.max() / costs.min(),
        at_least=1.001,
        probability=0.01,
    )
    one = KMeans(1).fit(X)
    gap = np.abs(one.cluster_centers_[0] - X.mean(axis=0)).max()
    run.claim("one cluster has the mean as its centre", gap, at_most=1e-12)
    each = KMeans(samples, init="random", n_init=1, random_state=run.rng).fit(X)
    run.claim("as many clusters as samples cost nothing", each.inertia_, 0, within=1e-20 * total)
