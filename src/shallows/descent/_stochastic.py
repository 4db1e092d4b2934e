"""Stochastic gradient descent with single examples or mini-batches."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shallows.descent._averaging import average_init, average_update, average_value
from shallows.descent._batches import Order, batches
from shallows.descent._optimizers import OPTIMIZERS
from shallows.descent._stopping import StoppingRule
from shallows.descent._types import Array, Schedule

BatchGradient = Callable[[Array, NDArray[np.intp]], tuple[float, Array]]


@dataclass(frozen=True)
class StochasticRun:
    """Result of a stochastic descent.

    Attributes
    ----------
    x : array
        Final parameters.
    average : array or None
        Mean of the averaged iterates, if requested.
    n_iter : int
        Number of epochs.
    history : dict of lists
        "loss" per epoch: mean over the examples of the loss before each update.
    stopped_by : str
        The limit of the `StoppingRule` that was met.
    """

    x: Array
    average: Array | None
    n_iter: int
    history: dict[str, list[float]]
    stopped_by: str


def minimize_stochastic(
    batch_gradient: BatchGradient,
    start: Array,
    n_samples: int,
    *,
    rng: np.random.Generator,
    rate: float | Schedule = 0.01,
    optimizer: str = "gradient",
    settings: Mapping[str, float] | None = None,
    batch_size: int = 1,
    order: Order = "permutation",
    average: int | None = None,
    stopping: StoppingRule | None = None,
) -> StochasticRun:
    """Minimise a mean over examples by steps that use a few examples each.

    Parameters
    ----------
    batch_gradient : callable
        Function (x, indices) that returns mean loss and mean gradient over the examples
        `indices`.
    start : array of floats
        Start; it is not modified.
    n_samples : int
        Number of examples.
    rng : numpy.random.Generator
        Source of random numbers; a cyclic order draws none.
    rate : float or callable
        Learning rate, or a schedule t -> rate of the update t = 1, 2, ...
    optimizer : str
        A key of `OPTIMIZERS`.
    settings : mapping or None
        Settings of the optimizer, such as {"momentum": 0.5}.
    batch_size : int
        Examples per batch; the last batch may be smaller.
    order : {"permutation", "replacement", "cyclic"}
        Every example once in random order, independent uniform draws, or in their order.
    average : int or None
        Number of last iterates to average; 0 averages all, None none.
    stopping : StoppingRule or None
        When to stop, checked once per epoch; None makes 100 epochs.

    Returns
    -------
    StochasticRun
        The minimum found, the average, and the limit that ended the search.

    Examples
    --------
    >>> data = np.array([1.0, 2.0, 6.0])
    >>> def error(x, indices):
    ...     gap = x - data[indices]
    ...     return float(gap @ gap / 2 / len(gap)), gap.mean(keepdims=True)
    >>> rng = np.random.default_rng(0)
    >>> minimize_stochastic(error, np.zeros(1), 3, rng=rng, rate=lambda t: 1 / t).x.round(6)
    array([3.])
    """
    if optimizer not in OPTIMIZERS:
        raise ValueError(f"optimizer must be one of {', '.join(OPTIMIZERS)}, got {optimizer!r}.")
    stopping = stopping or StoppingRule(max_iter=100)
    rule, settings = OPTIMIZERS[optimizer], settings or {}
    x, state = start.copy(), OPTIMIZERS[optimizer].init(start)
    mean = None if average is None else average_init(start, average or None)

    losses: list[float] = []
    updates, stopped_by = 0, None
    while stopped_by is None:
        total = 0.0
        for indices in batches(n_samples, batch_size, rng, order):
            updates += 1
            loss, gradient = batch_gradient(x, indices)
            size = float(rate(updates)) if callable(rate) else rate
            x, state = rule.step(x, gradient, state, size, **settings)
            total += loss * len(indices)
            if mean is not None:
                mean = average_update(mean, x)
        losses.append(total / n_samples)
        stopped_by = stopping.met_by({"loss": losses}, len(losses))

    averaged = None if mean is None else average_value(mean).astype(start.dtype)
    return StochasticRun(x, averaged, len(losses), {"loss": losses}, stopped_by)
