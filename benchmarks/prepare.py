"""Imputation against scikit-learn."""

import numpy as np
import sklearn.experimental.enable_iterative_imputer  # noqa: F401  makes the peer importable
from benchmarks.harness import Comparison, Quality, Run, case


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


def _gappy(n, d):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 5)) @ rng.normal(size=(5, d)) + rng.normal(size=(n, d))
    gaps = rng.random(X.shape) < 0.1
    return X, np.where(gaps, np.nan, X), gaps


def _error(X, gaps):
    return Quality(
        "root mean square error",
        lambda filled: float(np.sqrt(np.mean((filled - X)[gaps] ** 2))),
        better="smaller",
        within=0.05,
    )
