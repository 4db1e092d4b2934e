"""Kernel ridge regression that chooses its penalty and width."""

from __future__ import annotations

from typing import Literal

import numpy as np
from sklearn.base import BaseEstimator, MultiOutputMixin, RegressorMixin

from shallows._core.contract.data import check_regression
from shallows._core.contract.params import FiniteFloat, NumberArray, check_params
from shallows._core.numerics.threads import map_blocks, n_threads
from shallows.kernel._kernel_machine import drop_columns, rows_in_use, set_tags
from shallows.kernel._kernel_ridge_path import check_penalties, generalized_path, ridge_path
from shallows.kernel._resolve import Degree, KernelName, resolve_kernel
from shallows.kernel._ridge_fit import FittedRidge

MOST_WIDTHS = 100
WIDTHS_AT_ONCE = 4000  # samples: beyond, threads share each decomposition and save its memory
PENALTIES = np.geomspace(1e-5, 1e2, 22)


class KernelRidgeCV(FittedRidge, MultiOutputMixin, RegressorMixin, BaseEstimator):
    """Kernel ridge regression with penalty and width of the least leave-one-out error.

    For each width the Gram matrix is decomposed once, and all penalties follow at little cost,
    each with the predictions of every sample by a fit to all others.

    Parameters
    ----------
    alphas : array-like of shape (n_alphas,) or None, default=None
        Penalties to choose from, positive; None takes three per decade from 1e-5 to 100.
    gammas : array-like of shape (n_gammas,) or None, default=None
        Coefficients of the kernel to choose from; None takes 1/16, 1/4, 1, 4 and 16 times
        1 / (n_features * X.var()), or no choice where the kernel has no such coefficient.
    kernel : str or callable, default="rbf"
        The kernel. A callable takes two arrays of rows and returns the matrix of values.
    degree : int, default=3
        Power of the polynomial kernel.
    coef0 : float, default=1.0
        Constant of the polynomial and the sigmoid kernel.
    criterion : {"loo", "gcv"}, default="loo"
        Error to make least: of leave-one-out, or of generalized cross-validation, which takes
        every sample to have the same influence on its own prediction. It is found in half of the
        time and trusts narrow kernels too much where samples lie unevenly.

    Attributes
    ----------
    alpha_ : float
        The penalty chosen.
    gamma_ : float
        The coefficient chosen.
    errors_ : ndarray of shape (n_gammas, n_alphas)
        Mean squared errors by the criterion, to about six digits.
    gammas_ : ndarray of shape (n_gammas,)
        The coefficients tried.
    dual_coef_ : ndarray of shape (n_samples,) or (n_samples, n_targets)
        Coefficients of the chosen fit.
    X_fit_ : ndarray or CSR array of shape (n_samples, n_features)
        Training samples; the Gram matrix for a precomputed kernel.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    Examples
    --------
    >>> import numpy as np
    >>> from shallows.kernel import KernelRidgeCV
    >>> X = np.linspace(0, 6, 60)[:, None]
    >>> y = np.sin(X[:, 0]) + np.random.default_rng(0).normal(scale=0.1, size=60)
    >>> KernelRidgeCV().fit(X, y).score(X, np.sin(X[:, 0])) > 0.99
    True
    """

    def __init__(
        self,
        alphas: NumberArray | None = None,
        *,
        gammas: NumberArray | None = None,
        kernel: KernelName = "rbf",
        degree: Degree = 3,
        coef0: FiniteFloat = 1.0,
        criterion: Literal["loo", "gcv"] = "loo",
    ):
        self.alphas = alphas
        self.gammas = gammas
        self.kernel = kernel
        self.degree = degree
        self.coef0 = coef0
        self.criterion = criterion

    def fit(self, X, y, sample_weight=None):
        """Choose penalty and width, and solve for the coefficients.

        Parameters
        ----------
        X : array-like or CSR array of shape (n_samples, n_features)
            Training samples, or their Gram matrix for a precomputed kernel.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Targets.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each squared error.

        Returns
        -------
        self : KernelRidgeCV
            The fitted estimator.
        """
        check_params(self)
        alphas = check_penalties("KernelRidgeCV", PENALTIES if self.alphas is None else self.alphas)
        X, y, weights = check_regression(self, X, y, sample_weight, sparse=True)
        if len(y) < 2:
            raise ValueError(
                "KernelRidgeCV needs at least 2 samples to leave one out, got 1 sample."
            )
        used = rows_in_use(sample_weight, len(y))
        X = drop_columns(self, X, used)
        targets = y.reshape(len(y), -1).astype(np.float64)

        gammas = self._candidates(X, weights)

        def attempt(number):
            kernel = resolve_kernel(
                self, self.kernel, X, gammas[number.start], self.degree, self.coef0
            )
            gram = X.copy() if kernel.name == "precomputed" else kernel(X)
            if self.criterion == "gcv":
                coefs, errors = generalized_path(gram, targets, weights, alphas)
            else:
                coefs, left_out = ridge_path(gram, targets, weights, alphas, np.float32)
                squares = ((left_out - targets) ** 2).mean(axis=2)
                errors = np.average(squares, axis=1, weights=weights)
            return errors, kernel, coefs[errors.argmin()]

        # Several widths at once, one per thread; each decomposition serves all penalties.
        at_once = len(gammas) - len(gammas) % n_threads() if len(y) <= WIDTHS_AT_ONCE else 0
        attempts = map_blocks(attempt, at_once, 1)
        attempts += [attempt(slice(k, k + 1)) for k in range(at_once, len(gammas))]
        errors, kernels, coefs = zip(*attempts, strict=True)
        width, penalty = np.unravel_index(np.argmin(errors), np.shape(errors))
        self.alpha_, self.gamma_ = float(alphas[penalty]), float(gammas[width])
        self.errors_, self.gammas_ = np.array(errors, dtype=X.dtype), gammas.astype(X.dtype)
        self._keep(kernels[width], X, used, coefs[width], y)
        return self

    def predict(self, X):
        """Return the values of the fitted function.

        Parameters
        ----------
        X : array-like or CSR array of shape (n_samples, n_features)
            Samples, or kernel values between them and all training samples.

        Returns
        -------
        y : ndarray of shape (n_samples,) or (n_samples, n_targets)
            Predictions.
        """
        return self._values(X)

    def __sklearn_tags__(self):
        return set_tags(self, super().__sklearn_tags__())

    def _candidates(self, X, weights):
        if self.kernel in ("linear", "precomputed") or callable(self.kernel):
            if self.gammas is not None:
                raise ValueError(
                    f"KernelRidgeCV: gammas are widths to choose from, but kernel={self.kernel!r} "
                    "has none. Leave gammas=None."
                )
            return np.ones(1)
        if self.gammas is None:
            scale = resolve_kernel(self, "rbf", X, weights=weights).gamma
            return scale * 4.0 ** np.arange(-2, 3)
        gammas = np.atleast_1d(np.asarray(self.gammas))
        fit = gammas.ndim == 1 and gammas.dtype.kind in "iuf" and 0 < len(gammas) <= MOST_WIDTHS
        if not fit or not np.all(np.isfinite(gammas) & (gammas > 0)):
            raise ValueError(
                f"KernelRidgeCV: gammas must be 1 to {MOST_WIDTHS} positive finite numbers, "
                f"got {self.gammas!r}."
            )
        return gammas.astype(np.float64)
