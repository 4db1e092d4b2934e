"""Densities against scikit-learn and SciPy."""

import warnings

import numpy as np
from benchmarks.harness import Comparison, Quality, Run, case

MIXTURES = [
    {"covariance_type": kind, "n": 100_000, "d": 10, "k": 10}
    for kind in ("spherical", "diag", "tied", "full")
] + [{"covariance_type": "full", "n": 20_000, "d": 50, "k": 10}]

LAWS = {
    "Bernoulli": ("bernoulli", lambda rng, shape: rng.binomial(1, 0.3, shape)),
    "Binomial": ("binom", lambda rng, shape: rng.binomial(20, 0.3, shape)),
    "Poisson": ("poisson", lambda rng, shape: rng.poisson(4.0, shape)),
    "Exponential": ("expon", lambda rng, shape: rng.exponential(2.0, shape)),
    "UniformBox": ("uniform", lambda rng, shape: rng.uniform(-1.0, 3.0, shape)),
}
LIKELIHOOD = Quality("mean", lambda logs: float(np.mean(logs)), better="larger", within=1e-9)


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


@case("one-parameter laws", sizes=[{"law": law, "n": 100_000, "d": 10} for law in LAWS])
def simple_laws(law, n, d):
    """Estimate the parameters of independent features, and the log density of each row."""
    theirs, draw = LAWS[law]
    X = draw(np.random.default_rng(0), (n, d)).astype(float)
    given = {"n": 20} if law == "Binomial" else {}

    def by_scipy(kind):
        if law == "Exponential":
            logs = kind.logpdf(X, scale=X.mean(axis=0))
        elif law == "UniformBox":
            low, high = X.min(axis=0), X.max(axis=0)
            logs = kind.logpdf(X, low, high - low)
        else:
            parameter = X.mean(axis=0)
            logs = kind.logpmf(X, 20, parameter / 20) if given else kind.logpmf(X, parameter)
        return logs.sum(axis=1)

    return Comparison(
        ours=Run(f"shallows.density.{law}", lambda Law: Law(**given).fit(X).score_samples(X)),
        peers=[Run(f"scipy.stats.{theirs}", by_scipy)],
        quality=[LIKELIHOOD],
    )


@case(
    "Gaussian",
    sizes=[
        {"n": 1_000, "d": 2},
        {"n": 20_000, "d": 2},
        {"n": 100_000, "d": 20},
        {"n": 10_000, "d": 200},
    ],
)
def gaussian(n, d):
    """Mean and covariance by maximum likelihood, and the log density of each row."""
    X = points(n, d, 5)
    return Comparison(
        ours=Run("shallows.density.Gaussian", lambda Law: Law().fit(X).score_samples(X)),
        peers=[
            Run("scipy.stats.multivariate_normal", lambda law: law.logpdf(X, *law.fit(X))),
        ],
        quality=[LIKELIHOOD],
    )


@case("Multinomial", sizes=[{"n": 50_000, "outcomes": 20}])
def multinomial(n, outcomes):
    """Probabilities from rows of counts with sums of their own, and how likely the rows are."""
    rng = np.random.default_rng(0)
    X = rng.multinomial(rng.integers(10, 50, n), rng.dirichlet(np.full(outcomes, 3.0)))

    def by_scipy(law):
        return law.logpmf(X, X.sum(axis=1), X.sum(axis=0) / X.sum())

    return Comparison(
        ours=Run("shallows.density.Multinomial", lambda Law: Law().fit(X).score_samples(X)),
        peers=[Run("scipy.stats.multinomial", by_scipy)],
        quality=[LIKELIHOOD],
    )


@case("Histogram", sizes=[{"n": 100_000, "d": 1, "bins": 100}, {"n": 100_000, "d": 3, "bins": 20}])
def histogram(n, d, bins):
    """Bins of equal width, and the log density of each row.

    NumPy counts in several dimensions, but does not look densities up: three more lines do.
    """
    X = points(n, d, 5)
    Q = np.delete(X, X[:, 0].argmax(), axis=0)  # SciPy gives the last edge no density

    def by_scipy(rv_histogram):
        return rv_histogram(np.histogram(X[:, 0], bins), density=True).logpdf(Q[:, 0])

    def by_numpy(histogramdd):
        density, edges = histogramdd(X, bins, density=True)
        pairs = zip(edges, Q.T, strict=True)
        places = [np.searchsorted(inner[1:-1], column, "right") for inner, column in pairs]
        return np.log(density[tuple(places)])

    return Comparison(
        ours=Run("shallows.density.Histogram", lambda Law: Law(bins).fit(X).score_samples(Q)),
        peers=[Run("scipy.stats.rv_histogram", by_scipy)]
        if d == 1
        else [Run("numpy.histogramdd", by_numpy)],
        quality=[LIKELIHOOD],
    )


