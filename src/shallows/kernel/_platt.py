"""Probabilities from decision values: Platt's sigmoid, and coupling of pairs of classes."""

from __future__ import annotations

import numpy as np
from scipy.special import expit

MAX_STEPS = 100


def fit_sigmoid(decisions, positive, weights):
    """Return A, B of the probability ``1 / (1 + exp(A f + B))`` of the positive class.

    Newton's method with backtracking on the cross-entropy (Lin, Lin and Weng 2007). The targets
    are Platt's, a little inside 0 and 1, so that separable data have a solution too.
    """
    # Targets a little off 0 and 1 (Platt 1999), against overconfidence on separable data.
    above, below = weights[positive].sum(), weights[~positive].sum()
    targets = np.where(positive, (above + 1) / (above + 2), 1 / (below + 2))
    inputs = np.column_stack([decisions, np.ones_like(decisions)])
    found = np.array([0.0, np.log((below + 1) / (above + 1))])
    loss = _cross_entropy(inputs @ found, targets, weights)
    for _ in range(MAX_STEPS):
        # Newton's step on the cross entropy, halved until it falls enough (Lin, Lin and Weng 2007).
        chances = expit(-inputs @ found)
        slope = inputs.T @ (weights * (targets - chances))
        if np.abs(slope).max() < 1e-5:
            break
        bend = (inputs * (weights * chances * (1 - chances))[:, None]).T @ inputs
        step = -np.linalg.solve(bend + 1e-12 * np.eye(2), slope)
        length = 1.0
        while length > 1e-10:
            trial = found + length * step
            new = _cross_entropy(inputs @ trial, targets, weights)
            if new < loss + 1e-4 * length * slope @ step:
                found, loss = trial, new
                break
            length /= 2
        else:
            break
    return float(found[0]), float(found[1])


def couple(pairs, chances, n_classes):
    """Return class probabilities that agree best with those of all pairs.

    They minimise ``sum_{i != j} (r_ji p_i - r_ij p_j)^2`` with sum 1 (Wu, Lin and Weng 2004,
    second method), which is a linear system.

    Parameters
    ----------
    pairs : list of (int, int)
        The two classes of each pair.
    chances : ndarray of shape (n_samples, n_pairs)
        Probability of the first class of each pair, given one of the two.
    n_classes : int
        Number of classes.

    Returns
    -------
    probabilities : ndarray of shape (n_samples, n_classes)
        Rows sum to 1.
    """
    chances = np.clip(chances, 1e-7, 1 - 1e-7)
    system = np.zeros((len(chances), n_classes + 1, n_classes + 1))
    system[:, :-1, -1] = system[:, -1, :-1] = 1.0
    for k, (i, j) in enumerate(pairs):
        first, second = chances[:, k], 1 - chances[:, k]
        system[:, i, i] += second**2
        system[:, j, j] += first**2
        system[:, i, j] = system[:, j, i] = -first * second
    right = np.zeros((len(chances), n_classes + 1, 1))
    right[:, -1] = 1.0
    found = np.maximum(np.linalg.solve(system, right)[:, :-1, 0], 0.0)
    return found / found.sum(axis=1, keepdims=True)


def _cross_entropy(exponents, targets, weights):
    """Weighted sum of -t log p - (1 - t) log(1 - p) with p = 1 / (1 + exp(exponent))."""
    return float(weights @ (np.logaddexp(0, exponents) - (1 - targets) * exponents))
