"""Clustering against scikit-learn."""

import numpy as np
from benchmarks.harness import Comparison, Quality, Run, case

SIZES = [
    {"data": data, "n": 100_000, "d": 10, "k": k, "dtype": dtype}
    for data in ("blobs", "cloud")
    for k in (20, 200)
    for dtype in ("float64", "float32")
]


@case("KMeans", sizes=SIZES)
def kmeans(data, n, d, k, dtype):
    """Overlapping blobs or one Gaussian cloud; same start, same `max_iter` and `tol`."""
    X = points(data, n, d, k, dtype)
    start = X[np.random.default_rng(1).choice(n, k, replace=False)]
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


@case("k-means++", sizes=SIZES)
def kmeans_plusplus(data, n, d, k, dtype):
    """One iteration from a k-means++ start: nearly all the time goes into the start."""
    X = points(data, n, d, k, dtype)
    options = {"n_clusters": k, "n_init": 1, "max_iter": 1, "tol": 1e9, "random_state": 0}
    return Comparison(
        ours=Run("shallows.cluster.KMeans", lambda KMeans: KMeans(**options).fit(X)),
        peers=[Run("sklearn.cluster.KMeans", lambda KMeans: KMeans(**options).fit(X))],
        quality=[
            # Two draws of a random start: their costs agree, but not to the digit.
            Quality("inertia", lambda model: model.inertia_, better="smaller", within=0.05),
        ],
    )


def points(data, n, d, k, dtype):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d))
    if data == "blobs":
        X = 2.0 * rng.normal(size=(k, d))[rng.integers(k, size=n)] + X
    return X.astype(dtype)
