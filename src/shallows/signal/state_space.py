r"""Systems with hidden state: :math:`x(t+1) = f(x(t), u(t+1))`, :math:`y(t) = g(x(t))`.

The state may depend on inputs of any age, although only the present one enters. Without inputs the
system is autonomous: :math:`x(t+1) = f(x(t))`.

Examples
--------
>>> import numpy as np
>>> from shallows.signal import state_space
>>> def integrator(x, u):
...     return x + u
>>> run = state_space.simulate(integrator, lambda x: 2 * x, np.ones(3), start=0.0)
>>> run.outputs
array([2., 4., 6.])
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np


class State(NamedTuple):
    """State of the system, and the number of steps."""

    x: np.ndarray
    time: int


class Recording(NamedTuple):
    """States and outputs at times 1, 2, ..., one per input or step."""

    states: np.ndarray
    outputs: np.ndarray


def init(start) -> State:
    """Return the system in a state at time 0.

    Examples
    --------
    >>> init([0.0, 1.0]).time
    0
    """
    return State(np.array(start, dtype=np.float64), 0)


def step(state: State, transition: Callable, u=None) -> State:
    """Return the next state, under an input or without one.

    Examples
    --------
    >>> float(step(init(0.2), lambda x: 4 * x * (1 - x)).x.round(2))
    0.64
    """
    x = transition(state.x) if u is None else transition(state.x, u)
    return State(np.asarray(x, dtype=np.float64), state.time + 1)


def simulate(transition: Callable, observe: Callable, inputs, start) -> Recording:
    """Run a system with given inputs, or for a number of steps without inputs.

    Parameters
    ----------
    transition : callable
        The function f of the state and the new input, or of the state only.
    observe : callable
        The function g of the state.
    inputs : array-like of shape (n_steps, ...) or int
        Inputs u(1), u(2), ...; or the number of steps of an autonomous system.
    start : float or array-like
        State x(0).

    Returns
    -------
    recording : Recording
        States and outputs.

    Examples
    --------
    >>> simulate(lambda x: x / 2, lambda x: x, 3, start=8.0).outputs
    array([4., 2., 1.])
    """
    state, states = init(start), []
    alone = isinstance(inputs, int | np.integer)
    for u in [None] * int(inputs) if alone else np.asarray(inputs, dtype=np.float64):
        state = step(state, transition, u)
        states.append(state.x)
    if not np.isfinite(states).all():
        raise FloatingPointError("state_space.simulate: the state diverged.")
    return Recording(np.array(states), np.array([observe(x) for x in states]))
