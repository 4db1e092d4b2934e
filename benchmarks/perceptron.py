"""Perceptron rules against scikit-learn."""

import numpy as np
import scipy.sparse
from benchmarks.harness import Comparison, Quality, Run, case
from sklearn.base import clone
from sklearn.preprocessing import normalize


@case("Perceptron", sizes=[{"n": 100_000, "d": 50, "max_iter": 20}])
def perceptron(n, d, max_iter):
    """Labels of a random teacher; `tol=None` makes both run every epoch."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d))
    return compare(X, np.sign(X @ rng.normal(size=d)), max_iter)


@case(
    "Perceptron, sparse",
    sizes=[
        {"n": 20_000, "d": 50_000, "stored": 100, "max_iter": 20},
        {"n": 20_000, "d": 50_000, "stored": 100, "max_iter": 100},
        {"n": 100_000, "d": 1000, "stored": 20, "max_iter": 20},
    ],
)
def sparse(n, d, stored, max_iter):
    """`stored` values in each row of a compressed matrix, a tenth of the labels wrong.

    Some rows are there twice, with both labels, so that no epoch without mistakes ends ours.
    """
    rng = np.random.default_rng(0)
    columns = rng.integers(d, size=n * stored)
    starts = np.arange(0, n * stored + 1, stored)
    X = scipy.sparse.csr_matrix((rng.random(n * stored), columns, starts), shape=(n, d))
    X.sum_duplicates()
    y = np.sign(X @ rng.normal(size=d))
    y[rng.random(n) < 0.1] *= -1
    X, y = scipy.sparse.vstack([X, X[:50]], format="csr"), np.append(y, -y[:50])
    return compare(X, y, max_iter)


def compare(X, y, max_iter):
    """One seed is timed. The last mistakes move the accuracy by a percent, so five are judged."""
    options = {"max_iter": max_iter, "tol": None, "random_state": 0}

    def again(model, seed):
        return clone(model).set_params(random_state=seed).fit(X, y)

    return Comparison(
        ours=Run(
            "shallows.perceptron.Perceptron",
            lambda Perceptron: Perceptron(**options).fit(X, y),
        ),
        peers=[
            Run(
                "sklearn.linear_model.Perceptron",
                lambda Perceptron: Perceptron(**options).fit(X, y),
            )
        ],
        quality=[
            Quality(
                "mean training accuracy",
                lambda model: np.mean([again(model, seed).score(X, y) for seed in range(5)]),
                better="larger",
                within=0.01,
            )
        ],
    )


@case(
    "AdaTron, soft margin",
    sizes=[
        {"n": 20_000, "d": 100, "C": 0.1},
        {"n": 100_000, "d": 100, "C": 0.1},
        {"n": 100_000, "d": 100, "C": 1.0},
    ],
)
def soft_margin(n, d, C):
    """A noisy teacher; both sides stop within 0.1 % of the least cost."""
    return compare_margins(*noisy_teacher(n, d), C, tol=0.3)


@case("AdaTron, soft margin, sparse", sizes=[{"n": 20_000, "d": 50_000, "stored": 100, "C": 1.0}])
def sparse_soft_margin(n, d, stored, C):
    """Rows like texts, and a tenth of the labels wrong."""
    return compare_margins(*texts(n, d, stored), C, tol=0.05)


def compare_margins(X, y, C, tol):
    """`tol` is the largest of liblinear's that brings the cost within 0.1 % of the least."""
    return Comparison(
        ours=Run(
            "shallows.perceptron.AdaTron",
            lambda AdaTron: AdaTron(C, threshold="clamped", tol=1e-3, random_state=0).fit(X, y),
        ),
        peers=[
            Run(
                "sklearn.svm.LinearSVC",
                lambda LinearSVC: LinearSVC(C=C, loss="hinge", tol=tol, random_state=0).fit(X, y),
            )
        ],
        quality=[
            Quality(
                "cost",
                lambda model: margin_cost(model, X, y, C),
                better="smaller",
                within=1e-3,
            )
        ],
    )


