"""Dirichlet distribution and pseudo-counts."""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln
from scipy.stats import dirichlet

from shallows._core.contract.rng import as_generator


class Dirichlet:
    r"""Law of probability vectors: density proportional to :math:`\prod_j \theta_j^{\alpha_j-1}`.

    It is the conjugate prior of `Multinomial`: after counts n the posterior is the Dirichlet
    law with parameters :math:`n + \alpha`.

    Parameters
    ----------
    alpha : array-like of shape (n_outcomes,)
        Positive parameters, one per outcome; each acts like a count seen before the data.

    Attributes
    ----------
    alpha : ndarray of shape (n_outcomes,)
        The parameters.

    Examples
    --------
    >>> from shallows.density import Dirichlet
    >>> posterior = Dirichlet([1, 1]).update([55, 45])
    >>> posterior.expectation().round(3)
    array([0.549, 0.451])
    """

    def __init__(self, alpha):
        alpha = np.array(alpha, dtype=float)
        if alpha.ndim != 1 or len(alpha) < 2 or not (alpha > 0).all() or np.isinf(alpha).any():
            raise ValueError(
                "Dirichlet: alpha must hold at least two positive finite numbers, one per outcome, "
                f"got {alpha}."
            )
        alpha.flags.writeable = False
        self.alpha = alpha

    def __repr__(self):
        return f"Dirichlet({self.alpha.tolist()})"

    def update(self, counts):
        """Return the posterior after counts.

        Parameters
        ----------
        counts : array-like of shape (n_outcomes,) or (n_samples, n_outcomes)
            How often each outcome was seen; several rows are added up.

        Returns
        -------
        posterior : Dirichlet
            The law with parameters counts + alpha.
        """
        return Dirichlet(self.alpha + _checked_counts(counts, len(self.alpha)))

    def expectation(self):
        """Return the mean, which after counts is the posterior mean estimate.

        Returns
        -------
        mean : ndarray of shape (n_outcomes,)
            Parameters divided by their sum.
        """
        return self.alpha / self.alpha.sum()

    def variance(self):
        """Return the variance of each probability.

        Returns
        -------
        variance : ndarray of shape (n_outcomes,)
            Variances.
        """
        mean = self.expectation()
        return mean * (1 - mean) / (self.alpha.sum() + 1)

    def score_samples(self, X):
        """Return the log density of probability vectors.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_outcomes)
            Rows of positive probabilities that sum to one.

        Returns
        -------
        log_density : ndarray of shape (n_samples,)
            Natural logarithms, relative to all but the last probability.
        """
        X = np.asarray(X, dtype=float)
        return np.atleast_1d(dirichlet(self.alpha).logpdf(X.T))

    def log_evidence(self, counts):
        r"""Return the log probability of counts when the probabilities are not known.

        It is :math:`\ln \frac{N!}{\prod n_j!} \frac{Z(n + \alpha)}{Z(\alpha)}`.

        Parameters
        ----------
        counts : array-like of shape (n_outcomes,)
            How often each outcome was seen.

        Returns
        -------
        log_evidence : float
            Logarithm of the probability of the counts given their sum.
        """
        counts = _checked_counts(counts, len(self.alpha))
        ways = gammaln(counts.sum() + 1) - gammaln(counts + 1).sum()
        return float(ways + _log_normaliser(counts + self.alpha) - _log_normaliser(self.alpha))

    def sample(self, n_samples=1, random_state=None):
        """Draw probability vectors.

        Parameters
        ----------
        n_samples : int, default=1
            Number of vectors.
        random_state : int, RandomState, Generator or None, default=None
            Seeds the draws.

        Returns
        -------
        X : ndarray of shape (n_samples, n_outcomes)
            Rows that sum to one.
        """
        return as_generator(random_state).dirichlet(self.alpha, size=n_samples)


def pseudo_counts(counts, alpha=1.0):
    r"""Estimate a probability mass function from counts, as if some had been seen before.

    The estimate :math:`(n_j + \alpha_j) / (N + A)`, :math:`A = \sum_j \alpha_j`, is the posterior
    mean under a Dirichlet prior. With positive alpha no outcome gets probability zero; alpha = 0
    gives relative frequencies, the maximum likelihood estimate.

    Parameters
    ----------
    counts : array-like of shape (n_outcomes,) or (n_sites, n_outcomes)
        How often each outcome was seen; rows are estimated one by one.
    alpha : float or array-like of shape (n_outcomes,), default=1.0
        Pseudo-counts, not negative.

    Returns
    -------
    probabilities : ndarray of the shape of counts
        Probabilities that sum to one along the last axis.

    Examples
    --------
    >>> from shallows.density import pseudo_counts
    >>> pseudo_counts([3, 1, 0], alpha=1.0).round(3)
    array([0.571, 0.286, 0.143])
    """
    counts = np.asarray(counts, dtype=float)
    alpha = np.asarray(alpha, dtype=float)
    if (counts < 0).any() or not np.isfinite(counts).all():
        raise ValueError("pseudo_counts: counts must be finite and not negative.")
    if (alpha < 0).any() or alpha.ndim > 1 or alpha.size not in (1, counts.shape[-1]):
        raise ValueError(
            "pseudo_counts: alpha must be one number or one per outcome, none negative, got "
            f"{alpha}."
        )
    raised = counts + alpha
    total = raised.sum(axis=-1, keepdims=True)
    if not total.all():
        raise ValueError("pseudo_counts: with alpha=0 each row needs a count. Raise alpha.")
    return raised / total


def _checked_counts(counts, n_outcomes):
    counts = np.asarray(counts, dtype=float)
    if counts.ndim == 2:
        counts = counts.sum(axis=0)
    good = counts.shape == (n_outcomes,) and (counts >= 0).all() and np.isfinite(counts).all()
    if not good:
        raise ValueError(
            f"Dirichlet: counts must be {n_outcomes} numbers that are not negative, got {counts}."
        )
    return counts


def _log_normaliser(alpha):
    return gammaln(alpha).sum() - gammaln(alpha.sum())
