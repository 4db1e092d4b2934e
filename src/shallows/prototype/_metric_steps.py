"""Distances of the metrics of LVQ1 and GLVQ, and the compiled updates that use them.

The updates of both methods stand in one file because they share the distances, and a compiled
function calls only functions of its own file. `metric` is one of the codes below and `numbers`
holds what its formula needs. With d(x, w) a squared distance, "pull" moves w by minus half the
gradient of d, which for Euclid's distance is x - w. A missing value of x is left out of all sums.

EUCLIDEAN
    sum_j (x_j - w_j)^2
MINKOWSKI
    (sum_j |x_j - w_j|^p)^(2/p), with numbers p
DIVERGENCE
    2 m sum_j (x_j ln(x_j / w_j) - x_j + w_j), the generalised Kullback-Leibler divergence, with
    numbers m, the mean of the data. The pull is that of its natural gradient, again x - w.
RBF, LAPLACIAN, POLY
    u (k(x, x) - 2 k(x, w) + k(w, w)), the squared distance in the feature space of the kernel
    exp(-gamma |x - w|^2), exp(-gamma |x - w|_1) or (gamma x'w + coef0)^degree, with numbers
    gamma, u, degree, coef0. The unit u makes it about as long as Euclid's.
"""

from __future__ import annotations

import numpy as np

from shallows._core.numerics.compile import compiled

EUCLIDEAN, MINKOWSKI, DIVERGENCE, RBF, LAPLACIAN, POLY = range(6)
FLOOR = 1e-6  # smallest component of a prototype under the divergence, in units of the mean


@compiled
def fill_distances(X, prototypes, metric, numbers, found):
    """Write all distances to `found` of shape (n_samples, n_prototypes)."""
    for i in range(X.shape[0]):
        for k in range(prototypes.shape[0]):
            found[i, k] = distance(X[i], prototypes[k], metric, numbers)


@compiled
def lvq1_epoch(X, y, weights, order, prototypes, labels, step, metric, numbers):
    """Move the winner of each sample, in place; return the share of wrong winners.

    No move is longer than the share `step` of the way to the sample, or distances that grow
    with a power would throw prototypes far off the data; nor, for a sample of large weight,
    longer than the whole way.
    """
    wrong = 0.0
    plain, may_be_long = metric == EUCLIDEAN, metric in (MINKOWSKI, LAPLACIAN, POLY)
    move = np.zeros(X.shape[1], dtype=X.dtype)
    for i in order:
        x, nearest, winner = X[i], np.inf, 0
        for k in range(prototypes.shape[0]):
            w = prototypes[k]
            d = squared_gaps(x, w) if plain else distance(x, w, metric, numbers)
            if d < nearest:
                nearest, winner = d, k
        amount = min(weights[i] * step, 1.0)
        if labels[winner] != y[i]:
            amount = -amount
            wrong += weights[i]
        w = prototypes[winner]
        if not may_be_long:
            pull(X[i], w, w, nearest, amount, metric, numbers)
            continue
        move[:] = 0.0
        pull(X[i], w, move, nearest, amount, metric, numbers)
        length = np.sqrt((move * move).sum())
        longest = abs(amount) * np.sqrt(squared_gaps(X[i], w))
        shortened = longest / length if length > longest else 1.0
        for j in range(X.shape[1]):
            w[j] += shortened * move[j]
    return wrong / weights.sum()


@compiled
def glvq_epoch(X, y, weights, order, prototypes, labels, gamma, step, metric, numbers, moved):
    """Visit samples in `order`, add the moves to `moved`, return the mean cost.

    `moved` is `prototypes` itself for stochastic descent. An array of zeros receives minus
    the gradient of the summed cost where `step` is 1. `gamma` 0 stands for the identity as
    cost function.
    """
    total = 0.0
    plain = metric == EUCLIDEAN
    for i in order:
        x, d_same, d_other, same, other = X[i], np.inf, np.inf, 0, 0
        for k in range(prototypes.shape[0]):
            w = prototypes[k]
            d = squared_gaps(x, w) if plain else distance(x, w, metric, numbers)
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
        pull(X[i], prototypes[same], moved[same], d_same, to, metric, numbers)
        pull(X[i], prototypes[other], moved[other], d_other, off, metric, numbers)
    return total / weights.sum()


