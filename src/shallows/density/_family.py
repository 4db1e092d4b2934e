"""Parametric distributions: given or estimated parameters, score, samples."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from scipy.special import gammaln, xlogy
from sklearn.base import BaseEstimator, DensityMixin

from shallows._core.contract.data import check_new, check_unlabelled, check_weights
from shallows._core.contract.params import check_params
from shallows._core.contract.rng import as_generator
from shallows._core.numerics.threads import map_blocks

BLOCK_CELLS = 2**19  # fewer are sooner done than handed to a thread


class Family(DensityMixin, BaseEstimator):
    """A law whose parameters are given or, where None, estimated by maximum likelihood.

    A subclass names its parameters in `_names` and writes `_estimate`, `_log_density`,
    `_draw` and `_moments`; features are independent unless it says otherwise. A law with all
    parameters given needs no `fit`.
    """

    _names: ClassVar[tuple[str, ...]]
    _in_blocks: ClassVar[bool] = True  # False where each block would prepare anew

    def fit(self, X, y=None, sample_weight=None):
        """Estimate the parameters that are not given.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training samples.
        y : None
            Ignored.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each sample in the likelihood.

        Returns
        -------
        self : Family
            The fitted law.
        """
        check_params(self)
        X, weights = self._read(X, sample_weight)
        wrong = ~self._by_blocks(self._in_support, X)
        if wrong.any():
            raise ValueError(
                f"{type(self).__name__}: X must hold {self._support}, got {X[wrong][0]} in row "
                f"{int(np.argmax(wrong))}."
            )
        values = self._estimate(X, weights)
        self._check_given(*values)
        for name, value in zip(self._names, values, strict=True):
            setattr(self, f"{name}_", np.asarray(value).astype(X.dtype))
        return self

    def score_samples(self, X):
        """Return the log density, or log probability, of each sample.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        log_density : ndarray of shape (n_samples,)
            Natural logarithms; minus infinity outside the support.
        """
        X = self._read_new(X)
        values = self._parameters()
        n_features = self._n_features(*values)
        if n_features not in (None, X.shape[1]):
            raise ValueError(
                f"{type(self).__name__}: X has {X.shape[1]} features, but the parameters are given "
                f"for {n_features}."
            )

        def logs_of(part):
            outside = self._outside(part)
            with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
                logs = self._log_density(part.astype(np.float64, copy=False), *values)
            return np.where(outside, -np.inf, logs) if outside.any() else logs

        return self._by_blocks(logs_of, X).astype(X.dtype, copy=False)

    def score(self, X, y=None, sample_weight=None):
        """Return the mean log density of the samples.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.
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

    def sample(self, n_samples=1, random_state=None):
        """Draw independent samples.

        Parameters
        ----------
        n_samples : int, default=1
            Number of samples.
        random_state : int, RandomState, Generator or None, default=None
            Seeds the draws.

        Returns
        -------
        X : ndarray of shape (n_samples, n_features)
            The samples.
        """
        values = self._parameters()
        return self._draw(as_generator(random_state), n_samples, *values).astype(np.float64)

    def expectation(self):
        """Return the expectation.

        Returns
        -------
        mean : ndarray of shape (n_features,)
            Expectation of each feature.
        """
        return self._moments(*self._parameters())[0]

    def variance(self):
        """Return the variance.

        Returns
        -------
        variance : ndarray of shape (n_features,)
            Variance of each feature.
        """
        return self._moments(*self._parameters())[1]

    def _read(self, X, sample_weight):
        return check_unlabelled(self, X, sample_weight)

    def _read_new(self, X):
        return check_new(self, X)

    def _by_blocks(self, work, X):
        """Return what `work` makes of the rows, a block at a time unless that costs more."""
        if not self._in_blocks:
            return work(X)
        block_rows = max(4096, BLOCK_CELLS // X.shape[1])
        return np.concatenate(map_blocks(lambda rows: work(X[rows]), len(X), block_rows))

    def _outside(self, X):
        """Tell which rows are impossible, whatever the formula for the others says."""
        return ~self._in_support(X)

    def _linear(self, n_features):
        """Return slopes and constant of the log density less `_base`, where it is linear in x."""
        return None

    def _base(self, X):
        """Return the part of the log density that knows no parameter."""
        return np.zeros(len(X))

    def _parameters(self):
        """Return the learned parameters or, before a fit, the given ones."""
        if not self.__sklearn_is_fitted__():
            missing = [name for name in self._names if getattr(self, name) is None]
            raise ValueError(
                f"{type(self).__name__}: {missing[0]} is neither given nor learned. Give it, or "
                "call fit."
            )
        if not hasattr(self, f"{self._names[0]}_"):
            check_params(self)
            values = [np.atleast_1d(np.asarray(getattr(self, n), float)) for n in self._names]
            self._check_given(*values)
            return values
        return [getattr(self, f"{name}_").astype(np.float64) for name in self._names]

    def __sklearn_is_fitted__(self):
        learned = hasattr(self, f"{self._names[0]}_")
        return learned or all(getattr(self, name) is not None for name in self._names)

    def _given(self, name, n_features):
        """Return a given parameter for every feature, or None."""
        value = getattr(self, name)
        if value is None:
            return None
        value = np.asarray(value, dtype=float)
        if value.ndim > 1 or (value.ndim == 1 and len(value) not in (1, n_features)):
            raise ValueError(
                f"{type(self).__name__}: {name} must be one number or {n_features} of them, one "
                f"per feature, got shape {value.shape}."
            )
        return np.broadcast_to(value, (n_features,)).copy()

    def _n_features(self, *values):
        """Return for how many features the parameters stand; None means any number."""
        longest = max(map(len, values))
        return None if longest == 1 else longest

    def _check_given(self, *values):
        """Raise where parameters are out of range; a subclass says how."""


def linear_log_densities(models, X, relative=False):
    """Return the log densities of each row under fitted laws of one kind, by one product.

    None where the log density is not linear in x, but for a part that all laws share; with
    `relative` it is left out.
    """
    first = models[0]
    if not isinstance(first, Family) or any(type(model) is not type(first) for model in models):
        return None
    widths = {getattr(model, "n_features_in_", None) for model in models}
    if np.ndim(X) != 2 or widths != {np.shape(X)[1]}:
        return None
    with np.errstate(divide="ignore"):
        parts = [model._linear(model.n_features_in_) for model in models]
    if not all(part is not None and np.isfinite(part[0]).all() for part in parts):
        return None

    # All laws at once: log p_k(x) = s_k'x + c_k + base(x).
    slopes = np.column_stack([part[0] for part in parts])
    constants = np.array([part[1] for part in parts])

    def logs_of(part):
        part = part.astype(np.float64, copy=False)
        logs = part @ slopes
        logs += constants if relative else constants + first._base(part)[:, None]
        logs[first._outside(part)] = -np.inf
        return logs

    return first._by_blocks(logs_of, first._read_new(X))


def mean_score(model, X, sample_weight=None):
    """Return the weighted mean of ``model.score_samples(X)``."""
    logs = model.score_samples(X).astype(np.float64)
    weights = check_weights(sample_weight, len(logs))
    used = weights > 0
    return float(np.average(logs[used], weights=weights[used]))


def are_counts(X):
    """Tell which rows hold 0, 1, 2, ... only."""
    nearest = np.abs(X)
    return every(np.floor(nearest, out=nearest) == X)


def every(good):
    """Tell which rows are good throughout; quick where all of them are."""
    return np.ones(len(good), dtype=bool) if good.all() else good.all(axis=1)


def weighted_mean(X, weights):
    """Return the mean of each column, by float64 sums and without a copy of X times weights."""
    return weights @ X / weights.sum()


def log_powers(X, base):
    r"""Return :math:`\sum_j x_j \ln b_j` of each row, where 0 ln 0 is 0."""
    base = np.broadcast_to(base, X.shape[1])
    if (base > 0).all():
        return X @ np.log(base)
    return xlogy(X, base).sum(axis=1)


def log_factorials(X):
    r"""Return :math:`\sum_j \ln x_j!` of each row of counts.

    Small counts are looked up. What is no count gives any number.
    """
    most = X.max(initial=0.0)
    if X.min(initial=0.0) >= 0 and 4 * most < X.size:
        parts = gammaln(np.arange(most + 1) + 1)[X.astype(np.intp)]
    else:
        parts = gammaln(X + 1)
    return parts @ np.ones(X.shape[1])


def refuse(model, name, allowed, value):
    """Raise for a given parameter that is out of range."""
    raise ValueError(f"{type(model).__name__}: {name} must be {allowed}, got {value}.")
