"""Calibration of class probabilities: one slope for all classes and one shift for each."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
SMALLEST = 1e-4  # probability below which a logarithm is cut off
STEPS, TOLERANCE = 30, 1e-9
PRIOR_ROWS = 5.0  # what staying as it is weighs, in rows


def log_chances(chances: Array) -> NDArray[np.float64]:
    """Return logarithms of probabilities, none of them without end."""
    return np.log(np.clip(chances, SMALLEST, 1.0))


def fit_scaling(chances: Array, y: Array) -> NDArray[np.float64]:
    r"""Return the slope and the shifts that make probabilities fit the classes of some rows.

    Probabilities become :math:`p_k' \propto \exp(a \log p_k + b_k)`. The log loss plus
    :math:`\frac{c}{2 n} ((a - 1)^2 s^2 + |b + (a - 1) m|^2)` is minimised by Newton's method; it
    is convex. Here m is the mean of the logarithms and s their spread, at most 1: scores that
    hardly differ, as those of a machine with little room for errors, may be stretched.
    """
    given = log_chances(chances)
    n, k = given.shape
    hits = np.eye(k)[y]
    middle = given.mean(axis=0)
    spread = float(np.clip((given - middle).std(), 1e-9, 1.0))
    logs = (given - middle) / spread

    start = np.concatenate([[spread], middle])
    values = start
    loss = _penalised(values, start, logs, y)
    for _ in range(STEPS):
        p = _softmax(values[0] * logs + values[1:])
        mean = np.sum(p * logs, axis=1, keepdims=True)
        gap = (p - hits) / n
        slope = np.concatenate([[np.sum(gap * logs)], gap.sum(axis=0)])
        slope += PRIOR_ROWS / n * (values - start)

        # The curvature of the log loss: covariances of (log p, class) under the model.
        curve = np.empty((k + 1, k + 1))
        curve[0, 0] = np.sum(p * (logs - mean) ** 2) / n
        curve[0, 1:] = curve[1:, 0] = np.sum(p * (logs - mean), axis=0) / n
        curve[1:, 1:] = (np.diag(p.sum(axis=0)) - p.T @ p) / n
        step = np.linalg.solve(curve + PRIOR_ROWS / n * np.eye(k + 1), slope)
        size = 1.0
        while size > 1e-4:  # halve a step that goes too far
            there = values - size * step
            reached = _penalised(there, start, logs, y)
            if reached <= loss:
                break
            size /= 2
        else:
            break
        gain, values, loss = loss - reached, there, reached
        if gain < TOLERANCE:
            break
    slope_given = values[0] / spread
    return np.concatenate([[slope_given], values[1:] - slope_given * middle])


def _penalised(values: Array, start: Array, logs: Array, y: Array) -> float:
    scores = values[0] * logs + values[1:]
    scores -= scores.max(axis=1, keepdims=True)
    n = len(y)
    told = scores[np.arange(n), y] - np.log(np.exp(scores).sum(axis=1))
    away = values - start
    return float(-told.mean() + PRIOR_ROWS / (2 * n) * away @ away)


def _softmax(scores: Array) -> Array:
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))


def scale(chances: Array, values: Array) -> NDArray[np.float64]:
    """Return calibrated probabilities; rows sum to one."""
    return _softmax(values[0] * log_chances(chances) + values[1:])


def scaled_across(chances: Array, y: Array, parts: Array) -> NDArray[np.float64]:
    """Return probabilities of each part calibrated by what the other parts say."""
    found = np.empty_like(chances, dtype=np.float64)
    for part in np.unique(parts):
        here = parts == part
        there = ~here
        found[here] = scale(chances[here], fit_scaling(chances[there], y[there]))
    return found
