"""Kernel ridge regression as a classifier."""

from __future__ import annotations

import numpy as np
from sklearn.base import BaseEstimator

from shallows._core.contract.data import check_labelled
from shallows._core.contract.params import FiniteFloat, PositiveFloat, PositiveInt, check_params
from shallows._core.contract.rng import RandomState
from shallows.kernel._kernel_machine import drop_columns, rows_in_use
from shallows.kernel._one_versus_rest import KernelClassifier
from shallows.kernel._resolve import Degree, Gamma, KernelName
from shallows.kernel._ridge_fit import FittedRidge, Solver, fit_ridge, resolve


class KernelRidgeClassifier(FittedRidge, KernelClassifier, BaseEstimator):
    """Classifier by kernel ridge regression to targets -1 and +1.

    With several classes each gets its own regression against all others, and the largest output
    wins. It is as strong as a support vector machine in practice, and not sparse.

    Parameters
    ----------
    alpha : float, default=1.0
        Penalty, positive.
    kernel : str or callable, default="rbf"
        The kernel. A callable takes two arrays of rows and returns the matrix of values.
    gamma : "scale", "auto", float or None, default="scale"
        Coefficient of all kernels but the linear; None means "auto", 1 / n_features.
    degree : int, default=3
        Power of the polynomial kernel.
    coef0 : float, default=1.0
        Constant of the polynomial and the sigmoid kernel.
    solver : {"auto", "cholesky", "cg"}, default="auto"
        "auto" takes Cholesky factors up to 10,000 samples.
    rank : int, default=1000
        Columns of the preconditioner of "cg".
    tol : float, default=1e-6
        Relative residual at which "cg" stops.
    random_state : int, RandomState, Generator or None, default=None
        Draws the columns of the preconditioner.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    dual_coef_ : ndarray of shape (n_samples,) or (n_samples, n_classes)
        Coefficients; with two classes those of ``classes_[1]`` alone.
    X_fit_ : ndarray or CSR array of shape (n_samples, n_features)
        Training samples; the Gram matrix for a precomputed kernel.
    residuals_ : list of float
        Relative residual after each step of "cg"; empty for Cholesky factors.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from shallows.kernel import KernelRidgeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> KernelRidgeClassifier(alpha=0.1).fit(X, y).score(X, y) > 0.95
    True
    """

    def __init__(
        self,
        alpha: PositiveFloat = 1.0,
        *,
        kernel: KernelName = "rbf",
        gamma: Gamma | None = "scale",
        degree: Degree = 3,
        coef0: FiniteFloat = 1.0,
        solver: Solver = "auto",
        rank: PositiveInt = 1000,
        tol: PositiveFloat = 1e-6,
        random_state: RandomState = None,
    ):
        self.alpha = alpha
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.solver = solver
        self.rank = rank
        self.tol = tol
        self.random_state = random_state

    def fit(self, X, y, sample_weight=None):
        """Solve for the coefficients.

        Parameters
        ----------
        X : array-like or CSR array of shape (n_samples, n_features)
            Training samples, or their Gram matrix for a precomputed kernel.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each squared error.

        Returns
        -------
        self : KernelRidgeClassifier
            The fitted estimator.
        """
        check_params(self)
        X, y, weights = check_labelled(self, X, y, sample_weight, sparse=True)
        targets = np.where(y[:, None] == np.arange(len(self.classes_)), 1.0, -1.0)
        targets = targets[:, 1] if len(self.classes_) == 2 else targets
        used = rows_in_use(sample_weight, len(y))
        X = drop_columns(self, X, used)
        kernel = resolve(self, X, weights)
        coef, self.residuals_ = fit_ridge(self, kernel, X, targets.reshape(len(y), -1), weights)
        self._keep(kernel, X, used, coef, targets)
        return self

    def decision_function(self, X):
        """Return the fitted outputs, one column per class.

        Parameters
        ----------
        X : array-like or CSR array of shape (n_samples, n_features)
            Samples, or kernel values between them and all training samples.

        Returns
        -------
        values : ndarray of shape (n_samples,) or (n_samples, n_classes)
            With two classes, positive for ``classes_[1]``.
        """
        return self._values(X)
