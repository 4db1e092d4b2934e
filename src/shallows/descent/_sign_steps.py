"""Update rules that look at signs and changes of the gradient: R-prop and Quick-prop."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shallows.descent._types import Array


class RPropState(NamedTuple):
    """Signs of the last gradient, step sizes, and whether any step was made."""

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
    """R-prop: each parameter moves by its own step size against the sign of its gradient.

    The size grows while the sign stays and shrinks when it changes; a parameter whose sign
    changed rests for one step (variant iRprop- of Igel and Hüsken). For full batches: noise
    in the gradient flips signs.

    Parameters
    ----------
    parameters, gradient : array of floats
        The place and the gradient there.
    state : RPropState
        Last signs and step sizes.
    rate : float or array
        First step size; later steps adapt and don't read it.
    increase, decrease : float
        Factors on a step size when the sign stays or changes.
    smallest, largest : float
        Bounds of the step sizes.

    Returns
    -------
    parameters : array
        The new place.
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
        # Agreement is -1, 0 or 1: arithmetic picks the factor much faster than np.where.
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
    """Quick-prop: each parameter jumps to the minimum of the parabola through two slopes.

    With slopes g and g' of this and the last place and the last step s', the jump is
    s' g / (g' - g), limited to `growth` times the last step; the limit also stands in where
    the parabola has no minimum ahead. A parameter without a last step makes a gradient step.
    For full batches: the difference of two noisy slopes says little.

    Parameters
    ----------
    parameters, gradient : array of floats
        The place and the gradient there.
    state : QuickPropState
        The last gradient and step.
    rate : float or array
        Learning rate of the gradient steps.
    growth : float
        Largest ratio of a step to the last one.

    Returns
    -------
    parameters : array
        The new place.
    state : QuickPropState
        And gradient and step that led there.

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
