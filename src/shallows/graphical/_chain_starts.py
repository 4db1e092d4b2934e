"""Starting points of expectation-maximisation for hidden Markov models."""

from __future__ import annotations

import numpy as np
from scipy.optimize import linear_sum_assignment

from shallows._core.numerics.kmeans import kmeans
from shallows.graphical._emissions import Categorical, Diagonal, Full

START_COUNT = 1.0  # pseudo-count, because a start is only a guess


def start_chain(model, values, starts, known, rng, number):
    """Return first-state probabilities, transitions and emissions; start 0 uses k-means."""
    guess = _random_symbols if model.emission == "categorical" else _clusters
    initial, moves, emission = guess(model, values, starts, known, rng, number)
    if model.startprob_init is not None:
        initial = _checked(model.startprob_init, initial.shape, "startprob_init")
    if model.transmat_init is not None:
        moves = _checked(model.transmat_init, moves.shape, "transmat_init")
    return initial, moves, emission


def _clusters(model, values, starts, known, rng, number):
    n_states = model.n_components
    means = np.nanmean(values, axis=0) if not np.isnan(values).all(axis=0).any() else None
    if means is None:
        raise ValueError("HiddenMarkovModel: a feature has no value that is not missing.")
    filled = np.where(np.isnan(values), means, values)
    spread = np.sqrt(np.maximum(filled.var(axis=0), model.reg_covar))
    init = "k-means++" if number == 0 else "random"
    rows = np.ascontiguousarray((filled - means) / spread)
    labels = kmeans(rows, n_states, rng, init=init, n_init=3 if number == 0 else 1).labels
    labels = _agree(labels, known, n_states)
    shares = np.zeros((len(values), n_states))
    shares[np.arange(len(values)), labels] = 1.0
    shape = (n_states, values.shape[1])
    variances = np.broadcast_to(spread**2, shape).copy()
    if model.covariance_type == "diag":
        emission = Diagonal(np.tile(means, (n_states, 1)), variances, float(model.reg_covar))
    else:
        covariances = np.array([np.diag(row) for row in variances])
        emission = Full(np.tile(means, (n_states, 1)), covariances, float(model.reg_covar))
    return *_count_moves(labels, starts, n_states), emission.update(values, shares)


def _agree(labels, known, n_states):
    """Renumber clusters to match known states as well as possible; keep the known states."""
    rows = known >= 0
    if not rows.any():
        return labels
    shared = np.zeros((n_states, n_states))
    np.add.at(shared, (labels[rows], known[rows]), 1)
    labels = linear_sum_assignment(-shared)[1][labels]
    return np.where(rows, known, labels)


def _count_moves(labels, starts, n_states):
    initial = np.bincount(labels[starts[:-1]], minlength=n_states) + START_COUNT
    inside = np.ones(len(labels), dtype=bool)
    inside[starts[:-1]] = False
    moves = np.full((n_states, n_states), START_COUNT)
    after = np.flatnonzero(inside)
    np.add.at(moves, (labels[after - 1], labels[after]), 1)
    return initial / initial.sum(), moves / moves.sum(axis=1, keepdims=True)


def _random_symbols(model, values, starts, known, rng, number):
    n_states = model.n_components
    codes = values[:, 0]
    seen = ~np.isnan(codes)
    counts = np.bincount(codes[seen].astype(np.intp)) + START_COUNT
    table = counts * rng.dirichlet(np.ones(len(counts)), n_states)
    table /= table.sum(axis=1, keepdims=True)
    told = seen & (known >= 0)
    np.add.at(table, (known[told], codes[told].astype(np.intp)), 1)
    # Random transitions with a uniform part, so that none starts at zero.
    stay = rng.dirichlet(np.ones(n_states), n_states) + 1 / n_states
    return (
        np.full(n_states, 1 / n_states),
        stay / stay.sum(axis=1, keepdims=True),
        Categorical(table / table.sum(axis=1, keepdims=True), float(model.alpha)),
    )


def _checked(values, shape, name):
    values = np.array(values, dtype=np.float64)
    good = values.shape == shape and (values >= 0).all()
    if not good or not np.allclose(values.sum(axis=-1), 1, rtol=0, atol=1e-6):
        raise ValueError(
            f"HiddenMarkovModel: {name} must be probabilities of shape {shape} that sum to 1 "
            f"along the last axis, got {values.tolist()}."
        )
    return values
