"""Simulated annealing."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from shallows._core.contract.rng import as_generator


class Annealed(NamedTuple):
    """The best state, its cost, and the cost of the current state at each step."""

    state: Any
    cost: float
    costs: np.ndarray


def simulated_annealing(
    cost, propose, start, n_steps: int, *, schedule=None, random_state=None
) -> Annealed:
    r"""Search for a state of least cost by a random walk with falling temperature.

    A proposed state is accepted with probability :math:`\min(1, \exp(-\Delta C / T))`. At high
    temperature the walk can leave local minima; slow cooling makes it end in a deep minimum.

    Parameters
    ----------
    cost : callable
        Cost of a state, which may be of any kind.
    propose : callable
        Takes a state and a Generator and returns a new state; it must not modify the old one.
    start : object
        First state.
    n_steps : int
        Number of proposals.
    schedule : callable or None, default=None
        Temperature at step t = 0, 1, ...; None cools geometrically from the standard deviation of
        100 costs near the start to a thousandth of it.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the walk.

    Returns
    -------
    result : Annealed
        Best state, its cost, and the costs along the walk.

    Examples
    --------
    >>> from shallows.sampling import simulated_annealing
    >>> found = simulated_annealing(
    ...     lambda x: (x - 7) ** 2 % 31,
    ...     lambda x, rng: x + int(rng.choice([-1, 1])),
    ...     start=100,
    ...     n_steps=5000,
    ...     random_state=0,
    ... )
    >>> found.cost
    0.0
    """
    rng = as_generator(random_state)
    state, value = start, float(cost(start))
    if schedule is None:
        # The first temperature is the spread of costs on a random walk; it falls to a thousandth.
        near, costs = start, []
        for _ in range(100):
            near = propose(near, rng)
            costs.append(cost(near))
        first = float(np.std(costs)) or 1.0
        factor = 1e-3 ** (1 / max(n_steps - 1, 1))
        schedule = partial(_cooled, first, factor)
    best, least, path = state, value, np.empty(n_steps)
    for t in range(n_steps):
        new = propose(state, rng)
        rise = float(cost(new)) - value
        temperature = float(schedule(t))
        if not (temperature >= 0 and rise == rise):
            raise ValueError(
                "simulated_annealing: temperatures must not be negative and costs be numbers, got "
                f"temperature {temperature} and cost {value + rise} at step {t}."
            )

        # Metropolis's rule: downhill always, uphill with probability exp(-rise / temperature).
        if rise <= 0 or (temperature > 0 and rng.random() < np.exp(-rise / temperature)):
            state, value = new, value + rise
        if value < least:
            best, least = state, value
        path[t] = value
    return Annealed(best, float(cost(best)), path)


def _cooled(first: float, factor: float, step: int) -> float:
    return first * factor**step
