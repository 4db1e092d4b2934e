"""Kernel ridge regression and classification."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from scipy.linalg import LinAlgError, solve
from sklearn.base import BaseEstimator, ClassifierMixin, MultiOutputMixin, RegressorMixin

from shallows._core.data import check_labelled, check_new, check_regression
from shallows._core.params import PositiveFloat, PositiveInt, check_params
from shallows._core.rng import RandomState, as_generator
from shallows.kernel._machine import drop_columns, rows_in_use
from shallows.kernel._resolve import Degree, Gamma, KernelName, resolve_kernel
from shallows.kernel._ridge_cg import solve_ridge
from shallows.kernel._ridge_path import check_penalties, ridge_path

CHOLESKY_LIMIT = 10_000
Solver = Literal["auto", "cholesky", "cg"]


class KernelRidge(MultiOutputMixin, RegressorMixin, BaseEstimator):
    r"""Ridge regression in the feature space of a kernel.

    It minimises :math:`\sum_i (y_i - f(x_i))^2 + \alpha |f|^2` over functions
    :math:`f(x) = \sum_i c_i k(x_i, x)`, whose coefficients are :math:`c = (K + \alpha I)^{-1} y`.
    There is no offset: centre the targets. Small data are solved by Cholesky factors, large ones
    by conjugate gradients that never hold the Gram matrix.

    Parameters
    ----------
    alpha : float, default=1.0
        Penalty, positive.
    kernel : str or callable, default="linear"
        The kernel. A callable takes two arrays of rows and returns the matrix of values.
    gamma : "scale", "auto", float or None, default=None
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
    dual_coef_ : ndarray of shape (n_samples,) or (n_samples, n_targets)
        Coefficients c.
    X_fit_ : ndarray of shape (n_samples, n_features)
        Training samples; the Gram matrix for a precomputed kernel.
    residuals_ : list of float
        Relative residual after each step of "cg"; empty for Cholesky factors.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    References
    ----------
    .. [1] C. Saunders, A. Gammerman and V. Vovk, "Ridge regression learning algorithm in dual
       variables", 1998.

    Examples
    --------
    >>> import numpy as np
    >>> from shallows.kernel import KernelRidge
    >>> X = np.linspace(0, 6, 50)[:, None]
    >>> y = np.sin(X[:, 0])
    >>> KernelRidge(alpha=0.01, kernel="rbf").fit(X, y).score(X, y) > 0.99
    True
    """

    def __init__(
        self,
        alpha: PositiveFloat = 1.0,
        *,
        kernel: KernelName = "linear",
        gamma: Gamma | None = None,
        degree: Degree = 3,
        coef0: float = 1.0,
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
        X : array-like of shape (n_samples, n_features)
            Training samples, or their Gram matrix for a precomputed kernel.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Targets.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each squared error.

        Returns
        -------
        self : KernelRidge
            The fitted estimator.
        """
        check_params(self)
        X, y, weights = check_regression(self, X, y, sample_weight)
        _fit(self, X, y, weights, rows_in_use(sample_weight, len(y)))
        return self

    def predict(self, X):
        """Return the values of the fitted function.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples, or kernel values between them and all training samples.

        Returns
        -------
        y : ndarray of shape (n_samples,) or (n_samples, n_targets)
            Predictions.
        """
        return _expand(self, X)

    def leave_one_out(self, X, y, alphas=None, sample_weight=None):
        """Return what each sample would be predicted as by a fit to all others.

        One eigendecomposition serves all samples and all penalties. The estimator itself is not
        fitted.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training samples, or their Gram matrix for a precomputed kernel.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Targets.
        alphas : array-like of shape (n_alphas,), default=None
            Penalties; `alpha` alone unless given.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each squared error, positive.

        Returns
        -------
        predictions : ndarray of shape (n_alphas, n_samples) or (n_alphas, n_samples, n_targets)
            Predictions without the sample itself.
        """
        check_params(self)
        alphas = check_penalties("KernelRidge", self.alpha if alphas is None else alphas)
        model = KernelRidge(**self.get_params())
        X, y, weights = check_regression(model, X, y, sample_weight)
        X = drop_columns(model, X, rows_in_use(sample_weight, len(y)))
        gram = X if self.kernel == "precomputed" else _resolve(self, X, weights)(X)
        path = ridge_path(np.array(gram, dtype=np.float64), y.reshape(len(y), -1), weights)
        found = path.leave_one_out(alphas).astype(X.dtype)
        return found if y.ndim == 2 else found[:, :, 0]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags


class KernelRidgeClassifier(ClassifierMixin, BaseEstimator):
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
    X_fit_ : ndarray of shape (n_samples, n_features)
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
        coef0: float = 1.0,
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
        X : array-like of shape (n_samples, n_features)
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
        X, y, weights = check_labelled(self, X, y, sample_weight)
        targets = np.where(y[:, None] == np.arange(len(self.classes_)), 1.0, -1.0)
        targets = targets[:, 1] if len(self.classes_) == 2 else targets
        _fit(self, X, targets, weights, rows_in_use(sample_weight, len(y)))
        return self

    def decision_function(self, X):
        """Return the fitted outputs, one column per class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples, or kernel values between them and all training samples.

        Returns
        -------
        values : ndarray of shape (n_samples,) or (n_samples, n_classes)
            With two classes, positive for ``classes_[1]``.
        """
        return _expand(self, X)

    def predict(self, X):
        """Return the class of the largest output.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples, or kernel values between them and all training samples.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Class labels.
        """
        values = _expand(self, X)
        index = values.argmax(axis=1) if values.ndim == 2 else (values > 0).astype(np.intp)
        return self.classes_[index]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags


def _resolve(model, X, weights):
    gamma = "auto" if model.gamma is None else model.gamma
    return resolve_kernel(model, model.kernel, X, gamma, model.degree, model.coef0, weights)


def _fit(model: Any, X, y, weights, used) -> None:
    X = drop_columns(model, X, used)
    model._kernel, model.residuals_ = _resolve(model, X, weights), []
    model._columns = used
    targets = y.reshape(len(y), -1)
    if model.solver == "cg" or (model.solver == "auto" and len(X) > CHOLESKY_LIMIT):
        options = model.rank, model.tol, as_generator(model.random_state)
        coef, model.residuals_ = solve_ridge(
            model._kernel, X, targets, weights, model.alpha, *options
        )
    else:
        coef = _solve_cholesky(model, X, targets, weights)
    coef = coef if y.ndim == 2 else coef[:, 0]
    model.dual_coef_, model.X_fit_ = coef.astype(X.dtype), np.array(X)


def _solve_cholesky(model, X, targets, weights):
    kernel = model._kernel
    gram = X if kernel.name == "precomputed" else kernel(X)
    roots = np.sqrt(weights)
    gram = gram.astype(np.float64) * roots[:, None] * roots
    gram[np.diag_indices(len(gram))] += model.alpha
    try:
        found = solve(
            gram, targets * roots[:, None], assume_a="pos", overwrite_a=True, check_finite=False
        )
    except LinAlgError:
        raise ValueError(
            f"{type(model).__name__}: K + alpha I is not positive definite, so the kernel is not "
            f"positive semi-definite or alpha={model.alpha} is too small. Raise alpha, or choose "
            "another kernel."
        ) from None
    return found * roots[:, None]


def _expand(model, X):
    X = check_new(model, X)
    right = model._columns if model.kernel == "precomputed" else model.X_fit_
    return model._kernel.matmul(X, right, model.dual_coef_)
