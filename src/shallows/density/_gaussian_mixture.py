"""Gaussian mixture by expectation-maximisation."""

from __future__ import annotations

import warnings
from typing import Literal

import numpy as np
from sklearn.base import BaseEstimator, DensityMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from shallows._core.contract.params import (
    NonNegativeFloat,
    NumberArray,
    PositiveFloat,
    PositiveInt,
    Verbose,
    check_params,
)
from shallows._core.contract.rng import RandomState, as_generator
from shallows._core.contract.training import IterativeMixin, Training
from shallows._core.numerics.threads import hold_threads
from shallows.density._family import mean_score
from shallows.density._mixture_rows import map_joint, rows_of
from shallows.density._mixture_starts import start_mixture
from shallows.density._mixture_steps import Mixture, invert_factors, shares_of


class GaussianMixture(DensityMixin, IterativeMixin, BaseEstimator):
    r"""Density :math:`\sum_j P(j) N(x; \mu_j, \Sigma_j)`, fitted by expectation-maximisation.

    Each step computes the share of every component in every sample, then takes weighted means and
    covariances; the likelihood never falls, and ends in a local maximum that depends on the start
    [1]_. If a component shrinks onto one sample, the likelihood is unbounded: `reg_covar` keeps
    covariances away from zero. A missing value (NaN) is a hidden variable like the component, and
    is summed out; that is right where values are missing at random [2]_.

    With `hard` a sample counts for its likeliest component only. Hard shares with a fixed
    variance and equal weights are k-means, and soft ones approach it as the variance vanishes.

    A memory-mapped file or a Dask array is read block by block, one pass per step, and need not
    fit in memory; starts then come from a random part of the rows.

    Parameters
    ----------
    n_components : int, default=1
        Number of components.
    covariance_type : {"full", "tied", "diag", "spherical"}, default="full"
        A covariance for each component; one for all; variances of each feature; one variance.
    tol : float or None, default=1e-3
        A start ends when the mean log-likelihood rises by no more than this. With None all
        `max_iter` steps run.
    reg_covar : float, default=1e-6
        Added to the diagonal of every covariance.
    max_iter : int, default=100
        Largest number of steps per start.
    n_init : int, default=1
        Number of starts; the most likely result is kept.
    init_params : {"kmeans", "k-means++", "random", "random_from_data"}, default="kmeans"
        Start from the clusters of k-means; from the samples nearest to each of a few drawn
        far apart; from random shares; from means at random samples with the covariance of all.
    weights_init : array-like of shape (n_components,) or None, default=None
        Weights to start from.
    means_init : array-like of shape (n_components, n_features) or None, default=None
        Means to start from.
    precisions_init : array-like or None, default=None
        Inverse covariances to start from, in the shape of `covariances_`.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the starts.
    warm_start : bool, default=False
        Whether `fit` goes on from the last result.
    verbose : int or bool, default=0
        Whether to report the likelihood of steps.
    verbose_interval : int, default=10
        Number of steps from one report to the next.
    variance : "fixed", float or None, default=None
        Fixed variance of spherical components with equal weights; "fixed" means 1.
    hard : bool, default=False
        Whether a sample belongs to one component only.

    Attributes
    ----------
    weights_ : ndarray of shape (n_components,)
        Probability of each component.
    means_ : ndarray of shape (n_components, n_features)
        Means.
    covariances_ : ndarray
        Covariances: (n_components, n_features, n_features) for "full", (n_features, n_features)
        for "tied", (n_components, n_features) for "diag", (n_components,) for "spherical".
    converged_ : bool
        Whether the kept start ended by `tol`.
    lower_bound_ : float
        Mean log-likelihood before the last step, with `hard` that of samples and labels.
    lower_bounds_ : list of float
        The same for all steps of the kept start.
    history_ : dict of str to list of float
        Minus the lower bounds under ``"loss"``.
    n_iter_ : int
        Steps of the kept start.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    References
    ----------
    .. [1] A. P. Dempster, N. M. Laird and D. B. Rubin, "Maximum likelihood from incomplete
       data via the EM algorithm", Journal of the Royal Statistical Society B 39, 1-38, 1977.
    .. [2] Z. Ghahramani and M. I. Jordan, "Supervised learning from incomplete data via an EM
       approach", NIPS 6, 120-127, 1994.

    Examples
    --------
    >>> from shallows.data import old_faithful
    >>> import numpy as np
    >>> from shallows.density import GaussianMixture
    >>> model = GaussianMixture(2, random_state=0).fit(np.column_stack(old_faithful()))
    >>> np.sort(model.weights_).round(2)
    array([0.36, 0.64])
    """

    def __init__(
        self,
        n_components: PositiveInt = 1,
        *,
        covariance_type: Literal["full", "tied", "diag", "spherical"] = "full",
        tol: NonNegativeFloat | None = 1e-3,
        reg_covar: NonNegativeFloat = 1e-6,
        max_iter: PositiveInt = 100,
        n_init: PositiveInt = 1,
        init_params: Literal["kmeans", "k-means++", "random", "random_from_data"] = "kmeans",
        weights_init: NumberArray | None = None,
        means_init: NumberArray | None = None,
        precisions_init: NumberArray | None = None,
        random_state: RandomState = None,
        warm_start: bool = False,
        verbose: Verbose = 0,
        verbose_interval: PositiveInt = 10,
        variance: Literal["fixed"] | PositiveFloat | None = None,
        hard: bool = False,
    ):
        self.n_components = n_components
        self.covariance_type = covariance_type
        self.tol = tol
        self.reg_covar = reg_covar
        self.max_iter = max_iter
        self.n_init = n_init
        self.init_params = init_params
        self.weights_init = weights_init
        self.means_init = means_init
        self.precisions_init = precisions_init
        self.random_state = random_state
        self.warm_start = warm_start
        self.verbose = verbose
        self.verbose_interval = verbose_interval
        self.variance = variance
        self.hard = hard

    def fit(self, X, y=None, sample_weight=None):
        """Find the components.

        Parameters
        ----------
        X : array-like, memory-mapped or Dask array of shape (n_samples, n_features)
            Training samples; NaN for missing values.
        y : array-like of shape (n_samples,), default=None
            Not used to find the components; handed to the callbacks.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each sample in the likelihood; not for memory-mapped and Dask arrays.

        Returns
        -------
        self : GaussianMixture
            The fitted estimator.
        """
        check_params(self)
        rows, dtype = rows_of(self, X, sample_weight)
        self._check_enough(rows)
        going_on = self.warm_start and hasattr(self, "means_")
        n_init = 1 if going_on else self.n_init
        streams = as_generator(self.random_state).spawn(n_init)
        run = Training(
            self,
            self.max_iter,
            state=("weights_", "means_", "covariances_"),
            X=X,
            y=y,
            sample_weight=sample_weight,
        )
        with hold_threads():
            for stream in run.starts(streams):
                # EM from one start; the best run counts.
                mixture = self._mixture() if going_on else self._begin(rows, stream)
                bound = -np.inf
                for _ in run.epochs():
                    last, (bound, mixture) = bound, self._step(rows, mixture)
                    run.record(-bound)
                    self._store(mixture, dtype)
                    if self.tol is not None and abs(bound - last) <= self.tol:
                        run.stop("tol")
                run.keep(mixture)
        self._keep(run.best(), dtype)
        return self

    def fit_predict(self, X, y=None, sample_weight=None):
        """Find the components, and return the likeliest one of each sample.

        Parameters
        ----------
        X : array-like, memory-mapped or Dask array of shape (n_samples, n_features)
            Training samples; NaN for missing values.
        y : array-like of shape (n_samples,), default=None
            Not used to find the components; handed to the callbacks.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each sample in the likelihood; not for memory-mapped and Dask arrays.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            Index of a component.
        """
        return self.fit(X, y, sample_weight).predict(X)

    def score_samples(self, X):
        """Return the log density of each sample.

        Parameters
        ----------
        X : array-like, memory-mapped or Dask array of shape (n_samples, n_features)
            Samples; NaN for missing values.

        Returns
        -------
        log_density : ndarray of shape (n_samples,)
            Natural logarithms of the density.
        """
        logs, dtype = map_joint(self, X, self._mixture(), lambda logs: shares_of(logs)[0])
        return logs.astype(dtype)

    def score(self, X, y=None, sample_weight=None):
        """Return the mean log density of the samples.

        Parameters
        ----------
        X : array-like, memory-mapped or Dask array of shape (n_samples, n_features)
            Samples; NaN for missing values.
        y : None
            Ignored.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each sample in the mean.

        Returns
        -------
        score : float
            Mean log-likelihood per sample.
        """
        return mean_score(self, X, sample_weight)

    def predict(self, X):
        """Return the likeliest component of each sample.

        Parameters
        ----------
        X : array-like, memory-mapped or Dask array of shape (n_samples, n_features)
            Samples; NaN for missing values.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            Index of a component.
        """
        return map_joint(self, X, self._mixture(), lambda logs: logs.argmax(axis=0))[0]

    def predict_proba(self, X):
        """Return the probability of each component given each sample.

        Parameters
        ----------
        X : array-like, memory-mapped or Dask array of shape (n_samples, n_features)
            Samples; NaN for missing values.

        Returns
        -------
        shares : ndarray of shape (n_samples, n_components)
            Probabilities that sum to one for each sample.
        """
        shares, dtype = map_joint(self, X, self._mixture(), lambda logs: shares_of(logs)[1].T)
        return shares.astype(dtype)

    def sample(self, n_samples=1, random_state=None):
        """Draw hidden labels, and a sample of the component that each label names.

        Parameters
        ----------
        n_samples : int, default=1
            Number of samples.
        random_state : int, RandomState, Generator or None, default=None
            Seeds the draws; None takes the `random_state` of the mixture.

        Returns
        -------
        X : ndarray of shape (n_samples, n_features)
            The samples, in random order.
        labels : ndarray of shape (n_samples,)
            The component that each was drawn from.
        """
        mixture = self._mixture()
        if n_samples < 1:
            raise ValueError(
                f"GaussianMixture: Invalid value for 'n_samples': {n_samples}. It must be at "
                "least 1."
            )
        rng = as_generator(self.random_state if random_state is None else random_state)
        labels = rng.choice(len(mixture.weights), n_samples, p=mixture.weights)
        X = rng.standard_normal((n_samples, mixture.means.shape[1]))
        factors = self._factors(mixture)
        for component, (mean, factor) in enumerate(zip(mixture.means, factors, strict=True)):
            rows = labels == component
            X[rows] = mean + X[rows] @ factor.T
        return X, labels

    def bic(self, X):
        """Return the Bayesian information criterion; smaller is better.

        Parameters
        ----------
        X : array-like, memory-mapped or Dask array of shape (n_samples, n_features)
            Samples; NaN for missing values.

        Returns
        -------
        bic : float
            Minus twice the log-likelihood plus ln(n) per free parameter.
        """
        logs = self.score_samples(X)
        return float(-2 * logs.sum(dtype=np.float64) + self._n_parameters() * np.log(len(logs)))

    def aic(self, X):
        """Return Akaike's information criterion; smaller is better.

        Parameters
        ----------
        X : array-like, memory-mapped or Dask array of shape (n_samples, n_features)
            Samples; NaN for missing values.

        Returns
        -------
        aic : float
            Minus twice the log-likelihood plus twice the number of free parameters.
        """
        return float(-2 * self.score_samples(X).sum(dtype=np.float64) + 2 * self._n_parameters())

    @property
    def precisions_cholesky_(self):
        """Upper factors U of the inverse covariances U U', or one over standard deviations."""
        covariances = self.covariances_.astype(np.float64)
        if self._kind() in ("full", "tied"):
            factors = invert_factors(np.linalg.cholesky(covariances)).swapaxes(-1, -2)
        else:
            factors = 1 / np.sqrt(covariances)
        return factors.astype(self.covariances_.dtype)

    @property
    def precisions_(self):
        """Inverse covariances, in the shape of `covariances_`."""
        factors = self.precisions_cholesky_
        if self._kind() in ("full", "tied"):
            return factors @ factors.swapaxes(-1, -2)
        return factors**2

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    def _begin(self, rows, rng):
        return start_mixture(self, self._kind(), rows, rng)

    def _kind(self):
        return "spherical" if self.variance is not None else self.covariance_type

    def _mixture(self):
        check_is_fitted(self)
        parts = self.weights_, self.means_, self.covariances_
        weights, means, covariances = (part.astype(np.float64) for part in parts)
        return Mixture(self._kind(), weights / weights.sum(), means, covariances)

    def _factors(self, mixture):
        """Return one Cholesky factor of the covariance per component."""
        shape = (len(mixture.means), mixture.means.shape[1], mixture.means.shape[1])
        if mixture.kind in ("full", "tied"):
            return np.broadcast_to(np.linalg.cholesky(mixture.covariances), shape)
        widths = np.sqrt(mixture.covariances).reshape(len(mixture.means), -1)
        return widths[:, :, None] * np.eye(shape[1])

    def _n_parameters(self):
        k, d = self.means_.shape
        if self.variance is not None:
            return k * d
        spreads = {
            "full": k * d * (d + 1) / 2,
            "tied": d * (d + 1) / 2,
            "diag": k * d,
            "spherical": k,
        }
        return int(spreads[self.covariance_type] + k * d + k - 1)

    def _check_enough(self, rows):
        n_samples = len(rows.X)
        if n_samples < self.n_components:
            raise ValueError(
                f"GaussianMixture: n_samples={n_samples} must be at least "
                f"n_components={self.n_components}. Ask for fewer components."
            )
        if n_samples < 2:
            raise ValueError("GaussianMixture needs at least 2 samples, got n_samples=1.")

    def _step(self, rows, mixture):
        """Return the bound that a mixture reaches, and the best mixture for its shares."""
        total, moments = rows.run_pass(mixture, self.hard)
        return total / rows.weight, rows.maximise(mixture, moments, self.reg_covar, self.variance)

    def _store(self, mixture, dtype):
        self.weights_ = mixture.weights.astype(dtype)
        self.means_ = mixture.means.astype(dtype)
        self.covariances_ = mixture.covariances.astype(dtype)

    def _keep(self, best, dtype):
        self._store(best.result, dtype)
        self.history_, self.n_iter_, self.converged_ = best.history, best.n_iter, best.converged
        self.lower_bounds_ = [-loss for loss in best.history["loss"]]
        self.lower_bound_ = self.lower_bounds_[-1]
        if self.tol is not None and not best.converged:
            warnings.warn(
                "GaussianMixture: Best performing initialization did not converge in "
                f"max_iter={self.max_iter} steps. Try different init parameters, raise max_iter or "
                "tol, or scale the data.",
                ConvergenceWarning,
                stacklevel=4,
            )
