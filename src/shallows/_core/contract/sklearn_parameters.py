"""What the parameters of classes do that bear the name of a scikit-learn class.

Such a class takes every parameter of scikit-learn's. Most change the result and are implemented.
The others are listed here, and only here: those that bound resources or report, which are honoured,
and those that only choose scikit-learn's implementation, which are checked and have no effect.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

Kind = Literal["result", "resources", "implementation"]


class Known(NamedTuple):
    """Parameters of one class that don't change the result."""

    resources: tuple[str, ...] = ()
    implementation: tuple[str, ...] = ()


_NEIGHBORS = ("algorithm", "leaf_size")
_EIGEN = ("eigen_solver", "tol", "max_iter", "neighbors_algorithm")

PARAMETERS: dict[str, Known] = {
    "AgglomerativeClustering": Known(("memory",), ("compute_full_tree", "compute_distances")),
    "BayesianRidge": Known(("verbose",), ("copy_X",)),
    "BernoulliRBM": Known(("verbose",)),
    "FastICA": Known((), ("whiten_solver",)),
    "GaussianMixture": Known(("verbose", "verbose_interval")),
    "IncrementalPCA": Known(("batch_size",), ("copy",)),
    "Isomap": Known(("n_jobs", "path_method"), _EIGEN),
    "KMeans": Known(("verbose",), ("copy_x", "algorithm")),
    "KNeighborsClassifier": Known(("n_jobs",), _NEIGHBORS),
    "KNeighborsRegressor": Known(("n_jobs",), _NEIGHBORS),
    "KernelDensity": Known((), (*_NEIGHBORS, "atol", "rtol", "breadth_first")),
    "KernelPCA": Known(("n_jobs", "eigen_solver"), ("tol", "max_iter", "iterated_power", "copy_X")),
    "KernelRidge": Known(),
    "LinearRegression": Known(("n_jobs",), ("copy_X", "tol")),
    "LocallyLinearEmbedding": Known(("n_jobs",), (*_EIGEN, "hessian_tol", "random_state")),
    "MDS": Known(("n_jobs", "verbose")),
    "MLPClassifier": Known(("verbose",)),
    "MLPRegressor": Known(("verbose",)),
    "MiniBatchKMeans": Known(("verbose",)),
    "NearestNeighbors": Known(("n_jobs",), _NEIGHBORS),
    "PCA": Known(
        ("svd_solver",),
        ("copy", "tol", "iterated_power", "n_oversamples", "power_iteration_normalizer"),
    ),
    "Perceptron": Known(("n_jobs", "verbose")),
    "Ridge": Known((), ("copy_X", "max_iter", "tol", "solver", "random_state")),
    "RidgeCV": Known((), ("gcv_mode",)),
    "SVC": Known(("cache_size", "shrinking", "verbose")),
    "SVR": Known(("cache_size", "shrinking", "verbose")),
    "SpectralEmbedding": Known(("n_jobs",), ("random_state", "eigen_solver", "eigen_tol")),
    "TSNE": Known(("n_jobs", "verbose")),
}

OTHER_DEFAULTS: dict[tuple[str, str], str] = {
    ("TSNE", "method"): "the same sums to within their tolerance, by whichever way is quicker",
}

OTHER_ATTRIBUTES: dict[tuple[str, str], str] = {}


def kind_of(name: str, parameter: str) -> Kind:
    """Return what a parameter of a class does, by their names."""
    known = PARAMETERS.get(name, Known())
    if parameter in known.implementation:
        return "implementation"
    return "resources" if parameter in known.resources else "result"
