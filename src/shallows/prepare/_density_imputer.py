"""Impute missing values with a Gaussian or a Gaussian mixture."""

from __future__ import annotations

import numpy as np
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin, clone

from shallows._core.contract.params import Estimator, NonNegativeFloat, PositiveInt, check_params
from shallows._core.contract.rng import RandomState, as_generator
from shallows._core.contract.training import IterativeMixin, Training
from shallows._core.numerics.log_sums import log_sums
from shallows.prepare._conditional import (
    Filled,
    combine,
    conditional,
    fill_all,
    gap_groups,
    mixture_parameters,
)
from shallows.prepare._gaps import allow_nan, check_gappy, each_pattern, refuse_empty_columns


class DensityImputer(OneToOneFeatureMixin, TransformerMixin, IterativeMixin, BaseEstimator):
    r"""Impute the conditional mean, or a draw, given the observed values of the row.

    Under a Gaussian the missing part of a row has the mean :math:`\mu_m + \Sigma_{mo}
    \Sigma_{oo}^{-1} (x_o - \mu_o)` and the covariance :math:`\Sigma_{mm} - \Sigma_{mo}
    \Sigma_{oo}^{-1} \Sigma_{om}`. Under a mixture, each component is weighted with its posterior
    probability given :math:`x_o`. Imputing means reduces the variance of a column; draws preserve
    variances and correlations on average.

    Without a model, one Gaussian is fitted to the incomplete data by expectation-maximisation
    [1]_. This is correct if values are missing at random.

    Parameters
    ----------
    model : object or None, default=None
        A mixture with `means_`, `covariances_` and `weights_`, such as
        :class:`sklearn.mixture.GaussianMixture`. If it is not fitted yet, it is fitted to the
        complete rows. None means one Gaussian, fitted to all rows.
    draw : bool, default=False
        Whether to impute random draws instead of means.
    max_iter : int, default=100
        Largest number of steps for the single Gaussian.
    tol : float or None, default=1e-4
        Fitting stops when the mean log-likelihood of a row improves by less than this.
    reg_covar : float, default=1e-6
        Regularisation: this share of each column's variance is added to the covariance diagonal.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the draws; every call makes the same ones.

    Attributes
    ----------
    means_ : ndarray of shape (n_components, n_features)
        Means of the components.
    covariances_ : ndarray of shape (n_components, n_features, n_features)
        Covariances of the components.
    weights_ : ndarray of shape (n_components,)
        Weights of the components.
    history_ : dict of str to list of float
        Minus the mean log-likelihood per row under ``"loss"``; a given model has a single value.
    n_iter_ : int
        Steps run.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    References
    ----------
    .. [1] R. J. A. Little and D. B. Rubin, "Statistical Analysis with Missing Data", 3rd ed.
       2019, Sec. 11.2.

    Examples
    --------
    >>> import numpy as np
    >>> from shallows.prepare import DensityImputer
    >>> X = np.outer(np.arange(20.0), [1.0, 2.0])
    >>> X[7, 1] = np.nan
    >>> DensityImputer().fit_transform(X)[7].round(2)
    array([ 7., 14.])
    """

    def __init__(
        self,
        model: Estimator | None = None,
        *,
        draw: bool = False,
        max_iter: PositiveInt = 100,
        tol: NonNegativeFloat | None = 1e-4,
        reg_covar: NonNegativeFloat = 1e-6,
        random_state: RandomState = None,
    ):
        self.model = model
        self.draw = draw
        self.max_iter = max_iter
        self.tol = tol
        self.reg_covar = reg_covar
        self.random_state = random_state

    def fit(self, X, y=None):
        """Learn the density.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training samples, NaN for gaps.
        y : None
            Ignored.

        Returns
        -------
        self : DensityImputer
            The fitted imputer.
        """
        check_params(self)
        X = check_gappy(self, X, reset=True)
        refuse_empty_columns(self, X)
        kind = X.dtype
        X = X.astype(np.float64)
        if self.model is None:
            mixture = self._fit_gaussian(X)
        else:
            mixture = mixture_parameters(_fitted(self.model, X), X.shape[1])
            total = sum(logs.sum() for *_, logs in _each_part(X, *mixture))
            self.history_, self.n_iter_ = {"loss": [float(-total / len(X))]}, 1
        self.means_, self.covariances_, self.weights_ = (part.astype(kind) for part in mixture)
        self._seed = int(as_generator(self.random_state).integers(2**63))
        return self

    def transform(self, X):
        """Fill the gaps.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples, NaN for gaps.

        Returns
        -------
        filled : ndarray of shape (n_samples, n_features)
            Samples without gaps.
        """
        X = check_gappy(self, X, reset=False)
        rng = np.random.default_rng(self._seed)
        learned = (self.means_, self.covariances_, self.weights_)
        means, covariances, weights = (part.astype(np.float64) for part in learned)
        if len(weights) == 1 and not self.draw:
            gaps = np.isnan(X)
            found = fill_all(X.astype(np.float64), means[0], covariances[0], gap_groups(gaps))
            if found is not None:
                X[gaps] = found.rows[gaps]
                return X
        for rows, missing, parts, shares, _ in _each_part(X, means, covariances, weights):
            if missing.any():
                X[np.ix_(rows, missing)] = combine(parts, shares, rng if self.draw else None)
        return X

    def _fit_gaussian(self, X):
        n_samples = len(X)
        mean, variance = np.nanmean(X, axis=0), np.nanvar(X, axis=0)
        # A tiny absolute term keeps a constant column from making the matrix singular.
        ridge = np.diag(self.reg_covar * variance + np.finfo(float).tiny * 1e8)
        covariance = np.diag(variance) + ridge
        groups = gap_groups(np.isnan(X))
        run = Training(self, self.max_iter, self.tol, X=X)
        for _ in run:
            # E-step: conditional means and covariances of the gaps under the current Gaussian.
            found = fill_all(X, mean, covariance, groups)
            filled, spread, logs = found or _fill_by_pattern(X, mean, covariance)
            run.record(-logs.sum() / n_samples)
            # M-step: mean and covariance of the completed rows, plus the uncertainty of the gaps.
            mean = filled.mean(axis=0)
            centred = filled - mean
            covariance = (centred.T @ centred + spread) / n_samples + ridge
        self.history_, self.n_iter_ = run.history, run.n_iter
        return mean[None], covariance[None], np.ones(1)

    def __sklearn_tags__(self):
        return allow_nan(super().__sklearn_tags__())


