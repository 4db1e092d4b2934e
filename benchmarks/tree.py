"""Trees and forests against scikit-learn."""

import numpy as np
from benchmarks.harness import Comparison, Quality, Run, case
from scipy import sparse

SIZES = [{"n": 20_000, "d": 100}, {"n": 100_000, "d": 20}]
HELD_OUT = 10_000
# Two draws of random features, or of ties: their scores agree, but not to the digit.
ACCURACY = {"better": "larger", "within": 0.02}
BUNDLED = ("iris", "breast_cancer", "digits")


@case(
    "DecisionTreeClassifier",
    sizes=[{**size, "criterion": c, "max_depth": depth} for size in SIZES for c, depth in
           (("gini", None), ("gini", 10), ("entropy", None))],
)  # fmt: skip
def decision_tree(n, d, criterion, max_depth):
    """One tree, grown to the end or to a depth."""
    X, y, X_new, y_new = data(n, d)
    options = {"criterion": criterion, "max_depth": max_depth, "random_state": 0}
    return against(
        "DecisionTreeClassifier",
        "sklearn.tree",
        lambda Tree: Tree(**options).fit(X, y),
        X_new,
        y_new,
    )


@case("DecisionTreeClassifier, 0 and 1", sizes=[{"n": 20_000, "d": 100}])
def decision_tree_of_bits(n, d):
    """One tree on columns of zeros and ones."""
    X, y, X_new, y_new = bits(n, d)
    return against(
        "DecisionTreeClassifier",
        "sklearn.tree",
        lambda Tree: Tree(random_state=0).fit(X, y),
        X_new,
        y_new,
    )


@case("DecisionTreeClassifier, sparse", sizes=[{"n": 5000, "d": 1000}])
def decision_tree_of_sparse_rows(n, d):
    """One tree on rows with forty stored values each."""
    X, y, X_new, y_new = sparse_rows(n, d)
    return against(
        "DecisionTreeClassifier",
        "sklearn.tree",
        lambda Tree: Tree(random_state=0).fit(X, y),
        X_new,
        y_new,
    )


@case("DecisionTreeRegressor", sizes=[{**size, "leaf": leaf} for size in SIZES for leaf in (1, 20)])
def decision_tree_regressor(n, d, leaf):
    """One tree for numbers, with small and with larger leaves."""
    X, y, X_new, y_new = data(n, d, classes=False)
    options = {"min_samples_leaf": leaf, "random_state": 0}
    return against(
        "DecisionTreeRegressor",
        "sklearn.tree",
        lambda Tree: Tree(**options).fit(X, y),
        X_new,
        y_new,
    )


@case("RandomForestClassifier", sizes=[{**size, "trees": 10} for size in SIZES])
def random_forest(n, d, trees):
    """A forest on all cores."""
    X, y, X_new, y_new = data(n, d)
    options = {"n_estimators": trees, "random_state": 0}
    return Comparison(
        ours=Run(
            "shallows.tree.RandomForestClassifier", lambda Forest: Forest(**options).fit(X, y)
        ),
        peers=[
            Run(
                "sklearn.ensemble.RandomForestClassifier",
                lambda Forest: Forest(n_jobs=-1, **options).fit(X, y),
            )
        ],
        quality=[Quality("accuracy", lambda model: model.score(X_new, y_new), **ACCURACY)],
    )


@case("DecisionTreeClassifier, bundled data", sizes=[{"data": name} for name in BUNDLED])
def small_tree(data):
    """One tree on a small set."""
    # one of the fifty irises for testing is 0.02
    return on_bundled("DecisionTreeClassifier", "sklearn.tree", data, within=0.03)


@case("DecisionTreeRegressor, bundled data", sizes=[{"data": "diabetes"}])
def small_tree_regressor(data):
    """One tree for numbers on a small set; with single rows as leaves, ties would decide scores."""
    return on_bundled("DecisionTreeRegressor", "sklearn.tree", data, min_samples_leaf=10)


@case("RandomForestClassifier, bundled data", sizes=[{"data": name} for name in BUNDLED])
def small_forest(data):
    """A hundred trees on a small set."""
    return on_bundled("RandomForestClassifier", "sklearn.ensemble", data)


@case("RandomForestRegressor, bundled data", sizes=[{"data": "diabetes"}])
def small_forest_regressor(data):
    """A hundred trees for numbers on a small set."""
    return on_bundled("RandomForestRegressor", "sklearn.ensemble", data, within=0.1)


