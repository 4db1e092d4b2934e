"""Perceptron rules against scikit-learn."""

import numpy as np
from benchmarks.harness import Comparison, Quality, Run, case


@case("Perceptron", sizes=[{"n": 100_000, "d": 50, "max_iter": 20}])
def perceptron(n, d, max_iter):
    """Labels of a random teacher; `tol=None` makes both run every epoch."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d))
    y = np.sign(X @ rng.normal(size=d))
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
