"""Densities against scikit-learn and SciPy."""

import warnings

import numpy as np
from benchmarks.harness import Comparison, Quality, Run, case

MIXTURES = [
    {"covariance_type": kind, "n": 100_000, "d": 10, "k": 10}
    for kind in ("spherical", "diag", "tied", "full")
] + [{"covariance_type": "full", "n": 20_000, "d": 50, "k": 10}]


@case("GaussianMixture", sizes=MIXTURES)
def gaussian_mixture(covariance_type, n, d, k):
    """Ten steps of EM from the same start, on overlapping blobs."""
    X = points(n, d, k)
    options = {
        "n_components": k,
        "covariance_type": covariance_type,
        "weights_init": np.full(k, 1 / k),
        "means_init": X[:k],
        "precisions_init": _unit_precisions(covariance_type, k, d),
        "max_iter": 10,
        "tol": 0.0,
    }
    return Comparison(
        ours=Run("shallows.density.GaussianMixture", lambda Model: _quietly(Model(**options), X)),
        # Its start from the data is not used, but computed: the quickest is chosen.
        peers=[
            Run(
                "sklearn.mixture.GaussianMixture",
                lambda Model: _quietly(Model(init_params="random_from_data", **options), X),
            )
        ],
        quality=[Quality("bound", lambda m: m.lower_bound_, better="larger", within=1e-8)],
    )


@case("mixture from k-means", sizes=[{"n": 50_000, "d": 10, "k": 10}])
def mixture_from_kmeans(n, d, k):
    """The default: start from k-means, then EM until the likelihood rests."""
    X = points(n, d, k)
    options = {"n_components": k, "random_state": 0, "max_iter": 200}
    return Comparison(
        ours=Run("shallows.density.GaussianMixture", lambda Model: Model(**options).fit(X)),
        peers=[Run("sklearn.mixture.GaussianMixture", lambda Model: Model(**options).fit(X))],
        # Two draws of a random start: the likelihoods agree, but not to the digit.
        quality=[Quality("score", lambda m: m.score(X), better="larger", within=0.02)],
    )


@case("Parzen", sizes=[{"n": 20_000, "queries": 10_000, "d": d} for d in (2, 10, 50)])
def parzen(n, queries, d):
    """Log densities of new points under Gaussian windows of Scott's width.

    In 50 dimensions the sums of scikit-learn's tree are wrong by several units, which a direct
    sum over all windows shows; so the quality is our distance from that sum, for a few points.
    """
    rng = np.random.default_rng(0)
    X, Q = rng.standard_normal((n, d)), rng.standard_normal((queries, d))
    width = float(n ** (-1 / (d + 4)))
    direct = direct_sum(Q[:200], X, width)
    peers = [
        Run(
            "sklearn.neighbors.KernelDensity",
            lambda Model: Model(bandwidth=width).fit(X).score_samples(Q),
        )
    ]
    return Comparison(
        ours=Run("shallows.density.Parzen", lambda M: M(width=width).fit(X).score_samples(Q)),
        peers=peers,
        quality=[
            Quality(
                "error",
                lambda logs: float(np.abs(logs[:200] - direct).max()),
                better="smaller",
                within=1e-8,
            )
        ],
    )


@case("Parzen, shaped windows", sizes=[{"n": 20_000, "queries": 10_000, "d": d} for d in (2, 10)])
def parzen_whitened(n, queries, d):
    """Windows with the covariance of the data."""
    rng = np.random.default_rng(0)
    X, Q = rng.standard_normal((n, d)), rng.standard_normal((queries, d))
    return Comparison(
        ours=Run("shallows.density.Parzen", lambda M: M(whiten=True).fit(X).score_samples(Q)),
        peers=[Run("scipy.stats.gaussian_kde", lambda Model: Model(X.T).logpdf(Q.T))],
        quality=[Quality("mean", lambda logs: logs.mean(), better="larger", within=1e-8)],
    )


@case("Gaussian Bayes", sizes=[{"n": 100_000, "d": 20, "classes": 10}])
def gaussian_bayes(n, d, classes):
    """Gaussian densities of classes against quadratic discriminants: fit and predict."""
    X = points(n, d, classes)
    y = np.random.default_rng(2).integers(classes, size=n)
    return Comparison(
        ours=Run("shallows.density.BayesClassifier", lambda M: M().fit(X, y).predict_proba(X)),
        peers=[
            Run(
                "sklearn.discriminant_analysis.QuadraticDiscriminantAnalysis",
                lambda M: M().fit(X, y).predict_proba(X),
            )
        ],
        quality=[
            Quality(
                "log of the true class",
                lambda p: np.log(p[np.arange(n), y]).mean(),
                better="larger",
                within=1e-5,
            )
        ],
    )


def points(n, d, k):
    rng = np.random.default_rng(0)
    return rng.standard_normal((n, d)) + 3.0 * rng.standard_normal((k, d))[rng.integers(k, size=n)]


def direct_sum(Q, X, width):
    """Log densities from all distances, one query at a time."""
    n, d = X.shape
    logs = np.empty(len(Q))
    for i, q in enumerate(Q):
        exponents = -0.5 * ((X - q) ** 2).sum(axis=1) / width**2
        logs[i] = exponents.max() + np.log(np.exp(exponents - exponents.max()).sum())
    return logs - np.log(n) - 0.5 * d * np.log(2 * np.pi * width**2)


def _unit_precisions(kind, k, d):
    if kind == "full":
        return np.tile(np.eye(d), (k, 1, 1))
    if kind == "tied":
        return np.eye(d)
    return np.ones((k, d) if kind == "diag" else k)


def _quietly(model, X):
    """Stopping after `max_iter` is meant here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(X)