def margin_cost(model, X, y, C, *, price=1.0):
    """The cost that both minimise; `price` is that of the threshold."""
    w, b = model.coef_[0], model.intercept_[0]
    return (w @ w + price * b * b) / 2 + C * np.maximum(0, 1 - y * (X @ w + b)).sum()


@case(
    "AdaTron, free threshold",
    sizes=[{"n": 100_000, "d": 100, "C": 0.1}, {"n": 100_000, "d": 100, "C": 10.0}],
)
def free_threshold(n, d, C):
    """A noisy teacher; no number of passes up to hundreds brings the peer within 0.1 %."""
    return compare_with_stochastic_descent(*noisy_teacher(n, d), C, passes=100)


@case(
    "AdaTron, free threshold, sparse",
    sizes=[{"n": 20_000, "d": 50_000, "stored": 100, "C": 1.0}],
)
def sparse_free_threshold(n, d, stored, C):
    """Rows like texts; with so many passes both sides end within 0.1 % of the least cost."""
    return compare_with_stochastic_descent(*texts(n, d, stored), C, passes=320)


def compare_with_stochastic_descent(X, y, C, passes):
    """Both leave the threshold out of the length of the weights."""
    options = {"alpha": 1 / (C * len(y)), "max_iter": passes, "tol": None, "random_state": 0}
    return Comparison(
        ours=Run(
            "shallows.perceptron.AdaTron",
            lambda AdaTron: AdaTron(C, tol=1e-3, random_state=0).fit(X, y),
        ),
        peers=[
            Run(
                "sklearn.linear_model.SGDClassifier",
                lambda SGDClassifier: SGDClassifier(loss="hinge", **options).fit(X, y),
            )
        ],
        quality=[
            Quality(
                "cost",
                lambda model: margin_cost(model, X, y, C, price=0.0),
                better="smaller",
                within=1e-3,
            )
        ],
    )


def noisy_teacher(n, d):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d))
    y = np.sign(X @ rng.normal(size=d) + 0.5 * rng.normal(size=n))
    y[rng.random(n) < 0.05] *= -1
    return X, y


def texts(n, d, stored):
    """Few frequent and many rare columns, rows of length 1, and a tenth of the labels wrong."""
    rng = np.random.default_rng(0)
    columns = (d * rng.random(n * stored) ** 3).astype(np.int32)
    starts = np.arange(0, n * stored + 1, stored)
    X = scipy.sparse.csr_matrix((rng.random(n * stored) + 0.1, columns, starts), shape=(n, d))
    X.sum_duplicates()
    X = normalize(X)
    y = np.sign(X @ rng.normal(size=d))
    y[rng.random(n) < 0.1] *= -1
    return X, y


@case("Adaline, direct", sizes=[{"n": 100_000, "d": 100}])
def adaline(n, d):
    """Least squares on labels of a random teacher."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d))
    y = np.sign(X @ rng.normal(size=d))
    return Comparison(
        ours=Run("shallows.perceptron.Adaline", lambda Adaline: Adaline().fit(X, y)),
        peers=[
            Run(
                "sklearn.linear_model.LinearRegression",
                lambda LinearRegression: LinearRegression().fit(X, y),
            )
        ],
        quality=[
            Quality(
                "mean squared error",
                lambda model: np.mean((X @ model.coef_.ravel() + model.intercept_ - y) ** 2),
                better="smaller",
                within=1e-6,
            )
        ],
    )


@case("HebbianPerceptron, delta", sizes=[{"n": 2_000, "d": 10}, {"n": 100_000, "d": 50}])
def delta_rule(n, d):
    """Squared errors of the labels -1 and +1, 10 passes at the same constant rate."""
    options = {"modulation": "delta", "margin": 1.0}
    return _passes(*noisy_teacher(n, d), options, "squared_error", rate=0.02 / d)


@case("HebbianPerceptron, rosenblatt", sizes=[{"n": 2_000, "d": 10}, {"n": 100_000, "d": 50}])
def rosenblatt(n, d):
    """Rosenblatt's rule, 10 passes at the same constant rate."""
    return _passes(*noisy_teacher(n, d), {"modulation": "rosenblatt"}, "perceptron", rate=1.0)


