"""Random events in time, a Galton board, a die."""

from __future__ import annotations

import numpy as np

from shallows._core.contract.params import (
    NonNegativeInt,
    PositiveFloat,
    PositiveInt,
    check_arguments,
)
from shallows._core.contract.rng import RandomState, as_generator


def poisson_process(
    rate: PositiveFloat, duration: PositiveFloat, *, random_state: RandomState = None
) -> np.ndarray:
    """Draw the times of events that happen independently at a constant rate.

    Waiting times are exponential with mean ``1 / rate``; counts in intervals are Poisson.

    Parameters
    ----------
    rate : float
        Mean number of events per unit of time.
    duration : float
        Length of the recording.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the events.

    Returns
    -------
    times : ndarray of shape (n_events,)
        Increasing times between 0 and `duration`; their number is random.

    Examples
    --------
    >>> from shallows.data import poisson_process
    >>> times = poisson_process(2.34, 100.0, random_state=0)
    >>> 180 < len(times) < 290
    True
    """
    check_arguments(poisson_process, locals())
    rng = as_generator(random_state)
    # Given their number, the times are independent and uniform, so no loop is needed.
    return np.sort(rng.uniform(0, duration, size=rng.poisson(rate * duration)))


def galton(
    n_rows: NonNegativeInt, n_balls: PositiveInt, *, random_state: RandomState = None
) -> np.ndarray:
    """Let balls fall through rows of pins; return the bins in which they end.

    Every pin sends a ball left or right with equal probability, so the bin is a binomial number;
    with many rows it is nearly normal.

    Parameters
    ----------
    n_rows : int
        Rows of pins.
    n_balls : int
        Number of balls.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the directions.

    Returns
    -------
    bins : ndarray of shape (n_balls,)
        0 for the leftmost bin, `n_rows` for the rightmost.

    Examples
    --------
    >>> from shallows.data import galton
    >>> bins = galton(10, 1000, random_state=0)
    >>> int(bins.min()) >= 0, int(bins.max()) <= 10
    (True, True)
    """
    check_arguments(galton, locals())
    rng = as_generator(random_state)
    bins = np.zeros(n_balls, dtype=np.int64)
    for _ in range(n_rows):
        bins += rng.integers(2, size=n_balls)
    return bins


def roll_die(
    n_rolls: PositiveInt, probabilities=None, *, random_state: RandomState = None
) -> np.ndarray:
    """Roll a fair or loaded die; with two sides, toss a coin.

    Parameters
    ----------
    n_rolls : int
        Number of rolls.
    probabilities : array-like of shape (n_sides,) or None, default=None
        Probability of each side; None means a fair die with six sides.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the rolls.

    Returns
    -------
    sides : ndarray of shape (n_rolls,)
        Sides, counted from 1.

    Examples
    --------
    >>> from shallows.data import roll_die
    >>> rolls = roll_die(1000, [0.16] * 5 + [0.2], random_state=0)
    >>> int(rolls.min()), int(rolls.max())
    (1, 6)
    """
    check_arguments(roll_die, locals())
    chances = np.full(6, 1 / 6) if probabilities is None else np.asarray(probabilities, float)
    if chances.ndim != 1 or (chances < 0).any() or abs(chances.sum() - 1) > 1e-9:
        raise ValueError(
            "roll_die: probabilities must be a list of numbers of 0 or more that sum to 1, "
            f"got {probabilities!r}."
        )
    return 1 + as_generator(random_state).choice(len(chances), size=n_rolls, p=chances)
