"""Choice of the distance in LVQ1 and GLVQ; `_metric_steps` has the formulas."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import numpy as np

from shallows._core.contract.params import (
    NonNegativeFloat,
    PositiveFloat,
    PositiveInt,
    Range,
    check_value,
)
from shallows._core.numerics.distances import squared_distances
from shallows.prototype._metric_steps import (
    DIVERGENCE,
    EUCLIDEAN,
    FLOOR,
    LAPLACIAN,
    MINKOWSKI,
    POLY,
    RBF,
    fill_distances,
)
from shallows.prototype._nearest import refuse_negative

Metric = Literal["euclidean", "minkowski", "divergence", "linear", "poly", "rbf", "laplacian"]
MetricParams = dict[str, Any] | None
CODES = {
    "euclidean": EUCLIDEAN,
    "minkowski": MINKOWSKI,
    "divergence": DIVERGENCE,
    "linear": EUCLIDEAN,  # in its feature space, that of the data
    "poly": POLY,
    "rbf": RBF,
    "laplacian": LAPLACIAN,
}
PARAMS: dict[str, dict[str, Any]] = {
    "minkowski": {"p": Annotated[float, Range(1)]},
    "poly": {"gamma": PositiveFloat, "degree": PositiveInt, "coef0": NonNegativeFloat},
    "rbf": {"gamma": PositiveFloat},
    "laplacian": {"gamma": PositiveFloat},
}
NO_NUMBERS = np.zeros(4)


def choose_metric(model):
    """Return the code of the model's metric and the numbers of its formula.

    Lifts the prototypes above zero where the metric is the divergence.
    """
    given = _checked_params(model)
    _, weight, mean, scatter = model._seen
    numbers = NO_NUMBERS.copy()
    if model.metric == "minkowski":
        numbers[0] = given.get("p", 1.0)
    elif model.metric == "divergence":
        numbers[0] = mean.mean() or 1.0
        keep_positive(model.prototypes_, numbers[0])
    elif model.metric == "rbf":
        gamma = given.get("gamma", 1 / model._scale)
        numbers[:2] = gamma, 1 / (2 * gamma)
    elif model.metric == "laplacian":
        deviation = np.sqrt(model._scale / len(mean))
        gamma = given.get("gamma", 1 / (len(mean) * deviation))
        numbers[:2] = gamma, deviation / (2 * gamma)
    elif model.metric == "poly":
        gamma, degree = given.get("gamma", 1 / model._scale), given.get("degree", 3)
        coef0 = given.get("coef0", 1.0)
        typical = np.sum(mean**2 + scatter / weight)  # squared length of a sample
        slope = degree * gamma * (gamma * typical + coef0) ** (degree - 1)
        numbers[:] = gamma, 1 / (slope or 1.0), degree, coef0
    return CODES[model.metric], numbers


def _checked_params(model):
    name, given = type(model).__name__, model.metric_params or {}
    allowed = PARAMS.get(model.metric, {})
    for key, value in given.items():
        if key not in allowed:
            takes = " and ".join(map(repr, allowed)) or "nothing"
            raise ValueError(
                f"{name}: metric_params of metric={model.metric!r} may hold {takes}, got {key!r}."
            )
        check_value(name, f"metric_params[{key!r}]", allowed[key], value)
    return given


def keep_positive(prototypes, mean):
    """Lift components below the floor, in place."""
    np.maximum(prototypes, FLOOR * mean, out=prototypes)


def distances_to(model, X):
    """Return the distance of each row of X to each prototype in the model's metric."""
    if model.metric == "divergence":
        refuse_negative(model, X)
    found = np.empty((len(X), len(model.prototypes_)), dtype=X.dtype)
    fill_distances(X, model.prototypes_.astype(X.dtype, copy=False), *model._metric, found)
    return found


def partial_distances(X, prototypes):
    """Return squared Euclidean distances over the values that each row of X has."""
    if not np.isnan(X).any():
        return squared_distances(X, prototypes)
    found = np.empty((len(X), len(prototypes)), dtype=X.dtype)
    fill_distances(X, prototypes, EUCLIDEAN, NO_NUMBERS, found)
    return found
