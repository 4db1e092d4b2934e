"""Outlier indices against scikit-learn and PyOD."""

import numpy as np
from benchmarks.harness import Comparison, Quality, Run, RunApart, case
from sklearn.metrics import roc_auc_score

PYOD = ["pyod==3.6.7", "scikit-learn==1.9.1", "numpy==2.4.6"]


@case("GammaIndex", sizes=[{"n": 1_000, "d": 10}, {"n": 50_000, "d": 3}, {"n": 20_000, "d": 30}])
def gamma_index(n, d):
    """Index of each training row by five neighbours, on a ring of data with 1 % planted outliers.

    PyOD computes the same index. The local outlier factor is another one from the same
    neighbours.
    """
    X, planted = _ring(n, d)
    k = 5
    options = {"n_neighbors": k, "contamination": 0.05}
    return Comparison(
        ours=Run("shallows.outlier.GammaIndex", lambda kind: kind(k, contamination=0.05).fit(X)),
        peers=[
            RunApart("pyod_mean_distance", PYOD, name="pyod", X=X, **options),
            Run("sklearn.neighbors.LocalOutlierFactor", lambda kind: kind(**options).fit(X)),
        ],
        quality=[
            Quality(
                "area under ROC",
                lambda model: roc_auc_score(planted, _index(model)),
                better="larger",
                within=1e-6,
            )
        ],
    )


def _index(model):
    return model.index_ if hasattr(model, "index_") else -model.negative_outlier_factor_


def _ring(n, d):
    """Return rows near a circle in many dimensions, and which of them lie anywhere."""
    rng = np.random.default_rng(0)
    X = 0.1 * rng.normal(size=(n, d))
    angles = rng.uniform(0, 2 * np.pi, n)
    X[:, 0] += np.cos(angles)
    X[:, 1] += np.sin(angles)
    planted = np.arange(n) < n // 100
    X[planted] = rng.uniform(-1, 1, size=(planted.sum(), d))
    return X, planted
