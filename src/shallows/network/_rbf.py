"""Gaussian units: responses, gradients, first places, and the training of a network of them.

A unit has a centre c and a matrix A and responds with exp(-q / 2), q = |A (x - c)|^2. "isotropic"
has one number per unit for A, "diagonal" one per feature, "full" a matrix per unit, "pooled" one
matrix for all.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from scipy.linalg import cholesky, solve_triangular

from shallows._core.descent.activations import softmax, softmax_backward
from shallows._core.distances import squared_distances
from shallows._core.kmeans import kmeans
from shallows._core.rng import as_generator
from shallows._core.threads import hold_threads, map_blocks
from shallows._core.training import Training
from shallows.network._lbfgs import minimise
from shallows.network._network import one_vector
from shallows.network._output_loss import softmax_loss

BLOCK_ROWS = 4096
COST_ROWS = 1024  # whose responses stay in the cache
Covariance = Literal["isotropic", "diagonal", "full", "pooled"]


def forms(X, centers, shapes, covariance):
    """Return q of every sample and unit."""
    if covariance in ("isotropic", "diagonal"):
        squares = np.broadcast_to(shapes**2, centers.shape)
        product = (X * X) @ squares.T
        product -= X @ (2 * squares * centers).T
        product += (squares * centers**2).sum(axis=1)
        return np.maximum(product, 0, out=product)
    if covariance == "pooled":
        return squared_distances(X @ shapes.T, centers @ shapes.T)
    found = np.empty((len(X), len(centers)), X.dtype)
    for unit, (center, shape) in enumerate(zip(centers, shapes, strict=True)):
        found[:, unit] = ((X - center) @ shape.T) ** 2 @ np.ones(len(shape), X.dtype)
    return found


def form_gradients(X, centers, shapes, covariance, upstream):
    """Return derivatives by centres and shapes of a cost whose derivatives by q are given."""
    mass = upstream.sum(axis=0)[:, None]
    if covariance in ("isotropic", "diagonal"):
        first, second = upstream.T @ X, upstream.T @ (X * X)
        by_center = -2 * shapes**2 * (first - mass * centers)
        by_shape = 2 * shapes * (second - 2 * centers * first + mass * centers**2)
        if covariance == "isotropic":
            by_shape = by_shape.sum(axis=1, keepdims=True)
        return by_center, by_shape
    if covariance == "pooled":
        Z, middles = X @ shapes.T, centers @ shapes.T
        by_center = -2 * (upstream.T @ Z - mass * middles) @ shapes
        rows = upstream.sum(axis=1)[:, None]
        cross = Z.T @ (upstream @ centers) + middles.T @ (upstream.T @ X)
        return by_center, 2 * (Z.T @ (rows * X) - cross + middles.T @ (mass * centers))
    by_center, by_shape = np.empty_like(centers), np.empty_like(shapes)
    for unit, (center, shape) in enumerate(zip(centers, shapes, strict=True)):
        gap = X - center
        scaled = (gap @ shape.T) * upstream[:, unit, None]
        by_center[unit] = -2 * scaled.sum(axis=0) @ shape
        by_shape[unit] = 2 * scaled.T @ gap
    return by_center, by_shape


def responses(X, centers, shapes, covariance, normalized):
    """Return the responses of all units; normalised ones sum to one for every sample."""
    exponent = forms(X, centers, shapes, covariance)
    exponent *= -0.5
    return softmax(exponent) if normalized else np.exp(exponent, out=exponent)


def rbf_cost(X, target, shares, parts, covariance, normalized, alpha, classify):
    """Return loss and gradient, the latter as a list like `parts`.

    `parts` are centres, shapes, output weights and biases.
    """
    centers, shapes, weights, bias = parts
    hidden = responses(X, centers, shapes, covariance, normalized)
    output = hidden @ weights + bias
    if classify:
        values = softmax_loss(output, target)
    else:
        values = 0.5 * ((output - target) ** 2).sum(axis=1)
    delta = (output - target) * shares[:, None]
    by_hidden = delta @ weights.T
    if normalized:
        upstream = softmax_backward(hidden, by_hidden)
    else:
        upstream = np.multiply(hidden, by_hidden, out=by_hidden)
    upstream *= -0.5
    by_center, by_shape = form_gradients(X, centers, shapes, covariance, upstream)
    loss = float(values.astype(np.float64) @ shares) + 0.5 * alpha * float(np.sum(weights**2))
    by_weights = hidden.T @ delta + weights.dtype.type(alpha) * weights
    return loss, [by_center, by_shape, by_weights, delta.sum(axis=0)]


def place_units(model, X, weights, rng):
    """Put centres where k-means puts them, each as wide as the way to the nearest other."""
    n_units = min(model.n_units, len(X))
    centers = kmeans(X, n_units, rng, sample_weight=weights).centers
    spread = float(np.sqrt(X.var(axis=0).mean())) or 1.0
    gaps = squared_distances(centers, centers)
    np.fill_diagonal(gaps, np.inf)
    near = np.sqrt(gaps.min(axis=1)) if n_units > 1 else np.full(1, spread)
    inverse = 1 / np.where(near > 0, near, spread)
    n_features = X.shape[1]
    shapes = {
        "isotropic": lambda: inverse[:, None],
        "diagonal": lambda: np.repeat(inverse[:, None], n_features, axis=1),
        "full": lambda: inverse[:, None, None] * np.eye(n_features),
        "pooled": lambda: inverse.mean() * np.eye(n_features),
    }[model.covariance]()
    return centers.astype(X.dtype), shapes.astype(X.dtype)


def fit_rbf(model, X, y, target, weights, classify):
    """Place the units, then descend the loss by all parameters together."""
    rng = as_generator(model.random_state)
    model.mean_ = X.mean(axis=0)  # expanded squares lose least near the middle
    X_centred, target = X - model.mean_, target.astype(X.dtype)
    X_centred.flags.writeable = False  # as kernels know their inputs
    centers, shapes = place_units(model, X_centred, weights, rng)
    shares = (weights / weights.sum()).astype(X.dtype)
    strength = model.alpha / weights.sum()
    weights_first, basis = _read_out(model, X_centred, target, centers, shapes, shares)
    vector, parts = one_vector([centers, shapes, weights_first], X.dtype)
    options = (model.covariance, model.normalized, 0.0, classify)  # the penalty counts once

    def unfold():
        outputs = basis @ parts[2]
        return [*parts[:2], outputs[:-1], outputs[-1]]

    def cost():
        here = unfold()

        def part(rows):
            loss, slopes = rbf_cost(X_centred[rows], target[rows], shares[rows], here, *options)
            return loss, [slope.astype(np.float64) for slope in slopes]

        found = map_blocks(part, len(X), COST_ROWS)
        loss = sum(each for each, _ in found) + 0.5 * strength * float(np.sum(here[2] ** 2))
        slopes = [sum(each) for each in zip(*(slopes for _, slopes in found), strict=True)]
        slopes[2] += strength * here[2]
        slopes[2:] = [basis.T @ np.vstack(slopes[2:])]
        return loss, np.concatenate([slope.ravel() for slope in slopes])

    run = Training(
        model,
        model.max_iter,
        model.tol,
        patience=10,
        state=("centers_", "shapes_", "coef_", "intercept_"),
        X=X,
        y=y,
        sample_weight=weights,
    )

    def record(loss):
        model.centers_ = parts[0] + model.mean_
        model.shapes_, model.coef_, model.intercept_ = (part.copy() for part in unfold()[1:])
        run.record(loss)

    with hold_threads():
        minimise(vector, cost, run, record)
    model.history_, model.n_iter_ = run.history, run.n_iter


def rbf_outputs(model, X):
    """Return the linear outputs, in blocks of rows."""
    centers = model.centers_ - model.mean_

    def part(rows):
        hidden = responses(
            X[rows] - model.mean_, centers, model.shapes_, model.covariance, model.normalized
        )
        return hidden @ model.coef_ + model.intercept_

    return np.concatenate(map_blocks(part, len(X), BLOCK_ROWS))


def _read_out(model, X, target, centers, shapes, shares):
    """Return first output weights by penalised least squares, and the basis they belong to.

    In that basis the first responses are uncorrelated and of one size, so that the descent isn't
    held up by those that are nearly alike. Its last row makes the biases.
    """
    hidden = responses(X, centers, shapes, model.covariance, model.normalized)
    design = np.c_[hidden, np.ones(len(X))] * np.sqrt(shares)[:, None]
    gram = (design.T @ design).astype(np.float64)
    gram.flat[:: len(gram) + 1] += 1e-6 + 1e-6 * np.trace(gram) / len(gram)
    basis = solve_triangular(cholesky(gram), np.eye(len(gram)))
    found = basis.T @ (design.T @ (target * np.sqrt(shares)[:, None]))
    return found.astype(X.dtype), basis.astype(X.dtype)
