"""Compiled loops that cut a cluster in two by k-means.

Seen from the mean of the cluster the sums of both halves are opposite vectors. So the sum and
the weight of the right half tell all of a step: both means lie on one line through the mean of
the cluster, and a row belongs to the side of the plane midway between them on which it lies.
"""

from __future__ import annotations

import numpy as np

from shallows._core.compile import compiled

STEPS = 300
TOLERANCE = 1e-4  # of the mean variance of a feature: squared ways of both means, to end


@compiled
def moments(X, weights):
    """Return weight, mean and sum of squares about it; 0.0 exactly where all rows are equal."""
    mass, mean, equal, cost = 0.0, np.zeros(X.shape[1]), True, 0.0
    for i in range(len(X)):
        row, weight = X[i], weights[i]
        mass += weight
        for j in range(X.shape[1]):
            mean[j] += weight * row[j]
    for j in range(X.shape[1]):
        mean[j] /= mass
    for i in range(len(X)):
        row, squared = X[i], 0.0
        for j in range(X.shape[1]):
            squared += (row[j] - mean[j]) ** 2
        cost += weights[i] * squared
    for i in range(1, len(X)):
        for j in range(X.shape[1]):
            if X[i, j] != X[0, j]:
                equal = False
                break
        if not equal:
            break
    return mass, mean, 0.0 if equal else cost


@compiled
def two_means(X, weights, mass, mean, cost, uniform, right):
    """Mark in `right`, all False at first, the rows of the second mean; return the cost left.

    The run starts from two rows: one drawn by weight, one by weight times squared distance to
    the first (k-means++), for which `uniform` holds two numbers.
    """
    a, b = starting_rows(X, weights, mass, uniform)
    normal, level = np.empty(X.shape[1]), 0.0
    for j in range(X.shape[1]):
        normal[j] = np.float64(X[b, j]) - X[a, j]
        level += normal[j] * (0.5 * (np.float64(X[a, j]) + X[b, j]) - mean[j])
    total, heavy, limit = np.zeros(X.shape[1]), 0.0, TOLERANCE * cost / mass / X.shape[1]
    for step in range(STEPS):
        before, share = total.copy(), heavy
        heavy, changed = change_sides(X, weights, mean, normal, level, right, total, heavy)
        light, squared, way = mass - heavy, 0.0, 0.0
        if changed == 0 or heavy <= 0.0 or light <= 0.0:
            break
        for j in range(X.shape[1]):
            normal[j] = total[j] / mass  # of sums squares might overflow
            squared += normal[j] ** 2
            if step > 0:
                way += (total[j] / heavy - before[j] / share) ** 2
                way += (total[j] / light - before[j] / (mass - share)) ** 2
        level = 0.5 * squared * (mass / heavy - mass / light)
        if step > 0 and way <= limit:
            break
    light = mass - heavy
    if heavy <= 0.0 or light <= 0.0:
        return cost
    return cost - ((total / mass) ** 2).sum() * mass * (mass / heavy + mass / light)


@compiled
def starting_rows(X, weights, mass, uniform):
    """Draw two rows that differ, the second one far from the first."""
    first, until = 0, weights[0]
    while until <= uniform[0] * mass and first + 1 < len(X):
        first += 1
        until += weights[first]
    costs, total, start = np.empty(len(X)), 0.0, X[first]
    for i in range(len(X)):
        row, squared = X[i], 0.0
        for j in range(X.shape[1]):
            squared += (np.float64(row[j]) - start[j]) ** 2
        costs[i] = weights[i] * squared
        total += costs[i]
    second, until = 0, costs[0]
    while until <= uniform[1] * total and second + 1 < len(X):
        second += 1
        until += costs[second]
    return first, second


@compiled
def change_sides(X, weights, mean, normal, level, right, total, heavy):
    """Find the side of each row; keep sum and weight of the right side; count the changes."""
    changed = 0
    for i in range(len(X)):
        row, height = X[i], 0.0
        for j in range(X.shape[1]):
            height += (row[j] - mean[j]) * normal[j]
        side = height > level
        if side != right[i]:
            right[i] = side
            changed += 1
            weight = weights[i] if side else -weights[i]
            heavy += weight
            for j in range(X.shape[1]):
                total[j] += weight * (row[j] - mean[j])
    return heavy, changed
