"""Outlier indices against scikit-learn, SciPy and PyOD."""

from types import SimpleNamespace

import numpy as np
from benchmarks.harness import Comparison, Quality, Run, RunApart, case
from scipy.sparse import csr_matrix
from sklearn.metrics import roc_auc_score

PYOD = ["pyod==3.6.7", "scikit-learn==1.9.1", "numpy==2.4.6"]


@case(
    "GammaIndex",
    sizes=[
        {"n": 1_000, "d": 10},
        {"n": 50_000, "d": 3},
        {"n": 50_000, "d": 8},
        {"n": 20_000, "d": 30},
    ],
)
def gamma_index(n, d):
    """Index of each training row by five neighbours, on a ring of data with 1 % planted outliers.

    PyOD computes the same index. The local outlier factor is another one from the same
    neighbours.
    """
    X, planted = _ring(n, d)
    k = 5
    options = {"n_neighbors": k, "contamination": 0.05}
    return Comparison(
        ours=Run("shallows.outlier.GammaIndex", lambda kind: kind(k, contamination=0.05).fit(X)),
        peers=[
            RunApart("pyod_mean_distance", PYOD, name="pyod", X=X, **options),
            Run("sklearn.neighbors.LocalOutlierFactor", lambda kind: kind(**options).fit(X)),
        ],
        quality=[_found(planted)],
    )


@case("GammaIndex, gaps", sizes=[{"n": 1_000, "d": 10}, {"n": 5_000, "d": 30}])
def gamma_index_with_gaps(n, d):
    """The same data with a tenth of the values missing, by partial distances."""
    X, planted = _ring(n, d)
    X[np.random.default_rng(1).random(X.shape) < 0.1] = np.nan

    def by_hand(NearestNeighbors):
        near = NearestNeighbors(n_neighbors=5, metric="nan_euclidean").fit(X)
        return near.kneighbors()[0].mean(axis=1)

    return Comparison(
        ours=Run("shallows.outlier.GammaIndex", lambda kind: kind(5, contamination=0.05).fit(X)),
        peers=[Run("sklearn.neighbors.NearestNeighbors", by_hand, name="sklearn, by hand")],
        quality=[_found(planted)],
    )


@case("GammaIndex, sparse", sizes=[{"n": 1_000, "d": 1_000}, {"n": 10_000, "d": 5_000}])
def gamma_index_of_sparse_rows(n, d):
    """Rows with twenty values among a tenth of the columns; 1 % have them among all."""
    rng = np.random.default_rng(0)
    planted = np.arange(n) < n // 100
    words = rng.integers(np.where(planted, d, d // 10)[:, None], size=(n, 20))
    entries = np.ones(20 * n), words.ravel(), np.arange(0, 20 * n + 1, 20)
    X = csr_matrix(entries, shape=(n, d))
    X.sum_duplicates()

    def by_hand(NearestNeighbors):
        near = NearestNeighbors(n_neighbors=5, n_jobs=-1).fit(X)
        return near.kneighbors()[0].mean(axis=1)

    return Comparison(
        ours=Run("shallows.outlier.GammaIndex", lambda kind: kind(5, contamination=0.05).fit(X)),
        peers=[Run("sklearn.neighbors.NearestNeighbors", by_hand, name="sklearn, by hand")],
        quality=[_found(planted)],
    )


@case("KappaIndex", sizes=[{"n": 1_000, "d": 10}, {"n": 50_000, "d": 3}, {"n": 20_000, "d": 30}])
def kappa_index(n, d):
    """The same data, and the distance to the fifth neighbour."""
    X, planted = _ring(n, d)
    options = {"n_neighbors": 5, "contamination": 0.05}
    return Comparison(
        ours=Run("shallows.outlier.KappaIndex", lambda kind: kind(5, contamination=0.05).fit(X)),
        peers=[RunApart("pyod_kth_distance", PYOD, name="pyod", X=X, **options)],
        quality=[_found(planted)],
    )


@case("DeltaIndex", sizes=[{"n": 1_000, "d": 10}, {"n": 50_000, "d": 3}, {"n": 20_000, "d": 30}])
def delta_index(n, d):
    """The same data, and the mean vector from five neighbours.

    No package has this index: the peers are the search for neighbours with two lines more, and
    the local outlier factor, another index from the same neighbours.
    """
    X, planted = _ring(n, d)
    options = {"n_neighbors": 5, "contamination": 0.05}

    def by_hand(NearestNeighbors):
        near = NearestNeighbors(n_neighbors=5, n_jobs=-1).fit(X).kneighbors(return_distance=False)
        return np.linalg.norm(X - X[near].mean(axis=1), axis=1)

    return Comparison(
        ours=Run("shallows.outlier.DeltaIndex", lambda kind: kind(5, contamination=0.05).fit(X)),
        peers=[
            Run("sklearn.neighbors.NearestNeighbors", by_hand, name="sklearn, by hand"),
            Run(
                "sklearn.neighbors.LocalOutlierFactor",
                lambda kind: kind(**options).fit(X),
                name="sklearn, local outlier factor",
            ),
        ],
        quality=[_found(planted)],
    )


@case("DistanceToCenter", sizes=[{"n": 1_000, "d": 10}, {"n": 100_000, "d": 20}])
def distance_to_center(n, d):
    """The distance of each row to the mean, and which rows are farthest off."""
    X, planted = _ring(n, d)

    def by_scipy(cdist):
        index = cdist(X, X.mean(axis=0, keepdims=True))[:, 0]
        return SimpleNamespace(index_=index, labels=index > np.quantile(index, 0.95))

    return Comparison(
        ours=Run("shallows.outlier.DistanceToCenter", lambda kind: kind().fit(X)),
        peers=[Run("scipy.spatial.distance.cdist", by_scipy)],
        quality=[_found(planted)],
    )


@case("ZScoreIndex", sizes=[{"n": 1_000, "d": 10}, {"n": 100_000, "d": 20}])
def z_score_index(n, d):
    """The largest z-score of each row, and which rows have the largest."""
    X, planted = _ring(n, d)

    def by_scipy(zscore):
        index = np.abs(zscore(X)).max(axis=1)
        return SimpleNamespace(index_=index, labels=index > np.quantile(index, 0.95))

    return Comparison(
        ours=Run("shallows.outlier.ZScoreIndex", lambda kind: kind().fit(X)),
        peers=[Run("scipy.stats.zscore", by_scipy)],
        quality=[_found(planted)],
    )


def _found(planted):
    return Quality(
        "area under ROC",
        lambda model: roc_auc_score(planted, _index(model)),
        better="larger",
        within=1e-6,
    )


def _index(model):
    if isinstance(model, np.ndarray):
        return model
    return model.index_ if hasattr(model, "index_") else -model.negative_outlier_factor_


def _ring(n, d):
    """Return rows near a circle in many dimensions, and which of them lie anywhere."""
    rng = np.random.default_rng(0)
    X = 0.1 * rng.normal(size=(n, d))
    angles = rng.uniform(0, 2 * np.pi, n)
    X[:, 0] += np.cos(angles)
    X[:, 1] += np.sin(angles)
    planted = np.arange(n) < n // 100
    X[planted] = rng.uniform(-1, 1, size=(planted.sum(), d))
    return X, planted
