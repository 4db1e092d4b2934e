"""Swaps of medoids against other samples, for `KMedoids`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shallows._core.numerics.compile import compiled


class Nearest(NamedTuple):
    """Each sample's nearest medoid, its distance, the second nearest, and its distance."""

    own: np.ndarray
    near: np.ndarray
    second: np.ndarray
    far: np.ndarray


def nearest_medoids(distances, medoids) -> Nearest:
    """Return the two nearest medoids of each sample."""
    n = len(distances)
    found = Nearest(np.empty(n, np.int32), np.empty(n), np.empty(n, np.int32), np.empty(n))
    two_nearest(distances, medoids, found)
    return found


@compiled
def build(distances, weights, medoids):
    """Choose medoids one by one, each the sample that lowers the cost most."""
    n = len(distances)
    least = np.full(n, np.inf)
    for m in range(len(medoids)):
        best, lowest = -1, np.inf
        for candidate in range(n):
            cost = 0.0  # the cost with this candidate as one more medoid
            row = distances[candidate]
            for o in range(n):
                cost += weights[o] * (row[o] if row[o] < least[o] else least[o])
            taken = m > 0 and least[candidate] == 0 and is_medoid(medoids[:m], candidate)
            if cost < lowest and not taken:
                best, lowest = candidate, cost
        medoids[m] = best

        # Distances to the nearest of the medoids so far.
        for o in range(n):
            least[o] = min(least[o], distances[best, o])


@compiled
def is_medoid(medoids, sample):
    """Tell whether the sample is one of them."""
    found = False
    for m in range(len(medoids)):
        found |= medoids[m] == sample
    return found


@compiled
def two_nearest(distances, medoids, found):
    """Write the nearest and the second nearest medoid of each sample, and their distances."""
    own, near, second, far = found
    for o in range(len(own)):
        near[o] = far[o] = np.inf
        own[o] = second[o] = 0
    for m in range(len(medoids)):
        row = distances[medoids[m]]
        for o in range(len(own)):
            if row[o] < near[o] or medoids[m] == o:  # its own nearest, also among copies
                second[o], far[o] = own[o], near[o]
                own[o], near[o] = m, row[o]
            elif row[o] < far[o]:
                second[o], far[o] = m, row[o]


@compiled
def swap_pass(distances, weights, medoids, known, start, idle):
    """Try each sample in turn against all medoids, and swap at once where the cost falls.

    Begins at sample `start` and ends after one round, or when a round has passed since the last
    swap; ``idle[0]`` counts the samples since then. Returns the sample to go on with and the
    number of swaps.
    """
    own, near, _, far = known
    n, k = len(own), len(medoids)
    # Cost of removing each medoid: its samples go to their second nearest.
    removal, loss = np.zeros(k), np.empty(k)
    for o in range(n):
        removal[own[o]] += weights[o] * (far[o] - near[o])

    member = np.zeros(n, np.bool_)
    for m in range(k):
        member[medoids[m]] = True
    swaps, candidate = 0, start
    for _ in range(n):
        if idle[0] >= n:
            break
        idle[0] += 1
        if not member[candidate]:
            # Best swap with this candidate: the medoid with the smallest change of cost.
            for m in range(k):
                loss[m] = removal[m]
            gain = try_sample(distances[candidate], weights, known, loss)
            worst = np.int64(0)
            for m in range(1, k):
                worst = m if loss[m] < loss[worst] else worst

            # Swap at once where the cost falls by more than rounding.
            total = 0.0
            for m in range(k):
                total += abs(removal[m])
            # Swap at once if the cost falls by more than rounding.
            if gain + loss[worst] < -1e-12 * (total + abs(gain)):
                member[medoids[worst]], member[candidate] = False, True
                medoids[worst] = candidate
                put_in(distances, medoids, worst, known)
                for m in range(k):
                    removal[m] = 0
                for o in range(n):
                    removal[own[o]] += weights[o] * (far[o] - near[o])
                idle[0], swaps = 0, swaps + 1
        candidate = candidate + 1 if candidate + 1 < n else 0
    return candidate, swaps


@compiled
def try_sample(row, weights, known, loss):
    """Return what adding the sample saves; add to `loss` what each removal costs then."""
    own, near, _, far = known
    gain = 0.0
    for o in range(len(row)):
        value = row[o]
        if value < far[o]:
            if value < near[o]:
                gain += weights[o] * (value - near[o])
                loss[own[o]] += weights[o] * (near[o] - far[o])
            else:
                loss[own[o]] += weights[o] * (value - far[o])
    return gain


@compiled
def put_in(distances, medoids, place, known):
    """Bring the two nearest medoids up to date after the one at `place` was exchanged."""
    own, near, second, far = known
    row = distances[medoids[place]]
    for o in range(len(own)):
        value = row[o]

        # The sample has lost its nearest medoid: the new one or the second takes over.
        if own[o] == place:
            if value < far[o]:
                near[o] = value
            else:
                own[o], near[o] = second[o], far[o]
                second[o], far[o] = find_second(distances, medoids, o, own[o])
        elif value < near[o]:
            second[o], far[o] = own[o], near[o]
            own[o], near[o] = place, value
        elif value < far[o]:
            second[o], far[o] = place, value
        elif second[o] == place:
            second[o], far[o] = find_second(distances, medoids, o, own[o])


@compiled
def find_second(distances, medoids, o, own):
    """Return the nearest medoid of sample o but its own."""
    second, far = 0, np.inf
    for m in range(len(medoids)):
        if m != own and distances[o, medoids[m]] < far:
            second, far = m, distances[o, medoids[m]]
    return second, far


@compiled
def move_to_middle(distances, weights, medoids, own):
    """Make of each cluster's samples the one with the least sum of distances its medoid."""
    n = len(own)
    moved = 0
    for m in range(len(medoids)):
        # The cost of the medoid so far, which a candidate has to beat by more than rounding.
        members = np.flatnonzero(own == m)
        best, lowest = medoids[m], 0.0
        for o in members:
            lowest += weights[o] * distances[best, o]
        for candidate in members:
            cost = 0.0
            for o in members:
                cost += weights[o] * distances[candidate, o]
            if cost < lowest * (1 - 1e-14 * n):
                best, lowest = candidate, cost
        moved += best != medoids[m]
        medoids[m] = best
    return moved
