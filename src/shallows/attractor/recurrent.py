r"""Dynamics of a recurrent network.

Units change all at the same time (``"parallel"``), one after the other in their order
(``"sequential"``), or in a new random order in each sweep (``"random"``). All three have the same
fixed points. With symmetric weights and binary units a single change never raises the energy.
Sequential updates therefore end in a fixed point; parallel updates may also end in a cycle of two
states.

Without an activation units are binary, +1 or -1. At temperature 0 a unit takes the sign of its
field and keeps its state if the field is zero. At a temperature :math:`T` it is +1 with
probability :math:`1 / (1 + \exp(-2 h / T))`; sequential updates are then Gibbs sampling from
:math:`\exp(-H / T)`.

Examples
--------
>>> import numpy as np
>>> from shallows.attractor import recurrent
>>> magnet = np.ones((5, 5)) - np.eye(5)
>>> path = recurrent.run([1, 1, 1, -1, -1], magnet)
>>> path.states[-1], path.period
(array([1., 1., 1., 1., 1.]), 1)
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from shallows._core.contract.rng import as_generator
from shallows.attractor._sweeps import sweep_rows, tie_size
from shallows.descent._activations import ACTIVATIONS

Update = Literal["parallel", "sequential", "random"]


class State(NamedTuple):
    """States of the units, one row per copy of the network, and the number of steps."""

    states: np.ndarray
    time: int


class Path(NamedTuple):
    """Trajectory of a run.

    `states` has one entry per step, including the start. `period` is 1 if the last step changed
    nothing, 2 if the last two steps returned to the same state, and 0 otherwise.
    """

    states: np.ndarray
    period: int


def init(states) -> State:
    """Return the network in the given states, of shape (n_units,) or (n_samples, n_units).

    Examples
    --------
    >>> init([1, -1]).time
    0
    """
    return State(np.array(states, dtype=np.float64), 0)


def step(
    state: State,
    weights,
    biases=0.0,
    *,
    update: Update = "sequential",
    activation: str | None = None,
    temperature: float = 0.0,
    random_state=None,
) -> State:
    """Return the network after one update of every unit.

    Parameters
    ----------
    state : State
        The network before the step.
    weights : array-like of shape (n_units, n_units)
        Entry i, j is the weight from unit j to unit i; it need not be symmetric.
    biases : float or array-like of shape (n_units,), default=0.0
        Added to the fields.
    update : {"parallel", "sequential", "random"}, default="sequential"
        Order of the updates.
    activation : str or None, default=None
        Name of an activation for graded units; None for binary units.
    temperature : float, default=0.0
        Temperature of binary units.
    random_state : int, RandomState, Generator or None, default=None
        Seeds random orders, and states at a temperature above 0. A Generator continues from step
        to step; an int makes every step draw the same numbers.

    Returns
    -------
    state : State
        The network after the step.

    Examples
    --------
    >>> step(init([1.0, -1.0]), [[0, 1], [1, 0]], update="parallel").states
    array([-1.,  1.])
    """
    weights = np.asarray(weights, dtype=np.float64)
    n = state.states.shape[-1]
    if weights.shape != (n, n):
        raise ValueError(
            f"recurrent: {n} units need weights of shape {(n, n)}, got {weights.shape}."
        )
    if update not in ("parallel", "sequential", "random"):
        raise ValueError(
            f"recurrent: update must be parallel, sequential or random, got {update!r}."
        )
    if temperature < 0 or (activation is not None and temperature > 0):
        raise ValueError(
            "recurrent: temperature must not be negative, and 0 for graded units, "
            f"got temperature={temperature}, activation={activation!r}."
        )
    biases, rng = np.broadcast_to(biases, (n,)).astype(np.float64), as_generator(random_state)
    states = np.array(state.states).reshape(-1, n)
    if activation is not None:
        states = _graded(states, weights, biases, ACTIVATIONS[activation].value, update, rng)
    elif update == "parallel":
        states = parallel(states, weights, biases, temperature, rng, tie_size(weights))
    else:
        shuffle = update == "random"
        sweep_rows(states, weights, biases, rng, shuffle=shuffle, temperature=temperature)
    return State(states.reshape(state.states.shape), state.time + 1)


def run(states, weights, biases=0.0, *, max_steps: int = 100, random_state=None, **options) -> Path:
    """Run the network until it rests or cycles, or for `max_steps`.

    Parameters
    ----------
    states : array-like of shape (n_units,) or (n_samples, n_units)
        Initial states.
    weights : array-like of shape (n_units, n_units)
        Entry i, j is the weight from unit j to unit i.
    biases : float or array-like of shape (n_units,), default=0.0
        Added to the fields.
    max_steps : int, default=100
        Largest number of steps.
    random_state : int, RandomState, Generator or None, default=None
        Seeds random orders, and states at a temperature above 0.
    **options
        `update`, `activation` and `temperature` of `step`.

    Returns
    -------
    path : Path
        States after each step, and the period.

    Examples
    --------
    >>> run([1, -1], [[0, 1], [1, 0]], update="parallel").period
    2
    """
    state, rng = init(states), as_generator(random_state)
    seen, period = [state.states], 0
    cold = not options.get("temperature", 0.0)
    while len(seen) <= max_steps and not period:
        state = step(state, weights, biases, random_state=rng, **options)
        if cold and (state.states == seen[-1]).all():
            period = 1
        elif cold and len(seen) > 1 and (state.states == seen[-2]).all():
            period = 2
        seen.append(state.states)
    return Path(np.array(seen), period)


def parallel(states, weights, biases, temperature, rng, tie):
    """Return the states of binary units after a simultaneous update.

    A field up to `tie` in size counts as zero.
    """
    fields = states @ weights.T + biases
    if temperature > 0:
        with np.errstate(over="ignore"):
            chance = 1 / (1 + np.exp(-2 * fields / temperature))
        return np.where(rng.random(fields.shape) < chance, 1.0, -1.0)
    return np.where(np.abs(fields) > tie, np.sign(fields), states)


def _graded(states, weights, biases, activation, update, rng):
    if update == "parallel":
        return activation(states @ weights.T + biases)
    order = np.arange(len(weights))
    for unit in rng.permutation(order) if update == "random" else order:
        states[:, unit] = activation(states @ weights[unit] + biases[unit])
    return states
