"""Errors of which a few are so large that they decide a mean: how to know, and what to say."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import beta

Array = NDArray[Any]
LARGEST = 0.01  # share of the rows
DECIDES = 1 / 3  # share of the sum, from which an interval says nothing
BY_CHANCE = 0.001  # that a few normal errors seem to decide
AT_TIMES = 0.05  # that normal errors seem heavy-tailed, at most


def losses_of(measure: str, y: Array, answers: Array) -> list[Array]:
    """Return what the measure of numbers takes means of, row by row."""
    if measure == "mae":
        return [np.abs(y - answers)]
    squares = [(y - answers) ** 2]
    return [*squares, (y - y.mean()) ** 2] if measure == "r2" else squares


def largest_rows(losses: Array) -> tuple[int, float]:
    """Return how many rows are the largest hundredth, at least one, and their share of the sum."""
    n = max(1, round(LARGEST * len(losses)))
    total = losses.sum()
    largest = np.partition(losses, len(losses) - n)[-n:]
    return n, float(largest.sum() / total) if total > 0 else 0.0


def few_decide(losses: list[Array]) -> tuple[int, float]:
    """Return the largest rows and their share where they decide one of the means, else zeros."""
    n, share = max((largest_rows(each) for each in losses), key=lambda found: found[1])
    usual = _usual_share(n, len(losses[0]), BY_CHANCE)
    return (n, share) if share > max(DECIDES, usual) else (0, 0.0)


def is_heavy(errors: Array) -> bool:
    """Tell whether the largest squares make more of their sum than those of normal errors do."""
    n, share = largest_rows(errors**2)
    return share > _usual_share(n, len(errors), AT_TIMES)


def _usual_share(n_largest: int, n: int, chance: float) -> float:
    """Return the share that the largest squares of normal numbers exceed with that chance at most.

    The share of one square is distributed after Beta(1/2, (n - 1)/2); Bonferroni's inequality
    bounds the largest.
    """
    return float(n_largest * beta.isf(chance / n, 0.5, max(n - 1, 1) / 2))


def studentised(
    losses: Array, groups: Array | None, level: float, n_draws: int, seed: int
) -> tuple[float, float]:
    """Return an interval of the mean of positive losses: bootstrap-t of its logarithm.

    Heavy tails make the mean and its standard error large together, which percentiles of the mean
    alone do not know. Whole groups are drawn where there are groups.
    """
    of_row = np.unique(groups, return_inverse=True)[1] if groups is not None else None
    sums = losses if of_row is None else np.bincount(of_row, losses)
    sizes = np.ones(len(losses)) if of_row is None else np.bincount(of_row).astype(np.float64)
    rng = np.random.default_rng(seed)
    centre, error = _log_mean(sums, sizes)
    found = np.empty(n_draws)
    for draw in range(n_draws):
        units = rng.integers(len(sums), size=len(sums))
        value, spread = _log_mean(sums[units], sizes[units])
        found[draw] = (value - centre) / spread if spread > 0 else np.nan
    found = found[np.isfinite(found)]
    if not len(found) or error == 0:
        return float(np.exp(centre)), float(np.exp(centre))
    below, above = np.quantile(found, [(1 - level) / 2, (1 + level) / 2])
    return float(np.exp(centre - above * error)), float(np.exp(centre - below * error))


def _log_mean(sums: Array, sizes: Array) -> tuple[float, float]:
    """Return the logarithm of the mean and its standard error, by the delta method."""
    total = sums.sum()
    if total == 0:
        return -np.inf, 0.0
    parts = sums / total - sizes / sizes.sum()
    return float(np.log(total / sizes.sum())), float(np.sqrt(np.sum(parts**2)))
