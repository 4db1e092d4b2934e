"""One sweep of dual coordinate ascent over dense or sparse rows."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shallows._core.numerics.compile import compiled


class Samples(NamedTuple):
    """What a sweep knows about the samples, apart from their inputs.

    Of each sample: label `S`, largest strength `caps`, squared length `squares`, and product with
    the mean `along_mean`. `constants` are the squared length of the mean and the square of the
    clamped input.
    """

    S: np.ndarray
    caps: np.ndarray
    squares: np.ndarray
    along_mean: np.ndarray
    constants: np.ndarray


class Dual(NamedTuple):
    """The dual point; a sweep changes it in place.

    `w` is the sum of strength, label and row as stored. `sums` contains the sum of strength times
    label, that of its product with `along_mean`, and the multiplier. `limits` are the steepest and
    flattest slopes of the last sweep, beyond which a sample at a bound rests.
    """

    strengths: np.ndarray
    w: np.ndarray
    sums: np.ndarray
    limits: np.ndarray


@compiled
def best_strength(slope, old, cap, square, rate):
    """Return where a coordinate moves, between 0 and `cap`."""
    if square > 0.0:
        return min(max(old - rate * slope / square, 0.0), cap)
    return cap if slope < 0.0 and cap < np.inf else old


@compiled
def share_of_gap(slope, strength, cap):
    """Return what a sample contributes to the gap of the soft problem."""
    if slope > 0.0:
        return strength * slope
    return (strength - cap) * slope if cap < np.inf else 0.0


@compiled
def dense_sweep(X, samples, order, rate, dual):
    """Visit samples in `order`; change `dual` and `order` in place.

    Samples at a bound whose gradient points well outwards, beyond the limits of the last sweep,
    are moved out of the front of `order`. Returns the size of the front, the sum of the samples'
    shares of the gap, the smallest potential and the squared length of `w`.
    """
    S, caps, squares, along_mean, constants = samples
    strengths, w, sums, limits = dual
    n_features = X.shape[1]
    mean2, clamp2 = constants
    total, along, multiplier = sums
    low, high = limits
    steepest, flattest, excess, lowest = 0.0, 0.0, 0.0, np.inf
    k, n_active = 0, len(order)
    while k < n_active:
        # The field of the centred input with threshold, and the slope S field - 1 of the dual.
        i = order[k]
        field = 0.0
        for j in range(n_features):
            field += X[i, j] * w[j]
        field += total * (mean2 - along_mean[i] + clamp2) - along + multiplier
        slope, old, cap = S[i] * field - 1.0, strengths[i], caps[i]
        lowest = min(lowest, slope + 1.0)

        # Shrinking: a sample held firmly at a bound rests until all are activated again.
        if (old == 0.0 and slope > high) or (old == cap and slope < low):
            n_active -= 1
            order[k], order[n_active] = order[n_active], i
            continue
        k += 1

        # Newton's step along this coordinate, cut off at its bounds.
        excess += share_of_gap(slope, old, cap)
        new = best_strength(slope, old, cap, squares[i], rate)
        if new != old:
            steepest, flattest = min(steepest, slope), max(flattest, slope)
            strengths[i] = new
            step = (new - old) * S[i]
            for j in range(n_features):
                w[j] += step * X[i, j]
            total += step
            along += step * along_mean[i]

    # The next sweep rests samples beyond the slopes that this one has met.
    limits[0] = steepest if steepest < 0.0 else -np.inf
    limits[1] = flattest if flattest > 0.0 else np.inf
    sums[0], sums[1] = total, along
    length2 = 0.0
    for j in range(n_features):
        length2 += w[j] * w[j]
    return n_active, excess, lowest, length2


@compiled
def csr_sweep(rows, samples, order, rate, dual):
    """Do as `dense_sweep` with rows in compressed sparse form."""
    data, columns, starts = rows
    S, caps, squares, along_mean, constants = samples
    strengths, w, sums, limits = dual
    mean2, clamp2 = constants
    total, along, multiplier = sums
    low, high = limits
    steepest, flattest, excess, lowest = 0.0, 0.0, 0.0, np.inf
    k, n_active = 0, len(order)
    while k < n_active:
        # Field and slope; the mean is taken off implicitly, so that rows stay sparse.
        i = order[k]
        field = 0.0
        for j in range(starts[i], starts[i + 1]):
            field += data[j] * w[columns[j]]
        field += total * (mean2 - along_mean[i] + clamp2) - along + multiplier
        slope, old, cap = S[i] * field - 1.0, strengths[i], caps[i]
        lowest = min(lowest, slope + 1.0)

        # Shrinking.
        if (old == 0.0 and slope > high) or (old == cap and slope < low):
            n_active -= 1
            order[k], order[n_active] = order[n_active], i
            continue
        k += 1

        # Newton's step.
        excess += share_of_gap(slope, old, cap)
        new = best_strength(slope, old, cap, squares[i], rate)
        if new != old:
            steepest, flattest = min(steepest, slope), max(flattest, slope)
            strengths[i] = new
            step = (new - old) * S[i]
            for j in range(starts[i], starts[i + 1]):
                w[columns[j]] += step * data[j]
            total += step
            along += step * along_mean[i]

    # Limits of the next sweep.
    limits[0] = steepest if steepest < 0.0 else -np.inf
    limits[1] = flattest if flattest > 0.0 else np.inf
    sums[0], sums[1] = total, along
    length2 = 0.0
    for j in range(len(w)):
        length2 += w[j] * w[j]
    return n_active, excess, lowest, length2