@compiled
def distance(x, w, metric, numbers):
    """Return the distance of a sample to a prototype."""
    total = 0.0
    if metric == EUCLIDEAN:
        return squared_gaps(x, w)
    if metric == MINKOWSKI:
        p = numbers[0]
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
                total += (abs(gap) / largest) ** p
        return (largest * total ** (1.0 / p)) ** 2
    if metric == DIVERGENCE:
        unit = numbers[0]
        for j in range(x.shape[0]):
            if x[j] == x[j]:
                mean = max(w[j], FLOOR * unit)
                total += mean - x[j]
                if x[j] > 0.0:
                    total += x[j] * np.log(x[j] / mean)
        return 2.0 * unit * max(total, 0.0)
    gamma, unit = numbers[0], numbers[1]
    if metric == RBF:
        return -2.0 * unit * np.expm1(-gamma * squared_gaps(x, w))
    if metric == LAPLACIAN:
        for j in range(x.shape[0]):
            gap = abs(x[j] - w[j])
            total += gap if gap == gap else 0.0
        return -2.0 * unit * np.expm1(-gamma * total)
    degree, coef0 = numbers[2], numbers[3]
    xx, xw, ww = products(x, w)
    total = (gamma * xx + coef0) ** degree + (gamma * ww + coef0) ** degree
    return unit * max(total - 2.0 * (gamma * xw + coef0) ** degree, 0.0)


@compiled
def pull(x, w, moved, d, amount, metric, numbers):
    """Add `amount` times the pull of x on w, whose distance is `d`, to `moved`."""
    if metric == MINKOWSKI:
        if d > 0.0:
            root = np.sqrt(d)
            for j in range(x.shape[0]):
                gap = x[j] - w[j]
                if gap == gap:
                    share = (abs(gap) / root) ** (numbers[0] - 1.0)
                    moved[j] += amount * root * np.sign(gap) * share
        return
    if metric == LAPLACIAN:
        gamma, unit = numbers[0], numbers[1]
        amount *= gamma * (unit - 0.5 * d)
        for j in range(x.shape[0]):
            gap = x[j] - w[j]
            if gap == gap:
                moved[j] += amount * np.sign(gap)
        return
    if metric == POLY:
        gamma, unit, degree, coef0 = numbers[0], numbers[1], numbers[2], numbers[3]
        _, xw, ww = products(x, w)
        amount *= unit * degree * gamma
        to_x = amount * (gamma * xw + coef0) ** (degree - 1.0)
        to_w = amount * (gamma * ww + coef0) ** (degree - 1.0)
        for j in range(x.shape[0]):
            if x[j] == x[j]:
                moved[j] += to_x * x[j] - to_w * w[j]
        return
    if metric == RBF:
        gamma, unit = numbers[0], numbers[1]
        amount *= gamma * (2.0 * unit - d)
    for j in range(x.shape[0]):
        gap = x[j] - w[j]
        if gap == gap:
            moved[j] += amount * gap


@compiled
def squared_gaps(x, w):
    """Return the squared Euclidean distance over the values that x has."""
    total = 0.0
    for j in range(x.shape[0]):
        gap = x[j] - w[j]
        total += gap * gap if gap == gap else 0.0
    return total


@compiled
def products(x, w):
    """Return x'x, x'w and w'w over the values that x has."""
    xx = xw = ww = 0.0
    for j in range(x.shape[0]):
        if x[j] == x[j]:
            value, weight = np.float64(x[j]), np.float64(w[j])
            xx += value * value
            xw += value * weight
            ww += weight * weight
    return xx, xw, ww