@case("RandomForestRegressor", sizes=[{"n": 10_000, "d": 20, "trees": 30}])
def random_forest_regressor(n, d, trees):
    """A forest for numbers on all cores."""
    X, y, X_new, y_new = data(n, d, classes=False)
    options = {"n_estimators": trees, "max_features": 0.3, "random_state": 0}
    return Comparison(
        ours=Run("shallows.tree.RandomForestRegressor", lambda Forest: Forest(**options).fit(X, y)),
        peers=[
            Run(
                "sklearn.ensemble.RandomForestRegressor",
                lambda Forest: Forest(n_jobs=-1, **options).fit(X, y),
            )
        ],
        # From seed to seed the score of either side moves by a few hundredths.
        quality=[Quality("R2", lambda model: model.score(X_new, y_new), "larger", within=0.1)],
    )


@case("forest answers", sizes=[{"n": 50_000, "d": 20, "trees": 10}])
def forest_answers(n, d, trees):
    """Class shares of many rows from a grown forest."""
    from sklearn.ensemble import RandomForestClassifier as Peer

    from shallows.tree import RandomForestClassifier

    X, y, X_new, _ = data(n, d)
    X_new = np.tile(X_new, (10, 1))
    ours = RandomForestClassifier(trees, random_state=0).fit(X, y)
    peer = Peer(trees, random_state=0, n_jobs=-1).fit(X, y)
    return Comparison(
        ours=Run("shallows.tree.RandomForestClassifier", lambda _: ours.predict_proba(X_new)),
        peers=[Run("sklearn.ensemble.RandomForestClassifier", lambda _: peer.predict_proba(X_new))],
        quality=[Quality("sure", lambda shares: shares.max(axis=1).mean(), **ACCURACY)],
    )


@case("BaggingClassifier", sizes=[{"n": 20_000, "d": 20, "members": 10}])
def bagging(n, d, members):
    """Bagged trees, each side with its own."""
    X, y, X_new, y_new = data(n, d)
    return Comparison(
        ours=Run(
            "shallows.tree.BaggingClassifier",
            lambda Bagging: Bagging(None, members, random_state=0).fit(X, y),
        ),
        peers=[
            Run(
                "sklearn.ensemble.BaggingClassifier",
                lambda Bagging: Bagging(n_estimators=members, random_state=0).fit(X, y),
            )
        ],
        quality=[Quality("accuracy", lambda model: model.score(X_new, y_new), **ACCURACY)],
    )


def against(name, package, work, X_new, y_new):
    return Comparison(
        ours=Run(f"shallows.tree.{name}", work),
        peers=[Run(f"{package}.{name}", work)],
        quality=[Quality("score", lambda model: model.score(X_new, y_new), **ACCURACY)],
    )


def on_bundled(name, package, data, within=0.02, **options):
    """Compare on a small set, else with the defaults of each side; every third row is for tests."""
    from sklearn import datasets

    X, y = getattr(datasets, f"load_{data}")(return_X_y=True)
    test = np.arange(len(X)) % 3 == 0

    def fit(Model):
        return Model(random_state=0, **options).fit(X[~test], y[~test])

    score = Quality("score", lambda model: model.score(X[test], y[test]), "larger", within=within)
    return Comparison(
        ours=Run(f"shallows.tree.{name}", fit),
        peers=[Run(f"{package}.{name}", fit)],
        quality=[score],
    )


def data(n, d, classes=True):
    """Return numbers of which three matter, with noise, and as many as wanted to judge."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n + HELD_OUT, d))
    y = X[:, 0] + X[:, 1] * X[:, 2] + 0.5 * rng.normal(size=len(X))
    y = (y > 0).astype(np.int64) if classes else y
    return X[:n], y[:n], X[n:], y[n:]


def bits(n, d):
    """Return zeros and ones of which four matter, with noise."""
    rng = np.random.default_rng(1)
    X = (rng.random((n + HELD_OUT, d)) < rng.uniform(0.05, 0.5, size=d)).astype(np.float64)
    score = X[:, 0] + 2 * X[:, 1] + 3 * X[:, 2] * X[:, 3] + rng.normal(size=len(X))
    y = (score > 1.5).astype(np.int64)
    return X[:n], y[:n], X[n:], y[n:]


def sparse_rows(n, d):
    """Return rows with about forty stored values, all of which matter a little, with noise."""
    rng = np.random.default_rng(2)
    X = sparse.random(n + HELD_OUT, d, density=min(1, 40 / d), format="csr", random_state=3)
    y = (X @ rng.normal(size=d) + 0.3 * rng.normal(size=n + HELD_OUT) > 0).astype(np.int64)
    return X[:n], y[:n], X[n:], y[n:]
