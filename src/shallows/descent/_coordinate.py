"""Coordinate descent: one parameter at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np

from shallows.descent._result import Minimum, Record
from shallows.descent._stopping import StoppingRule
from shallows.descent._types import Array


def coordinate_descent(
    value: Callable[[Array], float],
    partial: Callable[[Array, int], float],
    start: Array,
    *,
    rate: float | Array,
    order: Literal["cyclic", "random"] = "cyclic",
    rng: np.random.Generator | None = None,
    stopping: StoppingRule | None = None,
) -> Minimum:
    """Minimise by gradient steps along one coordinate at a time.

    Each step uses the coordinates already changed in the same sweep. On a parabola with Hessian A
    the rates 1 / A_ii are exact, and a sweep is a Gauss-Seidel sweep.

    Parameters
    ----------
    value : callable
        The cost as a function of the parameters.
    partial : callable
        Function (x, i) that returns the partial derivative of the cost with respect to x_i.
    start : array of floats
        Start; it is not modified.
    rate : float or array
        Learning rate, or one rate per coordinate.
    order : {"cyclic", "random"}
        Coordinates in their order, or in a new random order in each sweep.
    rng : numpy.random.Generator or None
        Source of random numbers, needed for the random order.
    stopping : StoppingRule or None
        When to stop, checked once per sweep; None stops at a gradient norm of 1e-6 or after 1000
        sweeps.

    Returns
    -------
    Minimum
        The minimum found. Its gradient norm uses the partial derivatives of the last sweep, each
        taken before its own step.

    Examples
    --------
    >>> A, b = np.array([[2.0, 1.0], [1.0, 2.0]]), np.array([3.0, 3.0])
    >>> found = coordinate_descent(
    ...     lambda x: float(x @ A @ x / 2 - b @ x),
    ...     lambda x, i: A[i] @ x - b[i],
    ...     np.zeros(2),
    ...     rate=1 / A.diagonal(),
    ... )
    >>> found.x.round(6)
    array([1., 1.])
    """
    if order not in ("cyclic", "random"):
        raise ValueError(f"order must be 'cyclic' or 'random', got {order!r}.")
    if order == "random" and rng is None:
        raise ValueError("order='random' needs rng, a numpy.random.Generator.")
    x = start.copy()
    rates = np.broadcast_to(np.asarray(rate, dtype=x.dtype), x.shape)
    record = Record(stopping or StoppingRule(gradient_norm=1e-6))

    slopes = np.array([partial(x, i) for i in range(len(x))])
    while not record.add(x, value(x), float(np.linalg.norm(slopes))):
        sweep = range(len(x)) if rng is None or order == "cyclic" else rng.permutation(len(x))
        for i in sweep:
            slopes[i] = partial(x, i)
            x[i] -= rates[i] * slopes[i]
    return record.finish(x)
