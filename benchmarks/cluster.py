"""Clustering against scikit-learn."""

import numpy as np
from benchmarks.harness import Comparison, Quality, Run, case


@case("KMeans", sizes=[{"n": 100_000, "d": 10, "k": 20}, {"n": 100_000, "d": 10, "k": 200}])
def kmeans(n, d, k):
    """Overlapping blobs, the same starting centres, the same `max_iter` and `tol`."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(k, d))[rng.integers(k, size=n)] + 0.5 * rng.normal(size=(n, d))
    start = X[rng.choice(n, k, replace=False)]
    options = {"n_clusters": k, "init": start, "n_init": 1, "max_iter": 300, "tol": 1e-4}
    return Comparison(
        ours=Run(
            "shallows.cluster.KMeans",
            lambda KMeans: KMeans(**options).fit(X),
        ),
        peers=[
            Run(
                "sklearn.cluster.KMeans",
                lambda KMeans: KMeans(**options).fit(X),
                name="sklearn, Lloyd",
            ),
            Run(
                "sklearn.cluster.KMeans",
                lambda KMeans: KMeans(algorithm="elkan", **options).fit(X),
                name="sklearn, Elkan",
            ),
        ],
        quality=[
            Quality("inertia", lambda model: model.inertia_, better="smaller", within=1e-3),
        ],
    )
