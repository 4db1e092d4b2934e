"""Clustering against scikit-learn, fastcluster and kmedoids."""

import numpy as np
from benchmarks.harness import Comparison, Quality, Run, RunApart, case
from scipy.spatial.distance import cdist

FASTCLUSTER = ["fastcluster==1.3.0", "scipy==1.17.1"]
KMEDOIDS = ["kmedoids==0.5.5", "numpy==2.4.6"]

SIZES = [
    {"data": data, "n": 100_000, "d": 10, "k": k, "dtype": dtype}
    for data in ("blobs", "cloud")
    for k in (20, 200)
    for dtype in ("float64", "float32")
] + [{"data": "blobs", "n": 1_000_000, "d": 10, "k": 100, "dtype": "float64"}]
LINKAGES = [
    {"method": method, "vector": vector, "n": n, "d": 10}
    for n in (1000, 10_000)
    for method, vector in (
        ("single", True),
        ("complete", False),
        ("average", False),
        ("weighted", False),
        ("centroid", False),
        ("centroid", True),
        ("median", False),
        ("ward", False),
        ("ward", True),
    )
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


@case("linkage", sizes=LINKAGES)
def linkage(method, vector, n, d):
    """All merges of blobs; `vector` tells which of fastcluster's two functions is the peer."""
    X = points("blobs", n, d, 20, "float64")
    return Comparison(
        ours=Run("shallows.cluster.linkage", lambda linkage: linkage(X, method)),
        peers=[
            RunApart(
                "fastcluster_linkage",
                FASTCLUSTER,
                name="fastcluster",
                X=X,
                method=method,
                vector=vector,
            )
        ],
        quality=[Quality("sum of heights", _sum_of_heights, better="smaller", within=1e-9)],
    )


def _sum_of_heights(tree):
    return getattr(tree, "tree", tree)[:, 2].sum()


@case("KMedoids", sizes=[{"n": 1000, "k": 10}, {"n": 5000, "k": 10}, {"n": 5000, "k": 100}])
def kmedoids(n, k):
    """Swaps from the same start, on given distances."""
    X = points("blobs", n, 10, k, "float64")
    distances = cdist(X, X)
    start = np.random.default_rng(1).choice(n, k, replace=False)
    return Comparison(
        ours=Run(
            "shallows.cluster.KMedoids",
            lambda KMedoids: KMedoids(k, metric="precomputed", init=start).fit(distances),
        ),
        peers=[
            RunApart(
                "kmedoids_fasterpam", KMEDOIDS, name="kmedoids", distances=distances, start=start
            )
        ],
        quality=[
            Quality("cost", lambda model: float(model.inertia_), better="smaller", within=0.01)
        ],
    )


@case("MiniBatchKMeans", sizes=[{"n": 100_000, "k": 20}, {"n": 1_000_000, "k": 100}])
def mini_batch_kmeans(n, k):
    """Same start, same batches in number and size, same rule to stop."""
    X = points("blobs", n, 10, k, "float64")
    start = X[np.random.default_rng(1).choice(n, k, replace=False)]
    options = {"n_clusters": k, "init": start, "n_init": 1, "random_state": 0}
    return Comparison(
        ours=Run("shallows.cluster.MiniBatchKMeans", lambda Method: Method(**options).fit(X)),
        peers=[Run("sklearn.cluster.MiniBatchKMeans", lambda Method: Method(**options).fit(X))],
        # Two draws of random batches: their costs agree, but not to the digit.
        quality=[Quality("inertia", lambda m: m.inertia_, better="smaller", within=0.05)],
    )


@case("silhouette", sizes=[{"n": 1000, "k": 5}, {"n": 20_000, "k": 20}])
def silhouette(n, k):
    """Silhouettes of all samples."""
    X = points("blobs", n, 10, k, "float64")
    labels = np.random.default_rng(1).integers(k, size=n)
    return Comparison(
        ours=Run("shallows.cluster.silhouette", lambda work: work(X, labels).values),
        peers=[Run("sklearn.metrics.silhouette_samples", lambda work: work(X, labels))],
        quality=[Quality("mean", lambda values: values.mean(), better="larger", within=1e-6)],
    )


def points(data, n, d, k, dtype):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d))
    if data == "blobs":
        X = 2.0 * rng.normal(size=(k, d))[rng.integers(k, size=n)] + X
    return X.astype(dtype)
