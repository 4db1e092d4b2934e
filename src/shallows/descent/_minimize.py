"""Minimisation of a whole cost function by its gradient."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from scipy import optimize

from shallows.descent._result import Measure, Minimum, Record
from shallows.descent._step_sizes import STEP_RULES, start_descent
from shallows.descent._stopping import StoppingRule
from shallows.descent._types import Array, Schedule, ValueAndGradient

Method = Literal["gradient", "cg", "lbfgs", "newton-cg"]

# SciPy's own tolerances are switched off: the StoppingRule decides.
_SCIPY: dict[str, tuple[str, dict[str, Any]]] = {
    "cg": ("CG", {"gtol": 0.0}),
    "lbfgs": ("L-BFGS-B", {"gtol": 0.0, "ftol": 0.0, "maxfun": 10**9}),
    "newton-cg": ("Newton-CG", {"xtol": 0.0}),
}


def minimize(
    value_and_gradient: ValueAndGradient,
    start: Array,
    method: Method = "lbfgs",
    *,
    rate: Literal["exact", "backtracking", "adaptive", "waypoint"]
    | float
    | Schedule = "backtracking",
    first_rate: float = 1.0,
    stopping: StoppingRule | None = None,
    measure: Measure | None = None,
    hessian_product: Callable[[Array, Array], Array] | None = None,
) -> Minimum:
    """Minimise a function of a flat vector, given its value and gradient.

    Parameters
    ----------
    value_and_gradient : callable
        Function of a vector that returns its value and its gradient.
    start : array of floats
        Start; it is not modified.
    method : {"gradient", "cg", "lbfgs", "newton-cg"}
        Steepest descent, or SciPy's non-linear conjugate gradients, limited-memory BFGS or
        truncated Newton.
    rate : {"exact", "backtracking", "adaptive", "waypoint"}, float or callable
        Step size of "gradient": a rule of `STEP_RULES`, a constant, or a schedule t -> rate.
    first_rate : float
        Initial step size of a rule.
    stopping : StoppingRule or None
        When to stop; None stops at a gradient norm of 1e-6 or after 1000 iterations.
    measure : callable or None
        Function of the parameters that returns further numbers to record, by name, such as
        "mistakes" or "max_error".
    hessian_product : callable or None
        Function (x, v) -> H(x) v for "newton-cg"; None uses differences of gradients.

    Returns
    -------
    Minimum
        The minimum found, and the limit that ended the search.

    Examples
    --------
    >>> bowl = lambda x: (float((x - 2) @ (x - 2)), 2 * (x - 2))
    >>> found = minimize(bowl, np.zeros(3))
    >>> found.x.round(6), found.stopped_by
    (array([2., 2., 2.]), 'gradient_norm')
    """
    record = Record(stopping or StoppingRule(gradient_norm=1e-6), measure)
    if method == "gradient":
        return _steepest(value_and_gradient, start, rate, first_rate, record)
    if method not in _SCIPY:
        raise ValueError(f"method must be one of gradient, {', '.join(_SCIPY)}, got {method!r}.")
    return _by_scipy(value_and_gradient, start, method, hessian_product, record)


def _steepest(
    value_and_gradient: ValueAndGradient,
    start: Array,
    rate: str | float | Schedule,
    first_rate: float,
    record: Record,
) -> Minimum:
    if isinstance(rate, str) and rate not in STEP_RULES:
        raise ValueError(
            f"rate must be one of {', '.join(STEP_RULES)}, a number or a schedule, got {rate!r}."
        )
    state = start_descent(value_and_gradient, start.copy(), first_rate)
    while not record.add(state.x, state.value, float(np.linalg.norm(state.gradient))):
        if isinstance(rate, str):
            state = STEP_RULES[rate](value_and_gradient, state)
        else:
            size = float(rate(record.n_iter + 1)) if callable(rate) else rate
            state = start_descent(value_and_gradient, state.x - size * state.gradient, size)
        if state.rate == 0:
            break
    return record.finish(state.x)


def _by_scipy(
    value_and_gradient: ValueAndGradient,
    start: Array,
    method: str,
    hessian_product: Callable[[Array, Array], Array] | None,
    record: Record,
) -> Minimum:
    last: dict[str, Any] = {}

    def evaluate(x: Array) -> tuple[float, Array]:
        value, gradient = value_and_gradient(x.astype(start.dtype))
        last.update(x=x.copy(), gradient=np.asarray(gradient, dtype=np.float64))
        return float(value), last["gradient"].copy()

    # SciPy calls this after each accepted step; the gradient of that point may be known already.
    def watch(intermediate_result: optimize.OptimizeResult) -> None:
        x, value = intermediate_result.x, intermediate_result.fun
        if not np.array_equal(x, last["x"]):
            evaluate(x)
        last["accepted"] = x.copy()
        if record.add(x.astype(start.dtype), float(value), float(np.linalg.norm(last["gradient"]))):
            raise StopIteration

    def difference(x: Array, v: Array) -> Array:
        # SciPy's own step is too small for gradients in single precision.
        if not np.array_equal(x, last["x"]):
            evaluate(x)
        precision = float(np.finfo(start.dtype).eps) ** 0.5
        size = precision * (1 + np.linalg.norm(x)) / max(float(np.linalg.norm(v)), 1e-300)
        shifted = value_and_gradient((x + size * v).astype(start.dtype))[1]
        return (np.asarray(shifted, dtype=np.float64) - last["gradient"]) / size

    name, options = _SCIPY[method]
    value, gradient = evaluate(start)
    last["accepted"] = start.copy()
    if not record.add(start, value, float(np.linalg.norm(gradient))):
        hessian = {"hessp": hessian_product or difference} if method == "newton-cg" else {}
        optimize.minimize(
            evaluate,
            start,
            jac=True,
            method=name,
            callback=watch,
            options={**options, "maxiter": record.stopping.max_iter + 1},
            **hessian,
        )
    return record.finish(last["accepted"].astype(start.dtype))
