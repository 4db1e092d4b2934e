r"""Hodgkin and Huxley's membrane: four coupled equations that produce spikes.

The potential :math:`V` is driven by an injected current and by three ionic currents, whose
channels open and close depending on :math:`V` [1]_:

.. math::

   C \dot V &= I - g_{Na} m^3 h (V - E_{Na}) - g_K n^4 (V - E_K) - g_L (V - E_L) \\
   \dot x &= \alpha_x(V) (1 - x) - \beta_x(V) x \quad\text{for } x = m, h, n

Units are ms, mV and :math:`\mu A / cm^2`; the resting potential is -65 mV. The equations are
integrated with the classical Runge-Kutta method of fourth order.

References
----------
.. [1] A. L. Hodgkin, A. F. Huxley, "A quantitative description of membrane current and its
   application to conduction and excitation in nerve", Journal of Physiology 117, 500-544, 1952.

Examples
--------
>>> import numpy as np
>>> from shallows.neuron import hodgkin_huxley
>>> weak, strong = (hodgkin_huxley.simulate(np.full(5000, I), dt=0.02) for I in (2.0, 10.0))
>>> len(weak.spikes), len(strong.spikes)
(0, 7)
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shallows._core.numerics.compile import compiled

REST = -65.0
SPIKE_LEVEL = 0.0  # mV; reached by spikes only


class State(NamedTuple):
    """Potential in mV, and the shares of open gates: m, h of sodium and n of potassium."""

    v: float
    m: float
    h: float
    n: float


class Membrane(NamedTuple):
    """Capacity, conductances (mS) and reversal potentials (mV) per square centimetre."""

    capacity: float = 1.0
    sodium: float = 120.0
    potassium: float = 36.0
    leak: float = 0.3
    sodium_potential: float = 50.0
    potassium_potential: float = -77.0
    leak_potential: float = -54.387


SQUID = Membrane()  # as measured on the squid's giant axon


class Recording(NamedTuple):
    """Result of a simulation.

    `states` has the columns V, m, h, n and starts with the initial state, so it has one row more
    than there are currents. `spikes` are the times at which V rises through 0 mV.
    """

    states: np.ndarray
    spikes: np.ndarray


def init(v: float = REST) -> State:
    """Return a membrane after a long time at potential `v`, with gates in equilibrium.

    Examples
    --------
    >>> init().m < 0.1 < init().h
    True
    """
    rates = np.array(_gates(v)).reshape(3, 2)
    return State(v, *(rates[:, 0] / rates.sum(axis=1)).tolist())


def step(state: State, current: float, dt: float = 0.01, membrane: Membrane = SQUID) -> State:
    """Return the state `dt` milliseconds later under a constant current.

    Examples
    --------
    >>> step(init(), current=10.0).v > init().v
    True
    """
    return State(
        *_path(np.array(state), np.array([float(current)]), dt, tuple(membrane))[1].tolist()
    )


def simulate(
    currents, dt: float = 0.01, state: State | None = None, membrane: Membrane = SQUID
) -> Recording:
    """Simulate a membrane under a sequence of injected currents.

    Parameters
    ----------
    currents : array-like of shape (n_steps,)
        Current in each step of `dt`.
    dt : float, default=0.01
        Length of a step in ms; above 0.05 spikes lose their shape.
    state : State or None, default=None
        Start; None means the membrane at rest.
    membrane : Membrane, default=SQUID
        Constants of the membrane.

    Returns
    -------
    recording : Recording
        States after each step, and the times of the spikes.

    Examples
    --------
    >>> simulate(np.full(1000, 10.0)).states.shape
    (1001, 4)
    """
    currents = np.asarray(currents, dtype=np.float64)
    if currents.ndim != 1 or not np.isfinite(currents).all() or not dt > 0:
        raise ValueError(
            "hodgkin_huxley.simulate: currents must be a sequence of finite numbers and dt "
            f"positive, got currents of shape {currents.shape} and dt={dt}."
        )
    states = _path(np.array(state or init()), currents, dt, tuple(membrane))
    if not np.isfinite(states).all():
        raise ValueError(
            f"hodgkin_huxley.simulate: the potential diverges with dt={dt} ms. "
            "Choose a smaller dt; 0.01 is safe."
        )
    before, after = states[:-1, 0], states[1:, 0]
    rises = np.flatnonzero((before < SPIKE_LEVEL) & (after >= SPIKE_LEVEL))
    # Linear interpolation gives the time of a crossing within its step.
    shares = (SPIKE_LEVEL - before[rises]) / (after[rises] - before[rises])
    return Recording(states, (rises + shares) * dt)


@compiled
def _gates(v):
    """Return the opening and closing rates of m, h, n: alpha_m, beta_m, alpha_h, ..."""
    m, n = (v + 40.0) / 10.0, (v + 55.0) / 10.0
    return (
        _ramp(m),
        4.0 * np.exp(-(v + 65.0) / 18.0),
        0.07 * np.exp(-(v + 65.0) / 20.0),
        1.0 / (1.0 + np.exp(-(v + 35.0) / 10.0)),
        0.1 * _ramp(n),
        0.125 * np.exp(-(v + 65.0) / 80.0),
    )


@compiled
def _ramp(x):
    """Return x / (1 - exp(-x)), which is 1 at zero."""
    return 1.0 + x / 2.0 if abs(x) < 1e-6 else x / -np.expm1(-x)


@compiled
def _slope(v, m, h, n, current, capacity, sodium, potassium, leak, e_sodium, e_potassium, e_leak):
    """Return the time derivatives of V, m, h, n."""
    open_m, close_m, open_h, close_h, open_n, close_n = _gates(v)
    outward = sodium * m**3 * h * (v - e_sodium) + potassium * n**4 * (v - e_potassium)
    return (
        (current - outward - leak * (v - e_leak)) / capacity,
        open_m * (1.0 - m) - close_m * m,
        open_h * (1.0 - h) - close_h * h,
        open_n * (1.0 - n) - close_n * n,
    )


@compiled
def _path(start, currents, dt, membrane):
    """Return the states from the start on, one row per step."""
    states, shifts = np.empty((len(currents) + 1, 4)), (0.0, dt / 2, dt / 2, dt)
    for k in range(4):
        states[0, k] = start[k]
    for t in range(len(currents)):
        v, m, h, n = states[t, 0], states[t, 1], states[t, 2], states[t, 3]
        new_v, new_m, new_h, new_n = v, m, h, n
        dv, dm, dh, dn = 0.0, 0.0, 0.0, 0.0
        # Runge-Kutta: slopes at 0, dt/2, dt/2, dt with weights 1, 2, 2, 1 over 6.
        for stage in range(4):
            shift, weight = shifts[stage], dt / 6 if stage in (0, 3) else dt / 3
            dv, dm, dh, dn = _slope(
                v + shift * dv,
                m + shift * dm,
                h + shift * dh,
                n + shift * dn,
                currents[t],
                *membrane,
            )
            new_v += weight * dv
            new_m += weight * dm
            new_h += weight * dh
            new_n += weight * dn
        states[t + 1, 0], states[t + 1, 1] = new_v, new_m
        states[t + 1, 2], states[t + 1, 3] = new_h, new_n
    return states
