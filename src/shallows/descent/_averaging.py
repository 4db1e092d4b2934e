"""Polyak-Ruppert averages of iterates, for any update rule."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shallows.descent._types import Array


class AverageState(NamedTuple):
    """Sum of the averaged iterates in double precision, their number, and the window."""

    total: NDArray[np.float64]
    n_places: int
    window: int | None
    recent: tuple[Array, ...]


def average_init(parameters: Array, window: int | None = None) -> AverageState:
    """Return an empty average of iterates.

    Parameters
    ----------
    parameters : array of floats
        Determines the length; its values do not enter the average.
    window : int or None
        Number of last iterates to average; None averages all and stores none.

    Returns
    -------
    AverageState
        An empty average.

    Examples
    --------
    >>> average_init(np.zeros(2), window=3).n_places
    0
    """
    return AverageState(np.zeros(len(parameters)), 0, window, ())


def average_update(state: AverageState, parameters: Array) -> AverageState:
    """Return the average with one more iterate.

    Parameters
    ----------
    state : AverageState
        The average so far.
    parameters : array of floats
        The new iterate.

    Returns
    -------
    AverageState
        The new average.

    Examples
    --------
    >>> state = average_init(np.zeros(1), window=2)
    >>> for iterate in (1.0, 2.0, 4.0):
    ...     state = average_update(state, np.array([iterate]))
    >>> average_value(state)
    array([3.])
    """
    if state.window is None:
        return AverageState(state.total + parameters, state.n_places + 1, None, ())
    recent = (*state.recent, parameters.copy())[-state.window :]
    total = np.zeros_like(state.total)
    for iterate in recent:
        total += iterate
    return AverageState(total, len(recent), state.window, recent)


def average_value(state: AverageState) -> NDArray[np.float64]:
    """Return the averaged iterate.

    Parameters
    ----------
    state : AverageState
        An average of at least one iterate.

    Returns
    -------
    array
        Mean of the iterates in the window, in double precision.

    Examples
    --------
    >>> average_value(average_update(average_init(np.zeros(1)), np.array([2.0])))
    array([2.])
    """
    if state.n_places == 0:
        raise ValueError("The average has no iterate yet; call average_update first.")
    return state.total / state.n_places
