"""The steps of growing neural gas: a graph whose units move, age and multiply."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shallows._core.numerics.compile import compiled

NO_EDGE = -1


class Rules(NamedTuple):
    """Rates of the nearest unit and its neighbours, and when edges go and units come.

    An edge older than `max_age` is cut, a unit is inserted after every `insert_every` samples.
    Errors are multiplied by `split_decay` at an insertion, and by `decay` after each sample.
    """

    rate: float
    neighbor_rate: float
    max_age: int
    insert_every: int
    split_decay: float
    decay: float


class Graph(NamedTuple):
    """Units and edges; a pass changes them in place.

    `places` and `errors` have a row per unit. `ages` is symmetric and contains `NO_EDGE` where
    there is no edge. There is room for more units than are in use.
    """

    places: np.ndarray
    errors: np.ndarray
    ages: np.ndarray


@compiled
def grow_pass(X, weights, order, rules, graph, size, n_seen):
    """Visit samples one by one; return the sum of squared distances and the number of units.

    The first `size` units are in use before; `n_seen` samples have been visited.
    """
    places, errors, ages = graph
    loss = 0.0
    for i in order:
        # The nearest unit takes the error and moves; so do its neighbours, less far.
        first, second, least = two_nearest(X, i, places, size)
        loss += weights[i] * least
        errors[first] += weights[i] * least
        pull(X, i, places, first, min(1.0, rules.rate * weights[i]))

        # The edges of the nearest unit age; the one to the second nearest is new again.
        is_cut = False
        for k in range(size):
            if ages[first, k] >= 0:
                pull(X, i, places, k, min(1.0, rules.neighbor_rate * weights[i]))
                age = ages[first, k] + 1
                if age > rules.max_age and k != second:
                    age = NO_EDGE
                    is_cut = True
                ages[first, k] = ages[k, first] = age
        ages[first, second] = ages[second, first] = 0

        # Units without edges go, and now and then one comes where errors are largest.
        if is_cut:
            size = drop_lonely(places, errors, ages, size)
        n_seen += 1
        if n_seen % rules.insert_every == 0 and size < len(places):
            size = insert(places, errors, ages, size, rules.split_decay)
        for k in range(size):
            errors[k] *= rules.decay
    return loss, size


@compiled
def two_nearest(X, i, places, size):
    """Return the two nearest units of sample i and the squared distance to the nearest."""
    first, second = 0, 1
    least, next_least = np.inf, np.inf
    for k in range(size):
        value = 0.0
        for j in range(X.shape[1]):
            gap = X[i, j] - places[k, j]
            value += gap * gap
        if value < least:
            second, next_least = first, least
            first, least = k, value
        elif value < next_least:
            second, next_least = k, value
    return first, second, least


@compiled
def pull(X, i, places, k, rate):
    """Move unit k by a part of the way to sample i."""
    part, zero = X.dtype.type(rate), X.dtype.type(0)
    tiny = X.dtype.type(np.sqrt(np.finfo(X.dtype).tiny))
    for j in range(X.shape[1]):
        value = places[k, j] + part * (X[i, j] - places[k, j])
        # its square would underflow, which takes processors a hundred times longer
        places[k, j] = value if abs(value) > tiny else zero


@compiled
def drop_lonely(places, errors, ages, size):
    """Remove units without edges, the last taking the place of each; return how many stay."""
    for k in range(size - 1, -1, -1):
        # A unit whose edges have all been cut goes; the last unit takes its place.
        lonely = True
        for other in range(size):
            lonely &= ages[k, other] < 0
        if lonely:
            size -= 1
            errors[k] = errors[size]
            for j in range(places.shape[1]):
                places[k, j] = places[size, j]
            for other in range(size):
                ages[k, other] = ages[other, k] = ages[size, other] if other != k else NO_EDGE
            for other in range(size + 1):
                ages[size, other] = ages[other, size] = NO_EDGE
    return size


@compiled
def insert(places, errors, ages, size, split_decay):
    """Set a unit between the worst and the worst of its neighbours; return how many there are."""
    # The unit of the largest error, and the worst of its neighbours.
    worst = 0
    for k in range(size):
        if errors[k] > errors[worst]:
            worst = k
    partner = -1
    for k in range(size):
        if ages[worst, k] >= 0 and (partner < 0 or errors[k] > errors[partner]):
            partner = k
    if partner < 0:
        return size

    # The new unit is midway and takes over their edge; the errors are shared out.
    for j in range(places.shape[1]):
        places[size, j] = (places[worst, j] + places[partner, j]) / 2
    ages[worst, partner] = ages[partner, worst] = NO_EDGE
    ages[worst, size] = ages[size, worst] = 0
    ages[partner, size] = ages[size, partner] = 0
    errors[worst] *= split_decay
    errors[partner] *= split_decay
    errors[size] = errors[worst]
    return size + 1
