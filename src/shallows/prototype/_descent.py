"""Descent of an LVQ cost: sample by sample, by waypoint averaging, or by L-BFGS.

An estimator that is trained here has

- ``_epoch(X, y, weights, order, rate)``: one stochastic pass, returns the mean cost;
- ``_cost(X, y, weights)``: returns the mean cost and its gradient as a function of a vector;
- ``_pack()`` and ``_unpack(vector)``: the learned arrays as that vector, and back. The
  vector has no unit, so that one step size fits all of it;
- ``_turned(vector, towards)``, only where different vectors are the same model: of these the one
  nearest to another vector.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from scipy import optimize

from shallows._core.contract.params import NonNegativeFloat
from shallows._core.contract.training import Training
from shallows._core.numerics.threads import hold_threads
from shallows.descent._step_sizes import start_descent, waypoint_step
from shallows.prototype._nearest import pass_over

Solver = Literal["sgd", "waypoint", "lbfgs"]
Tolerance = NonNegativeFloat | Literal["auto"] | None
LATENESS = 3  # power of the epoch that weighs the places of stochastic descent
FALL = 10.0  # of stochastic steps, when they no longer lower the cost


def descend(model, X, y, weights, rng, state, held_out=None, *, largest_tol=1e-4):
    """Minimise the cost with ``model.solver`` and store history and number of epochs.

    Parameters
    ----------
    model : estimator
        Has its start, and changes.
    X, y, weights : ndarray
        Training data.
    rng : numpy.random.Generator
        Orders the samples of "sgd".
    state : tuple of str
        Attributes that an epoch changes.
    held_out : tuple of ndarray, default=None
        X, y, weights to watch the accuracy on.
    largest_tol : float, default=1e-4
        What the tolerance "auto" is where samples are few.
    """
    data = {"X": X, "y": model.classes_[y], "sample_weight": weights}
    weights = weights / weights.mean()
    tol = chance_gain(model, weights, largest_tol) if model.tol == "auto" else model.tol
    run = Training(model, model.max_iter, tol, patience=5, state=state, **data)

    def record(loss):
        run.record(loss, None if held_out is None else _accuracy(model, *held_out))

    if model.solver == "sgd":
        _stochastic(model, (X, y, weights), rng, run, record)
    else:
        minimise = _waypoint if model.solver == "waypoint" else _lbfgs
        with hold_threads():
            minimise(model, model._cost(X, y, weights), run, record)
    model.history_, model.n_iter_ = run.history, run.n_iter


def chance_gain(model, weights, largest):
    """Return by how much an epoch may lower the mean cost and still have learned nothing.

    The cost of training is too low by a share of about 2 p / n, with p numbers learned from n
    samples, as in Akaike's criterion; a sample's part of that counts as chance. Samples of
    unequal weight count as fewer.
    """
    n_samples = weights.sum() ** 2 / (weights**2).sum()
    optimism = min(1.0, 2 * model._pack().size / n_samples)
    return float(min(largest, optimism / n_samples))


def steepness(model):
    """Return gamma of a cost function as compiled steps take it: 0 stands for the identity."""
    return 0.0 if model.gamma is None else float(model.gamma)


def _stochastic(model, data, rng, run, record):
    """Pass over the samples; the model is the mean of the places that the passes lead to.

    A pass ends somewhere around the minimum, at a distance that its step sizes decide. The mean
    is nearer; it weighs late places more, by the cube of the epoch, so that the way there soon
    counts little. When the cost no longer falls, smaller steps go on from the mean.
    """
    rate, begin = model.learning_rate, 0
    place = mean = model._pack()
    turned = getattr(model, "_turned", lambda vector, towards: vector)

    def take_smaller_steps():
        nonlocal rate, begin, place
        rate, begin, place = rate / FALL, run.n_iter, mean

    run.on_stall = take_smaller_steps
    for epoch in run:
        model._unpack(place)
        loss = pass_over(model, *data, rng, rate)
        place = turned(model._pack(), mean)
        mean = mean + (LATENESS + 1) / (LATENESS + epoch - begin) * (place - mean)
        model._unpack(mean)
        record(loss)


def _waypoint(model, cost, run, record):
    place = start_descent(cost, model._pack(), model.learning_rate)
    for _ in run:
        place = waypoint_step(cost, place)
        model._unpack(place.x)
        record(place.value)


def _lbfgs(model, cost, run, record):
    """Let SciPy iterate, and each of its iterations be an epoch of `run`."""
    start = model._pack()
    epochs = iter(run)
    next(epochs)

    def evaluate(vector):
        value, gradient = cost(vector.astype(start.dtype))
        return value, gradient.astype(np.float64)

    def accept(intermediate_result):
        model._unpack(intermediate_result.x.astype(start.dtype))
        record(float(intermediate_result.fun))
        if next(epochs, None) is None:
            raise StopIteration

    options = {"maxiter": run.max_iter, "ftol": 0.0, "gtol": 0.0, "maxfun": 10**9}
    optimize.minimize(
        evaluate, start, jac=True, method="L-BFGS-B", callback=accept, options=options
    )
    if not run.stopped_by:  # no lower cost could be found
        record(cost(model._pack())[0])
        run.stop("precision")
        next(epochs, None)


def _accuracy(model, X, y, weights):
    found = model.prototype_labels_[model._distances(X).argmin(axis=1)]
    return np.average(found == y, weights=weights)
