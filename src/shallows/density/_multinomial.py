"""Multinomial distribution."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from scipy.special import gammaln

from shallows._core.contract.params import NumberArray, PositiveInt
from shallows.density._family import Family, are_counts, log_factorials, log_powers, refuse


class Multinomial(Family):
    r"""Counts of K outcomes: :math:`P(n) = \frac{N!}{n_1! \cdots n_K!} \prod_j p_j^{n_j}`.

    A row holds the counts of N independent draws. N may differ from row to row: the
    probability is that of the counts given their sum. The maximum likelihood estimate of
    each probability is the relative frequency.

    Parameters
    ----------
    p : array-like of shape (n_outcomes,) or None, default=None
        Probabilities of the outcomes, which sum to one; None estimates them.
    n : int, default=1
        Draws per row of `sample`.

    Attributes
    ----------
    p_ : ndarray of shape (n_outcomes,)
        Probabilities after `fit`.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    Examples
    --------
    >>> from shallows.density import Multinomial
    >>> Multinomial().fit([[55, 45]]).p_
    array([0.55, 0.45])
    """

    _names: ClassVar = ("p",)
    _support = "counts 0, 1, 2, ..."

    def __init__(self, p: NumberArray | None = None, *, n: PositiveInt = 1):
        self.p = p
        self.n = n

    def _in_support(self, X):
        return are_counts(X)

    def _estimate(self, X, weights):
        if self.p is not None:
            p = np.atleast_1d(np.asarray(self.p, dtype=float))
            if len(p) != X.shape[1]:
                refuse(self, "p", f"of length {X.shape[1]}, one per column of X", p)
            return [p]
        counts = weights @ X
        if not counts.any():
            raise ValueError("Multinomial: X holds zeros only, so there is nothing to estimate.")
        return [counts / counts.sum()]

    def _check_given(self, p):
        if p.ndim != 1 or (p < 0).any() or not np.isclose(p.sum(), 1, rtol=0, atol=1e-8):
            refuse(self, "p", "a vector of probabilities that sum to one", p)

    def _log_density(self, X, p):
        return self._base(X) + log_powers(X, p)

    def _linear(self, n_features):
        return np.log(self._parameters()[0]), 0.0

    def _base(self, X):
        return gammaln(X.sum(axis=1) + 1) - log_factorials(X)

    def _draw(self, rng, n_samples, p):
        return rng.multinomial(self.n, p, size=n_samples)

    def _moments(self, p):
        return self.n * p, self.n * p * (1 - p)
