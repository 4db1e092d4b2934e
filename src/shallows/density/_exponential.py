"""Exponential distribution."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from shallows._core.contract.params import NumberArray, PositiveFloat
from shallows.density._family import Family, every, refuse, weighted_mean


class Exponential(Family):
    r"""Waiting times without memory: density :math:`\lambda e^{-\lambda x}` for x >= 0.

    The maximum likelihood rate is one over the mean. Times between the events of a Poisson
    process follow this law, and the events per unit of time follow `Poisson` with the same rate.

    Parameters
    ----------
    rate : float, array-like or None, default=None
        Events per unit, one or one per feature; None estimates it. Features are independent.

    Attributes
    ----------
    rate_ : ndarray of shape (n_features,)
        Rates after `fit`.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    Examples
    --------
    >>> from shallows.density import Exponential
    >>> Exponential().fit([[1.0], [2.0], [3.0]]).rate_
    array([0.5])
    """

    _names: ClassVar = ("rate",)
    _support = "numbers that are not negative"

    def __init__(self, rate: PositiveFloat | NumberArray | None = None):
        self.rate = rate

    def _in_support(self, X):
        return every(X >= 0)

    def _estimate(self, X, weights):
        given = self._given("rate", X.shape[1])
        if given is not None:
            return [given]
        mean = weighted_mean(X, weights)
        if not mean.all():
            raise ValueError(
                "Exponential: a feature of X is zero throughout, so its rate is infinite "
                f"(n_samples={len(X)}). Remove it."
            )
        return [1 / mean]

    def _check_given(self, rate):
        if not (rate > 0).all() or not np.isfinite(rate).all():
            refuse(self, "rate", "positive", rate)

    def _log_density(self, X, rate):
        rate = np.broadcast_to(rate, X.shape[1])
        return np.log(rate).sum() - X @ rate

    def _linear(self, n_features):
        rate = np.broadcast_to(self._parameters()[0], n_features)
        return -rate, np.log(rate).sum()

    def _draw(self, rng, n_samples, rate):
        return rng.exponential(1 / rate, size=(n_samples, len(rate)))

    def _moments(self, rate):
        return 1 / rate, 1 / rate**2

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        return tags


def rate_from_events(t):
    r"""Estimate the rate of a Poisson process from the times of its events.

    The rate is :math:`(N - 1) / (t_N - t_1)`, one over the mean waiting time.

    Parameters
    ----------
    t : array-like of shape (n_events,)
        Times of the events, in any order, at least two of them different.

    Returns
    -------
    rate : float
        Events per unit of time.

    Examples
    --------
    >>> from shallows.density import rate_from_events
    >>> rate_from_events([0.0, 0.2, 1.0])
    2.0
    """
    t = np.asarray(t, dtype=float)
    if t.ndim != 1 or not np.isfinite(t).all() or len(t) < 2 or np.ptp(t) == 0:
        raise ValueError(
            "rate_from_events: t must hold at least two different finite times in one dimension, "
            f"got an array of shape {t.shape}."
        )
    return float((len(t) - 1) / np.ptp(t))
