"""Choice of the distance in LVQ1 and GLVQ, and their compiled updates.

The updates of several methods stand in one file because they share the distances, and a
compiled function calls only functions of its own file. With d(x, w) a squared distance,
"pull" moves w by minus half the gradient of d, which for Euclid's distance is x - w.

euclidean
    sum_j (x_j - w_j)^2
minkowski
    (sum_j |x_j - w_j|^p)^(2/p)
kernel
    (1 - exp(-g |x - w|^2)) / g, which is the squared distance in the feature space of the
    Gaussian kernel, 2 - 2 exp(-g |x - w|^2), divided by 2 g: small g gives Euclid's distance
divergence
    2 m sum_j (x_j ln(x_j / w_j) - x_j + w_j), the generalised Kullback-Leibler divergence,
    with m the mean of the data, so that it is close to Euclid's distance around m. The pull
    is that of its natural gradient, again x - w.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from shallows._core.compile import compiled
from shallows._core.distances import squared_distances

Metric = Literal["euclidean", "minkowski", "kernel", "divergence"]
EUCLIDEAN, MINKOWSKI, KERNEL, DIVERGENCE = range(4)
CODES = {"euclidean": 0, "minkowski": 1, "kernel": 2, "divergence": 3}
FLOOR = 1e-6  # smallest component of a prototype under the divergence, in units of the mean


def choose_metric(model, X, weights):
    """Return the code of the model's metric and its number: p, g or m."""
    value = model.metric_value
    if value is not None and model.metric not in ("minkowski", "kernel"):
        raise ValueError(
            f"{type(model).__name__}: metric_value belongs to metric 'minkowski' or 'kernel', "
            f"got {value!r} with metric={model.metric!r}. Leave it None."
        )
    if model.metric == "minkowski":
        value = 1.0 if value is None else float(value)
        if value < 1:
            raise ValueError(
                f"{type(model).__name__}: metric_value of 'minkowski' must be at least 1, "
                f"got {model.metric_value!r}."
            )
    elif model.metric == "kernel":
        value = 1 / model._scale if value is None else float(value)
    elif model.metric == "divergence":
        refuse_negative(model, X)
        value = float(np.nansum(weights @ np.nan_to_num(X)) / (weights @ ~np.isnan(X)).sum()) or 1.0
        keep_positive(model.prototypes_, value)
    return CODES[model.metric], float(value or 0.0)


def refuse_negative(model, X):
    """Raise where the divergence meets a negative value."""
    if np.nanmin(X) < 0:
        raise ValueError(
            f"{type(model).__name__}: metric='divergence' needs values that are not negative, "
            f"got {np.nanmin(X):.6g}. Shift the data or choose another metric."
        )


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
    fill_distances(X, prototypes, EUCLIDEAN, 0.0, found)
    return found


@compiled
def fill_distances(X, prototypes, metric, value, found):
    """Write all distances to `found` of shape (n_samples, n_prototypes)."""
    for i in range(X.shape[0]):
        for k in range(prototypes.shape[0]):
            found[i, k] = distance(X[i], prototypes[k], metric, value)


@compiled
def lvq1_epoch(X, y, weights, order, prototypes, labels, step, metric, value):
    """Move the winner of each sample, in place; return the share of wrong winners."""
    wrong = 0.0
    for i in order:
        nearest, winner = np.inf, 0
        for k in range(prototypes.shape[0]):
            d = distance(X[i], prototypes[k], metric, value)
            if d < nearest:
                nearest, winner = d, k
        amount = weights[i] * step
        if labels[winner] != y[i]:
            amount = -amount
            wrong += weights[i]
        pull(X[i], prototypes[winner], prototypes[winner], nearest, amount, metric, value)
    return wrong / weights.sum()


@compiled
def glvq_epoch(X, y, weights, order, prototypes, labels, gamma, step, metric, value, moved):
    """Visit samples in `order`, add the moves to `moved`, return the mean cost.

    `moved` is `prototypes` itself for stochastic descent. An array of zeros receives minus
    the gradient of the summed cost where `step` is 1. `gamma` 0 stands for the identity as
    cost function.
    """
    total = 0.0
    for i in order:
        d_same, d_other, same, other = np.inf, np.inf, 0, 0
        for k in range(prototypes.shape[0]):
            d = distance(X[i], prototypes[k], metric, value)
            if labels[k] == y[i]:
                if d < d_same:
                    d_same, same = d, k
            elif d < d_other:
                d_other, other = d, k
        norm = d_same + d_other
        cost = (d_same - d_other) / norm if norm != 0.0 else 0.0
        slope = 1.0
        if gamma > 0.0:
            cost = 1.0 / (1.0 + np.exp(-gamma * cost))
            slope = gamma * cost * (1.0 - cost)
        total += weights[i] * cost
        if norm == 0.0:  # the sample lies on both prototypes
            continue
        scale = weights[i] * step * slope * 4.0 / norm
        to, off = scale * (d_other / norm), -scale * (d_same / norm)
        pull(X[i], prototypes[same], moved[same], d_same, to, metric, value)
        pull(X[i], prototypes[other], moved[other], d_other, off, metric, value)
    return total / weights.sum()


@compiled
def distance(x, w, metric, value):
    """Return the distance of a sample to a prototype, over the values that x has."""
    total = 0.0
    if metric == MINKOWSKI:
        largest = 0.0  # the unit of all gaps, so that no power leaves the range of floats
        for j in range(x.shape[0]):
            gap = abs(x[j] - w[j])
            if gap > largest:
                largest = gap
        if largest == 0.0:
            return total
        for j in range(x.shape[0]):
            gap = x[j] - w[j]
            if gap == gap:
                total += (abs(gap) / largest) ** value
        return (largest * total ** (1.0 / value)) ** 2
    if metric == DIVERGENCE:
        for j in range(x.shape[0]):
            if x[j] == x[j]:
                mean = max(w[j], FLOOR * value)
                total += mean - x[j]
                if x[j] > 0.0:
                    total += x[j] * np.log(x[j] / mean)
        return 2.0 * value * max(total, 0.0)
    for j in range(x.shape[0]):
        gap = x[j] - w[j]
        total += gap * gap if gap == gap else 0.0
    return -np.expm1(-value * total) / value if metric == KERNEL else total


@compiled
def pull(x, w, moved, d, amount, metric, value):
    """Add `amount` times the pull of x on w, whose distance is `d`, to `moved`."""
    if metric == MINKOWSKI:
        if d > 0.0:
            root = np.sqrt(d)
            for j in range(x.shape[0]):
                gap = x[j] - w[j]
                if gap == gap:
                    share = (abs(gap) / root) ** (value - 1.0)
                    moved[j] += amount * root * np.sign(gap) * share
        return
    if metric == KERNEL:
        amount *= 1.0 - value * d
    for j in range(x.shape[0]):
        gap = x[j] - w[j]
        if gap == gap:
            moved[j] += amount * gap
