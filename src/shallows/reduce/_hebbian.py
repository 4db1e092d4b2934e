"""One pass of Hebbian learning of principal components, for Oja's and Sanger's rules."""

from __future__ import annotations

import numpy as np

from shallows._core.contract.data import check_unlabelled
from shallows._core.contract.params import check_params
from shallows._core.contract.rng import as_generator
from shallows._core.contract.training import Training
from shallows._core.numerics import moments
from shallows._core.numerics.compile import compiled
from shallows.reduce._checks import at_most

HEBB, NORMALIZED, SUBSPACE, SANGER = range(4)
VISITS = 1000.0  # the rate has halved after this many samples


def fit_rule(model, X, rule):
    """Visit all samples `max_iter` times in random order; sets the learned attributes."""
    check_params(model)
    X, _ = check_unlabelled(model, X)
    at_most(model, "n_components", X.shape[1], "n_features =")
    rng = as_generator(model.random_state)
    _start(model, X, rng)

    run = Training(model, model.max_iter, model.tol, patience=3, state=("components_",), X=X)
    for _ in run:
        run.record(loss=_visit(model, X, rng.permutation(len(X)), rule) / model._scale)
    model.history_, model.n_iter_ = run.history, run.n_iter
    return model


def visit_rule(model, X, rule):
    """Visit the given samples once in their order, with the mean of all seen so far."""
    check_params(model)
    first = not hasattr(model, "components_")
    X, _ = check_unlabelled(model, X, reset=first)
    if first:
        at_most(model, "n_components", X.shape[1], "n_features =")
        _start(model, X, as_generator(model.random_state))
        model.history_, model.n_iter_ = {"loss": []}, 0
    else:
        _see(model, moments.merge(model._moments, moments.accumulate(X, diagonal=True)), X.dtype)
    loss = _visit(model, X, np.arange(len(X)), rule) / model._scale
    if not np.isfinite(loss):
        raise FloatingPointError(
            f"{type(model).__name__}: the loss became {loss}. Lower learning_rate."
        )
    model.history_["loss"].append(loss)
    model.n_iter_ += 1
    return model


def _start(model, X, rng):
    start = np.linalg.qr(rng.standard_normal((X.shape[1], model.n_components)))[0]
    model.components_ = np.ascontiguousarray(start.T, dtype=X.dtype)
    model.n_samples_seen_ = 0
    _see(model, moments.accumulate(X, diagonal=True), X.dtype)


def _see(model, known, dtype):
    model._moments = known
    model.mean_ = known.mean.astype(dtype)
    model._scale = max(float(known.scatter.sum() / known.weight), np.finfo(float).tiny)


def _visit(model, X, order, rule):
    loss = hebbian_pass(
        X,
        order,
        model.mean_,
        model.components_,
        model.learning_rate / model._scale,
        float(model.n_samples_seen_),
        rule,
    )
    model.n_samples_seen_ += len(order)
    return loss


@compiled
def hebbian_pass(X, order, mean, W, rate, seen, rule):
    """Move the rows of W by each sample in turn; return the mean squared residual.

    X has shape (n, d), W (m, d) and is changed in place. The rate falls as
    ``rate / (1 + seen / VISITS)``.
    """
    n_units, n_features = W.shape
    output = np.empty(n_units)
    left = np.empty(n_features)
    total = 0.0
    for visit in range(order.shape[0]):
        row = order[visit]
        eta = rate / (1.0 + (seen + visit) / VISITS)
        # Outputs y = W x of the centred sample.
        for m in range(n_units):
            inner = 0.0
            for j in range(n_features):
                inner += W[m, j] * (X[row, j] - mean[j])
            output[m] = inner
        for j in range(n_features):
            left[j] = X[row, j] - mean[j]
        # Oja's subspace rule: all units learn from the same residual x - W'y.
        if rule == SUBSPACE:
            for m in range(n_units):
                for j in range(n_features):
                    left[j] -= output[m] * W[m, j]
            for m in range(n_units):
                for j in range(n_features):
                    W[m, j] += eta * output[m] * left[j]
        elif rule == SANGER:
            # Sanger's rule: unit m learns from the residual of the units up to m.
            for m in range(n_units):
                for j in range(n_features):
                    left[j] -= output[m] * W[m, j]
                    W[m, j] += eta * output[m] * left[j]
        else:
            # A single unit by plain Hebb, normalised afterwards if the rule asks for it.
            length = 0.0
            for j in range(n_features):
                W[0, j] += eta * output[0] * left[j]
                left[j] -= output[0] * W[0, j]
                length += W[0, j] * W[0, j]
            if rule == NORMALIZED:
                for j in range(n_features):
                    W[0, j] /= np.sqrt(length)
        for j in range(n_features):
            total += left[j] * left[j]
    return total / max(order.shape[0], 1)
