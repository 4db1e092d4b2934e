"""Data, parameters and clock of the measurements; needs scikit-learn alone."""

from __future__ import annotations

from time import perf_counter, process_time

import numpy as np

LONGEST = 1.2  # seconds of a call beyond which larger sizes are not tried
SECONDS, MOST = 0.3, 7  # for the repeats of a cell, and how many there are
SIZES = ((100, 5), (5000, 20), (20000, 50))
QUADRATIC = (3000, 50)  # the large size of methods whose memory or time grows with its square
GROWS = ("AgglomerativeClustering", "Isomap", "KernelPCA", "KernelRidge", "SVC", "SVR", "TSNE")
# Parameters where the defaults are no common choice.
PARAMETERS = {
    "ExtraTreesClassifier": {"n_estimators": 20},
    "ExtraTreesRegressor": {"n_estimators": 20},
    "GaussianMixture": {"n_components": 5},
    "Isomap": {"n_neighbors": 10},
    "KernelPCA": {"n_components": 3, "kernel": "rbf"},
    "LocallyLinearEmbedding": {"n_neighbors": 10},
    "MLPClassifier": {"max_iter": 20},
    "MLPRegressor": {"max_iter": 20},
    "PCA": {"n_components": 3},
    "RandomForestClassifier": {"n_estimators": 20},
    "RandomForestRegressor": {"n_estimators": 20},
}
ONE_CLOUD = ("Isomap", "LocallyLinearEmbedding")  # whose graph of neighbours must hang together


def data(n_rows, n_columns):
    """Return rows around eight centres, three classes, and a smooth function with noise."""
    rng = np.random.default_rng(0)
    X = 2 * rng.normal(size=(8, n_columns))[rng.integers(8, size=n_rows)]
    X = X + rng.normal(size=X.shape)
    score = X @ rng.normal(size=n_columns) / np.sqrt(n_columns) + rng.normal(size=n_rows)
    labels = np.digitize(score, np.quantile(score, [1 / 3, 2 / 3]))
    return X, labels, np.sin(score / 2) + 0.1 * rng.normal(size=n_rows)


def shortest(*calls):
    """Return the shortest time of each call; they take turns."""
    times = [[] for _ in calls]
    start = perf_counter()
    while len(times[0]) < 2 or (perf_counter() - start < SECONDS and len(times[0]) < MOST):
        for call, own in zip(calls, times, strict=True):
            begin = process_time()
            call()
            own.append(process_time() - begin)
        if perf_counter() - start > LONGEST:
            break
    return [min(own) for own in times]


def sizes_of(name):
    """Return the three sizes of the table."""
    return (SIZES[0], (1500, 20), QUADRATIC) if name in GROWS else SIZES
