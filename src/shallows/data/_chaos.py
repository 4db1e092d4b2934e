"""Chaotic systems: Lorenz, Mackey-Glass, the baker's map."""

from __future__ import annotations

import numpy as np

from shallows._core.contract.params import (
    NonNegativeInt,
    PositiveFloat,
    PositiveInt,
    check_arguments,
)
from shallows._core.contract.rng import RandomState, as_generator
from shallows._core.numerics.compile import compiled


def lorenz(
    n_steps: PositiveInt,
    *,
    dt: PositiveFloat = 0.01,
    sigma: PositiveFloat = 10.0,
    rho: PositiveFloat = 28.0,
    beta: PositiveFloat = 8 / 3,
    washout: NonNegativeInt = 1000,
    start=None,
    random_state: RandomState = None,
) -> np.ndarray:
    r"""Integrate the Lorenz system with the classical Runge-Kutta method of fourth order.

    :math:`\dot x = \sigma (y - x)`, :math:`\dot y = x (\rho - z) - y`,
    :math:`\dot z = x y - \beta z` [1]_.

    Parameters
    ----------
    n_steps : int
        Number of states returned.
    dt : float, default=0.01
        Time step between states. Above about 0.1 the integration becomes unstable.
    sigma, rho, beta : float
        Parameters; the defaults 10, 28, 8/3 give the two-lobed attractor.
    washout : int, default=1000
        Steps dropped before the first returned state, so that it lies on the attractor.
    start : array-like of shape (3,) or None, default=None
        First state, before the dropped steps; None draws one near (1, 1, 20).
    random_state : int, RandomState, Generator or None, default=None
        Seeds the first state.

    Returns
    -------
    states : ndarray of shape (n_steps, 3)
        States x, y, z.

    References
    ----------
    .. [1] E. N. Lorenz, "Deterministic nonperiodic flow", Journal of the Atmospheric
       Sciences 20, 130-141, 1963.

    Examples
    --------
    >>> from shallows.data import lorenz
    >>> states = lorenz(2000, random_state=0)
    >>> bool(states[:, 0].min() < -10), bool(states[:, 0].max() > 10)
    (True, True)
    """
    check_arguments(lorenz, locals())
    rng = as_generator(random_state)
    first = np.array([1.0, 1.0, 20.0]) + rng.standard_normal(3) if start is None else start
    first = np.array(first, dtype=np.float64)
    if first.shape != (3,):
        raise ValueError(f"lorenz: start must be 3 numbers, got shape {first.shape}.")
    parameters = np.array([sigma, rho, beta], dtype=np.float64)
    with np.errstate(over="ignore", invalid="ignore"):
        states = lorenz_states(first, parameters, float(dt), washout, n_steps)
    return _finite("lorenz", states, dt)


def mackey_glass(
    n_steps: PositiveInt,
    *,
    tau: PositiveFloat = 17.0,
    dt: PositiveFloat = 1.0,
    substeps: PositiveInt = 10,
    washout: NonNegativeInt = 1000,
    start=None,
    random_state: RandomState = None,
) -> np.ndarray:
    r"""Integrate the Mackey-Glass delay equation.

    :math:`\dot x(t) = 0.2\, x(t-\tau) / (1 + x(t-\tau)^{10}) - 0.1\, x(t)` [1]_, chaotic for
    :math:`\tau > 16.8`. The method is classical Runge-Kutta with steps of length `dt / substeps`.
    Delayed values between stored ones are interpolated by cubic Hermite polynomials.

    Parameters
    ----------
    n_steps : int
        Number of values returned.
    tau : float, default=17.0
        Delay; at least ``dt / substeps``.
    dt : float, default=1.0
        Time between returned values.
    substeps : int, default=10
        Integration steps between returned values.
    washout : int, default=1000
        Number of values dropped before the first returned one.
    start : float or None, default=None
        Constant value for all times up to 0; None draws it uniformly between 0.9 and 1.3.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the first value.

    Returns
    -------
    series : ndarray of shape (n_steps,)
        Values.

    References
    ----------
    .. [1] M. C. Mackey and L. Glass, "Oscillation and chaos in physiological control
       systems", Science 197, 287-289, 1977.

    Examples
    --------
    >>> from shallows.data import mackey_glass
    >>> series = mackey_glass(500, random_state=0)
    >>> bool(0.2 < series.min()), bool(series.max() < 1.5)
    (True, True)
    """
    check_arguments(mackey_glass, locals())
    step = dt / substeps
    if tau < step:
        raise ValueError(
            f"mackey_glass: tau must be at least one step, dt / substeps = {step}, got {tau}."
        )
    rng = as_generator(random_state)
    first = rng.uniform(0.9, 1.3) if start is None else float(start)
    n_inner = (washout + n_steps - 1) * substeps
    with np.errstate(over="ignore", invalid="ignore"):
        values = mackey_glass_values(first, float(tau), float(step), n_inner)
    return _finite("mackey_glass", values[washout * substeps :: substeps].copy(), dt)


