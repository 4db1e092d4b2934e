"""The steps of growing neural gas: a graph whose units move, age and multiply."""

from __future__ import annotations

import numpy as np

from shallows._core.numerics.compile import compiled

NO_EDGE = -1


@compiled
def grow_pass(
    X,
    weights,
    order,
    rate,
    neighbor_rate,
    max_age,
    insert_every,
    split_decay,
    decay,
    places,
    errors,
    ages,
    size,
    n_seen,
):
    """Visit samples one by one; return the sum of squared distances and the number of units.

    The first `size` rows of `places`, `errors` and `ages` are in use; `ages` is symmetric and
    holds `NO_EDGE` where there is no edge.
    """
    loss = 0.0
    for i in order:
        first, second, least = two_nearest(X, i, places, size)
        loss += weights[i] * least
        errors[first] += weights[i] * least
        pull(X, i, places, first, min(1.0, rate * weights[i]))
        is_cut = False
        for k in range(size):
            if ages[first, k] >= 0:
                pull(X, i, places, k, min(1.0, neighbor_rate * weights[i]))
                age = ages[first, k] + 1
                if age > max_age and k != second:
                    age = NO_EDGE
                    is_cut = True
                ages[first, k] = ages[k, first] = age
        ages[first, second] = ages[second, first] = 0
        if is_cut:
            size = drop_lonely(places, errors, ages, size)
        n_seen += 1
        if n_seen % insert_every == 0 and size < len(places):
            size = insert(places, errors, ages, size, split_decay)
        for k in range(size):
            errors[k] *= decay
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
    for j in range(places.shape[1]):
        places[size, j] = (places[worst, j] + places[partner, j]) / 2
    ages[worst, partner] = ages[partner, worst] = NO_EDGE
    ages[worst, size] = ages[size, worst] = 0
    ages[partner, size] = ages[size, partner] = 0
    errors[worst] *= split_decay
    errors[partner] *= split_decay
    errors[size] = errors[worst]
    return size + 1
