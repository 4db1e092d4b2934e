"""Experiment: where k-means fails and a mixture of Gaussians does not."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from sklearn.metrics import adjusted_rand_score

from shallows._core.contract.params import Range
from shallows.cluster import KMeans, KMedoids
from shallows.data import make_clusters
from shallows.density import GaussianMixture
from shallows.lab import Run, experiment, scatter


@experiment(
    chapter="cluster",
    sources="notes-002 C1, C12, Exp; notes-000b Fig. 8.6",
    quick={"samples": 120, "repeats": 5},
)
def kmeans_limits(
    samples: Annotated[int, Range(60, 2000)] = 200,
    repeats: Annotated[int, Range(5, 100)] = 15,
    outlier: Annotated[float, Range(50, 1e6)] = 1000.0,
    *,
    run: Run,
) -> None:
    """Which clusters does k-means miss, and what does one outlier do?

    K-means assigns samples to the nearest centre, so straight lines halfway between centres
    separate its clusters. It cuts two long parallel clusters across, because this costs less than
    keeping them whole. A mixture of Gaussians with individual covariances, fitted by EM, finds
    them. A single distant sample shifts a mean, while a medoid, which uses distances and not their
    squares, hardly moves.

    Parameters
    ----------
    samples : int
        Samples in two long clusters.
    repeats : int
        Data sets drawn.
    outlier : float
        How far away one more sample lies.
    """
    agreement: dict[str, list[float]] = {"k-means": [], "EM": []}
    for rng in run.progress(run.rng.spawn(repeats)):
        X, y = make_clusters("stripes", samples, random_state=rng)
        hard = KMeans(2, n_init=10, random_state=rng).fit_predict(X)
        mixture = GaussianMixture(2, n_init=10, init_params="random_from_data", random_state=rng)
        labels = {"truth": y, "k-means": hard, "EM": mixture.fit(X).predict(X)}
        for method, scores in agreement.items():
            scores.append(adjusted_rand_score(y, labels[method]))
    for method, found in labels.items():
        run.rows(x1=X[:, 0], x2=X[:, 1], cluster=[str(k) for k in found], method=method)
    run.figure(
        scatter(
            "x1",
            "x2",
            color="cluster",
            facet="method",
            equal=True,
            title="Two long clusters: the truth, and what each method finds",
        )
    )

    middle = {method: float(np.median(scores)) for method, scores in agreement.items()}
    run.claim("EM: median adjusted agreement", middle["EM"], at_least=0.9, probability=0.01)
    run.claim("k-means: median agreement", middle["k-means"], at_most=0.5, probability=0.01)
    run.note(
        "EM here starts from random samples, ten times, and keeps the likeliest fit. From the "
        "result of k-means, a usual start, it stays at the wrong cut."
    )
    cloud = run.rng.standard_normal((samples, 2))
    more = np.concatenate([cloud, [[outlier, 0.0]]])
    moved = {
        method: float(np.linalg.norm(type_(1).fit(more).cluster_centers_[0] - before))
        for method, type_, before in (
            ("mean", KMeans, KMeans(1).fit(cloud).cluster_centers_[0]),
            ("medoid", KMedoids, KMedoids(1).fit(cloud).cluster_centers_[0]),
        )
    }
    way = float(np.linalg.norm(more[-1] - cloud.mean(axis=0))) / (samples + 1)
    run.claim(
        "the outlier moves a mean by its distance / (n + 1)", moved["mean"], way, within=1e-9 * way
    )
    run.claim(
        "and a medoid by far less", moved["medoid"] / moved["mean"], at_most=0.5, probability=0.01
    )
