"""Clustering against scikit-learn, fastcluster and kmedoids."""

import warnings

import numpy as np
from benchmarks.harness import Comparison, Quality, Run, RunApart, case
from scipy.spatial.distance import cdist

FASTCLUSTER = ["fastcluster==1.3.0", "scipy==1.17.1"]
KMEDOIDS = ["kmedoids==0.5.5", "numpy==2.4.6"]

LINKAGES = [
    {"method": method, "vector": vector, "n": 10_000, "d": 10}
    for method, vector in (
        ("single", True),
        ("complete", False),
        ("weighted", False),
        ("centroid", True),
        ("ward", True),
    )
]


def _few(n, d, k, dtype="float64"):
    return {"data": "blobs", "n": n, "d": d, "k": k, "dtype": dtype, "max_iter": 50}


@case(
    "KMeans",
    sizes=[
        _few(150, 4, 3),
        _few(500, 2, 3),
        _few(5_000, 2, 3),
        _few(2_000, 10, 20),
        _few(20_000, 10, 8),
        _few(3_000, 784, 10, "float32"),
        _few(10_000, 500, 8),
        {"data": "cloud", "n": 50_000, "d": 10, "k": 100, "dtype": "float32", "max_iter": 30},
        {"data": "blobs", "n": 1_000_000, "d": 10, "k": 100, "dtype": "float64", "max_iter": 20},
    ],
)
def kmeans(data, n, d, k, dtype, max_iter):
    """Overlapping blobs or one Gaussian cloud; same start, same `max_iter` and `tol`.

    Few iterations keep the large runs short. More would favour ours, whose bounds save most at
    the end.
    """
    X = points(data, n, d, k, dtype)
    start = X[np.random.default_rng(1).choice(n, k, replace=False)]
    options = {"n_clusters": k, "init": start, "n_init": 1, "max_iter": max_iter, "tol": 1e-4}
    peers = [
        Run(
            "sklearn.cluster.KMeans",
            lambda KMeans: KMeans(**options).fit(X),
            name="sklearn, Lloyd",
        )
    ]
    if n <= 50_000:
        peers.append(
            Run(
                "sklearn.cluster.KMeans",
                lambda KMeans: KMeans(algorithm="elkan", **options).fit(X),
                name="sklearn, Elkan",
            )
        )
    return Comparison(
        ours=Run("shallows.cluster.KMeans", lambda KMeans: _without_warning(KMeans(**options), X)),
        peers=peers,
        quality=[
            Quality("inertia", lambda model: model.inertia_, better="smaller", within=1e-3),
        ],
    )


@case(
    "KMeans, answers",
    sizes=[
        {"answer": answer, "n": n, "d": d, "k": k, "dtype": dtype}
        for answer, dtypes in (
            ("predict", ("float64", "float32")),
            ("transform", ("float64",)),
            ("score", ("float64",)),
        )
        for n, d, k in (
            (500, 2, 3),
            (5_000, 10, 50),
            (20_000, 10, 8),
            (3_000, 784, 10),
            (100_000, 10, 20),
        )
        for dtype in dtypes
    ],
)
def kmeans_answers(answer, n, d, k, dtype):
    """Clusters, distances to all centres, and cost of fresh rows."""
    X, fresh = points("blobs", 2 * n, d, k, dtype).reshape(2, n, d)
    options = {"n_clusters": k, "init": X[:k], "n_init": 1, "max_iter": 2}
    fitted = {}

    def ask(KMeans):
        if KMeans not in fitted:
            fitted[KMeans] = _without_warning(KMeans(**options), X)
        return getattr(fitted[KMeans], answer)(fresh)

    return Comparison(
        ours=Run("shallows.cluster.KMeans", ask),
        peers=[Run("sklearn.cluster.KMeans", ask)],
        quality=[Quality("sum", np.sum, better="larger", within=1e-5)],
    )


