"""A new random order of the samples, for learners that visit them one by one."""

from __future__ import annotations

import numpy as np

from shallows._core.numerics.compile import compiled


def shuffle(order, rng):
    """Bring `order` into a random order in place, in half the time of ``rng.shuffle``.

    Each place draws from the 2^32 values of an integer, so that for n samples the
    probabilities of orders differ by a factor of at most 1 + n / 2^32 per place.
    """
    exchange(order, rng.integers(2**32, size=len(order), dtype=np.uint32))


def woven_runs(n, length, at_once, rng):
    """Return all numbers below n: runs of neighbours in random order, several taken in turns.

    Who reads rows in this order reads several places of the memory onward from row to row, which
    processors foresee. Neighbours stay apart: visited one after the other in every epoch, they
    would learn to be right after one another.
    """
    runs = np.arange(-(-n // length))
    shuffle(runs, rng)
    return weave(runs, n, length, at_once)


@compiled
def exchange(order, draws):
    """Exchange each entry, from the last on, with one at or before it."""
    for last in range(len(order) - 1, 0, -1):
        place = (np.uint64(draws[last]) * np.uint64(last + 1)) >> np.uint64(32)
        order[last], order[place] = order[place], order[last]


@compiled
def weave(runs, n, length, at_once):
    """Take turns among each few of the runs; the last numbers of all may be missing."""
    order, place = np.empty(n, np.int64), 0
    for first in range(0, len(runs), at_once):
        for step in range(length):
            for run in runs[first : first + at_once]:
                number = run * length + step
                if number < n:
                    order[place] = number
                    place += 1
    return order
