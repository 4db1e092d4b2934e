"""Imputation, codes and selection of rows against scikit-learn, pandas, SciPy and others."""

import numpy as np
import sklearn.experimental.enable_iterative_imputer  # noqa: F401  makes the peer importable
from benchmarks.harness import Comparison, Quality, Run, RunApart, case
from sklearn.datasets import load_digits
from sklearn.linear_model import LinearRegression


@case(
    "ChainedImputer",
    sizes=[{"n": 1_000, "d": 10}, {"n": 10_000, "d": 20}, {"n": 5_000, "d": 60}],
)
def chained_imputer(n, d):
    """Numbers only, 10 % missing, at most 10 rounds; both stop by themselves when settled."""
    X, holes, gaps = _gappy(n, d)
    return Comparison(
        ours=Run(
            "shallows.prepare.ChainedImputer",
            lambda ChainedImputer: ChainedImputer(max_iter=10).fit_transform(holes),
        ),
        peers=[
            Run(
                "sklearn.impute.IterativeImputer",
                lambda IterativeImputer: IterativeImputer(max_iter=10).fit_transform(holes),
            )
        ],
        quality=[_error(X, gaps)],
    )


@case("DeckImputer", sizes=[{"n": 1_000, "d": 10}, {"n": 5_000, "d": 20}])
def deck_imputer(n, d):
    """One nearest neighbour; ours takes all gaps of a row from the same donor."""
    X, holes, gaps = _gappy(n, d)
    return Comparison(
        ours=Run(
            "shallows.prepare.DeckImputer",
            lambda DeckImputer: DeckImputer().fit_transform(holes),
        ),
        peers=[
            Run(
                "sklearn.impute.KNNImputer",
                lambda KNNImputer: KNNImputer(n_neighbors=1).fit_transform(holes),
            )
        ],
        quality=[_error(X, gaps)],
    )


@case(
    "DensityImputer",
    sizes=[{"n": 1_000, "d": 10}, {"n": 10_000, "d": 20}],
)
def density_imputer(n, d):
    """One Gaussian for incomplete rows; both stop by themselves when settled.

    Regressions in turn reach the same conditional means by another way.
    """
    X, holes, gaps = _gappy(n, d)
    return Comparison(
        ours=Run(
            "shallows.prepare.DensityImputer",
            lambda DensityImputer: DensityImputer().fit_transform(holes),
        ),
        peers=[
            Run(
                "sklearn.impute.IterativeImputer",
                lambda IterativeImputer: IterativeImputer(max_iter=10).fit_transform(holes),
            )
        ],
        quality=[_error(X, gaps)],
    )


@case(
    "ClassImputer",
    sizes=[
        {"n": 1_000, "d": 10, "classes": 3, "strategy": "mean"},
        {"n": 100_000, "d": 20, "classes": 10, "strategy": "mean"},
        {"n": 100_000, "d": 20, "classes": 10, "strategy": "median"},
    ],
)
def class_imputer(n, d, classes, strategy):
    """Gaps filled with the mean or median of the class; pandas has a data frame already."""
    X, _, gaps = _gappy(n, d)
    rng = np.random.default_rng(1)
    y = rng.integers(classes, size=n)
    X = X + 3 * rng.normal(size=(classes, d))[y]
    holes = np.where(gaps, np.nan, X)

    def by_pandas(DataFrame):
        frame = DataFrame(holes)
        return frame.fillna(frame.groupby(y).transform(strategy)).to_numpy()

    return Comparison(
        ours=Run(
            "shallows.prepare.ClassImputer",
            lambda ClassImputer: ClassImputer(strategy).fit_transform(holes, y),
        ),
        peers=[Run("pandas.DataFrame", by_pandas)],
        quality=[_error(X, gaps, within=1e-9)],
    )


@case("BinaryEncoder", sizes=[{"n": 1_000, "d": 5}, {"n": 50_000, "d": 10}])
def binary_encoder(n, d):
    """Columns of a hundred words each; what counts is that codes of different rows differ."""
    X = _words(n, d, 100)

    def different(codes):
        codes = np.asarray(getattr(codes, "codes", codes))
        return len(np.unique(codes, axis=0))

    return Comparison(
        ours=Run("shallows.prepare.BinaryEncoder", lambda Encoder: Encoder().fit_transform(X)),
        peers=[
            RunApart(
                "category_encoders_binary",
                ["category_encoders==2.11.2", "scikit-learn==1.9.1"],
                name="category_encoders",
                X=X,
            )
        ],
        quality=[Quality("different rows", different, better="larger", within=0.0)],
    )


@case("ThermometerEncoder", sizes=[{"n": 1_000, "d": 5}, {"n": 50_000, "d": 10}])
def thermometer_encoder(n, d):
    """Columns of ten words; no package has this code, and one place per word spans the same.

    What counts is how well a linear model of the codes finds a sum of effects of the words.
    """
    X = _words(n, d, 10)
    effects = np.random.default_rng(1).normal(size=(d, 10))
    numbers = np.unique(X, return_inverse=True)[1].reshape(X.shape)
    target = effects[np.arange(d), numbers].sum(axis=1)

    def explained(codes):
        return LinearRegression().fit(codes[:2000], target[:2000]).score(codes, target)

    return Comparison(
        ours=Run("shallows.prepare.ThermometerEncoder", lambda Encoder: Encoder().fit_transform(X)),
        peers=[
            Run(
                "sklearn.preprocessing.OneHotEncoder",
                lambda Encoder: Encoder(sparse_output=False).fit_transform(X),
            )
        ],
        quality=[Quality("variance explained", explained, better="larger", within=1e-6)],
    )


