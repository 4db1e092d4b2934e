"""Rademacher complexity: how well a class of functions can follow random signs."""

from __future__ import annotations

from reprlib import repr as short
from typing import NamedTuple

import numpy as np

from shallows._core.contract.params import (
    Fraction,
    NonNegativeFloat,
    PositiveFloat,
    PositiveInt,
    check_value,
)
from shallows._core.contract.rng import RandomState, as_generator

DRAWS_AT_ONCE = 1024


class Rademacher(NamedTuple):
    """An estimated Rademacher complexity.

    Parameters
    ----------
    complexity : float
        Mean over the random signs.
    standard_error : float
        Standard error of that mean.

    Examples
    --------
    >>> from shallows.theory import rademacher_complexity
    >>> rademacher_complexity([[1, 1]], random_state=0).standard_error < 0.1
    True
    """

    complexity: float
    standard_error: float


def rademacher_complexity(
    predictions, *, n_draws: PositiveInt = 1000, random_state: RandomState = None
) -> Rademacher:
    r"""Estimate the empirical Rademacher complexity of a finite class.

    With random signs :math:`\sigma_i` it is the mean of :math:`\max_h \frac1n \sum_i \sigma_i
    h(x_i)`. It is 0 for a single hypothesis and 1 for a class that shatters the points. For
    :math:`|H|` hypotheses with answers :math:`\pm 1` it is at most :math:`\sqrt{2 \ln |H| / n}`.

    Parameters
    ----------
    predictions : array-like of shape (n_hypotheses, n_points)
        Answers of every hypothesis to every point.
    n_draws : int, default=1000
        Number of random sign vectors.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the signs.

    Returns
    -------
    estimate : Rademacher
        Mean and standard error.

    References
    ----------
    .. [1] P. L. Bartlett and S. Mendelson, "Rademacher and Gaussian complexities: risk bounds
       and structural results", Journal of Machine Learning Research 3, 463-482, 2002.

    Examples
    --------
    >>> from shallows.theory import rademacher_complexity
    >>> rademacher_complexity([[1, 1], [1, -1], [-1, 1], [-1, -1]], random_state=0)
    Rademacher(complexity=1.0, standard_error=0.0)
    """
    check_value("rademacher_complexity", "n_draws", PositiveInt, n_draws)
    table = _finite("rademacher_complexity", "predictions", predictions)
    rng, n = as_generator(random_state), table.shape[1]
    values = [(_signs(rng, draws, n) @ table.T).max(axis=1) / n for draws in _portions(n_draws)]
    return _estimate(np.concatenate(values))


def rademacher_linear(
    X,
    radius: PositiveFloat = 1.0,
    *,
    n_draws: PositiveInt = 1000,
    random_state: RandomState = None,
) -> Rademacher:
    r"""Estimate the empirical Rademacher complexity of linear functions.

    Among all :math:`w` with :math:`|w| \leq B` the largest correlation with the signs is
    :math:`\frac Bn |\sum_i \sigma_i x_i|`. Its mean is at most :math:`\frac Bn \sqrt{\sum_i
    |x_i|^2}` in any dimension.

    Parameters
    ----------
    X : array-like of shape (n_points, n_features)
        Points.
    radius : float, default=1.0
        Largest length :math:`B` of the weights.
    n_draws : int, default=1000
        Number of random sign vectors.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the signs.

    Returns
    -------
    estimate : Rademacher
        Mean and standard error.

    Examples
    --------
    >>> from shallows.theory import rademacher_linear
    >>> rademacher_linear([[3, 4]], radius=2, random_state=0).complexity
    10.0
    """
    check_value("rademacher_linear", "radius", PositiveFloat, radius)
    check_value("rademacher_linear", "n_draws", PositiveInt, n_draws)
    X = _finite("rademacher_linear", "X", X)
    rng, n = as_generator(random_state), len(X)
    # The maximum over the ball is reached at w parallel to the signed sum of the points.
    values = [
        radius / n * np.linalg.norm(_signs(rng, draws, n) @ X, axis=1)
        for draws in _portions(n_draws)
    ]
    return _estimate(np.concatenate(values))


def rademacher_confidence(
    complexity: NonNegativeFloat, n: PositiveInt, delta: Fraction = 0.05
) -> float:
    r"""Return by how much the risk may exceed the empirical risk, given the complexity.

    Let losses lie between 0 and 1, with empirical complexity :math:`\hat{\mathcal R}`. With
    probability at least :math:`1 - \delta`, :math:`R \leq R_{emp} + 2 \hat{\mathcal R} + 3
    \sqrt{\ln(2 / \delta) / (2 n)}` for all hypotheses at once. The 0/1 loss of a class with
    answers :math:`\pm 1` has half the complexity of the class.

    Parameters
    ----------
    complexity : float
        Empirical Rademacher complexity of the losses.
    n : int
        Number of examples.
    delta : float, default=0.05
        Accepted probability that the bound fails.

    Returns
    -------
    epsilon : float
        The confidence term.

    Examples
    --------
    >>> from shallows.theory import rademacher_confidence
    >>> round(rademacher_confidence(0.05, 1000), 4)
    0.2288
    """
    check_value("rademacher_confidence", "complexity", NonNegativeFloat, complexity)
    check_value("rademacher_confidence", "n", PositiveInt, n)
    check_value("rademacher_confidence", "delta", Fraction, delta)
    return float(2 * complexity + 3 * np.sqrt(np.log(2 / delta) / (2 * n)))


def _portions(n_draws):
    full, rest = divmod(n_draws, DRAWS_AT_ONCE)
    return [DRAWS_AT_ONCE] * full + [rest] * bool(rest)


def _signs(rng, draws, n):
    return rng.integers(0, 2, size=(draws, n)) * 2.0 - 1.0


def _estimate(values):
    error = values.std(ddof=1) / np.sqrt(len(values)) if len(values) > 1 else np.inf
    return Rademacher(float(values.mean()), float(error))


def _finite(owner, name, table):
    table = np.asarray(table, dtype=float)
    if table.ndim != 2 or table.size == 0 or not np.isfinite(table).all():
        raise ValueError(
            f"{owner}: {name} must be a finite table with two axes, got {short(table)}."
        )
    return table
