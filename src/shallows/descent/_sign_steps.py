"""Update rules that use signs and changes of the gradient: R-prop and Quick-prop."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shallows.descent._types import Array


class RPropState(NamedTuple):
    """Signs of the last gradient, step sizes, and whether a step was made."""

    signs: Array
    sizes: Array
    started: bool


class QuickPropState(NamedTuple):
    """The last gradient and the last step."""

    gradient: Array
    step: Array


def rprop_init(parameters: Array) -> RPropState:
    """State of R-prop before the first step."""
    return RPropState(np.zeros_like(parameters), np.zeros_like(parameters), False)


def rprop_step(
    parameters: Array,
    gradient: Array,
    state: RPropState,
    rate: float | Array,
    increase: float = 1.2,
    decrease: float = 0.5,
    smallest: float = 1e-6,
    largest: float = 50.0,
) -> tuple[Array, RPropState]:
    """R-prop: moves each parameter against the sign of its gradient by its own step size.

    The step size grows while the sign stays the same and shrinks when it changes; a parameter
    whose sign changed rests for one step (variant iRprop- of Igel and Hüsken). Use it with full
    batches, because noise in the gradient flips signs.

    Parameters
    ----------
    parameters, gradient : array of floats
        Parameters and their gradient.
    state : RPropState
        Last signs and step sizes.
    rate : float or array
        First step size; later step sizes adapt and ignore it.
    increase, decrease : float
        Factors of the step size when the sign stays the same, and when it changes.
    smallest, largest : float
        Bounds of the step sizes.

    Returns
    -------
    parameters : array
        New parameters.
    state : RPropState
        Signs and step sizes.

    References
    ----------
    Riedmiller and Braun, A direct adaptive method for faster backpropagation learning: the
    RPROP algorithm, 1993. Igel and Hüsken, Improving the Rprop learning algorithm, 2000.

    Examples
    --------
    >>> place = np.array([1.0, 1.0])
    >>> rprop_step(place, np.array([500.0, -0.01]), rprop_init(place), 0.1)[0]
    array([0.9, 1.1])
    """
    signs = np.sign(gradient)
    sizes: Array = np.full_like(parameters, rate)
    if state.started:
        agreement = signs * state.signs
        # Agreement is -1, 0 or 1; arithmetic selects the factor much faster than np.where.
        factor = 1 + (increase - 1) * np.maximum(agreement, 0)
        factor += (1 - decrease) * np.minimum(agreement, 0)
        sizes = np.clip(state.sizes * factor, smallest, largest)
        signs *= agreement >= 0
    return parameters - signs * sizes, RPropState(signs, sizes, True)


def quickprop_init(parameters: Array) -> QuickPropState:
    """State of Quick-prop before the first step."""
    return QuickPropState(np.zeros_like(parameters), np.zeros_like(parameters))


def quickprop_step(
    parameters: Array,
    gradient: Array,
    state: QuickPropState,
    rate: float | Array,
    growth: float = 1.75,
) -> tuple[Array, QuickPropState]:
    """Quick-prop: moves each parameter to the minimum of the parabola through two slopes.

    With the current slope g, the last slope g' and the last step s', the step is s' g / (g' - g),
    limited to `growth` times the last step. The limit is also used if the parabola has no minimum
    ahead. A parameter without a last step makes a gradient step. Use it with full batches, because
    the difference of two noisy slopes is unreliable.

    Parameters
    ----------
    parameters, gradient : array of floats
        Parameters and their gradient.
    state : QuickPropState
        The last gradient and step.
    rate : float or array
        Learning rate of gradient steps.
    growth : float
        Largest ratio of a step to the previous one.

    Returns
    -------
    parameters : array
        New parameters.
    state : QuickPropState
        Gradient and step that led there.

    References
    ----------
    Fahlman, Faster-learning variations on back-propagation: an empirical study, 1988.

    Examples
    --------
    >>> place = np.array([1.0])  # cost (w - 3)^2 / 2, minimum at 3
    >>> place, state = quickprop_step(place, place - 3, quickprop_init(place), 0.5)
    >>> quickprop_step(place, place - 3, state, 0.5)[0]
    array([3.])
    """
    change = state.gradient - gradient
    ahead = np.sign(change) * np.sign(state.gradient) > 0
    ratio = np.divide(gradient, change, out=np.full_like(gradient, growth), where=ahead)
    np.minimum(ratio, growth, out=ratio)
    plain = -gradient * np.asarray(rate, dtype=parameters.dtype)
    step = np.where(state.step == 0, plain, ratio * state.step)
    return parameters + step, QuickPropState(gradient.copy(), step)
