"""A new random order of the samples, for learners that visit them one by one."""

from __future__ import annotations

import numpy as np

from shallows._core.compile import compiled


def shuffle(order, rng):
    """Bring `order` into a random order in place, in half the time of ``rng.shuffle``.

    Each place draws from the 2^32 values of an integer, so that for n samples the
    probabilities of orders differ by a factor of at most 1 + n / 2^32 per place.
    """
    exchange(order, rng.integers(2**32, size=len(order), dtype=np.uint32))


def random_runs(n, length, rng):
    """Return all numbers below n, in random order but for runs of neighbours that stay together."""
    runs = np.arange(-(-n // length))
    shuffle(runs, rng)
    order = np.add.outer(runs * length, np.arange(length)).ravel()
    return order[order < n]


@compiled
def exchange(order, draws):
    """Exchange each entry, from the last on, with one at or before it."""
    for last in range(len(order) - 1, 0, -1):
        place = (np.uint64(draws[last]) * np.uint64(last + 1)) >> np.uint64(32)
        order[last], order[place] = order[place], order[last]
