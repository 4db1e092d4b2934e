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
    Measure,
    fill_distances,
)
from shallows.prototype._start import refuse_negative

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
EUCLID = Measure(EUCLIDEAN, NO_NUMBERS)


def choose_metric(model, spread) -> Measure:
    """Return the metric that a model asks for, with the numbers that its data suggest."""
    given = _checked_params(type(model).__name__, model.metric, model.metric_params or {})
    (weight, mean, scatter), scale = spread.known, spread.scale
    numbers = NO_NUMBERS.copy()
    if model.metric == "minkowski":
        numbers[0] = given.get("p", 1.0)
    elif model.metric == "divergence":
        numbers[0] = mean.mean() or 1.0
    elif model.metric == "rbf":
        gamma = given.get("gamma", 1 / scale)
        numbers[:2] = gamma, 1 / (2 * gamma)
    elif model.metric == "laplacian":
        deviation = np.sqrt(scale / len(mean))
        gamma = given.get("gamma", 1 / (len(mean) * deviation))
        numbers[:2] = gamma, deviation / (2 * gamma)
    elif model.metric == "poly":
        gamma, degree = given.get("gamma", 1 / scale), given.get("degree", 3)
        coef0 = given.get("coef0", 1.0)
        typical = np.sum(mean**2 + scatter / weight)  # squared length of a sample
        slope = degree * gamma * (gamma * typical + coef0) ** (degree - 1)
        numbers[:] = gamma, 1 / (slope or 1.0), degree, coef0
    return Measure(CODES[model.metric], numbers)


def _checked_params(owner, metric, given):
    allowed = PARAMS.get(metric, {})
    for key, value in given.items():
        if key not in allowed:
            takes = " and ".join(map(repr, allowed)) or "nothing"
            raise ValueError(
                f"{owner}: metric_params of metric={metric!r} may hold {takes}, got {key!r}."
            )
        check_value(owner, f"metric_params[{key!r}]", allowed[key], value)
    return given


def lifted(prototypes, metric):
    """Return prototypes where the metric is defined: the divergence needs components above zero."""
    if metric.code != DIVERGENCE:
        return prototypes
    return np.maximum(prototypes, FLOOR * metric.numbers[0]).astype(prototypes.dtype)


def plain_gradient(natural, prototypes, metric):
    """Return the gradient of a cost by the prototypes, given what the pulls of a metric add up to.

    The pull of the divergence is that of its natural gradient, which the components divide.
    """
    if metric.code != DIVERGENCE:
        return natural
    mean = metric.numbers[0]
    low = prototypes < FLOOR * mean
    return natural * np.where(low, 0.0, mean / np.where(low, 1.0, prototypes))


def distances_to(prototypes, X, metric, owner):
    """Return the distance of each row of X to each prototype."""
    if metric.code == DIVERGENCE:
        refuse_negative(owner, X)
    found = np.empty((len(X), len(prototypes)), dtype=X.dtype)
    fill_distances(X, prototypes.astype(X.dtype, copy=False), metric, found)
    return found


def partial_distances(X, prototypes):
    """Return squared Euclidean distances over the values that each row of X has."""
    if not np.isnan(X).any():
        return squared_distances(X, prototypes)
    found = np.empty((len(X), len(prototypes)), dtype=X.dtype)
    fill_distances(X, prototypes, EUCLID, found)
    return found
