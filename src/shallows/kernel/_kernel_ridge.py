"""Kernel ridge regression."""

from __future__ import annotations

from sklearn.base import BaseEstimator, MultiOutputMixin, RegressorMixin

from shallows._core.contract.data import check_regression
from shallows._core.contract.params import (
    ArrayLike,
    FiniteFloat,
    NonNegativeFloat,
    PositiveFloat,
    PositiveInt,
    check_params,
)
from shallows._core.contract.rng import RandomState
from shallows.kernel._kernel_machine import drop_columns, rows_in_use, set_tags
from shallows.kernel._kernel_ridge_path import check_penalties, ridge_path
from shallows.kernel._resolve import AnyKernelName, Degree, Gamma
from shallows.kernel._ridge_fit import FittedRidge, Solver, fit_ridge, resolve


class KernelRidge(FittedRidge, MultiOutputMixin, RegressorMixin, BaseEstimator):
    r"""Ridge regression in the feature space of a kernel.

    It minimises :math:`\sum_i (y_i - f(x_i))^2 + \alpha |f|^2` over functions
    :math:`f(x) = \sum_i c_i k(x_i, x)`, whose coefficients are :math:`c = (K + \alpha I)^{-1} y`.
    There is no offset: centre the targets. Small data are solved by Cholesky factors, large ones
    by conjugate gradients that never hold the Gram matrix.

    Parameters
    ----------
    alpha : float or array-like of shape (n_targets,), default=1
        Penalty, or one per target.
    kernel : str or callable, default="linear"
        The kernel: "linear", "poly", "rbf", "laplacian", "sigmoid", "cosine", "chi2",
        "additive_chi2" or "precomputed". A callable takes two arrays of rows and returns the matrix
        of values, or takes two rows and returns one.
    gamma : "scale", "auto", float or None, default=None
        Coefficient of all kernels but the linear; None means "auto", 1 / n_features.
    degree : int, default=3
        Power of the polynomial kernel.
    coef0 : float, default=1
        Constant of the polynomial and the sigmoid kernel.
    kernel_params : dict or None, default=None
        Keyword arguments of a kernel that is a function.
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
    X_fit_ : ndarray or CSR array of shape (n_samples, n_features)
        Training samples; the Gram matrix for a precomputed kernel.
    residuals_ : list of float
        Relative residual after each step of "cg", the last in double precision; empty for
        Cholesky factors.
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
        alpha: NonNegativeFloat | ArrayLike = 1,
        *,
        kernel: AnyKernelName = "linear",
        gamma: Gamma | None = None,
        degree: Degree = 3,
        coef0: FiniteFloat = 1,
        kernel_params: dict | None = None,
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
        self.kernel_params = kernel_params
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
        X, y, weights = check_regression(self, X, y, sample_weight, sparse=True)
        used = rows_in_use(sample_weight, len(y))
        X = drop_columns(self, X, used)
        kernel = resolve(self, X, weights)
        coef, self.residuals_ = fit_ridge(self, kernel, X, y.reshape(len(y), -1), weights)
        self._keep(kernel, X, used, coef, y)
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

    def leave_one_out(self, X, y, alphas=None, sample_weight=None):
        """Return what each sample would be predicted as by a fit to all others.

        One decomposition serves all samples and all penalties. The estimator itself is not
        fitted.

        Parameters
        ----------
        X : array-like or CSR array of shape (n_samples, n_features)
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
        X, y, weights = check_regression(model, X, y, sample_weight, sparse=True)
        X = drop_columns(model, X, rows_in_use(sample_weight, len(y)))
        gram = X if self.kernel == "precomputed" else resolve(self, X, weights)(X)
        path = ridge_path(gram, y.reshape(len(y), -1), weights, alphas)
        found = path.left_out.astype(X.dtype)
        return found if y.ndim == 2 else found[:, :, 0]

    def __sklearn_tags__(self):
        return set_tags(self, super().__sklearn_tags__())
