"""Projected gradient descent: minimisation in a convex set."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from shallows.descent._result import Minimum, Record
from shallows.descent._step_sizes import SUFFICIENT, cost_change
from shallows.descent._stopping import StoppingRule
from shallows.descent._types import Array, ValueAndGradient


def projected_gradient(
    value_and_gradient: ValueAndGradient,
    project: Callable[[Array], Array],
    start: Array,
    *,
    first_rate: float = 1.0,
    stopping: StoppingRule | None = None,
) -> Minimum:
    """Minimise in a convex set: a gradient step, then projection to the nearest feasible point.

    The trial step is twice the last one and is halved until the cost falls enough along the
    projected path, so no rate has to be chosen.

    Parameters
    ----------
    value_and_gradient : callable
        Function of a vector that returns its value and its gradient.
    project : callable
        Maps any point to the nearest feasible one, such as ``lambda x: np.clip(x, low, high)`` for
        a box.
    start : array of floats
        Start; it is projected first.
    first_rate : float
        First step size.
    stopping : StoppingRule or None
        When to stop; None stops at a gradient norm of 1e-6 or after 1000 iterations.

    Returns
    -------
    Minimum
        The minimum found. Its gradient norm is the length of x - project(x - gradient), which is
        zero exactly if the Kuhn-Tucker conditions are met.

    References
    ----------
    Bertsekas, On the Goldstein-Levitin-Polyak gradient projection method, 1976.

    Examples
    --------
    >>> bowl = lambda x: (float((x - 2) @ (x - 2)), 2 * (x - 2))
    >>> projected_gradient(bowl, lambda x: np.clip(x, 0, 1), np.zeros(2)).x
    array([1., 1.])
    """
    record = Record(stopping or StoppingRule(gradient_norm=1e-6))
    x, rate = project(start.copy()), first_rate
    value, gradient = value_and_gradient(x)
    while not record.add(x, value, float(np.linalg.norm(x - project(x - gradient)))):
        rate *= 2
        while True:
            trial = project(x - rate * gradient)
            move = trial - x
            if not move.any():
                return record.finish(x)
            trial_value, trial_gradient = value_and_gradient(trial)
            # Armijo condition for the projected step.
            promised = -SUFFICIENT / rate * float(move @ move)
            if cost_change(value, gradient, trial_value, trial_gradient, move) <= promised:
                break
            rate /= 2
        x, value, gradient = trial, trial_value, trial_gradient
    return record.finish(x)
