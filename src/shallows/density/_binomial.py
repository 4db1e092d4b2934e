"""Bernoulli and binomial distributions."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from scipy.special import gammaln, xlog1py

from shallows._core.contract.params import NumberArray, PositiveInt, Probability
from shallows.density._family import (
    Family,
    are_counts,
    every,
    log_factorials,
    log_powers,
    refuse,
    weighted_mean,
)


class Bernoulli(Family):
    """Yes or no: 1 with probability q, else 0.

    The maximum likelihood estimate of q is the share of ones.

    Parameters
    ----------
    q : float, array-like or None, default=None
        Probability of a one, one or one per feature; None estimates it. Features are independent.

    Attributes
    ----------
    q_ : ndarray of shape (n_features,)
        Probabilities after `fit`.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    Examples
    --------
    >>> from shallows.density import Bernoulli
    >>> Bernoulli().fit([[1], [0], [1], [1]]).q_
    array([0.75])
    """

    _names: ClassVar = ("q",)
    _support = "zeros and ones"

    def __init__(self, q: Probability | NumberArray | None = None):
        self.q = q

    def _in_support(self, X):
        return every((X == 0) | (X == 1))

    def _estimate(self, X, weights):
        given = self._given("q", X.shape[1])
        return [weighted_mean(X, weights) if given is None else given]

    def _check_given(self, q):
        _check_probability(self, q)

    def _log_density(self, X, q):
        return log_powers(X, q) + _log_failures(1 - X, q)

    def _linear(self, n_features):
        q = np.broadcast_to(self._parameters()[0], n_features)
        failure = np.log1p(-q)
        return np.log(q) - failure, failure.sum()

    def _draw(self, rng, n_samples, q):
        return rng.binomial(1, q, size=(n_samples, len(q)))

    def _moments(self, q):
        return q, q * (1 - q)


class Binomial(Family):
    r"""Number of ones among n trials: :math:`P(s) = \binom{n}{s} q^s (1-q)^{n-s}`.

    The number of trials is known; the maximum likelihood estimate of q is the share of ones
    among all trials.

    Parameters
    ----------
    n : int, default=1
        Trials per count.
    q : float, array-like or None, default=None
        Probability of a one, one or one per feature; None estimates it. Features are independent.

    Attributes
    ----------
    q_ : ndarray of shape (n_features,)
        Probabilities after `fit`.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    Examples
    --------
    >>> import numpy as np
    >>> from shallows.density import Binomial
    >>> np.exp(Binomial(20, 0.5).score_samples([[10]])).round(4)
    array([0.1762])
    """

    _names: ClassVar = ("q",)

    def __init__(self, n: PositiveInt = 1, q: Probability | NumberArray | None = None):
        self.n = n
        self.q = q

    @property
    def _support(self):
        return f"counts from 0 to n={self.n}"

    def _in_support(self, X):
        return every(self.n >= X) & are_counts(X)

    def _estimate(self, X, weights):
        given = self._given("q", X.shape[1])
        return [weighted_mean(X, weights) / self.n if given is None else given]

    def _check_given(self, q):
        _check_probability(self, q)

    def _log_density(self, X, q):
        failures = self.n - X
        ways = X.shape[1] * gammaln(self.n + 1) - log_factorials(X) - log_factorials(failures)
        return ways + log_powers(X, q) + _log_failures(failures, q)

    def _draw(self, rng, n_samples, q):
        return rng.binomial(self.n, q, size=(n_samples, len(q)))

    def _moments(self, q):
        return self.n * q, self.n * q * (1 - q)


def _log_failures(failures, q):
    """Return the sum over j of failures_j ln(1 - q_j) of each row, where 0 ln 0 is 0."""
    q = np.broadcast_to(q, failures.shape[1])
    if (q < 1).all():
        return failures @ np.log1p(-q)
    return xlog1py(failures, -q).sum(axis=1)


def _check_probability(model, q):
    if not ((q >= 0) & (q <= 1)).all():
        refuse(model, "q", "between 0 and 1", q)
