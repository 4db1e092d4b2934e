r"""Leaky integrate-and-fire neurons, alone or coupled by synapses.

The potential of a neuron leaks towards rest and is driven by a current. When it reaches the
threshold, the neuron fires and its potential is reset:

.. math:: \tau \dot V = -(V - V_{rest}) + R I, \qquad V \geq V_{th}: \text{ spike, } V := V_{reset}

A spike shifts the potential of every connected neuron by the strength of the synapse, up if that
is positive and down if it is negative. The current is constant within a step, so potentials and
spike times are exact solutions. Spikes arrive at the beginning of the next step.

Examples
--------
>>> import numpy as np
>>> from shallows.neuron import integrate_and_fire
>>> record = integrate_and_fire.simulate(np.full(1000, 1.5), dt=0.1)
>>> np.round(np.diff(record.spikes[0]), 6)
array([21.972246, 21.972246, 21.972246])
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shallows._core.numerics.compile import compiled


class Neuron(NamedTuple):
    """Time constant, resistance, and the potentials of threshold, reset and rest."""

    tau: float = 20.0
    resistance: float = 1.0
    threshold: float = 1.0
    reset: float = 0.0
    rest: float = 0.0


PLAIN = Neuron()


class State(NamedTuple):
    """Time, potentials, and number of spikes of each neuron in the last step."""

    time: float
    potentials: np.ndarray
    fired: np.ndarray


class Recording(NamedTuple):
    """Result of a simulation.

    `potentials` of shape (n_steps + 1, n_neurons) includes the start. `spikes` is a list of
    arrays, the spike times of each neuron.
    """

    potentials: np.ndarray
    spikes: list[np.ndarray]


def init(n_neurons: int = 1, neuron: Neuron = PLAIN) -> State:
    """Return neurons at rest at time 0.

    Examples
    --------
    >>> init(3).potentials
    array([0., 0., 0.])
    """
    return State(0.0, np.full(n_neurons, float(neuron.rest)), np.zeros(n_neurons, dtype=np.int64))


def step(state: State, current, dt: float = 0.1, weights=None, neuron: Neuron = PLAIN) -> State:
    """Return the state `dt` later under a constant current.

    Parameters
    ----------
    state : State
        The state before.
    current : float or array-like of shape (n_neurons,)
        Current into each neuron.
    dt : float, default=0.1
        Length of the step, in the unit of `tau`.
    weights : array-like of shape (n_neurons, n_neurons) or None, default=None
        Synapses: entry i, j is the strength of the synapse from neuron j to neuron i. Each
        direction has its own strength.
    neuron : Neuron, default=PLAIN
        Constants of the neurons.

    Returns
    -------
    state : State
        The state after the step.

    Examples
    --------
    >>> state = step(init(), current=2.0, dt=100.0)
    >>> int(state.fired[0])
    7
    """
    currents = np.broadcast_to(np.asarray(current, dtype=np.float64), (1, len(state.potentials)))
    record = _follow(state, currents, dt, weights, neuron)
    fired = np.array([len(times) for times in record.spikes])
    return State(state.time + dt, record.potentials[1], fired)


def simulate(
    currents, dt: float = 0.1, weights=None, neuron: Neuron = PLAIN, state: State | None = None
) -> Recording:
    """Simulate neurons under a sequence of currents.

    Parameters
    ----------
    currents : array-like of shape (n_steps,) or (n_steps, n_neurons)
        Current in each step.
    dt : float, default=0.1
        Length of a step, in the unit of `tau`.
    weights : array-like of shape (n_neurons, n_neurons) or None, default=None
        Synapses: entry i, j is the strength of the synapse from neuron j to neuron i.
    neuron : Neuron, default=PLAIN
        Constants of the neurons.
    state : State or None, default=None
        Start; None means rest at time 0.

    Returns
    -------
    recording : Recording
        Potentials after each step, and the times of the spikes.

    Examples
    --------
    >>> [len(times) for times in simulate(np.full((1000, 2), [1.5, 0.5])).spikes]
    [4, 0]
    """
    currents = np.asarray(currents, dtype=np.float64)
    currents = currents[:, None] if currents.ndim == 1 else currents
    return _follow(state or init(currents.shape[1], neuron), currents, dt, weights, neuron)


def _follow(state, currents, dt, weights, neuron):
    n = len(state.potentials)
    strengths = np.zeros((n, n)) if weights is None else np.array(weights, dtype=np.float64)
    if currents.shape[1:] != (n,) or strengths.shape != (n, n):
        raise ValueError(
            f"integrate_and_fire: for {n} neurons currents must have {n} columns and weights the "
            f"shape {(n, n)}, got shapes {currents.shape} and {strengths.shape}."
        )
    if not (dt > 0 and neuron.tau > 0 and neuron.reset < neuron.threshold):
        raise ValueError(
            "integrate_and_fire: dt and tau must be positive and the reset below the threshold, "
            f"got dt={dt}, {neuron}."
        )
    drives = neuron.rest + neuron.resistance * currents
    potentials, who, when = _path(
        np.array(state.potentials),
        np.array(state.fired),
        drives,
        float(dt),
        strengths,
        float(neuron.tau),
        float(neuron.threshold),
        float(neuron.reset),
    )
    when = when + state.time
    return Recording(potentials, [when[who == i] for i in range(n)])


@compiled
def _path(v, fired, drives, dt, weights, tau, threshold, reset):
    """Return the potentials after each step, and which neuron fired when."""
    n_steps, n = drives.shape
    potentials = np.empty((n_steps + 1, n))
    for i in range(n):
        potentials[0, i] = v[i]
    who, when = [0], [0.0]  # the first pair fixes the types and is dropped at the end
    for t in range(n_steps):
        # Spikes of the last step arrive.
        for j in range(n):
            if fired[j] > 0:
                for i in range(n):
                    v[i] += fired[j] * weights[i, j]
        for i in range(n):
            drive, left = drives[t, i], dt
            fired[i] = 0
            while left > 0.0:
                # Time until the threshold: V approaches the drive exponentially.
                wait = np.inf
                if v[i] >= threshold:
                    wait = 0.0
                elif drive > threshold:
                    wait = tau * np.log((drive - v[i]) / (drive - threshold))
                if wait > left:
                    v[i] = drive + (v[i] - drive) * np.exp(-left / tau)
                    left = 0.0
                else:
                    left -= wait
                    v[i] = reset
                    fired[i] += 1
                    who.append(i)
                    when.append((t + 1) * dt - left)
            potentials[t + 1, i] = v[i]
    return potentials, np.array(who)[1:], np.array(when)[1:]
