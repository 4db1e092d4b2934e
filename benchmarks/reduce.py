"""Dimension reduction against scikit-learn, openTSNE and a package for Sammon's mapping."""

from functools import partial

import numpy as np
from benchmarks.harness import Comparison, Quality, Run, RunApart, case
from scipy.sparse import csr_array
from scipy.spatial.distance import cdist, pdist
from scipy.special import xlogy
from scipy.stats import spearmanr
from sklearn.datasets import load_digits, make_swiss_roll
from sklearn.decomposition import PCA
from sklearn.linear_model import LinearRegression
from sklearn.manifold import trustworthiness
from sklearn.neighbors import NearestNeighbors


@case(
    "PCA",
    sizes=[
        {"n": 100_000, "d": 50, "n_components": 10},
        {"n": 100_000, "d": 50, "n_components": 50},
        {"n": 5_000, "d": 2_000, "n_components": 10},
        {"n": 5_000, "d": 2_000, "n_components": 50},
    ],
)
def pca(n, d, n_components):
    """Both choose their solver themselves; the standard deviations fall off as 1 / k."""
    X = _falling(n, d)
    return Comparison(
        ours=Run(
            "shallows.reduce.PCA",
            lambda PCA: PCA(n_components, random_state=0).fit(X),
        ),
        peers=[
            Run(
                "sklearn.decomposition.PCA",
                lambda PCA: PCA(n_components, random_state=0).fit(X),
            )
        ],
        quality=[
            Quality(
                "explained variance",
                lambda model: model.explained_variance_.sum(),
                better="larger",
                within=1e-3,
            )
        ],
    )


@case("Whitening", sizes=[{"n": 1_797, "d": 30}, {"n": 100_000, "d": 50}])
def whitening(n, d):
    """All directions, with variance one; fit and transform."""
    X = _falling(n, d)
    return Comparison(
        ours=Run("shallows.reduce.Whitening", lambda Whitening: Whitening().fit_transform(X)),
        peers=[Run("sklearn.decomposition.PCA", lambda PCA: PCA(whiten=True).fit_transform(X))],
        quality=[
            Quality(
                "largest distance of the covariance from one",
                lambda found: max(1e-9, np.abs(np.cov(found.T) - np.eye(d)).max()),
                better="smaller",
                within=1.0,
            )
        ],
    )


@case(
    "PowerPCA",
    sizes=[{"n": 100_000, "d": 50, "n_components": 5}, {"n": 5_000, "d": 1_000, "n_components": 5}],
)
def power_pca(n, d, n_components):
    """Power iteration against the iteration of Arnoldi, to the same residual."""
    X = _falling(n, d)
    return Comparison(
        ours=Run(
            "shallows.reduce.PowerPCA",
            lambda PowerPCA: PowerPCA(n_components, tol=1e-8, random_state=0).fit(X),
        ),
        peers=[
            Run(
                "sklearn.decomposition.PCA",
                lambda PCA: PCA(n_components, svd_solver="arpack", tol=1e-8, random_state=0).fit(X),
            )
        ],
        quality=[
            Quality(
                "explained variance",
                lambda model: model.explained_variance_.sum(),
                better="larger",
                within=1e-9,
            )
        ],
    )


@case(
    "Hebbian PCA",
    sizes=[
        {"rule": "OjaPCA", "n": 100_000, "d": 50, "n_components": 5},
        {"rule": "SangerPCA", "n": 100_000, "d": 50, "n_components": 5},
    ],
)
def hebbian_pca(rule, n, d, n_components):
    """Samples in blocks of a thousand, each seen once; no package has these rules.

    What one would take for such data updates a decomposition block by block. What counts is
    how much of the variance the directions hold, of the most that is possible.
    """
    X = _falling(n, d)
    covariance = np.cov(X.T)
    most = np.linalg.eigvalsh(covariance)[-n_components:].sum()
    blocks = [X[first : first + 1000] for first in range(0, n, 1000)]

    def in_blocks(Model, **options):
        model = Model(n_components, **options)
        for block in blocks:
            model.partial_fit(block)
        return model

    def held(model):
        basis = np.linalg.qr(model.components_.T)[0]
        return np.trace(basis.T @ covariance @ basis) / most

    return Comparison(
        ours=Run(f"shallows.reduce.{rule}", lambda Model: in_blocks(Model, random_state=0)),
        peers=[Run("sklearn.decomposition.IncrementalPCA", in_blocks)],
        quality=[Quality("share of the variance", held, better="larger", within=0.01)],
    )


