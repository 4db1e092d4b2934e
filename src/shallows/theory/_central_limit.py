"""Sums of many independent numbers."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.stats import binom

from shallows._core.contract.params import PositiveInt, check_value
from shallows._core.contract.rng import RandomState, as_generator

NUMBERS_AT_ONCE = 10**6


class GaltonBoard(NamedTuple):
    """Where the balls of a Galton board end.

    Parameters
    ----------
    position : ndarray of shape (rows + 1,)
        Steps to the right minus steps to the left.
    probability : ndarray of shape (rows + 1,)
        Probability of each position.

    Examples
    --------
    >>> from shallows.theory import galton
    >>> galton(2).position
    array([-2,  0,  2])
    """

    position: np.ndarray
    probability: np.ndarray


def standardised_sum(law, n: PositiveInt, size: PositiveInt = 1, random_state: RandomState = None):
    r"""Draw sums of n independent numbers, centred and scaled to variance 1.

    :math:`S_n = \sum_{i=1}^n (X_i - E X) / (\sqrt n\, \sigma)` tends to a standard normal law as
    n grows, whatever the law of :math:`X` with finite variance.

    Parameters
    ----------
    law : frozen distribution of scipy.stats
        Law of a single number, with finite positive variance.
    n : int
        Numbers in a sum.
    size : int, default=1
        Sums drawn.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the numbers.

    Returns
    -------
    sums : ndarray of shape (size,)
        Standardised sums.

    Examples
    --------
    >>> from scipy.stats import expon
    >>> from shallows.theory import standardised_sum
    >>> sums = standardised_sum(expon(), 100, size=10_000, random_state=0)
    >>> abs(sums.mean()) < 0.05, abs(sums.std() - 1) < 0.05
    (np.True_, np.True_)
    """
    check_value("standardised_sum", "n", PositiveInt, n)
    check_value("standardised_sum", "size", PositiveInt, size)
    mean, variance = law.mean(), law.var()
    if not (np.isfinite(mean) and np.isfinite(variance) and variance > 0):
        raise ValueError(
            f"standardised_sum: law must have a finite mean and a finite variance above 0, got "
            f"mean {mean} and variance {variance}. Without them sums don't tend to a normal law."
        )
    rng = as_generator(random_state)
    sums = np.empty(size)
    # Blocks of rows bound the memory, whatever the number of sums.
    rows = max(1, NUMBERS_AT_ONCE // n)
    for start in range(0, size, rows):
        part = sums[start : start + rows]
        part[:] = law.rvs(size=(len(part), n), random_state=rng).sum(axis=1)
    return (sums - n * mean) / np.sqrt(n * variance)


def galton(rows: PositiveInt) -> GaltonBoard:
    r"""Return where a ball ends that goes left or right with equal probability in every row.

    The number of steps to the right is binomial, :math:`\mathrm{Bi}(rows, 1/2)`; the position is
    twice that number minus `rows`. The deeper the board, the closer to a normal law of variance
    `rows`.

    Parameters
    ----------
    rows : int
        Rows of pins.

    Returns
    -------
    board : GaltonBoard
        Positions and their probabilities.

    Examples
    --------
    >>> from shallows.theory import galton
    >>> galton(4).probability
    array([0.0625, 0.25  , 0.375 , 0.25  , 0.0625])
    """
    check_value("galton", "rows", PositiveInt, rows)
    right = np.arange(rows + 1)
    return GaltonBoard(2 * right - rows, binom.pmf(right, rows, 0.5))