def baker_map(points, n_steps: NonNegativeInt = 1) -> np.ndarray:
    """Apply the baker's map: stretch, cut and fold the unit square like dough.

    A point (x, y) goes to (2x, y/2) if x < 1/2, otherwise to (2x - 1, (y + 1)/2). The map
    preserves areas and is one-to-one, yet separates neighbours within a few steps.

    Parameters
    ----------
    points : array-like of shape (n_points, 2)
        Points of the unit square.
    n_steps : int, default=1
        Number of applications. In float64 the horizontal coordinate has no binary digits left
        after 53 steps and stays 0.

    Returns
    -------
    mapped : ndarray of shape (n_points, 2)
        Images of the points.

    Examples
    --------
    >>> from shallows.data import baker_map
    >>> baker_map([[0.25, 0.5], [0.75, 0.5]])
    array([[0.5 , 0.25],
           [0.5 , 0.75]])
    """
    check_arguments(baker_map, locals())
    mapped = np.array(points, dtype=np.float64)
    if mapped.ndim != 2 or mapped.shape[1] != 2 or not ((mapped >= 0) & (mapped <= 1)).all():
        raise ValueError("baker_map: points must be rows of two numbers between 0 and 1.")
    for _ in range(n_steps):
        right = mapped[:, 0] >= 0.5
        mapped[:, 0] = 2 * mapped[:, 0] - right
        mapped[:, 1] = (mapped[:, 1] + right) / 2
    return mapped


def _finite(name, values, dt):
    if not np.isfinite(values).all():
        raise FloatingPointError(f"{name}: the solution diverged. Lower dt={dt}.")
    return values


@compiled
def lorenz_slope(state, parameters, slope):
    """Write the time derivative of `state` to `slope`."""
    slope[0] = parameters[0] * (state[1] - state[0])
    slope[1] = state[0] * (parameters[1] - state[2]) - state[1]
    slope[2] = state[0] * state[1] - parameters[2] * state[2]


@compiled
def lorenz_states(first, parameters, dt, washout, n_steps):
    """Return `n_steps` states, the first one after `washout` steps from `first`."""
    states = np.empty((n_steps, 3))
    state, trial, slope, total = first.copy(), np.empty(3), np.empty(3), np.empty(3)
    for t in range(washout + n_steps):
        for i in range(3):
            total[i] = 0.0
            if t >= washout:
                states[t - washout, i] = state[i]
        # Four Runge-Kutta slopes at 0, dt/2, dt/2 and dt, with weights 1, 2, 2, 1 over 6.
        for stage in range(4):
            reach = 0.0 if stage == 0 else (dt if stage == 3 else dt / 2)
            for i in range(3):
                trial[i] = state[i] + reach * slope[i] if stage else state[i]
            lorenz_slope(trial, parameters, slope)
            share = 1.0 if stage == 0 or stage == 3 else 2.0
            for i in range(3):
                total[i] += share * slope[i]
        for i in range(3):
            state[i] += dt / 6 * total[i]
    return states


@compiled
def growth(delayed, value):
    """Return the slope of the Mackey-Glass equation."""
    return 0.2 * delayed / (1.0 + delayed**10) - 0.1 * value


@compiled
def past(values, slopes, first, place):
    """Return the value at a time in units of the step, by cubic Hermite interpolation."""
    if place <= 0.0:
        return first
    i = int(place)
    u = place - i
    if u == 0.0:
        return values[i]
    rise = values[i + 1] - values[i]
    return values[i] + u * (
        slopes[i]
        + u * (3.0 * rise - 2.0 * slopes[i] - slopes[i + 1])
        + u * u * (slopes[i] + slopes[i + 1] - 2.0 * rise)
    )


@compiled
def mackey_glass_values(first, tau, step, n_steps):
    """Return the solution at 0, step, ..., n_steps * step."""
    values = np.empty(n_steps + 1)
    slopes = np.empty(n_steps + 1)  # multiplied by the step, for the interpolation
    values[0] = first
    slopes[0] = step * growth(first, first)
    lag = tau / step
    for t in range(n_steps):
        # The equation at time t needs the solution at t - tau, at the middle and the end of the
        # step.
        middle = past(values, slopes, first, t + 0.5 - lag)
        end = past(values, slopes, first, t + 1.0 - lag)
        value = values[t]
        k1 = slopes[t]
        k2 = step * growth(middle, value + k1 / 2)
        k3 = step * growth(middle, value + k2 / 2)
        k4 = step * growth(end, value + k3)
        values[t + 1] = value + (k1 + 2 * k2 + 2 * k3 + k4) / 6
        slopes[t + 1] = step * growth(end, values[t + 1])
    return values