@case(
    "FilterSelector",
    sizes=[
        {"n": 20_000, "d": 200, "criterion": "correlation"},
        {"n": 5_000, "d": 20, "criterion": "mutual_information"},
        {"n": 20_000, "d": 200, "criterion": "variance"},
    ],
)
def filter_selector(n, d, criterion):
    """The ten best features of a linear target; the last criterion does not look at it."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d)) * rng.uniform(0.5, 2, size=d)
    y = X @ (rng.normal(size=d) / np.arange(1, d + 1)) + rng.normal(size=n)

    eleventh = np.sort(X.var(axis=0))[-11]  # not kept

    def theirs(SelectKBest):
        from sklearn.feature_selection import (
            VarianceThreshold,
            f_regression,
            mutual_info_regression,
        )

        if criterion == "variance":
            return VarianceThreshold(eleventh).fit(X)
        scores = {
            "correlation": f_regression,
            "mutual_information": partial(mutual_info_regression, random_state=0),
        }
        return SelectKBest(scores[criterion], k=10).fit(X, y)

    def explained(model):
        best = X[:, model.get_support()]
        if criterion == "variance":
            return best.var(axis=0).sum()
        return LinearRegression().fit(best, y).score(best, y)

    return Comparison(
        ours=Run(
            "shallows.reduce.FilterSelector",
            lambda Selector: Selector(10, criterion=criterion, random_state=0).fit(X, y),
        ),
        peers=[Run("sklearn.feature_selection.SelectKBest", theirs)],
        quality=[Quality("variance explained", explained, better="larger", within=1e-9)],
    )


@case("FastICA", sizes=[{"n": 20_000, "d": 10}, {"n": 100_000, "d": 20}])
def fast_ica(n, d):
    """Laplacian sources; the same first directions and the same tolerance."""
    rng = np.random.default_rng(0)
    sources = rng.laplace(size=(n, d))
    X, start = sources @ rng.normal(size=(d, d)), rng.normal(size=(d, d))

    def worst(model):
        found = model.transform(X)
        return np.abs(np.corrcoef(found.T, sources.T)[:d, d:]).max(axis=0).min()

    return Comparison(
        ours=Run("shallows.reduce.FastICA", lambda FastICA: FastICA(d, w_init=start).fit(X)),
        peers=[Run("sklearn.decomposition.FastICA", lambda ICA: ICA(d, w_init=start).fit(X))],
        quality=[Quality("worst correlation", worst, better="larger", within=1e-3)],
    )


@case("MDS", sizes=[{"n": 500}, {"n": 1797}])
def mds(n):
    """Digits; both start from classical scaling and make thirty steps."""
    X = load_digits().data[:n]
    return Comparison(
        ours=Run(
            "shallows.reduce.MDS",
            lambda MDS: MDS(max_iter=30, eps=0.0, init="classical_mds").fit(X),
        ),
        peers=[
            Run(
                "sklearn.manifold.MDS",
                lambda MDS: MDS(max_iter=30, eps=0.0, init="classical_mds", n_init=1).fit(X),
            )
        ],
        quality=[
            Quality("stress", lambda model: model.stress_, better="smaller", within=1e-6),
        ],
    )


@case("classical MDS", sizes=[{"n": 500}, {"n": 1797}])
def classical_mds(n):
    """Digits; leading eigenvectors of the same matrix."""
    X = load_digits().data[:n]
    return Comparison(
        ours=Run("shallows.reduce.MDS", lambda MDS: MDS(kind="classical").fit(X)),
        peers=[Run("sklearn.manifold.ClassicalMDS", lambda MDS: MDS().fit(X))],
        quality=[
            Quality(
                "eigenvalues", lambda model: model.eigenvalues_.sum(), better="larger", within=1e-9
            ),
        ],
    )


@case("Sammon", sizes=[{"n": 150}, {"n": 300}])
def sammon(n):
    """Digits; both stop when the stress falls by less than a millionth of itself.

    Steps of the peer soon make no way, and it stops at nearly twice the stress, which ours is
    below after two steps.
    """
    X = load_digits().data[:n]
    return Comparison(
        ours=Run("shallows.reduce.Sammon", lambda Sammon: Sammon(random_state=0).fit(X)),
        peers=[
            RunApart(
                "sammon_picture",
                ["sammon-mapping==0.0.2", "numpy==2.4.6", "scipy==1.17.1"],
                name="sammon-mapping",
                X=X,
                max_iter=500,
                tol=1e-6,
            )
        ],
        quality=[
            Quality("stress", lambda model: float(model.stress_), better="smaller", within=0.01)
        ],
    )


@case("OutOfSample", sizes=[{"n": 1_000, "queries": 1_000}, {"n": 2_000, "queries": 50_000}])
def out_of_sample(n, queries):
    """New points of a Swiss roll among embedded ones, by the mixture of five neighbours."""
    from sklearn.manifold import LocallyLinearEmbedding

    from shallows.reduce import OutOfSample

    X, angle = make_swiss_roll(n + queries, random_state=0)
    options = {"n_neighbors": 12, "random_state": 0}
    theirs = LocallyLinearEmbedding(**options).fit(X[:n])
    theirs.n_neighbors = 5  # of the mixture
    theirs.nbrs_.set_params(n_neighbors=5)
    ours = OutOfSample(LocallyLinearEmbedding(**options)).fit(X[:n])

    def order(found):
        """Correlate neighbours' coordinates: how smooth the picture is along the roll."""
        along = np.argsort(angle[n:])
        return np.mean([spearmanr(c[along][:-1], c[along][1:])[0] for c in found.T])

    return Comparison(
        ours=Run("shallows.reduce.OutOfSample", lambda _: ours.transform(X[n:])),
        peers=[
            Run("sklearn.manifold.LocallyLinearEmbedding", lambda _: theirs.transform(X[n:])),
        ],
        quality=[Quality("rank correlation", order, better="larger", within=1e-3)],
    )


