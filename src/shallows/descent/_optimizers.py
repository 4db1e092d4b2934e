"""Update rules by name: pure functions on a flat parameter vector and an immutable state.

Every rule is a pair `init(parameters) -> state` and
`step(parameters, gradient, state, rate, **settings) -> (parameters, state)`. The rate is a
number, or one number per parameter. Inputs are never changed; float32 stays float32.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from shallows.descent import _adaptive as adaptive
from shallows.descent import _sign_steps as sign_steps
from shallows.descent._types import Array


class Optimizer(NamedTuple):
    """The two functions of an update rule; `step` takes the rule's settings by keyword.

    Examples
    --------
    >>> rule = OPTIMIZERS["momentum"]
    >>> place = np.array([4.0])
    >>> state = rule.init(place)
    >>> for _ in range(200):
    ...     place, state = rule.step(place, 2 * place, state, 0.05, momentum=0.5)
    >>> bool(abs(place[0]) < 1e-6)
    True
    """

    init: Callable[[Array], Any]
    step: Callable[..., tuple[Array, Any]]


class MomentumState(NamedTuple):
    """Memory of momentum: the last step, or the averaged gradient."""

    memory: Array


def gradient_init(parameters: Array) -> None:
    """State of plain gradient descent: nothing."""


def gradient_step(
    parameters: Array, gradient: Array, state: None, rate: float | Array
) -> tuple[Array, None]:
    """Gradient descent: w - rate g.

    Parameters
    ----------
    parameters, gradient : array of floats
        Parameters and their gradient.
    state : None
        Nothing to remember.
    rate : float or array
        Learning rate.

    Returns
    -------
    parameters : array
        New parameters.
    state : None
        Nothing.

    Examples
    --------
    >>> gradient_step(np.array([1.0, 1.0]), np.array([2.0, -2.0]), None, 0.1)[0]
    array([0.8, 1.2])
    """
    moved = gradient * np.asarray(rate, dtype=parameters.dtype)
    np.subtract(parameters, moved, out=moved)
    return moved, state


def momentum_init(parameters: Array) -> MomentumState:
    """State of all kinds of momentum before the first step."""
    return MomentumState(np.zeros_like(parameters))


def momentum_step(
    parameters: Array,
    gradient: Array,
    state: MomentumState,
    rate: float | Array,
    momentum: float = 0.9,
) -> tuple[Array, MomentumState]:
    """Heavy ball: step = -rate g + momentum * last step.

    A constant gradient leads to steps of size rate g / (1 - momentum), an alternating one to steps
    of size rate g / (1 + momentum).

    Parameters
    ----------
    parameters, gradient : array of floats
        Parameters and their gradient.
    state : MomentumState
        The last step.
    rate : float or array
        Learning rate.
    momentum : float
        Share of the last step that is kept, in [0, 1).

    Returns
    -------
    parameters : array
        New parameters.
    state : MomentumState
        The step that led there.

    Examples
    --------
    >>> place, gradient = np.array([1.0]), np.array([1.0])
    >>> place, state = momentum_step(place, gradient, momentum_init(place), 0.1)
    >>> momentum_step(place, gradient, state, 0.1)[0]
    array([0.71])
    """
    step = _remembered(gradient, state, rate, momentum)
    return parameters + step, MomentumState(step)


def averaged_momentum_step(
    parameters: Array,
    gradient: Array,
    state: MomentumState,
    rate: float | Array,
    momentum: float = 0.9,
) -> tuple[Array, MomentumState]:
    """Momentum as an exponential average: m = momentum m + (1 - momentum) g, then -rate m.

    Parameters
    ----------
    parameters, gradient : array of floats
        Parameters and their gradient.
    state : MomentumState
        The averaged gradient.
    rate : float or array
        Learning rate.
    momentum : float
        Share of the old average that is kept, in [0, 1).

    Returns
    -------
    parameters : array
        New parameters.
    state : MomentumState
        The new average.

    Examples
    --------
    >>> place = np.array([1.0])
    >>> averaged_momentum_step(place, np.array([1.0]), momentum_init(place), 0.1)[0]
    array([0.99])
    """
    mean = adaptive.blend(state.memory, gradient, 1 - momentum)
    return gradient_step(parameters, mean, None, rate)[0], MomentumState(mean)


def nesterov_step(
    parameters: Array,
    gradient: Array,
    state: MomentumState,
    rate: float | Array,
    momentum: float = 0.9,
) -> tuple[Array, MomentumState]:
    """Nesterov's momentum: uses the gradient at the point to which the last step would lead.

    Here `parameters` is this look-ahead point z = w + momentum * last step, so that the caller
    evaluates the gradient at `parameters`, as for every other rule: step' = -rate g(z) + momentum
    * step, z' = z - rate g(z) + momentum * step'. Both points converge as steps vanish;
    `nesterov_base` returns w.

    Parameters
    ----------
    parameters, gradient : array of floats
        The look-ahead point and its gradient.
    state : MomentumState
        The last step.
    rate : float or array
        Learning rate.
    momentum : float
        Share of the last step that is kept, in [0, 1).

    Returns
    -------
    parameters : array
        The new look-ahead point.
    state : MomentumState
        The step.

    Examples
    --------
    >>> place = np.array([1.0])
    >>> place, state = nesterov_step(place, np.array([1.0]), momentum_init(place), 0.1)
    >>> place, nesterov_base(place, state)
    (array([0.81]), array([0.9]))
    """
    step = _remembered(gradient, state, rate, momentum)
    moved = gradient_step(parameters, gradient, None, rate)[0]
    moved += momentum * step
    return moved, MomentumState(step)


def nesterov_base(parameters: Array, state: MomentumState, momentum: float = 0.9) -> Array:
    """Return the point w that belongs to the look-ahead point of `nesterov_step`.

    Parameters
    ----------
    parameters : array of floats
        The look-ahead point.
    state : MomentumState
        The last step.
    momentum : float
        Share of the last step that is kept; the same as in the steps before.

    Returns
    -------
    array
        The point without look-ahead.

    Examples
    --------
    >>> nesterov_base(np.array([0.81]), MomentumState(np.array([-0.1])))
    array([0.9])
    """
    return parameters - momentum * state.memory


def _remembered(
    gradient: Array, state: MomentumState, rate: float | Array, momentum: float
) -> Array:
    step = momentum * state.memory
    step -= gradient * np.asarray(rate, dtype=gradient.dtype)
    return step


OPTIMIZERS: dict[str, Optimizer] = {
    "gradient": Optimizer(gradient_init, gradient_step),
    "momentum": Optimizer(momentum_init, momentum_step),
    "averaged_momentum": Optimizer(momentum_init, averaged_momentum_step),
    "nesterov": Optimizer(momentum_init, nesterov_step),
    "adagrad": Optimizer(adaptive.adagrad_init, adaptive.adagrad_step),
    "rmsprop": Optimizer(adaptive.rmsprop_init, adaptive.rmsprop_step),
    "adam": Optimizer(adaptive.adam_init, adaptive.adam_step),
    "rprop": Optimizer(sign_steps.rprop_init, sign_steps.rprop_step),
    "quickprop": Optimizer(sign_steps.quickprop_init, sign_steps.quickprop_step),
}
