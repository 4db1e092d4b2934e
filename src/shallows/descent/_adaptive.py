"""Update rules with one rate per parameter: AdaGrad, RMSProp, Adam and vSGD."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shallows.descent._types import Array


class SquareState(NamedTuple):
    """Sum or exponential average of the squared gradients."""

    square: Array


class AdamState(NamedTuple):
    """Averages of the gradient and of its square, and the number of steps."""

    mean: Array
    square: Array
    n_steps: int


class VarianceState(NamedTuple):
    """Averages of gradient, squared gradient and curvature, and their memory in steps."""

    mean: Array
    square: Array
    curvature: Array
    memory: Array


def blend(old: Array, new: Array, weight: float | Array) -> Array:
    """Return old + weight (new - old) with a single temporary."""
    mixed = new - old
    mixed *= weight
    mixed += old
    return mixed


def adagrad_init(parameters: Array) -> SquareState:
    """State of AdaGrad before the first step."""
    return SquareState(np.zeros_like(parameters))


def adagrad_step(
    parameters: Array,
    gradient: Array,
    state: SquareState,
    rate: float | Array,
    epsilon: float = 1e-10,
) -> tuple[Array, SquareState]:
    """AdaGrad: divides the rate of each parameter by the root of its summed squared gradients.

    Parameters
    ----------
    parameters, gradient : array of floats
        Parameters and their gradient.
    state : SquareState
        Sum of the squared gradients so far.
    rate : float or array
        Learning rate.
    epsilon : float
        Added to the root, against division by zero.

    Returns
    -------
    parameters : array
        New parameters.
    state : SquareState
        The new sum.

    References
    ----------
    Duchi, Hazan and Singer, Adaptive subgradient methods for online learning and
    stochastic optimization, 2011.

    Examples
    --------
    >>> place = np.array([1.0, 1.0])
    >>> adagrad_step(place, np.array([5.0, -0.2]), adagrad_init(place), 0.1)[0].round(6)
    array([0.9, 1.1])
    """
    square = gradient * gradient
    square += state.square
    return _scaled_step(parameters, gradient, square, rate, epsilon), SquareState(square)


def rmsprop_init(parameters: Array) -> SquareState:
    """State of RMSProp before the first step."""
    return SquareState(np.zeros_like(parameters))


def rmsprop_step(
    parameters: Array,
    gradient: Array,
    state: SquareState,
    rate: float | Array,
    decay: float = 0.9,
    epsilon: float = 1e-8,
) -> tuple[Array, SquareState]:
    """RMSProp: like AdaGrad, but an exponential average forgets old gradients.

    Parameters
    ----------
    parameters, gradient : array of floats
        Parameters and their gradient.
    state : SquareState
        Average of the squared gradients, starting from 0.
    rate : float or array
        Learning rate.
    decay : float
        Share of the old average that is kept, in [0, 1).
    epsilon : float
        Added to the root, against division by zero.

    Returns
    -------
    parameters : array
        New parameters.
    state : SquareState
        The new average.

    References
    ----------
    Tieleman and Hinton, Lecture 6.5: RMSProp, 2012.

    Examples
    --------
    >>> place = np.array([1.0, 1.0])
    >>> rmsprop_step(place, np.array([5.0, -0.2]), rmsprop_init(place), 0.1, decay=0.75)[0].round(6)
    array([0.8, 1.2])
    """
    square = gradient * gradient
    square -= state.square
    square *= 1 - decay
    square += state.square
    return _scaled_step(parameters, gradient, square, rate, epsilon), SquareState(square)


def adam_init(parameters: Array) -> AdamState:
    """State of Adam before the first step."""
    return AdamState(np.zeros_like(parameters), np.zeros_like(parameters), 0)


def adam_step(
    parameters: Array,
    gradient: Array,
    state: AdamState,
    rate: float | Array,
    mean_decay: float = 0.9,
    square_decay: float = 0.999,
    epsilon: float = 1e-8,
) -> tuple[Array, AdamState]:
    """Adam: averaged gradient over the root of the averaged square, both bias-corrected.

    Parameters
    ----------
    parameters, gradient : array of floats
        Parameters and their gradient.
    state : AdamState
        The two averages and the number of steps.
    rate : float or array
        Learning rate; about the size of each step.
    mean_decay, square_decay : float
        Shares of the old averages that are kept, in [0, 1).
    epsilon : float
        Added to the root, against division by zero.

    Returns
    -------
    parameters : array
        New parameters.
    state : AdamState
        The new averages.

    References
    ----------
    Kingma and Ba, Adam: a method for stochastic optimization, 2015.

    Examples
    --------
    >>> place = np.array([1.0, 1.0])
    >>> adam_step(place, np.array([5.0, -0.2]), adam_init(place), 0.1)[0].round(6)
    array([0.9, 1.1])
    """
    n_steps = state.n_steps + 1
    mean = blend(state.mean, gradient, 1 - mean_decay)
    square = gradient * gradient
    square -= state.square
    square *= 1 - square_decay
    square += state.square
    # The bias corrections of both averages are two scalars, which saves passes over the arrays.
    root_correction = (1 - square_decay**n_steps) ** 0.5
    rate = np.asarray(rate) * (root_correction / (1 - mean_decay**n_steps))
    moved = _scaled_step(parameters, mean, square, rate, epsilon * root_correction)
    return moved, AdamState(mean, square, n_steps)


def vsgd_init(gradients: Array, curvatures: Array, caution: float = 2.0) -> VarianceState:
    """State of vSGD from a few gradients and curvatures at the start.

    Parameters
    ----------
    gradients, curvatures : array of floats, shape (n_first, n_parameters)
        Gradients and diagonal second derivatives of single examples.
    caution : float
        Factor on squares and curvatures that keeps the first rates small.

    Returns
    -------
    VarianceState
        Averages with a memory of `n_first` steps.

    Examples
    --------
    >>> vsgd_init(np.array([[1.0], [3.0]]), np.array([[2.0], [2.0]])).mean
    array([2.])
    """
    memory = np.full(gradients.shape[1], len(gradients), dtype=gradients.dtype)
    square = caution * (gradients * gradients).mean(axis=0)
    curvature = caution * np.abs(curvatures).mean(axis=0)
    return VarianceState(gradients.mean(axis=0), square, curvature, memory)


def vsgd_step(
    parameters: Array,
    gradient: Array,
    curvature: Array,
    state: VarianceState,
    epsilon: float = 1e-12,
) -> tuple[Array, VarianceState]:
    """vSGD: uses the rate that minimises the expected cost of a noisy parabola.

    Per parameter the rate is m^2 / (h v), with averages m of the gradient, v of its square and h
    of the curvature: 1/h without noise, small if noise dominates. The averages forget faster after
    large steps. Unlike the rules in `OPTIMIZERS` it needs the diagonal curvature of the example,
    and takes no rate.

    Parameters
    ----------
    parameters, gradient, curvature : array of floats
        Parameters, and gradient and diagonal second derivatives of one example.
    state : VarianceState
        The averages, see `vsgd_init`.
    epsilon : float
        Added to h v, against division by zero.

    Returns
    -------
    parameters : array
        New parameters.
    state : VarianceState
        The new averages.

    References
    ----------
    Schaul, Zhang and LeCun, No more pesky learning rates, 2013.

    Examples
    --------
    >>> place, gradient, curvature = np.array([3.0]), np.array([6.0]), np.array([2.0])
    >>> state = vsgd_init(gradient[None], curvature[None], caution=1.0)
    >>> vsgd_step(place, gradient, curvature, state)[0].round(9)
    array([0.])
    """
    share = 1 / state.memory
    mean = blend(state.mean, gradient, share)
    square = blend(state.square, gradient * gradient, share)
    bend = blend(state.curvature, np.abs(curvature), share)
    # m^2 / v is 1 without noise: then only the newest gradient is remembered.
    signal = mean * mean
    memory = (1 - signal / (square + epsilon)) * state.memory + 1
    moved = parameters - signal / (bend * square + epsilon) * gradient
    return moved, VarianceState(mean, square, bend, memory)


def _scaled_step(
    parameters: Array, direction: Array, square: Array, rate: float | Array, epsilon: float
) -> Array:
    moved = np.sqrt(square)
    moved += epsilon
    np.divide(direction, moved, out=moved)
    moved *= np.asarray(rate, dtype=parameters.dtype)
    np.subtract(parameters, moved, out=moved)
    return moved
