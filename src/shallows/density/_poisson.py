"""Poisson distribution."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from shallows._core.contract.params import NonNegativeFloat, NumberArray
from shallows.density._family import (
    Family,
    are_counts,
    log_factorials,
    log_powers,
    refuse,
    weighted_mean,
)


class Poisson(Family):
    r"""Counts of rare events: :math:`P(k) = \lambda^k e^{-\lambda} / k!`.

    Mean and variance are both the rate; its maximum likelihood estimate is the mean count.

    Parameters
    ----------
    rate : float, array-like or None, default=None
        Expected count, one or one per feature; None estimates it. Features are independent.

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
    >>> from shallows.density import Poisson
    >>> Poisson().fit([[2], [3], [1]]).rate_
    array([2.])
    """

    _names: ClassVar = ("rate",)
    _support = "counts 0, 1, 2, ..."

    def __init__(self, rate: NonNegativeFloat | NumberArray | None = None):
        self.rate = rate

    def _in_support(self, X):
        return are_counts(X)

    def _estimate(self, X, weights):
        given = self._given("rate", X.shape[1])
        return [weighted_mean(X, weights) if given is None else given]

    def _check_given(self, rate):
        if not (rate >= 0).all() or not np.isfinite(rate).all():
            refuse(self, "rate", "finite and not negative", rate)

    def _log_density(self, X, rate):
        return log_powers(X, rate) - log_factorials(X) - np.broadcast_to(rate, X.shape[1]).sum()

    def _linear(self, n_features):
        rate = np.broadcast_to(self._parameters()[0], n_features)
        return np.log(rate), -rate.sum()

    def _base(self, X):
        return -log_factorials(X)

    def _draw(self, rng, n_samples, rate):
        return rng.poisson(rate, size=(n_samples, len(rate)))

    def _moments(self, rate):
        return rate, rate.copy()
