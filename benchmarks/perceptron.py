"""Perceptron rules against scikit-learn."""

import numpy as np
import scipy.sparse
from benchmarks.harness import Comparison, Quality, Run, case


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
        {"n": 100_000, "d": 1000, "stored": 20, "max_iter": 20},
    ],
)
def sparse(n, d, stored, max_iter):
    """`stored` values in each row of a compressed matrix, a tenth of the labels wrong."""
    rng = np.random.default_rng(0)
    columns = rng.integers(d, size=n * stored)
    starts = np.arange(0, n * stored + 1, stored)
    X = scipy.sparse.csr_matrix((rng.random(n * stored), columns, starts), shape=(n, d))
    X.sum_duplicates()
    y = np.sign(X @ rng.normal(size=d))
    y[rng.random(n) < 0.1] *= -1
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
