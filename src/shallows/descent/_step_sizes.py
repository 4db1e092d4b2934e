"""Step-size rules for steepest descent on a whole cost function.

A rule is a pure function from one `DescentState` to the next. Beyond rounding it never raises the
cost, except `waypoint_step`, which may climb for a few steps.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from shallows.descent._types import Array, ValueAndGradient

SUFFICIENT = 1e-4  # share of the predicted decrease that a step must reach
RESOLVED = 1e-10  # smaller relative changes of a cost may be rounding errors


class DescentState(NamedTuple):
    """Parameters, their cost and gradient, the step size, and a few previous parameters."""

    x: Array
    value: float
    gradient: Array
    rate: float
    recent: tuple[Array, ...] = ()


def exact_rate(gradient: Array, product: Array) -> float:
    """Best rate g'g / (g'Ag) of a steepest-descent step on a parabola with Hessian A.

    Parameters
    ----------
    gradient : array of floats
        The gradient g.
    product : array of floats
        The product A g.

    Returns
    -------
    float
        The rate; 0 if the gradient vanishes, inf without upward curvature.

    Examples
    --------
    >>> exact_rate(np.array([1.0, 0.0]), np.array([4.0, 0.0]))
    0.25
    """
    steepness = float(gradient @ gradient)
    if steepness == 0:
        return 0.0
    bend = float(gradient @ product)
    return steepness / bend if bend > 0 else np.inf


def exact_step(value_and_gradient: ValueAndGradient, state: DescentState) -> DescentState:
    """Step to the minimum along the gradient; exact if the cost is quadratic.

    A second gradient, at the end of a trial step, determines the curvature along the line. If the
    resulting step does not lower the cost, a backtracking step is made instead.

    Parameters
    ----------
    value_and_gradient : callable
        Cost and gradient as a function of the parameters.
    state : DescentState
        The start; its rate is the length of the trial step.

    Returns
    -------
    DescentState
        The next state.

    Examples
    --------
    >>> bowl = lambda x: (float(x @ x), 2 * x)
    >>> exact_step(bowl, start_descent(bowl, np.array([3.0, 4.0]))).x
    array([0., 0.])
    """
    trial = value_and_gradient(state.x - state.rate * state.gradient)[1]
    rate = exact_rate(state.gradient, (state.gradient - trial) / state.rate)
    if np.isfinite(rate):
        moved = _moved(value_and_gradient, state, rate)
        if moved.value <= state.value:
            return moved
    return backtracking_step(value_and_gradient, state)


def backtracking_step(value_and_gradient: ValueAndGradient, state: DescentState) -> DescentState:
    """Make a step of twice the last size, halved until the cost falls enough (Armijo).

    Enough is 1e-4 of the decrease predicted by the slope. If even the smallest step is too long,
    the state is returned with rate 0: the limit of precision is reached.

    Parameters
    ----------
    value_and_gradient : callable
        Cost and gradient as a function of the parameters.
    state : DescentState
        The start.

    Returns
    -------
    DescentState
        The next state.

    Examples
    --------
    >>> bowl = lambda x: (float(x @ x), 2 * x)
    >>> backtracking_step(bowl, start_descent(bowl, np.array([3.0]))).value
    0.0
    """
    rate = 2 * state.rate
    while True:
        moved = _moved(value_and_gradient, state, rate)
        move = moved.x - state.x
        if not move.any():
            return state._replace(rate=0.0)
        promised = SUFFICIENT * float(state.gradient @ move)
        if cost_change(state.value, state.gradient, moved.value, moved.gradient, move) <= promised:
            return moved
        rate /= 2


def cost_change(
    value: float, gradient: Array, new_value: float, new_gradient: Array, move: Array
) -> float:
    """Change of the cost by a move, accurate even for small differences of large values.

    If the difference may be rounding, the mean slope along the move replaces it, which is exact
    for a parabola.

    Parameters
    ----------
    value, gradient : float, array of floats
        Cost and gradient before the move.
    new_value, new_gradient : float, array of floats
        Cost and gradient after the move.
    move : array of floats
        Difference of the parameters.

    Returns
    -------
    float
        New cost minus old cost.

    Examples
    --------
    >>> place, move = np.array([1e-9]), np.array([-1e-9])
    >>> cost_change(1.0, 2 * place, 1.0, 2 * (place + move), move)
    -1e-18
    """
    change = new_value - value
    if abs(change) > RESOLVED * abs(value):
        return change
    return float((gradient + new_gradient) @ move) / 2


def adaptive_step(value_and_gradient: ValueAndGradient, state: DescentState) -> DescentState:
    """Bold driver: accept a step that lowers the cost and raise the rate, else halve the rate.

    Parameters
    ----------
    value_and_gradient : callable
        Cost and gradient as a function of the parameters.
    state : DescentState
        The start.

    Returns
    -------
    DescentState
        The next state with a rate 1.1 times as large, or the same parameters with half the rate.

    Examples
    --------
    >>> bowl = lambda x: (float(x @ x), 2 * x)
    >>> adaptive_step(bowl, start_descent(bowl, np.array([3.0]), rate=4.0)).rate
    2.0
    """
    growth, decay = 1.1, 0.5
    moved = _moved(value_and_gradient, state, state.rate)
    if moved.value <= state.value:
        return moved._replace(rate=growth * state.rate)
    return state._replace(rate=decay * state.rate)


def waypoint_step(value_and_gradient: ValueAndGradient, state: DescentState) -> DescentState:
    """Make a step of fixed length; when steps zigzag, move to the mean of the last points.

    If the mean of the last five points costs less than the newest one, the path zigzags across a
    valley: it continues from the mean, with the length divided by 1.5. Otherwise the length grows
    by 1.1. The rate is the length of a step; the gradient determines only its direction.

    Parameters
    ----------
    value_and_gradient : callable
        Cost and gradient as a function of the parameters.
    state : DescentState
        The start.

    Returns
    -------
    DescentState
        The next state.

    References
    ----------
    Papari, Bunte and Biehl, Waypoint averaging and step size control in learning by
    gradient descent, 2011.

    Examples
    --------
    >>> bowl = lambda x: (float(x @ x), 2 * x)
    >>> waypoint_step(bowl, start_descent(bowl, np.array([3.0, 4.0]), rate=1.0)).x.round(6)
    array([2.4, 3.2])
    """
    n_places, growth, decay = 5, 1.1, 1 / 1.5
    length = float(np.linalg.norm(state.gradient))
    if length == 0:
        return state
    moved = _moved(value_and_gradient, state, state.rate / length)
    recent = (*state.recent, moved.x)[-n_places:]
    if len(recent) < n_places:
        return moved._replace(rate=state.rate, recent=recent)
    mean = np.mean(recent, axis=0)
    value, gradient = value_and_gradient(mean)
    if value < moved.value:
        return DescentState(mean, value, gradient, decay * state.rate, (*recent[:-1], mean))
    return moved._replace(rate=growth * state.rate, recent=recent)


StepRule = Callable[[ValueAndGradient, DescentState], DescentState]

STEP_RULES: dict[str, StepRule] = {
    "exact": exact_step,
    "backtracking": backtracking_step,
    "adaptive": adaptive_step,
    "waypoint": waypoint_step,
}


def start_descent(
    value_and_gradient: ValueAndGradient, x: Array, rate: float = 1.0
) -> DescentState:
    """Return the state at the start of a descent.

    Parameters
    ----------
    value_and_gradient : callable
        Cost and gradient as a function of the parameters.
    x : array of floats
        The start.
    rate : float
        First step size.

    Returns
    -------
    DescentState
        The start with its cost and gradient.

    Examples
    --------
    >>> start_descent(lambda x: (float(x @ x), 2 * x), np.array([3.0])).value
    9.0
    """
    return DescentState(x, *value_and_gradient(x), rate)


def _moved(value_and_gradient: ValueAndGradient, state: DescentState, rate: float) -> DescentState:
    x = state.x - rate * state.gradient
    return DescentState(x, *value_and_gradient(x), rate, state.recent)
