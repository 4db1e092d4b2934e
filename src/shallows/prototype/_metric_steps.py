"""Distances of the metrics of LVQ1 and GLVQ, and the compiled steps of both under them.

The steps of both methods are in one file because they share the distances, and a compiled
function calls only functions of its own file; under Euclid's distance each method has a shorter
loop in its own file. `metric.code` is one of the codes below and `metric.numbers` are those of its
formula. With d(x, w) a squared distance, "pull" moves w by minus half the gradient of d, which for
Euclid's distance is x - w. A missing value of x is left out of all sums.

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

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shallows._core.numerics.compile import compiled

EUCLIDEAN, MINKOWSKI, DIVERGENCE, RBF, LAPLACIAN, POLY = range(6)
FLOOR = 1e-6  # smallest component of a prototype under the divergence, in units of the mean


class Measure(NamedTuple):
    """A metric as compiled steps take it: its code, and the four numbers of its formula."""

    code: int
    numbers: NDArray[Any]


class Pair(NamedTuple):
    """The nearest prototype of a sample's class and the nearest of another, with distances."""

    same: int
    other: int
    d_same: float
    d_other: float


@compiled
def fill_distances(X, prototypes, metric, found):
    """Write all distances to `found` of shape (n_samples, n_prototypes)."""
    for i in range(X.shape[0]):
        for k in range(prototypes.shape[0]):
            found[i, k] = distance(X[i], prototypes[k], metric)


@compiled
def metric_lvq1_epoch(samples, order, prototypes, labels, step, metric):
    """Move the winner of each sample, in place; return the share of wrong winners.

    No move is longer than the share `step` of the way to the sample, or distances that grow
    with a power would throw prototypes far off the data; nor, for a sample of large weight,
    longer than the whole way.
    """
    X, y, weights = samples
    wrong = 0.0
    may_be_long = metric.code in (MINKOWSKI, LAPLACIAN, POLY)
    move = np.zeros(X.shape[1], dtype=X.dtype)
    for i in order:
        # The winner is the nearest prototype, whatever its class.
        nearest, winner = np.inf, 0
        for k in range(prototypes.shape[0]):
            d = distance(X[i], prototypes[k], metric)
            if d < nearest:
                nearest, winner = d, k
        amount = min(weights[i] * step, 1.0)
        if labels[winner] != y[i]:
            amount = -amount
            wrong += weights[i]

        # It moves by minus half the gradient of its distance, shortened to |amount| |x - w|.
        w = prototypes[winner]
        if not may_be_long:
            pull(X[i], w, w, nearest, amount, metric)
            continue
        for j in range(X.shape[1]):
            move[j] = 0.0
        pull(X[i], w, move, nearest, amount, metric)
        length = np.sqrt((move * move).sum())
        longest = abs(amount) * np.sqrt(squared_gaps(X[i], w))
        shortened = longest / length if length > longest else 1.0
        for j in range(X.shape[1]):
            w[j] += shortened * move[j]
    return wrong / weights.sum()


@compiled
def metric_glvq_epoch(samples, order, prototypes, labels, gamma, step, metric, moved):
    """Visit samples in `order`, add their moves to `moved`, return the mean cost.

    `moved`, `step` and `gamma` are those of `glvq_epoch`, and so is the cost.
    """
    X, y, weights = samples
    total = 0.0
    for i in order:
        near = nearest_pair(X[i], y[i], prototypes, labels, metric)

        # The cost Phi(e) with e = (d_J - d_K) / (d_J + d_K), and its slope Phi'(e).
        norm = near.d_same + near.d_other
        cost = (near.d_same - near.d_other) / norm if norm != 0.0 else 0.0
        slope = 1.0
        if gamma > 0.0:
            cost = 1.0 / (1.0 + np.exp(-gamma * cost))
            slope = gamma * cost * (1.0 - cost)
        total += weights[i] * cost
        if norm == 0.0:  # the sample lies on both prototypes
            continue

        # de/dd_J = 2 d_K / (d_J + d_K)^2, de/dd_K = -2 d_J / (d_J + d_K)^2; a pull is half of dd/dw
        scale = weights[i] * step * slope * 4.0 / norm
        to, off = scale * (near.d_other / norm), -scale * (near.d_same / norm)
        same, other = near.same, near.other
        pull(X[i], prototypes[same], moved[same], near.d_same, to, metric)
        pull(X[i], prototypes[other], moved[other], near.d_other, off, metric)
    return total / weights.sum()