def _without_warning(model, X):
    """Stopping after `max_iter` is meant here, and scikit-learn does not mention it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(X)


@case(
    "k-means++",
    sizes=[
        {"n": 500, "d": 2, "k": 3},
        {"n": 3_000, "d": 784, "k": 10},
        {"n": 20_000, "d": 10, "k": 200},
    ],
)
def kmeans_plusplus(n, d, k):
    """One iteration from a k-means++ start: nearly all the time goes into the start."""
    X = points("cloud", n, d, k, "float64")
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
    """All merges of blobs; `vector` tells which of fastcluster's two functions is the peer.

    Where it has both, `linkage_vector` is the quicker one. Average linkage takes the way of
    weighted and is quicker, median takes that of centroid.
    """
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


@case(
    "AgglomerativeClustering",
    sizes=[
        {"linkage": "ward", "n": 200, "d": 10},
        {"linkage": "average", "n": 5_000, "d": 10},
        {"linkage": "ward", "n": 20_000, "d": 10},
    ],
)
def agglomerative(linkage, n, d):
    """Twenty clusters of blobs, and the tree above them."""
    X = points("blobs", n, d, 20, "float64")
    options = {"n_clusters": 20, "linkage": linkage}

    def squares(model):
        groups = [X[model.labels_ == label] for label in range(20)]
        return sum(((group - group.mean(axis=0)) ** 2).sum() for group in groups)

    def fit(kind):
        return kind(**options).fit(X)

    return Comparison(
        ours=Run("shallows.cluster.AgglomerativeClustering", fit),
        peers=[Run("sklearn.cluster.AgglomerativeClustering", fit)],
        quality=[Quality("sum of squares", squares, better="smaller", within=1e-9)],
    )


@case(
    "AgglomerativeClustering, connected",
    sizes=[
        {"linkage": "ward", "graph": "neighbours", "n": 20_000},
        {"linkage": "complete", "graph": "neighbours", "n": 20_000},
        {"linkage": "single", "graph": "neighbours", "n": 20_000},
        {"linkage": "ward", "graph": "grid", "n": 10_000},
        {"linkage": "average", "graph": "grid", "n": 10_000},
    ],
)
def agglomerative_connected(linkage, graph, n):
    """The whole tree of blobs over their ten nearest neighbours, or of a square image's pixels.

    The graph is made beforehand. Average linkage over neighbours takes scikit-learn a minute.
    """
    from sklearn.feature_extraction.image import grid_to_graph
    from sklearn.neighbors import kneighbors_graph

    if graph == "grid":
        X = points("cloud", n, 1, 1, "float64")
        edges = grid_to_graph(round(n**0.5), round(n**0.5))
    else:
        X = points("blobs", n, 10, 20, "float64")
        edges = kneighbors_graph(X, 10)
    options = {"n_clusters": 20, "linkage": linkage, "connectivity": edges}
    return Comparison(
        ours=Run("shallows.cluster.AgglomerativeClustering", lambda kind: kind(**options).fit(X)),
        peers=[
            Run(
                "sklearn.cluster.AgglomerativeClustering",
                lambda kind: kind(compute_distances=True, **options).fit(X),
            )
        ],
        quality=[
            Quality("sum of heights", lambda m: m.distances_.sum(), better="smaller", within=1e-9)
        ],
    )


@case("DivisiveClustering", sizes=[{"n": 1_000, "k": 8}, {"n": 100_000, "k": 20}])
def divisive(n, k):
    """Always the cluster with the largest sum of squares is split, by three starts of k-means."""
    X = points("blobs", n, 10, k, "float64")
    options = {"n_init": 3, "random_state": 0}
    return Comparison(
        ours=Run("shallows.cluster.DivisiveClustering", lambda kind: kind(k, **options).fit(X)),
        peers=[Run("sklearn.cluster.BisectingKMeans", lambda kind: kind(k, **options).fit(X))],
        quality=[Quality("inertia", lambda m: m.inertia_, better="smaller", within=0.02)],
    )


@case("DivisiveClustering, sparse", sizes=[{"n": 20_000, "d": 10_000, "stored": 50, "k": 20}])
def divisive_sparse(n, d, stored, k):
    """Counts of words from topics; splits by three starts of k-means."""
    X = _topics(n, d, stored, k)
    options = {"n_init": 3, "random_state": 0}
    return Comparison(
        ours=Run("shallows.cluster.DivisiveClustering", lambda kind: kind(k, **options).fit(X)),
        peers=[Run("sklearn.cluster.BisectingKMeans", lambda kind: kind(k, **options).fit(X))],
        quality=[Quality("inertia", lambda m: m.inertia_, better="smaller", within=0.02)],
    )


@case("KMeans, sparse", sizes=[{"n": 20_000, "d": 10_000, "stored": 50, "k": 20}])
def kmeans_sparse(n, d, stored, k):
    """Counts of words from topics; same start, `max_iter` and `tol`."""
    X = _topics(n, d, stored, k)
    start = X[np.random.default_rng(1).choice(n, k, replace=False)].toarray()
    options = {"n_clusters": k, "init": start, "n_init": 1, "max_iter": 30, "tol": 1e-4}
    return Comparison(
        ours=Run("shallows.cluster.KMeans", lambda KMeans: _without_warning(KMeans(**options), X)),
        peers=[Run("sklearn.cluster.KMeans", lambda KMeans: KMeans(**options).fit(X))],
        quality=[Quality("inertia", lambda m: m.inertia_, better="smaller", within=1e-3)],
    )


@case("KMedoids", sizes=[{"n": 2000, "k": 50}])
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


@case(
    "MiniBatchKMeans",
    sizes=[
        {"n": 500, "d": 2, "k": 3},
        {"n": 3_000, "d": 784, "k": 10},
        {"n": 10_000, "d": 500, "k": 8},
        {"n": 100_000, "d": 10, "k": 20},
    ],
)
def mini_batch_kmeans(n, d, k):
    """Same start, same batches in number and size: five passes."""
    X = points("blobs", n, d, k, "float64")
    start = X[np.random.default_rng(1).choice(n, k, replace=False)]
    options = {"init": start, "n_init": 1, "max_iter": 5, "max_no_improvement": None}
    options |= {"n_clusters": k, "random_state": 0}
    return Comparison(
        ours=Run("shallows.cluster.MiniBatchKMeans", lambda Method: Method(**options).fit(X)),
        peers=[Run("sklearn.cluster.MiniBatchKMeans", lambda Method: Method(**options).fit(X))],
        # Two draws of random batches: their costs agree, but not to the digit.
        quality=[Quality("inertia", lambda m: m.inertia_, better="smaller", within=0.05)],
    )


@case("SoftKMeans", sizes=[{"n": 2_000, "k": 5}, {"n": 100_000, "k": 20}])
def soft_kmeans(n, k):
    """30 iterations from the same start; the nearest peer also adapts the width of each cluster."""
    from sklearn.cluster import kmeans_plusplus

    X = points("blobs", n, 10, k, "float64")
    start = kmeans_plusplus(X, k, random_state=0)[0]
    ours = {"beta": 1.0, "init": start, "max_iter": 30, "tol": 0.0}
    peer = {"covariance_type": "spherical", "means_init": start, "max_iter": 30, "tol": 0.0}

    def mixture(GaussianMixture):
        return _without_warning(GaussianMixture(k, init_params="random", **peer), X)

    def inertia(model):
        centers = model.cluster_centers_ if hasattr(model, "cluster_centers_") else model.means_
        return sum(
            ((rows[:, None] - centers) ** 2).sum(axis=2).min(axis=1).sum()
            for rows in np.array_split(X, max(1, n // 2_000))
        )

    return Comparison(
        ours=Run("shallows.cluster.SoftKMeans", lambda kind: _without_warning(kind(k, **ours), X)),
        peers=[Run("sklearn.mixture.GaussianMixture", mixture)],
        quality=[Quality("inertia", inertia, better="smaller", within=0.05)],
    )


@case("silhouette", sizes=[{"n": 5000, "k": 20}])
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


def _topics(n, d, stored, k):
    """Return counts of words of n texts as a CSR array; half of a text is from its topic."""
    from scipy.sparse import csr_array

    rng = np.random.default_rng(0)
    topics = rng.integers(k, size=n)
    words = rng.zipf(1.3, size=(n, stored)) % (d // k) + (d // k) * topics[:, None]
    words = np.where(rng.random(words.shape) < 0.5, words, rng.integers(d, size=words.shape))
    rows = np.repeat(np.arange(n), stored)
    places = rows.astype(np.int32), words.ravel().astype(np.int32)  # all that scikit-learn takes
    return csr_array((np.ones(n * stored), places), shape=(n, d))