def _fill_by_pattern(X, mean, covariance):
    """Do the same as `fill_all` via the covariance itself, pattern by pattern."""
    filled, spread, logs = X.copy(), np.zeros_like(covariance), np.empty(len(X))
    for rows, missing in each_pattern(X):
        part = conditional(mean, covariance, missing, X[np.ix_(rows, ~missing)])
        filled[np.ix_(rows, missing)] = part.mean
        spread[np.ix_(missing, missing)] += len(rows) * part.covariance
        logs[rows] = part.log_density
    return Filled(filled, spread, logs)


def _each_part(X, means, covariances, weights):
    """Yield for each pattern: rows, missing columns, conditionals, posteriors, log densities."""
    for rows, missing in list(each_pattern(X)):
        seen = X[np.ix_(rows, ~missing)].astype(np.float64)
        parts = [
            conditional(mean, covariance, missing, seen)
            for mean, covariance in zip(means, covariances, strict=True)
        ]
        # Posterior of a component: its weight times its density of the seen values, normalised.
        logs = np.log(weights) + np.column_stack([part.log_density for part in parts])
        density = log_sums(logs)
        yield rows, missing, parts, np.exp(logs - density[:, None]), density


def _fitted(model, X):
    """Return the model if it is fitted, else a copy fitted to the complete rows."""
    if hasattr(model, "means_"):
        return model
    complete = X[~np.isnan(X).any(axis=1)]
    if len(complete) < 2:
        raise ValueError(
            f"DensityImputer: {len(complete)} complete rows are not enough to fit "
            f"{type(model).__name__}. Pass a fitted model, or None."
        )
    return clone(model).fit(complete)