@compiled
def nearest_pair(x, label, prototypes, labels, metric):
    """Return the nearest prototype of the right class, the nearest of any other, and distances."""
    d_same, d_other, same, other = np.inf, np.inf, 0, 0
    for k in range(prototypes.shape[0]):
        d = distance(x, prototypes[k], metric)
        if labels[k] == label:
            if d < d_same:
                d_same, same = d, k
        elif d < d_other:
            d_other, other = d, k
    return Pair(same, other, d_same, d_other)


@compiled
def distance(x, w, metric):
    """Return the distance of a sample to a prototype; the module docstring has the formulas."""
    code, numbers = metric
    if code == EUCLIDEAN:
        return squared_gaps(x, w)
    if code == MINKOWSKI:
        return minkowski(x, w, numbers[0])
    if code == DIVERGENCE:
        return divergence(x, w, numbers[0])
    gamma, unit = numbers[0], numbers[1]

    # Kernels of a distance: k(x, x) = k(w, w) = 1, so d = 2 u (1 - k(x, w)).
    if code == RBF:
        return -2.0 * unit * np.expm1(-gamma * squared_gaps(x, w))
    if code == LAPLACIAN:
        total = 0.0
        for j in range(x.shape[0]):
            gap = abs(x[j] - w[j])
            total += gap if gap == gap else 0.0
        return -2.0 * unit * np.expm1(-gamma * total)

    # The polynomial kernel of scalar products.
    degree, coef0 = numbers[2], numbers[3]
    xx, xw, ww = products(x, w)
    total = (gamma * xx + coef0) ** degree + (gamma * ww + coef0) ** degree
    return unit * max(total - 2.0 * (gamma * xw + coef0) ** degree, 0.0)


@compiled
def minkowski(x, w, p):
    """Return the squared p-norm of x - w, in units of the largest gap against overflow."""
    largest, total = 0.0, 0.0
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


@compiled
def divergence(x, w, unit):
    """Return the generalised Kullback-Leibler divergence of w from x, times twice the unit."""
    total = 0.0
    for j in range(x.shape[0]):
        if x[j] == x[j]:
            mean = max(w[j], FLOOR * unit)
            total += mean - x[j]
            if x[j] > 0.0:
                total += x[j] * np.log(x[j] / mean)
    return 2.0 * unit * max(total, 0.0)


@compiled
def pull(x, w, moved, d, amount, metric):
    """Add `amount` times the pull of x on w, whose distance is `d`, to `moved`."""
    code, numbers = metric
    if code == MINKOWSKI:  # |x - w|_p^(2 - p) |x_j - w_j|^(p - 1), with the sign of the gap
        if d > 0.0:
            root = np.sqrt(d)
            for j in range(x.shape[0]):
                gap = x[j] - w[j]
                if gap == gap:
                    share = (abs(gap) / root) ** (numbers[0] - 1.0)
                    moved[j] += amount * root * np.sign(gap) * share
        return
    if code == LAPLACIAN:  # gamma u k(x, w) sign(x - w), where u k = u - d / 2
        gamma, unit = numbers[0], numbers[1]
        amount *= gamma * (unit - 0.5 * d)
        for j in range(x.shape[0]):
            gap = x[j] - w[j]
            if gap == gap:
                moved[j] += amount * np.sign(gap)
        return
    if code == POLY:  # u degree gamma ((gamma x'w + c)^(degree-1) x - (gamma w'w + c)^(degree-1) w)
        gamma, unit, degree, coef0 = numbers[0], numbers[1], numbers[2], numbers[3]
        _, xw, ww = products(x, w)
        amount *= unit * degree * gamma
        to_x = amount * (gamma * xw + coef0) ** (degree - 1.0)
        to_w = amount * (gamma * ww + coef0) ** (degree - 1.0)
        for j in range(x.shape[0]):
            if x[j] == x[j]:
                moved[j] += to_x * x[j] - to_w * w[j]
        return
    if code == RBF:  # 2 gamma u k(x, w) (x - w), where 2 u k = 2 u - d
        gamma, unit = numbers[0], numbers[1]
        amount *= gamma * (2.0 * unit - d)

    # x - w for Euclid's distance and, by its natural gradient, for the divergence.
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
