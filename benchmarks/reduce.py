"""Dimension reduction against scikit-learn."""

import numpy as np
from benchmarks.harness import Comparison, Quality, Run, case
from sklearn.datasets import load_digits, make_swiss_roll
from sklearn.manifold import trustworthiness


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
    rng = np.random.default_rng(0)
    axes = np.linalg.qr(rng.normal(size=(d, d)))[0]
    X = (rng.normal(size=(n, d)) / np.arange(1, d + 1)) @ axes
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
        ours=Run("shallows.reduce.MDS", lambda MDS: MDS(max_iter=30, eps=0.0).fit(X)),
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


@case("LocallyLinearEmbedding", sizes=[{"n": 1000}, {"n": 5000}])
def lle(n):
    """A Swiss roll with twelve neighbours."""
    X, _ = make_swiss_roll(n, random_state=0)
    return Comparison(
        ours=Run("shallows.reduce.LocallyLinearEmbedding", lambda LLE: LLE(n_neighbors=12).fit(X)),
        peers=[
            Run(
                "sklearn.manifold.LocallyLinearEmbedding",
                lambda LLE: LLE(n_neighbors=12, random_state=0).fit(X),
            )
        ],
        quality=[
            Quality(
                "reconstruction error",
                lambda model: model.reconstruction_error_,
                better="smaller",
                within=1e-6,
            ),
        ],
    )


@case("LaplacianEigenmaps", sizes=[{"n": 1000}, {"n": 5000}])
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


@case("TSNE", sizes=[{"n": 500}, {"n": 1797}])
def tsne(n):
    """Digits; both start from the principal components and make a thousand steps."""
    X = load_digits().data[:n]
    return Comparison(
        ours=Run("shallows.reduce.TSNE", lambda TSNE: TSNE().fit(X)),
        peers=[Run("sklearn.manifold.TSNE", lambda TSNE: TSNE(init="pca").fit(X))],
        quality=[
            kept_neighbours(X),
            Quality(
                "divergence", lambda model: model.kl_divergence_, better="smaller", within=0.03
            ),
        ],
    )


def kept_neighbours(X):
    """Return the quality of a picture: whether its neighbours are neighbours in the data."""
    return Quality(
        "trustworthiness",
        lambda model: trustworthiness(X[:2000], model.embedding_[:2000]),
        better="larger",
        within=5e-3,
    )
