"""Gaussian units: responses, gradients and first places.

A unit has a centre c and a matrix A and responds with exp(-q / 2), q = |A (x - c)|^2. "isotropic"
has one number per unit for A, "diagonal" one per feature, "full" a matrix per unit, "pooled" one
matrix for all. With one number per unit or feature q is linear in squares, values and ones, which
`inputs_of` sets side by side, so that one product gives q, and another one its derivatives.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from shallows._core.numerics.distances import squared_distances
from shallows._core.numerics.kmeans import kmeans
from shallows._core.numerics.threads import map_blocks
from shallows.descent._activations import softmax, softmax_backward
from shallows.network._output_loss import softmax_loss

BLOCK_ROWS = 4096
ALONG_AXES = ("isotropic", "diagonal")
Covariance = Literal["isotropic", "diagonal", "full", "pooled"]


def inputs_of(X, covariance):
    """Return what the functions below take for samples, which can be kept from call to call."""
    if covariance not in ALONG_AXES:
        return X
    return np.hstack([X * X, X, np.ones((len(X), 1), X.dtype)])


def forms(inputs, centers, shapes, covariance):
    """Return q of every sample and unit."""
    if covariance in ALONG_AXES:
        squares = np.broadcast_to(shapes**2, centers.shape)
        lengths = (squares * centers**2).sum(axis=1, keepdims=True)
        product = inputs @ np.hstack([squares, -2 * squares * centers, lengths]).T
        return np.maximum(product, 0, out=product)
    X = inputs
    if covariance == "pooled":
        return squared_distances(X @ shapes.T, centers @ shapes.T)
    found = np.empty((len(X), len(centers)), X.dtype)
    for unit, (center, shape) in enumerate(zip(centers, shapes, strict=True)):
        found[:, unit] = ((X - center) @ shape.T) ** 2 @ np.ones(len(shape), X.dtype)
    return found


def form_gradients(inputs, centers, shapes, covariance, upstream):
    """Return derivatives by centres and shapes of a cost whose derivatives by q are given."""
    if covariance in ALONG_AXES:
        return _from_sums(upstream.T @ inputs, centers, shapes, covariance)
    X, mass = inputs, upstream.sum(axis=0)[:, None]

    # One matrix for all units: sums over rows as products.
    if covariance == "pooled":
        Z, middles = X @ shapes.T, centers @ shapes.T
        by_center = -2 * (upstream.T @ Z - mass * middles) @ shapes
        rows = upstream.sum(axis=1)[:, None]
        cross = Z.T @ (upstream @ centers) + middles.T @ (upstream.T @ X)
        return by_center, 2 * (Z.T @ (rows * X) - cross + middles.T @ (mass * centers))
    by_center, by_shape = np.empty_like(centers), np.empty_like(shapes)
    for unit, (center, shape) in enumerate(zip(centers, shapes, strict=True)):
        # d = |S (x - c)|^2: dd/dc = -2 S'S (x - c), dd/dS = 2 S (x - c)(x - c)'.
        gap = X - center
        scaled = (gap @ shape.T) * upstream[:, unit, None]
        by_center[unit] = -2 * scaled.sum(axis=0) @ shape
        by_shape[unit] = 2 * scaled.T @ gap
    return by_center, by_shape


def _from_sums(sums, centers, shapes, covariance):
    """Return the same from the sums over samples of derivatives by q times inputs."""
    n_features = centers.shape[1]
    second, first, mass = np.split(sums, [n_features, 2 * n_features], axis=1)
    by_center = -2 * shapes**2 * (first - mass * centers)
    by_shape = 2 * shapes * (second - 2 * centers * first + mass * centers**2)
    if covariance == "isotropic":
        by_shape = by_shape.sum(axis=1, keepdims=True)
    return by_center, by_shape


def responses(inputs, centers, shapes, covariance, normalized):
    """Return the responses of all units; normalised ones sum to one for every sample."""
    exponent = forms(inputs, centers, shapes, covariance)
    exponent *= -0.5
    return softmax(exponent) if normalized else np.exp(exponent, out=exponent)


def rbf_cost(inputs, target, shares, parts, covariance, normalized, alpha, classify, hidden=None):
    """Return loss and gradient, the latter as a list like `parts`.

    `parts` are centres, shapes, output weights and biases. `hidden` are the responses, where they
    are known.
    """
    centers, shapes, weights, bias = parts
    if hidden is None:
        hidden = responses(inputs, centers, shapes, covariance, normalized)
    output = hidden @ weights
    output += bias
    if classify:
        values = softmax_loss(output, target)
        output -= target
    else:
        output -= target
        values = 0.5 * np.einsum("ij,ij->i", output, output)
    delta = np.multiply(output, shares[:, None], out=output)
    if covariance in ALONG_AXES and not normalized and weights.shape[1] == 1:
        sums = -0.5 * weights * (hidden.T @ (delta * inputs))  # by q nothing need be written down
        by_center, by_shape = _from_sums(sums, centers, shapes, covariance)
    else:
        by_hidden = delta @ weights.T
        if normalized:
            upstream = softmax_backward(hidden, by_hidden)
        else:
            upstream = np.multiply(hidden, by_hidden, out=by_hidden)
        upstream *= -0.5
        by_center, by_shape = form_gradients(inputs, centers, shapes, covariance, upstream)
    loss = float(values.astype(np.float64) @ shares) + 0.5 * alpha * float(np.sum(weights**2))
    by_weights = hidden.T @ delta + weights.dtype.type(alpha) * weights
    return loss, [by_center, by_shape, by_weights, delta.sum(axis=0)]


def place_units(model, X, weights, rng):
    """Return centres where k-means puts them, and as widths the ways to the nearest other one."""
    n_units = min(model.n_units, len(X))
    centers = kmeans(X, n_units, rng, sample_weight=weights).centers
    spread = float(np.sqrt(X.var(axis=0).mean())) or 1.0
    gaps = squared_distances(centers, centers)
    np.fill_diagonal(gaps, np.inf)
    near = np.sqrt(gaps.min(axis=1)) if n_units > 1 else np.full(1, spread)
    widths = np.where(near > 0, near, spread)[:, None]
    return centers.astype(X.dtype), widths.astype(X.dtype)


def rbf_outputs(model, X):
    """Return the linear outputs, in blocks of rows."""
    centers = model.centers_ - model.mean_

    def part(rows):
        inputs = inputs_of(X[rows] - model.mean_, model.covariance)
        hidden = responses(inputs, centers, model.shapes_, model.covariance, model.normalized)
        return hidden @ model.coef_ + model.intercept_

    return np.concatenate(map_blocks(part, len(X), BLOCK_ROWS))
