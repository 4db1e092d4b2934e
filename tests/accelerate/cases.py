"""Parameters and data under which each patched class is tested."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from sklearn.datasets import make_classification
from sklearn.manifold import trustworthiness
from sklearn.metrics import adjusted_rand_score


class Case(NamedTuple):
    """A class of scikit-learn, its parameters, and how far its answers may lie from the plain ones.

    `near` is the tolerance of the answers; None where chance or another order of steps decides,
    and `merit` is compared instead.
    """

    name: str
    parameters: Mapping[str, Any] = MappingProxyType({})
    near: float | None = None
    merit: Any = None
    slack: float = 0.05


def data(labels=True):
    X, y = make_classification(
        240,
        6,
        n_informative=4,
        n_redundant=0,
        n_classes=3,
        n_clusters_per_class=1,
        random_state=0,
    )
    return X, (y if labels else X[:, 0] + np.sin(X[:, 1]))


def accuracy(model, X, y):
    return model.score(X, y)


def wants_numbers(name):
    return name in ("SVR", "KernelRidge", "LinearRegression", "Ridge") or "Regressor" in name


def likelihood(model, X, y):
    return model.score(X)


def trust(model, X, y):
    return trustworthiness(X, model.embedding_)


def independence(model, X, y):
    """Return the mean of |kurtosis| of the sources, which grows with independence."""
    found = model.transform(X)
    found = (found - found.mean(axis=0)) / found.std(axis=0)
    return np.abs((found**4).mean(axis=0) - 3).mean()


def agreement(model, X, y):
    return adjusted_rand_score(y, model.labels_)


KMEANS = {"n_clusters": 4, "n_init": 3, "random_state": 0}
CASES = [
    Case("KMeans", KMEANS, merit=accuracy),
    Case("MiniBatchKMeans", KMEANS, merit=accuracy, slack=0.25),
    *[
        Case("AgglomerativeClustering", {"n_clusters": 3, "linkage": each}, merit=agreement)
        for each in ("ward", "average", "single")
    ],
    *[
        Case("GaussianMixture", {"n_components": 3, "random_state": 0, **each}, merit=likelihood)
        for each in ({}, {"covariance_type": "diag"}, {"covariance_type": "tied"})
    ],
    Case("PCA", {"n_components": 3}, near=1e-8),
    Case("PCA", {"n_components": 0.9, "whiten": True}, near=1e-6),
    Case("FastICA", {"n_components": 3, "random_state": 0, "tol": 1e-6}, merit=independence),
    Case("KernelPCA", {"n_components": 3}, near=1e-7),
    Case("KernelPCA", {"n_components": 3, "kernel": "rbf", "gamma": 0.1}, near=1e-7),
    Case("Isomap", {"n_neighbors": 12}, near=1e-6),
    Case("LocallyLinearEmbedding", {"n_neighbors": 20}, merit=trust),
    Case("TSNE", {"perplexity": 20, "max_iter": 260, "random_state": 0}, merit=trust, slack=0.01),
    Case("KNeighborsClassifier", {"weights": "distance"}, near=1e-12),
    Case("KNeighborsClassifier", {"p": 1, "n_neighbors": 7}, near=1e-12),
    Case("KNeighborsRegressor", {"weights": "distance"}, near=1e-12),
    Case("SVC", {"C": 2.0, "tol": 1e-6}, near=1e-3),
    Case("SVC", {"kernel": "poly", "degree": 2, "class_weight": "balanced"}, near=0.05),
    Case("SVR", {"C": 2.0, "tol": 1e-6}, near=1e-3),
    Case("KernelRidge", {"kernel": "rbf", "alpha": 0.1}, near=1e-6),
    Case("MLPClassifier", {"max_iter": 600, "tol": 1e-3, "random_state": 0}, merit=accuracy),
    Case(
        "MLPRegressor", {"max_iter": 900, "tol": 1e-3, "random_state": 0}, merit=accuracy, slack=0.1
    ),
    Case("HistGradientBoostingClassifier", {"max_iter": 20, "random_state": 0}),
    Case("HistGradientBoostingRegressor", {"max_iter": 20, "random_state": 0}),
    Case("NearestCentroid"),
    Case("LinearRegression", near=1e-9),
    Case("LinearRegression", {"fit_intercept": False}, near=1e-9),
    Case("Ridge", {"alpha": 2.0}, near=1e-9),
    Case("DecisionTreeClassifier", {"max_depth": 3}, merit=accuracy),
    Case("DecisionTreeRegressor", {"max_depth": 3}, near=1e-6),
    Case("ExtraTreeClassifier", {"random_state": 0}, merit=accuracy),
    Case("ExtraTreeRegressor", {"random_state": 0}, merit=accuracy),
    Case("ExtraTreesClassifier", {"n_estimators": 20, "random_state": 0}, merit=accuracy),
    Case("ExtraTreesRegressor", {"n_estimators": 20, "random_state": 0}, merit=accuracy),
    Case("RandomForestClassifier", {"n_estimators": 20, "random_state": 0}, merit=accuracy),
    Case("RandomForestRegressor", {"n_estimators": 20, "random_state": 0}, merit=accuracy),
]
