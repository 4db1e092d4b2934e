"""Perceptron rules against scikit-learn."""

import numpy as np
import scipy.sparse
from benchmarks.harness import Comparison, Quality, Run, case
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
    options = {"max_iter": max_iter, "tol": None, "random_state": 0}
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
                "training accuracy",
                lambda model: model.score(X, y),
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
