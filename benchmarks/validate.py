"""Measures and intervals against SciPy and scikit-learn."""

import numpy as np
from benchmarks.harness import Comparison, Quality, Run, case


def scored(n):
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=n)
    return y, y + rng.normal(size=n)


@case(
    "bootstrap interval of the AUC",
    sizes=[{"n": 1_000, "n_resamples": 500}, {"n": 10_000, "n_resamples": 2_000}],
)
def bootstrap_auc(n, n_resamples):
    """Percentile intervals; SciPy calls scikit-learn's area once per resample."""
    from sklearn.metrics import roc_auc_score

    y, scores = scored(n)
    return Comparison(
        ours=Run(
            "shallows.validate.bootstrap_interval",
            lambda interval: interval(
                "roc_auc", y, scores, n_resamples=n_resamples, method="percentile", random_state=0
            ),
        ),
        peers=[
            Run(
                "scipy.stats.bootstrap",
                lambda bootstrap: bootstrap(
                    (y, scores),
                    roc_auc_score,
                    paired=True,
                    vectorized=False,
                    n_resamples=n_resamples,
                    method="percentile",
                    rng=0,
                ),
            )
        ],
        quality=[Quality("standard error", lambda found: found.standard_error, "smaller", 0.15)],
    )


@case("bootstrap interval of a mean", sizes=[{"n": 1_000}, {"n": 20_000}])
def bootstrap_mean(n):
    """BCa intervals of 2,000 resamples; SciPy's statistic is vectorised."""
    values = np.random.default_rng(0).exponential(size=n)
    return Comparison(
        ours=Run(
            "shallows.validate.bootstrap_interval",
            lambda interval: interval("mean", values, n_resamples=2_000, random_state=0),
        ),
        peers=[
            Run(
                "scipy.stats.bootstrap",
                lambda bootstrap: bootstrap(
                    (values,), np.mean, n_resamples=2_000, batch=100, method="BCa", rng=0
                ),
            )
        ],
        quality=[Quality("standard error", lambda found: found.standard_error, "smaller", 0.15)],
    )


@case("area under the ROC curve", sizes=[{"n": 10_000}, {"n": 1_000_000}])
def auc(n):
    """Ours returns DeLong's variance too; the peer returns the area alone."""
    y, scores = scored(n)
    return Comparison(
        ours=Run("shallows.validate.delong", lambda delong: delong(y, scores)),
        peers=[Run("sklearn.metrics.roc_auc_score", lambda area: area(y, scores))],
        quality=[
            Quality(
                "area",
                lambda found: float(getattr(found, "auc", [found])[0]),
                "larger",
                1e-9,
            )
        ],
    )
