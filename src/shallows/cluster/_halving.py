"""Compiled loops that cut a cluster in two by k-means, of dense or sparse rows.

Seen from the mean of the cluster the sums of both halves are opposite vectors. So the sum and
the weight of the right half tell all of a step: both means lie on one line through the mean of
the cluster, and a row belongs to the side of the plane midway between them on which it lies.

A run starts from two rows: one drawn by weight, one by weight times squared distance to the
first (k-means++), for which `uniform` holds two numbers.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shallows._core.numerics.compile import compiled

STEPS = 300
TOLERANCE = 1e-4  # of the mean variance of a feature: squared ways of both means, to end


class Moments(NamedTuple):
    """Weight, mean and sum of squares about it of the rows of a cluster."""

    mass: float
    mean: np.ndarray
    cost: float


@compiled
def moments(X, weights):
    """Return weight, mean and sum of squares about it; 0.0 exactly where all rows are equal."""
    mass, mean, equal, cost = 0.0, np.zeros(X.shape[1]), True, 0.0
    # Mean, then the squares about it, which does not cancel.
    for i in range(len(X)):
        row, weight = X[i], weights[i]
        mass += weight
        for j in range(X.shape[1]):
            mean[j] += weight * row[j]
    for j in range(X.shape[1]):
        mean[j] /= mass

    # The sum of squares about the mean, in a second pass for accuracy.
    for i in range(len(X)):
        row, squared = X[i], 0.0
        for j in range(X.shape[1]):
            squared += (row[j] - mean[j]) ** 2
        cost += weights[i] * squared
    # Rounding may leave a tiny cost for equal rows: test equality itself.
    for i in range(1, len(X)):
        for j in range(X.shape[1]):
            if X[i, j] != X[0, j]:
                equal = False
                break
        if not equal:
            break
    return Moments(mass, mean, 0.0 if equal else cost)


@compiled
def two_means(X, weights, known, uniform, right):
    """Mark in `right`, all False at first, the rows of the second mean; return the cost left."""
    mass, mean, cost = known
    n_features = X.shape[1]
    # Start like k-means++: a random row, and a second one with probability by squared distance.
    first = draw_row(weights, uniform[0] * mass)
    costs, all_costs, start = np.empty(len(X)), 0.0, X[first]
    for i in range(len(X)):
        row, squared = X[i], 0.0
        for j in range(n_features):
            squared += (np.float64(row[j]) - start[j]) ** 2
        costs[i] = weights[i] * squared
        all_costs += costs[i]

    # The second centre by k-means++, and the plane midway between both.
    second = draw_row(costs, uniform[1] * all_costs)
    # The plane halfway between both; rows are compared along its normal, relative to the mean.
    normal, level = np.empty(n_features), 0.0
    for j in range(n_features):
        normal[j] = np.float64(X[second, j]) - X[first, j]
        level += normal[j] * (0.5 * (np.float64(X[first, j]) + X[second, j]) - mean[j])

    # Lloyd's steps, until no row changes sides or the means have come to rest.
    total, heavy, limit = np.zeros(n_features), 0.0, TOLERANCE * cost / mass / n_features
    # Rows change sides and move the plane, until nothing changes or it hardly moves.
    for step in range(STEPS):
        before, share = total.copy(), heavy
        heavy, changed = change_sides(X, weights, mean, normal, level, right, total, heavy)
        if changed == 0 or heavy <= 0.0 or heavy >= mass:
            break
        level, way = move_plane(total, heavy, before, share, mass, normal)
        if step > 0 and way <= limit:
            break
    return cost - gain(total, heavy, mass)


@compiled
def change_sides(X, weights, mean, normal, level, right, total, heavy):
    """Find the side of each row; keep sum and weight of the right side; count the changes."""
    changed = 0
    for i in range(len(X)):
        row, height = X[i], 0.0
        for j in range(X.shape[1]):
            height += (row[j] - mean[j]) * normal[j]

        # The side of the plane on which the row lies.
        side = height > level
        if side != right[i]:
            right[i] = side
            changed += 1
            weight = weights[i] if side else -weights[i]
            heavy += weight
            for j in range(X.shape[1]):
                total[j] += weight * (row[j] - mean[j])
    return heavy, changed


@compiled
def sparse_moments(rows, n_features, weights):
    """Return the moments of sparse rows."""
    data, columns, starts = rows
    mass, mean, length, cost = 0.0, np.zeros(n_features), 0.0, 0.0

    # The weighted mean, and its squared length.
    for i in range(len(weights)):
        mass += weights[i]
        for k in range(starts[i], starts[i + 1]):
            mean[columns[k]] += weights[i] * data[k]
    for j in range(n_features):
        mean[j] /= mass
        length += mean[j] ** 2

    # |x - m|^2 = |m|^2 + sum over stored values of x (x - 2 m).
    for i in range(len(weights)):
        squared = length
        for k in range(starts[i], starts[i + 1]):
            squared += data[k] * (data[k] - 2.0 * mean[columns[k]])
        cost += weights[i] * max(squared, 0.0)
    return Moments(mass, mean, cost)


@compiled
def sparse_two_means(rows, weights, known, uniform, right):
    """Do what `two_means` does for sparse rows."""
    data, columns, starts = rows
    mass, mean, cost = known
    n_features, n_rows = len(mean), len(weights)
    # Start like k-means++, with |x - s|^2 = |s|^2 + sum over entries of x (x - 2 s).
    first = draw_row(weights, uniform[0] * mass)
    start, length = np.zeros(n_features), 0.0
    for k in range(starts[first], starts[first + 1]):
        start[columns[k]] = data[k]
        length += np.float64(data[k]) ** 2
    costs, all_costs = np.empty(n_rows), 0.0
    for i in range(n_rows):
        squared = length
        for k in range(starts[i], starts[i + 1]):
            squared += data[k] * (data[k] - 2.0 * start[columns[k]])
        costs[i] = weights[i] * max(squared, 0.0)
        all_costs += costs[i]

    # The second centre, and the plane midway: normal z2 - z1 at level (|z2|^2 - |z1|^2) / 2.
    second = draw_row(costs, uniform[1] * all_costs)
    # The plane halfway between both rows.
    normal, level = np.empty(n_features), -0.5 * length
    for j in range(n_features):
        normal[j] = -start[j]
    for k in range(starts[second], starts[second + 1]):
        normal[columns[k]] += data[k]
        level += 0.5 * np.float64(data[k]) ** 2
    total, heavy, limit = np.zeros(n_features), 0.0, TOLERANCE * cost / mass / n_features
    sums = np.zeros(n_features)
    for step in range(STEPS):
        # The side of each row, and the sum of the rows on the right as they are stored.
        before, share, changed = total.copy(), heavy, 0
        # Each row changes sides if its height along the normal crosses the level.
        for i in range(n_rows):
            height = 0.0
            for k in range(starts[i], starts[i + 1]):
                height += data[k] * normal[columns[k]]
            side = height > level
            if side != right[i]:
                right[i] = side
                changed += 1
                weight = weights[i] if side else -weights[i]
                heavy += weight
                for k in range(starts[i], starts[i + 1]):
                    sums[columns[k]] += weight * data[k]
        if changed == 0 or heavy <= 0.0 or heavy >= mass:
            break
        # Sums about the mean, and the new plane.
        for j in range(n_features):
            total[j] = sums[j] - heavy * mean[j]
        level, way = move_plane(total, heavy, before, share, mass, normal)
        for j in range(n_features):
            level += normal[j] * mean[j]
        if step > 0 and way <= limit:
            break
    return cost - gain(total, heavy, mass)


@compiled
def draw_row(chances, target):
    """Return the row at which the sum of the chances exceeds the target."""
    row, until = 0, chances[0]
    while until <= target and row + 1 < len(chances):
        row += 1
        until += chances[row]
    return row


@compiled
def move_plane(total, heavy, before, share, mass, normal):
    """Write the normal of the plane midway; return its level, and how far the means went."""
    light, squared, way = mass - heavy, 0.0, 0.0
    for j in range(len(total)):
        normal[j] = total[j] / mass  # of sums squares might overflow
        squared += normal[j] ** 2
        if share > 0.0:
            way += (total[j] / heavy - before[j] / share) ** 2
            way += (total[j] / light - before[j] / (mass - share)) ** 2
    return 0.5 * squared * (mass / heavy - mass / light), way


@compiled
def gain(total, heavy, mass):
    """Return by how much two means lower the cost of one."""
    if heavy <= 0.0 or heavy >= mass:
        return 0.0
    squared = 0.0
    for j in range(len(total)):
        squared += (total[j] / mass) ** 2
    return squared * mass * (mass / heavy + mass / (mass - heavy))