def _passes(X, y, ours, loss, rate):
    """Single steps of a rule jump about, so that accuracies differ by a few percent."""
    options = {"eta0": rate, "max_iter": 10, "shuffle": True, "random_state": 0}
    peer = {"loss": loss, "learning_rate": "constant", "penalty": None, "tol": None}
    return Comparison(
        ours=Run(
            "shallows.perceptron.HebbianPerceptron", lambda cls: cls(**ours, **options).fit(X, y)
        ),
        peers=[
            Run("sklearn.linear_model.SGDClassifier", lambda cls: cls(**peer, **options).fit(X, y))
        ],
        quality=[
            Quality("training accuracy", lambda m: m.score(X, y), better="larger", within=0.03)
        ],
    )


@case("MinOver", sizes=[{"d": 100}, {"d": 1_000}])
def minover(d):
    """Random labels, four for five weights; both within about 1 % of the largest stability."""
    rng = np.random.default_rng(0)
    n = 4 * d // 5
    X, y = rng.normal(size=(n, d)), rng.choice([-1.0, 1.0], n)

    def stability(model):
        w = model.coef_[0]
        return (y * (X @ w)).min() / np.linalg.norm(w)

    return Comparison(
        ours=Run(
            "shallows.perceptron.MinOver",
            lambda MinOver: MinOver(fit_intercept=False, tol=0.02, max_iter=10_000).fit(X, y),
        ),
        peers=[
            Run(
                "sklearn.svm.LinearSVC",
                lambda LinearSVC: LinearSVC(
                    C=1e6,
                    loss="hinge",
                    tol=0.02,
                    fit_intercept=False,
                    max_iter=100_000,
                    random_state=0,
                ).fit(X, y),
            ),
        ],
        quality=[Quality("stability", stability, better="larger", within=0.02)],
    )


@case("PowerCostPerceptron", sizes=[{"n": 2_000, "d": 20}, {"n": 100_000, "d": 100}])
def power_cost(n, d):
    """Squares of what potentials miss; the peer's weights cost it next to nothing."""
    X, y = noisy_teacher(n, d)

    def cost(model):
        gaps = np.maximum(0, 1 - y * (X @ model.coef_[0] + model.intercept_[0]))
        return np.mean(gaps**2)

    return Comparison(
        ours=Run("shallows.perceptron.PowerCostPerceptron", lambda cls: cls().fit(X, y)),
        peers=[
            Run(
                "sklearn.svm.LinearSVC",
                lambda cls: cls(C=1.0, dual=False, tol=1e-6, intercept_scaling=1e3).fit(X, y),
            )
        ],
        quality=[Quality("mean cost", cost, better="smaller", within=1e-5)],
    )


@case("AssociationPerceptron", sizes=[{"data": "breast_cancer"}, {"data": "digits"}])
def association(data):
    """512 random threshold units and at most 100 passes; the peer from scikit-learn's parts."""
    from sklearn import datasets
    from sklearn.preprocessing import scale

    X, y = getattr(datasets, f"load_{data}")(return_X_y=True)
    X = scale(X)

    def pipeline(Perceptron):
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import FunctionTransformer

        rng = np.random.default_rng(0)
        wiring = np.zeros((X.shape[1], 512))
        for column in wiring.T:
            column[rng.choice(len(column), 10, replace=False)] = rng.choice([-1, 1], 10)
        thresholds = np.einsum("ki,ik->k", X[rng.integers(len(X), size=512)], wiring)
        units = FunctionTransformer(lambda rows: np.where(rows @ wiring > thresholds, 1.0, -1.0))
        output = Perceptron(max_iter=100, tol=None, random_state=0)
        return make_pipeline(units, output).fit(X, y)

    return Comparison(
        ours=Run(
            "shallows.perceptron.AssociationPerceptron",
            lambda cls: cls(max_iter=100, random_state=0).fit(X, y),
        ),
        peers=[Run("sklearn.linear_model.Perceptron", pipeline)],
        quality=[
            Quality("training accuracy", lambda m: m.score(X, y), better="larger", within=0.01)
        ],
    )