@case(
    "HypercubeTree",
    sizes=[
        {"n": 1_000, "d": 2},
        {"n": 10_000, "d": 2},
        {"n": 100_000, "d": 2},
        {"n": 100_000, "d": 3},
    ],
)
def hypercube_tree(n, d):
    """Cut boxes in the middle until none holds more than ten points, and number their points.

    SciPy's tree cuts one axis at a time, and keeps the points of a leaf, not the leaf of a point.
    """
    X = np.random.default_rng(0).normal(size=(n, d))

    def by_scipy(cKDTree):
        tree = cKDTree(X, leafsize=10, balanced_tree=False, compact_nodes=False)
        nodes, labels, n_leaves = [tree.tree], np.empty(n, dtype=int), 0
        while nodes:
            node = nodes.pop()
            if node.split_dim == -1:
                labels[node.indices] = n_leaves
                n_leaves += 1
            else:
                nodes += [node.lesser, node.greater]
        return labels

    return Comparison(
        ours=Run("shallows.prepare.HypercubeTree", lambda Tree: Tree(max_points=10).fit(X).labels_),
        peers=[Run("scipy.spatial.cKDTree", by_scipy)],
        quality=[Quality("largest leaf", lambda found: np.bincount(found).max(), "smaller", 0.0)],
    )


@case("OutlierRemover", sizes=[{"n": 1_000, "d": 10}, {"n": 100_000, "d": 20}])
def outlier_remover(n, d):
    """Rows with a value more than 3.5 robust deviations from the median are left out."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_t(5, size=(n, d)), rng.integers(2, size=n)

    def by_scipy(median_abs_deviation):
        spread = median_abs_deviation(X, axis=0, scale="normal")
        kept = (np.abs(X - np.median(X, axis=0)) <= 3.5 * spread).all(axis=1)
        return X[kept], y[kept]

    return Comparison(
        ours=Run(
            "shallows.prepare.OutlierRemover",
            lambda OutlierRemover: OutlierRemover().fit_resample(X, y),
        ),
        peers=[Run("scipy.stats.median_abs_deviation", by_scipy)],
        quality=[Quality("sum of squares left", lambda f: (f[0] ** 2).sum(), "smaller", 1e-12)],
    )


@case("PrototypeMatching", sizes=[{"n": 1_797}, {"n": 50_000}])
def prototype_matching(n):
    """Digits, repeated: products with the mean of each class."""
    X, y = load_digits(return_X_y=True)
    rows = np.arange(n) % len(X)
    X, y = X[rows], y[rows]
    return Comparison(
        ours=Run(
            "shallows.prepare.PrototypeMatching",
            lambda PrototypeMatching: PrototypeMatching().fit_transform(X, y),
        ),
        peers=[
            Run(
                "sklearn.neighbors.NearestCentroid",
                lambda Centroids: X @ Centroids().fit(X, y).centroids_.T,
            )
        ],
        quality=[
            Quality(
                "mean product with the own class",
                lambda p: p[np.arange(n), y].mean(),
                "larger",
                1e-9,
            )
        ],
    )


@case("SemiSupervised", sizes=[{"labelled": 200}, {"labelled": 1_000}])
def semi_supervised(labelled):
    """Digits with few labels: the same two steps, with what scikit-learn does with the rest."""
    from sklearn.decomposition import PCA
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.pipeline import make_pipeline

    X, y = load_digits(return_X_y=True)
    known = np.where(np.arange(len(y)) < labelled, y, -1)
    parts = PCA(20, random_state=0), KNeighborsClassifier(1)
    return Comparison(
        ours=Run(
            "shallows.prepare.SemiSupervised",
            lambda SemiSupervised: SemiSupervised(*parts).fit(X, known).predict(X),
        ),
        peers=[
            Run(
                "sklearn.semi_supervised.SelfTrainingClassifier",
                lambda SelfTraining: SelfTraining(make_pipeline(*parts)).fit(X, known).predict(X),
            )
        ],
        quality=[
            Quality(
                "accuracy without label",
                lambda found: np.mean(found[labelled:] == y[labelled:]),
                better="larger",
                within=0.01,
            )
        ],
    )


def _words(n, d, words):
    rng = np.random.default_rng(0)
    return np.array([f"word {k:02d}" for k in range(words)])[rng.integers(words, size=(n, d))]


def _gappy(n, d):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 5)) @ rng.normal(size=(5, d)) + rng.normal(size=(n, d))
    gaps = rng.random(X.shape) < 0.1
    return X, np.where(gaps, np.nan, X), gaps


def _error(X, gaps, within=0.05):
    return Quality(
        "root mean square error",
        lambda filled: float(np.sqrt(np.mean((filled - X)[gaps] ** 2))),
        better="smaller",
        within=within,
    )
