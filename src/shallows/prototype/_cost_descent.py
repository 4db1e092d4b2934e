"""Ways down a cost of prototypes: sample by sample, by waypoint averaging, or by L-BFGS.

They know the cost by the methods of `Cost` and change nothing themselves: each place that an epoch
leads to is handed to `Progress`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np
from scipy import optimize

from shallows._core.contract.params import NonNegativeFloat
from shallows._core.contract.training import Training
from shallows._core.numerics.threads import hold_threads
from shallows.descent._step_sizes import start_descent, waypoint_step
from shallows.prototype._start import Array, Samples

Solver = Literal["sgd", "waypoint", "lbfgs"]
Tolerance = NonNegativeFloat | Literal["auto"] | None
LATENESS = 3  # power of the epoch that weighs the places of stochastic descent
FALL = 10.0  # of stochastic steps, when they no longer lower the cost


class Rule(Protocol):
    """One pass of learning. A place is all that is learned: an array, or a tuple of arrays."""

    def epoch(self, place: Any, samples: Samples, order: Array, rate: float) -> tuple[Any, float]:
        """Return the place after visits of the samples in `order`, and the mean loss."""


class Cost(Rule, Protocol):
    """A cost to minimise, as a function of the vector of a place.

    The vector is flat and has no unit, so that one step size fits all of it.
    """

    def value_and_gradient(self, vector: Array, samples: Samples) -> tuple[float, Array]:
        """Return the mean cost and its derivative."""

    def vector_of(self, place: Any) -> Array:
        """Return a place as a vector."""

    def place_at(self, vector: Array) -> Any:
        """Return the place of a vector."""

    def aligned(self, vector: Array, towards: Array) -> Array:
        """Return the vector nearest to another one among those that mean the same model."""


class Progress(NamedTuple):
    """The end of an epoch: the model keeps the place, and the loss is recorded.

    `keep` takes a place; `score`, unless None, returns the accuracy of the model on held-out data.
    """

    run: Training
    keep: Callable[[Any], None]
    score: Callable[[], float] | None = None

    def end_epoch(self, place: Any, loss: float) -> None:
        self.keep(place)
        self.run.record(loss, None if self.score is None else self.score())


def descend(cost, place, samples, progress, *, solver, rate, rng):
    """Minimise the mean cost of the samples from a place on.

    Parameters
    ----------
    cost : Cost
        What is minimised.
    place : ndarray or tuple of ndarray
        The start.
    samples : Samples
        Training data, with weights whose mean is 1.
    progress : Progress
        Takes each place.
    solver : {"sgd", "waypoint", "lbfgs"}
        How.
    rate : float
        First step size of "sgd" and "waypoint".
    rng : Generator
        Orders the samples of "sgd".
    """
    if solver == "sgd":
        descend_by_samples(cost, place, samples, progress, rate, rng)
        return
    whole = partial(cost.value_and_gradient, samples=samples)
    with hold_threads():
        if solver == "waypoint":
            descend_by_waypoints(cost, whole, place, progress, rate)
        else:
            descend_by_lbfgs(cost, whole, place, progress)


def descend_by_samples(cost, place, samples, progress, rate, rng):
    """Pass over the samples; keep the mean of the places that the passes lead to.

    A pass ends somewhere around the minimum, at a distance that its step sizes decide. The mean
    is nearer; it weighs late places more, by the cube of the epoch, so that the way there soon
    counts little. When the cost no longer falls, smaller steps go on from the mean.
    """
    run, begin = progress.run, 0
    vector = mean = cost.vector_of(place)

    def take_smaller_steps():
        nonlocal rate, begin, vector
        rate, begin, vector = rate / FALL, run.n_iter, mean

    run.on_stall = take_smaller_steps
    for epoch in run:
        place, loss = pass_over(run.name, cost, cost.place_at(vector), samples, rng, rate)
        vector = cost.aligned(cost.vector_of(place), mean)
        mean = mean + (LATENESS + 1) / (LATENESS + epoch - begin) * (vector - mean)
        progress.end_epoch(cost.place_at(mean), loss)


def descend_by_waypoints(cost, value_and_gradient, place, progress, rate):
    """Step along the gradient of the whole cost, and shorten the steps where they zig-zag."""
    start = cost.vector_of(place)
    state = start_descent(value_and_gradient, start, rate)
    for _ in progress.run:
        state = waypoint_step(value_and_gradient, state)
        progress.end_epoch(cost.place_at(state.x.astype(start.dtype)), state.value)


def descend_by_lbfgs(cost, value_and_gradient, place, progress):
    """Let SciPy iterate; each of its iterations is an epoch."""
    run, start = progress.run, cost.vector_of(place)
    epochs = iter(run)
    next(epochs)

    def evaluate(vector):
        value, gradient = value_and_gradient(vector.astype(start.dtype))
        return value, gradient.astype(np.float64)

    def accept(intermediate_result):
        nonlocal place
        place = cost.place_at(intermediate_result.x.astype(start.dtype))
        progress.end_epoch(place, float(intermediate_result.fun))
        if next(epochs, None) is None:
            raise StopIteration

    options = {"maxiter": run.max_iter, "ftol": 0.0, "gtol": 0.0, "maxfun": 10**9}
    optimize.minimize(
        evaluate, start, jac=True, method="L-BFGS-B", callback=accept, options=options
    )
    if not run.stopped_by:  # no lower cost could be found
        progress.end_epoch(place, value_and_gradient(cost.vector_of(place))[0])
        run.stop("precision")
        next(epochs, None)


def pass_over(owner, rule, place, samples, rng, rate):
    """Visit the samples once in random order; return the new place and the mean loss.

    Weights have the mean 1. A sample of more is visited several times, as its copies would be:
    one step of many times the size would overshoot.
    """
    X, y, weights = samples
    n_visits = np.maximum(np.ceil(weights.round(9)), 1).astype(np.intp)
    visits, shares = np.repeat(np.arange(len(X)), n_visits), weights / n_visits
    place, loss = rule.epoch(place, Samples(X, y, shares), rng.permutation(visits), rate)
    refuse_infinite(owner, place)
    return place, loss * (shares.sum() / weights.sum())


def refuse_infinite(owner, place):
    """Raise if what was learned is no longer finite."""
    parts = place if isinstance(place, tuple) else (place,)
    if not all(np.isfinite(part).all() for part in parts):
        raise FloatingPointError(
            f"{owner}: prototypes left the range of floats. Lower the learning rate or scale the "
            "data."
        )


def tolerance(tol, n_numbers, samples, largest=1e-4):
    """Return the smallest gain of an epoch that counts; "auto" is `chance_gain`."""
    return chance_gain(n_numbers, samples.weights, largest) if tol == "auto" else tol


def chance_gain(n_numbers, weights, largest):
    """Return by how much an epoch may lower the mean cost and still have learned nothing.

    The training cost is too low by a share of about 2 p / n, with p numbers learned from n
    samples, as in Akaike's criterion; one sample's part of that counts as chance. Samples of
    unequal weight count as fewer.
    """
    n_samples = weights.sum() ** 2 / (weights**2).sum()
    return float(min(largest, min(1.0, 2 * n_numbers / n_samples) / n_samples))


def steepness(gamma):
    """Return gamma of a cost function as compiled steps take it: 0 means the identity."""
    return 0.0 if gamma is None else float(gamma)
