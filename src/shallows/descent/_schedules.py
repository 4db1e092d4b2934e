"""Learning-rate schedules for updates t = 1, 2, 3, ..., each with its convergence test.

Stochastic descent converges if sum_t rate(t) diverges, so that any point can be reached, and sum_t
rate(t)^2 converges, so that the noise dies out (Robbins and Monro, A stochastic approximation
method, 1951). Both conditions follow from the parameters of a schedule.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from shallows.descent._types import Schedule


class RobbinsMonro(NamedTuple):
    """The two conditions of Robbins and Monro on the rates of stochastic descent."""

    sum_diverges: bool
    squares_converge: bool

    @property
    def satisfied(self) -> bool:
        """Whether both conditions are met."""
        return self.sum_diverges and self.squares_converge


class ScheduleKind(NamedTuple):
    """A family of schedules: rate(t, **parameters) and conditions(**parameters)."""

    rate: Callable[..., Any]
    conditions: Callable[..., RobbinsMonro]


def constant(t: Any, rate: float) -> Any:
    """Constant rate."""
    return rate + 0.0 * np.asarray(t)


def _constant_conditions(rate: float) -> RobbinsMonro:
    return RobbinsMonro(rate > 0, rate == 0)


def inverse_time(t: Any, a: float, b: float) -> Any:
    """Rate a / (b + t), with b > -1."""
    return a / (b + np.asarray(t))


def _inverse_time_conditions(a: float, b: float) -> RobbinsMonro:
    return RobbinsMonro(a > 0, True)


def power(t: Any, rate: float, p: float) -> Any:
    """Rate rate * t^-p."""
    return rate * np.asarray(t, dtype=float) ** -p


def _power_conditions(rate: float, p: float) -> RobbinsMonro:
    return RobbinsMonro(rate > 0 and p <= 1, rate == 0 or p > 0.5)


def inverse_log(t: Any, rate: float) -> Any:
    """Rate rate / (s ln s) with s = t + 1, the fastest decay here that still converges."""
    shifted = np.asarray(t) + 1.0
    return rate / (shifted * np.log(shifted))


def _inverse_log_conditions(rate: float) -> RobbinsMonro:
    return RobbinsMonro(rate > 0, True)


def linear(t: Any, rate: float, final: float, tau: float) -> Any:
    """Rate (1 - t/tau) rate + (t/tau) final up to t = tau, then `final`."""
    share = np.minimum(np.asarray(t) / tau, 1.0)
    return (1 - share) * rate + share * final


def _linear_conditions(rate: float, final: float, tau: float) -> RobbinsMonro:
    return RobbinsMonro(final > 0, final == 0)


def exponential(t: Any, rate: float, decay: float) -> Any:
    """Rate rate * decay^t, with 0 < decay <= 1."""
    return rate * decay ** np.asarray(t, dtype=float)


def _exponential_conditions(rate: float, decay: float) -> RobbinsMonro:
    return RobbinsMonro(rate > 0 and decay >= 1, rate == 0 or decay < 1)


def large_early(t: Any, rate: float, final: float, until: float) -> Any:
    """Rate `rate` up to update `until`, then the smaller rate `final`."""
    return np.where(np.asarray(t) <= until, rate, final)


def _large_early_conditions(rate: float, final: float, until: float) -> RobbinsMonro:
    return RobbinsMonro(final > 0, final == 0)


SCHEDULES: dict[str, ScheduleKind] = {
    "constant": ScheduleKind(constant, _constant_conditions),
    "inverse_time": ScheduleKind(inverse_time, _inverse_time_conditions),
    "power": ScheduleKind(power, _power_conditions),
    "inverse_log": ScheduleKind(inverse_log, _inverse_log_conditions),
    "linear": ScheduleKind(linear, _linear_conditions),
    "exponential": ScheduleKind(exponential, _exponential_conditions),
    "large_early": ScheduleKind(large_early, _large_early_conditions),
}


def schedule(kind: str, **parameters: float) -> Schedule:
    """Return a schedule of the given kind, a function of the update t >= 1.

    Parameters
    ----------
    kind : str
        A key of `SCHEDULES`: "constant" (rate), "inverse_time" (a, b), "power" (rate, p),
        "inverse_log" (rate), "linear" (rate, final, tau), "exponential" (rate, decay) or
        "large_early" (rate, final, until).
    **parameters : float
        Parameters of that kind.

    Returns
    -------
    callable
        Function of t, a number or an array.

    Examples
    --------
    >>> rate = schedule("linear", rate=0.1, final=0.001, tau=100)
    >>> rate(np.array([1, 50, 100, 1000])).round(5)
    array([0.09901, 0.0505 , 0.001  , 0.001  ])
    """
    return partial(_kind(kind).rate, **parameters)


def robbins_monro(kind: str, **parameters: float) -> RobbinsMonro:
    """Return which conditions of Robbins and Monro a schedule meets.

    Parameters
    ----------
    kind : str
        A key of `SCHEDULES`, see `schedule`.
    **parameters : float
        Parameters of that kind.

    Returns
    -------
    RobbinsMonro
        Whether the sum of the rates diverges, and whether the sum of their squares converges.

    Examples
    --------
    >>> robbins_monro("power", rate=1, p=0.6).satisfied
    True
    >>> robbins_monro("constant", rate=0.1)
    RobbinsMonro(sum_diverges=True, squares_converge=False)
    """
    return _kind(kind).conditions(**parameters)


def _kind(kind: str) -> ScheduleKind:
    if kind not in SCHEDULES:
        raise ValueError(f"kind must be one of {', '.join(SCHEDULES)}, got {kind!r}.")
    return SCHEDULES[kind]