@case("PointMasses", sizes=[{"n": 100_000, "values": 50}])
def point_masses(n, values):
    """Frequencies of the values that occur, and the log probability of each row."""
    rng = np.random.default_rng(0)
    X = rng.choice(values, size=(n, 1), p=rng.dirichlet(np.ones(values))).astype(float)

    def by_scipy(rv_discrete):
        found, counts = np.unique(X[:, 0], return_counts=True)
        return rv_discrete(values=(found, counts / n)).logpmf(X[:, 0])

    return Comparison(
        ours=Run("shallows.density.PointMasses", lambda Law: Law().fit(X).score_samples(X)),
        peers=[Run("scipy.stats.rv_discrete", by_scipy)],
        quality=[LIKELIHOOD],
    )


@case(
    "naive Bayes",
    sizes=[
        {"law": "Bernoulli", "n": 50_000, "d": 64, "classes": 10},
        {"law": "Multinomial", "n": 50_000, "d": 64, "classes": 10},
    ],
)
def naive_bayes(law, n, d, classes):
    """A law for each class without pseudo-counts: fit and predict."""
    rng = np.random.default_rng(0)
    y = rng.integers(classes, size=n)
    chances = rng.beta(20.0, 40.0, size=(classes, d))
    trials = 1 if law == "Bernoulli" else 4
    X = rng.binomial(trials, chances[y]).astype(float)

    def ours(BayesClassifier):
        from shallows import density

        return BayesClassifier(getattr(density, law)()).fit(X, y).predict_proba(X)

    return Comparison(
        ours=Run("shallows.density.BayesClassifier", ours),
        peers=[
            Run(
                f"sklearn.naive_bayes.{law}NB",
                lambda NB: NB(alpha=1e-10).fit(X, y).predict_proba(X),
            )
        ],
        quality=[true_class(y)],
    )


@case("SiteProfile", sizes=[{"n": 300, "sites": 100}, {"n": 20_000, "sites": 50}])
def site_profile(n, sites):
    """Three families of aligned letters, one pseudo-count each: fit and predict.

    scikit-learn takes numbers, so its encoder comes first.
    """
    rng = np.random.default_rng(0)
    letters = np.array(list("ACDEFGHIKLMNPQRSTVWY"))
    y = rng.integers(3, size=n)
    until = rng.dirichlet(np.full(20, 3.0), size=(3, sites)).cumsum(axis=2)
    drawn = np.empty((n, sites), dtype=int)
    for label in range(3):
        rows = y == label
        drawn[rows] = (rng.random((rows.sum(), sites, 1)) > until[label]).sum(axis=2)
    X = letters[np.minimum(drawn, 19)]

    def ours(BayesClassifier):
        from shallows.density import SiteProfile

        return BayesClassifier(SiteProfile()).fit(X, y).predict_proba(X)

    def theirs(CategoricalNB):
        from sklearn.preprocessing import OrdinalEncoder

        codes = OrdinalEncoder(categories=[letters] * sites, dtype=int).fit_transform(X)
        return CategoricalNB(min_categories=20).fit(codes, y).predict_proba(codes)

    return Comparison(
        ours=Run("shallows.density.BayesClassifier", ours),
        peers=[Run("sklearn.naive_bayes.CategoricalNB", theirs)],
        quality=[true_class(y)],
    )


@case(
    "ExpectationMaximization", sizes=[{"n": 2_000, "d": 5, "k": 2}, {"n": 100_000, "d": 10, "k": 5}]
)
def general_em(n, d, k):
    """Twenty steps for Gaussians from the same start, by the scheme that takes any density."""
    X = points(n, d, k)

    def ours(EM):
        from shallows.density import Gaussian, MixtureModel

        class FromFirstRows(MixtureModel):
            def start(self, X, weights, rng):
                return np.full(k, 1 / k), [Gaussian(row, np.eye(d)) for row in X[:k]]

        return EM(FromFirstRows(n_components=k), max_iter=20, tol=None).fit(X)

    def theirs(Model):
        options = {
            "weights_init": np.full(k, 1 / k),
            "means_init": X[:k],
            "precisions_init": _unit_precisions("full", k, d),
            "init_params": "random_from_data",
            "max_iter": 20,
            "tol": 0.0,
        }
        return _quietly(Model(k, **options), X)

    return Comparison(
        ours=Run("shallows.density.ExpectationMaximization", ours),
        peers=[Run("sklearn.mixture.GaussianMixture", theirs)],
        quality=[Quality("bound", lambda m: m.lower_bound_, better="larger", within=1e-8)],
    )


def true_class(y):
    return Quality(
        "log of the true class",
        lambda p: np.log(np.maximum(p[np.arange(len(y)), y], 1e-300)).mean(),
        better="larger",
        within=1e-5,
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
