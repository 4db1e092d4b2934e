"""Gaussian density in any dimension."""

from __future__ import annotations

import math
from contextlib import nullcontext
from typing import ClassVar, Literal, NamedTuple

import numpy as np
from scipy.linalg import lapack
from scipy.special import ndtr
from scipy.stats import chi2, multivariate_normal

from shallows._core.contract.data import check_rows, check_unlabelled
from shallows._core.contract.params import NonNegativeFloat, NumberArray, check_params
from shallows._core.numerics.moments import accumulate
from shallows._core.numerics.threads import limit_threads, map_blocks
from shallows.density._family import Family, refuse

LOG_2PI = math.log(2 * math.pi)
FEW = 2**17  # numbers, for which threads take longer to start than to work


class Ellipsoid(NamedTuple):
    """Centre, axes as rows, and their half lengths, longest first."""

    center: np.ndarray
    axes: np.ndarray
    lengths: np.ndarray


class Gaussian(Family):
    r"""The normal law: density
    :math:`(2\pi)^{-d/2} |\Sigma|^{-1/2} e^{-(x-\mu)^T \Sigma^{-1} (x-\mu)/2}`.

    The maximum likelihood estimates are the mean and the covariance with the factor 1/n, which
    is too small on average; 1/(n - 1) is right on average.

    Parameters
    ----------
    mean : float, array-like of shape (n_features,) or None, default=None
        Mean; None estimates it.
    covariance : float, array-like of shape (n_features, n_features) or None, default=None
        Covariance, or variance of one feature; None estimates it.
    ddof : {0, 1}, default=0
        0 estimates the covariance by maximum likelihood, 1 without bias.
    reg_covar : float, default=0.0
        Added to the diagonal of an estimated covariance.

    Attributes
    ----------
    mean_ : ndarray of shape (n_features,)
        Mean after `fit`.
    covariance_ : ndarray of shape (n_features, n_features)
        Covariance after `fit`.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    Examples
    --------
    >>> from shallows.density import Gaussian
    >>> law = Gaussian(mean=2.0, covariance=1.0)
    >>> round(law.interval_probability(1.0, 3.0), 4)
    0.6827
    >>> Gaussian(ddof=1).fit([[1.0], [2.0], [3.0]]).covariance_
    array([[1.]])
    """

    _names: ClassVar = ("mean", "covariance")
    _support = "finite numbers"
    _in_blocks = False

    def __init__(
        self,
        mean: float | NumberArray | None = None,
        covariance: float | NumberArray | None = None,
        *,
        ddof: Literal[0, 1] = 0,
        reg_covar: NonNegativeFloat = 0.0,
    ):
        self.mean = mean
        self.covariance = covariance
        self.ddof = ddof
        self.reg_covar = reg_covar

    def fit(self, X, y=None, sample_weight=None):
        """Estimate what is not given.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training samples.
        y : None
            Ignored.
        sample_weight : array-like of shape (n_samples,), default=None
            How many samples each one counts for.

        Returns
        -------
        self : Gaussian
            The fitted density.
        """
        check_params(self)
        weights = None
        if sample_weight is None:
            X = check_rows(self, X)
        else:
            X, weights = check_unlabelled(self, X, sample_weight)
        with limit_threads(1) if X.size < FEW else nullcontext():
            moments = accumulate(X, weights)
        if moments.weight - self.ddof <= 0:
            raise ValueError(
                f"Gaussian: a covariance with ddof={self.ddof} needs samples of a total weight "
                f"above {self.ddof}, got n_samples={len(X)}."
            )
        mean, covariance = moments.mean, moments.covariance(self.ddof)
        if self.mean is not None:
            mean = self._given("mean", X.shape[1])
            # About a given mean: E (x - m)(x - m)' = covariance + (mean - m)(mean - m)'.
            away = moments.mean - mean
            covariance = moments.scatter / moments.weight + np.outer(away, away)
        if self.reg_covar:
            covariance.flat[:: X.shape[1] + 1] += self.reg_covar
        if self.covariance is not None:
            covariance = _square(self.covariance)
            if covariance.shape != (X.shape[1], X.shape[1]):
                refuse(self, "covariance", f"of shape {2 * (X.shape[1],)}", covariance.shape)
        self._factor(covariance, f"n_samples={len(X)}")
        self.mean_, self.covariance_ = mean.astype(X.dtype), covariance.astype(X.dtype)
        return self

    def interval_probability(self, a, b):
        """Return the probability of an interval or, in several dimensions, of a box.

        Parameters
        ----------
        a, b : float or array-like of shape (n_features,)
            Lower and upper ends; they may be infinite.

        Returns
        -------
        probability : float
            In one dimension exact; in more by integration to about 1e-5.
        """
        mean, covariance = self._parameters()
        if len(mean) == 1:
            low, high = (np.ravel([a, b]) - mean[0]) / np.sqrt(covariance[0, 0])
            # In the upper tail both values of the distribution function round to one.
            return float(ndtr(-low) - ndtr(-high) if low > 0 else ndtr(high) - ndtr(low))
        low = np.broadcast_to(np.asarray(a, dtype=float), mean.shape)
        law = multivariate_normal(mean, covariance)
        return float(law.cdf(np.broadcast_to(b, mean.shape), lower_limit=low))

    def combine(self, other, a=1.0, b=1.0):
        """Return the law of ``a X + b Y`` for independent X of this law and Y of another.

        Parameters
        ----------
        other : Gaussian
            Law of Y.
        a, b : float, default=1.0
            Factors.

        Returns
        -------
        law : Gaussian
            Mean a m + b n and covariance a^2 S + b^2 T.
        """
        (mean, covariance), (mean2, covariance2) = self._parameters(), other._parameters()
        return Gaussian(a * mean + b * mean2, a**2 * covariance + b**2 * covariance2)

    def ellipsoid(self, probability=0.6827):
        """Return the level surface of the density that encloses a given probability.

        Parameters
        ----------
        probability : float, default=0.6827
            Probability inside.

        Returns
        -------
        ellipsoid : Ellipsoid
            Centre, axes (eigenvectors of the covariance, as rows) and half lengths.
        """
        mean, covariance = self._parameters()
        values, vectors = np.linalg.eigh(covariance)
        radius = chi2.ppf(probability, len(mean))
        return Ellipsoid(mean, vectors.T[::-1], np.sqrt(radius * values[::-1]))

    def _parameters(self):
        values = super()._parameters()
        if hasattr(self, "mean_"):
            return values
        mean, covariance = values[0], _square(self.covariance)
        if covariance.shape != (len(mean), len(mean)):
            refuse(self, "covariance", f"of shape {2 * (len(mean),)}", covariance.shape)
        return [mean, covariance]

    def _n_features(self, mean, covariance):
        return len(mean)

    def _in_support(self, X):
        return np.ones(len(X), dtype=bool)

    def _outside(self, X):
        return np.False_  # of all rows, in less time than row by row

    def _factor(self, covariance, where="the given covariance"):
        # SciPy's cholesky does the same in ten times the time for a few features.
        factor, failed = lapack.dpotrf(covariance, lower=1)
        if failed:
            raise ValueError(
                f"Gaussian: the covariance is not positive definite ({where}, "
                f"{len(covariance)} features). Give more samples than features, remove features "
                "that are sums of others, or raise reg_covar."
            )
        if not np.isfinite(factor).all():
            raise ValueError(
                f"Gaussian: the covariance holds NaN or infinity ({where}). Give finite numbers; "
                "samples above 1e150 need a smaller unit."
            )
        return factor

    def _log_density(self, X, mean, covariance):
        factor = self._factor(covariance)
        inverse = lapack.dtrtri(factor, lower=1)[0]
        constant = -0.5 * len(mean) * LOG_2PI - np.log(factor.diagonal()).sum()

        def block(rows):
            whitened = inverse @ (X[rows] - mean).T  # long rows, which NumPy adds soonest
            whitened *= whitened
            return constant - 0.5 * whitened.sum(axis=0)

        return np.concatenate(map_blocks(block, len(X), max(4096, FEW // len(mean))))

    def _draw(self, rng, n_samples, mean, covariance):
        return mean + rng.standard_normal((n_samples, len(mean))) @ self._factor(covariance).T

    def _moments(self, mean, covariance):
        return mean, covariance.diagonal().copy()


def _square(covariance):
    return np.atleast_2d(np.asarray(covariance, dtype=float))
