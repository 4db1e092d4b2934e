"""Distances that SciPy has a name for, and Minkowski distances with their parameters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist
from sklearn.metrics import DistanceMetric

Array = NDArray[Any]
SciPyMetric = Literal[
    "braycurtis",
    "canberra",
    "correlation",
    "dice",
    "haversine",
    "jaccard",
    "mahalanobis",
    "rogerstanimoto",
    "russellrao",
    "seuclidean",
    "sokalsneath",
    "sqeuclidean",
    "yule",
]
OF_TRUTH = ("dice", "jaccard", "rogerstanimoto", "russellrao", "sokalsneath", "yule")
POWERS = {
    "euclidean": 2.0,
    "l2": 2.0,
    "nan_euclidean": 2.0,
    "manhattan": 1.0,
    "cityblock": 1.0,
    "l1": 1.0,
    "chebyshev": np.inf,
}
SHORT = {2.0: "euclidean", 1.0: "manhattan", np.inf: "chebyshev"}


@dataclass(frozen=True)
class NamedDistance:
    """A distance with its parameters.

    Parameters
    ----------
    name : str
        "minkowski", or one that SciPy's `cdist` knows.
    params : dict
        ``p`` and ``w`` of "minkowski", ``V`` of "seuclidean", ``VI`` of "mahalanobis".
    """

    name: str
    params: Mapping[str, Any] = field(default_factory=dict)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, NamedDistance) or self.name != other.name:
            return False
        mine, its = self.params, other.params
        return mine.keys() == its.keys() and all(np.array_equal(mine[k], its[k]) for k in mine)

    __hash__ = None  # type: ignore[assignment]

    def between(self, X: Array, Z: Array) -> Array:
        """Return the distance of each row of X to each row of Z."""
        if self.name == "haversine":
            return _haversine(X.astype(np.float64), Z.astype(np.float64))
        if self.name == "braycurtis":  # SciPy's differs for negative values
            metric = DistanceMetric.get_metric("braycurtis")
            return np.asarray(metric.pairwise(X.astype(np.float64), Z.astype(np.float64)))
        if self.name in OF_TRUTH:
            X, Z = X.astype(bool), Z.astype(bool)
        return np.asarray(cdist(X, Z, self.name, **self.params))


def resolve_metric(
    owner: str, metric: Any, X: Any, p: float = 2, params: Mapping[str, Any] | None = None
) -> Any:
    """Return the metric that scikit-learn's `metric`, `p` and `metric_params` describe.

    A plain Minkowski distance keeps a name; one with weights, and those of SciPy, become a
    `NamedDistance`, which takes from the rows X what is not given.
    """
    given = dict(params or {})
    if isinstance(metric, NamedDistance):
        return metric
    if callable(metric):
        return partial(metric, **given) if given else metric
    if metric == "minkowski" or metric in POWERS:
        power = float(given.pop("p", p)) if metric == "minkowski" else POWERS[metric]
        weights = given.pop("w", None)
        refuse_unknown(owner, metric, given)
        if weights is not None:
            return NamedDistance("minkowski", {"p": power, "w": check_factors(owner, weights, X)})
        if metric == "minkowski":
            return SHORT.get(power) or NamedDistance("minkowski", {"p": power})
        return metric
    if metric in ("cosine", "hamming", "precomputed"):
        refuse_unknown(owner, metric, given)
        return metric
    return NamedDistance(metric, _with_defaults(owner, metric, X, given))


def refuse_unknown(owner: str, metric: str, params: Mapping[str, Any]) -> None:
    """Raise where a parameter does not belong to the metric."""
    for name in params:
        raise ValueError(
            f"{owner}: metric_params must hold parameters of metric={metric!r}, which has no "
            f"{name!r}."
        )


def check_factors(owner: str, weights: Any, X: Any) -> Array:
    """Return weights of the features."""
    factors = np.asarray(weights, dtype=np.float64)
    if factors.shape != (X.shape[1],) or not np.isfinite(factors).all() or (factors < 0).any():
        raise ValueError(
            f"{owner}: w in metric_params must hold {X.shape[1]} numbers that are not negative, "
            f"one per feature, got {weights!r}."
        )
    return factors


def _with_defaults(owner: str, metric: str, X: Any, given: dict[str, Any]) -> dict[str, Any]:
    """Return parameters of one of SciPy's metrics."""
    own: dict[str, tuple[str, Callable[[], Array]]] = {
        "seuclidean": ("V", lambda: np.var(X, axis=0, ddof=1, dtype=np.float64)),
        "mahalanobis": ("VI", lambda: np.linalg.pinv(np.atleast_2d(np.cov(X.T)))),
    }
    if metric not in own:
        refuse_unknown(owner, metric, given)
        return {}
    name, estimate = own[metric]
    if metric == "mahalanobis" and "V" in given:
        given["VI"] = np.linalg.inv(np.asarray(given.pop("V"), dtype=np.float64))
    found = np.asarray(given.pop(name), np.float64) if name in given else estimate()
    refuse_unknown(owner, metric, given)
    return {name: found}


def _haversine(X: Array, Z: Array) -> Array:
    """Return the angle at the centre of a sphere between points of latitude and longitude."""
    if X.shape[1] != 2:
        raise ValueError(
            f"Haversine distance takes points of 2 features, latitude and longitude in radians, "
            f"got {X.shape[1]}."
        )
    half = np.sin((X[:, None] - Z[None]) / 2) ** 2
    across = half[:, :, 0] + np.outer(np.cos(X[:, 0]), np.cos(Z[:, 0])) * half[:, :, 1]
    return np.asarray(2 * np.arcsin(np.sqrt(across)))