@case("Isomap", sizes=[{"n": 1000}, {"n": 3000}])
def isomap(n):
    """A Swiss roll with ten neighbours."""
    X, _ = make_swiss_roll(n, random_state=0)
    return Comparison(
        ours=Run("shallows.reduce.Isomap", lambda Isomap: Isomap(n_neighbors=10).fit(X)),
        peers=[Run("sklearn.manifold.Isomap", lambda Isomap: Isomap(n_neighbors=10).fit(X))],
        quality=[
            Quality(
                "reconstruction error",
                lambda model: model.reconstruction_error(),
                better="smaller",
                within=1e-6,
            ),
        ],
    )


@case(
    "LocallyLinearEmbedding",
    sizes=[
        {"n": 1000, "method": "standard"},
        {"n": 5000, "method": "standard"},
        {"n": 2000, "method": "modified"},
        {"n": 2000, "method": "ltsa"},
    ],
)
def lle(n, method):
    """A Swiss roll with twelve neighbours; here "ltsa" counts the sample as one more.

    Errors of "ltsa" are sums over neighbourhoods of other sizes, so that what counts is how well
    the true coordinates are found.
    """
    X, angle = make_swiss_roll(n, random_state=0)
    arc = (angle * np.sqrt(1 + angle**2) + np.arcsinh(angle)) / 2
    truth = np.column_stack([arc, X[:, 1]])

    def found(model):
        affine = np.column_stack([np.ones(n), model.embedding_])
        missed = truth - affine @ np.linalg.lstsq(affine, truth)[0]
        return 1 - (missed**2).sum() / ((truth - truth.mean(axis=0)) ** 2).sum()

    options = {"n_neighbors": 12, "method": method}
    return Comparison(
        ours=Run("shallows.reduce.LocallyLinearEmbedding", lambda LLE: LLE(**options).fit(X)),
        peers=[
            Run(
                "sklearn.manifold.LocallyLinearEmbedding",
                lambda LLE: LLE(random_state=0, **options).fit(X),
            )
        ],
        quality=[Quality("variance found", found, better="larger", within=1e-3)],
    )


@case("LaplacianEigenmaps", sizes=[{"n": 3000}, {"n": 20_000}])
def laplacian_eigenmaps(n):
    """A Swiss roll with ten neighbours."""
    X, _ = make_swiss_roll(n, random_state=0)
    return Comparison(
        ours=Run("shallows.reduce.LaplacianEigenmaps", lambda Maps: Maps(n_neighbors=10).fit(X)),
        peers=[
            Run(
                "sklearn.manifold.SpectralEmbedding",
                lambda Maps: Maps(n_neighbors=10, random_state=0).fit(X),
            )
        ],
        quality=[kept_neighbours(X)],
    )


