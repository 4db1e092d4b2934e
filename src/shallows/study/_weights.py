"""Weights of methods that answer together, from answers to rows that they did not learn from."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import lsq_linear, minimize

from shallows.study._calibrate import log_chances

Array = NDArray[np.float64]
STEPS = 30  # of greedy selection: weights are multiples of one over their number
ENOUGH = 1e-5  # relative gain below which selection ends
PRIOR_ROWS = 20.0  # what staying at the greedy weights weighs in a stack, in rows


def greedy_weights(parts: Array, loss: Callable[[Array], Array]) -> Array:
    """Return weights by forward selection with replacement, after Caruana et al. (2004).

    Column m of `parts` has what the loss needs of method m, such as the probability of the class
    that came; a blend's is the mean over the columns drawn so far. `loss` gives the mean loss of
    each column.
    """
    counts = np.zeros(parts.shape[1])
    total = np.zeros(len(parts))
    best, best_counts = np.inf, counts
    for step in range(1, STEPS + 1):
        losses = loss((total[:, None] + parts) / step)
        place = int(np.argmin(losses))
        counts = counts.copy()
        counts[place] += 1
        total += parts[:, place]
        if losses[place] < best * (1 - ENOUGH):
            best, best_counts = losses[place], counts
    return np.asarray(best_counts / best_counts.sum())


def stacked_numbers(parts: Array, y: Array, weights: Array) -> tuple[Array, float]:
    """Return non-negative coefficients and a constant near greedy weights, by least squares."""
    spread = parts.std(axis=0).mean() + 1e-300
    pull = np.sqrt(PRIOR_ROWS) * spread
    A = np.vstack([parts - parts.mean(axis=0), pull * np.eye(len(weights))])
    found = lsq_linear(A, np.concatenate([y - y.mean(), pull * weights]), bounds=(0, np.inf)).x
    return found, float(y.mean() - parts.mean(axis=0) @ found)


def stacked_chances(parts: list[Array], y: NDArray[np.intp], weights: Array) -> Array:
    """Return non-negative powers of probabilities near greedy weights, by maximum likelihood."""
    logs = np.stack([log_chances(part) for part in parts])
    n = len(y)
    hits = np.eye(logs.shape[2])[y]

    def cost(powers: Array) -> tuple[float, Array]:
        scores = np.tensordot(powers, logs, 1)
        scores -= scores.max(axis=1, keepdims=True)
        chances = np.exp(scores)
        sums = chances.sum(axis=1, keepdims=True)
        loss = -np.mean(scores[np.arange(n), y] - np.log(sums[:, 0]))
        gap = (chances / sums - hits) / n
        away = powers - weights
        slope = np.einsum("mij,ij->m", logs, gap)
        return loss + PRIOR_ROWS / (2 * n) * away @ away, slope + PRIOR_ROWS / n * away

    bounds = [(0.0, 5.0)] * len(weights)
    return np.asarray(minimize(cost, weights, jac=True, method="L-BFGS-B", bounds=bounds).x)
