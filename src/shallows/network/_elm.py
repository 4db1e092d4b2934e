"""Extreme learning machine: a random hidden layer and a linear read-out."""

from __future__ import annotations

import numpy as np
from scipy import linalg

from shallows._core.contract.rng import as_generator
from shallows._core.numerics.threads import block_slices, map_blocks, quick_lapack
from shallows.network._layers import check_activation
from shallows.network._network import activate

BLOCK_VALUES = 2**21
BLOCKS_AT_ONCE = 16


def fit_elm(model, X, target, weights):
    """Draw the hidden layer, then fit the outputs."""
    check_activation(model)
    rng, n_features = as_generator(model.random_state), X.shape[1]
    reach = model.scale / n_features**0.5
    model.hidden_coef_ = rng.normal(0, reach, (n_features, model.n_hidden)).astype(X.dtype)
    model.hidden_intercept_ = rng.normal(0, model.scale, model.n_hidden).astype(X.dtype)
    _fit_outputs(model, X, target, weights)


def elm_outputs(model, X):
    """Return the outputs, in blocks of rows."""

    def part(rows):
        return hidden_outputs(model, X[rows]) @ model.coef_ + model.intercept_

    return np.concatenate(map_blocks(part, X.shape[0], _block_rows(model)))


def hidden_outputs(model, X):
    """Return the outputs of the hidden units."""
    return activate(model.activation, X @ model.hidden_coef_ + model.hidden_intercept_)


def _fit_outputs(model, X, target, weights):
    """Fit the output weights by least squares, penalised with ``model.alpha``.

    Without penalty the solution of least norm comes from a singular value decomposition; with
    one, only products of hidden outputs are kept, so that rows may be many.
    """
    total = weights.sum()
    mean = weights @ target / total
    if model.alpha == 0:
        hidden = hidden_outputs(model, X).astype(np.float64)
        center = weights @ hidden / total
        root = np.sqrt(weights)[:, None]
        found = linalg.lstsq((hidden - center) * root, (target - mean) * root, check_finite=False)
        coef = found[0]
    else:
        # Ridge on the hidden outputs, by sums over blocks of rows.
        center, gram, moment = _products(model, X, target - mean, weights)
        gram.flat[:: len(gram) + 1] += model.alpha
        coef = _solve(gram, moment)
    model.coef_ = coef.astype(X.dtype)
    model.intercept_ = (mean - center @ coef).astype(X.dtype)


def _solve(gram, moment):
    """Solve by Cholesky; a scatter that rounding has made singular, by its eigenvectors."""
    with quick_lapack(len(gram)):
        try:
            return linalg.cho_solve(linalg.cho_factor(gram, check_finite=False), moment)
        except linalg.LinAlgError:
            return linalg.lstsq(gram, moment, check_finite=False)[0]


def _products(model, X, target, weights):
    """Return mean, scatter and moments of the hidden outputs, a few blocks of rows at a time."""
    n_hidden, n_samples = model.n_hidden, X.shape[0]
    gram, moment = np.zeros((n_hidden, n_hidden)), np.zeros((n_hidden, target.shape[1]))
    total, center = weights.sum(), np.zeros(n_hidden)
    root, block_rows = np.sqrt(weights).astype(X.dtype), _block_rows(model)
    for several in block_slices(n_samples, BLOCKS_AT_ONCE * block_rows):

        def part(rows, first=several.start):
            rows = slice(first + rows.start, first + rows.stop)
            hidden, share = hidden_outputs(model, X[rows]), root[rows]
            if not (share == 1).all():
                hidden *= share[:, None]
            by_target = hidden.T @ (target[rows].astype(X.dtype) * share[:, None])
            return hidden.T @ hidden, by_target, share @ hidden

        # A few blocks at once, added in their order, so that the bits don't depend on the threads.
        for found in map_blocks(part, several.stop - several.start, block_rows):
            gram += found[0]
            moment += found[1]
            center += found[2]
    center /= total
    gram -= total * np.outer(center, center)
    return center, gram, moment


def _block_rows(model):
    return max(1024, BLOCK_VALUES // model.n_hidden)