@case("nonmetric MDS", sizes=[{"n": 200}, {"n": 500}])
def nonmetric_mds(n):
    """Digits; thirty steps from the same points, judged by the order of the distances."""
    X = load_digits().data[:n]
    start, wanted = PCA(2).fit_transform(X), pdist(X)

    def agreement(model):
        return spearmanr(wanted, pdist(model.embedding_))[0]

    steps = {"max_iter": 30, "eps": 0.0, "n_init": 1}
    return Comparison(
        ours=Run(
            "shallows.reduce.MDS",
            lambda MDS: MDS(kind="nonmetric", init=start, **steps).fit(X),
        ),
        peers=[
            Run(
                "sklearn.manifold.MDS",
                lambda MDS: MDS(metric_mds=False, init="random", **steps).fit(X, init=start),
            )
        ],
        quality=[Quality("rank correlation", agreement, better="larger", within=5e-3)],
    )


@case("TSNE", sizes=[{"n": 1797}, {"n": 10_000}, {"n": 50_000}])
def tsne(n):
    """Digits or curved sheets; all start from the principal components, a thousand steps."""
    X = load_digits().data if n == 1797 else curved_sheets(n)
    apart = {"requires": ["openTSNE==1.0.4"], "X": X, "max_iter": 1000}
    return Comparison(
        ours=Run("shallows.reduce.TSNE", lambda TSNE: TSNE().fit(X)),
        peers=[
            Run("sklearn.manifold.TSNE", lambda TSNE: TSNE(init="pca").fit(X)),
            RunApart("opentsne_picture", name="openTSNE fft", method="fft", **apart),
            RunApart("opentsne_picture", name="openTSNE bh", method="bh", **apart),
        ],
        quality=[
            Quality(
                "divergence",
                lambda model: divergence(X, np.asarray(model.embedding_)),
                better="smaller",
                within=0.03,
            ),
            Quality(
                "kept neighbours",
                lambda model: shared_neighbours(X, np.asarray(model.embedding_)),
                better="larger",
                within=0.03,
            ),
        ],
    )


def _falling(n, d):
    """Return data with deviations that fall off as one over the number of the axis."""
    rng = np.random.default_rng(0)
    axes = np.linalg.qr(rng.normal(size=(d, d)))[0]
    return (rng.normal(size=(n, d)) / np.arange(1, d + 1)) @ axes


def curved_sheets(n):
    """Return twenty overlapping groups on a curved sheet of five dimensions among fifty."""
    rng = np.random.default_rng(0)
    centres = 3 * rng.normal(size=(20, 5))
    inner = centres[rng.integers(20, size=n)] + rng.normal(size=(n, 5))
    curved = np.tanh(inner @ rng.normal(size=(5, 50)) / 2 + rng.normal(size=50))
    return curved + 0.05 * rng.normal(size=(n, 50))


def divergence(X, Y, perplexity=30.0):
    """Return the divergence of a picture, over all of its pairs, for ninety neighbours."""
    n = len(X)
    squares, index = NearestNeighbors(n_neighbors=90).fit(X).kneighbors()
    squares = squares**2 - squares[:, :1] ** 2
    low, high = np.full((n, 1), -30.0), np.full((n, 1), 30.0)
    for _ in range(60):
        middle = (low + high) / 2
        p = np.exp(-squares * np.exp(middle))
        p /= p.sum(axis=1, keepdims=True)
        entropy = -np.sum(xlogy(p, p), axis=1, keepdims=True)
        wide = entropy > np.log(perplexity)
        low, high = np.where(wide, middle, low), np.where(wide, high, middle)
    one_way = csr_array((p.ravel(), index.ravel(), np.arange(n + 1) * 90), shape=(n, n))
    joint = ((one_way + one_way.T) / (2 * n)).tocoo()
    squared = np.sum((Y[joint.row] - Y[joint.col]) ** 2, axis=1)
    near = sum(np.sum(1 / (1 + cdist(Y[i : i + 500], Y, "sqeuclidean"))) for i in range(0, n, 500))
    return joint.data @ (np.log(joint.data) + np.log1p(squared)) + np.log(near - n)


def shared_neighbours(X, Y, k=10):
    """Return the share of the nearest samples that are nearest in the picture too."""
    here, there = (NearestNeighbors(n_neighbors=k).fit(Z).kneighbors()[1] for Z in (X, Y))
    return np.mean([len(np.intersect1d(a, b)) for a, b in zip(here, there, strict=True)]) / k


def kept_neighbours(X):
    """Return the quality of a picture: whether its neighbours are neighbours in the data."""
    return Quality(
        "trustworthiness",
        lambda model: trustworthiness(X[:2000], model.embedding_[:2000]),
        better="larger",
        within=5e-3,
    )
