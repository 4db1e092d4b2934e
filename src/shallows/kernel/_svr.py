"""Support vector regression."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from shallows._core.contract.data import check_regression
from shallows._core.contract.params import (
    FiniteFloat,
    NonNegativeFloat,
    PositiveFloat,
    Range,
    Verbose,
    check_params,
)
from shallows._core.contract.training import IterativeMixin
from shallows.kernel._gram_rows import Points, opener
from shallows.kernel._kernel_machine import (
    MEGABYTE,
    drop_columns,
    expand_support,
    rows_given,
    rows_in_use,
    set_tags,
    solve_all,
    support_samples,
)
from shallows.kernel._resolve import Degree, Gamma, KernelName, resolve_kernel
from shallows.kernel._smo import Problem, feasible_start


class SVR(RegressorMixin, IterativeMixin, BaseEstimator):
    r"""Regression that forgives errors up to epsilon, in the feature space of a kernel.

    It minimises :math:`|w|^2 / 2 + C \sum_i \max(0, |y_i - f(x_i)| - \varepsilon)` with the
    solver of `SVC`. Only samples on or outside the tube of half-width epsilon enter
    :math:`f(x) = \sum_i \beta_i k(x_i, x) + b`.

    Parameters
    ----------
    kernel : str or callable, default="rbf"
        The kernel. A callable takes two arrays of rows and returns the matrix of values.
    degree : int, default=3
        Power of the polynomial kernel.
    gamma : "scale", "auto" or float, default="scale"
        Coefficient of all kernels but the linear: "scale" is 1 / (n_features * X.var()), "auto"
        1 / n_features.
    coef0 : float, default=0.0
        Constant of the polynomial and the sigmoid kernel.
    tol : float, default=1e-3
        Largest violation of the optimality conditions that is accepted.
    C : float, default=1.0
        Cost of errors beyond epsilon; the larger, the closer the fit.
    epsilon : float, default=0.1
        Half the width of the tube in which errors cost nothing.
    shrinking : bool, default=True
        Whether samples held at a bound are left aside until the others have converged.
    cache_size : float, default=200
        Megabytes for kernel values, kept in single precision.
    verbose : int or bool, default=False
        Whether to report the loss after each working set.
    max_iter : int, default=-1
        Largest number of working sets; -1 for no limit.
    warm_start : bool, default=False
        Whether a refit starts from the present solution, for a path over C on the same data.

    Attributes
    ----------
    support_ : ndarray of shape (n_SV,)
        Rows of the support vectors.
    support_vectors_ : ndarray or CSR array of shape (n_SV, n_features)
        Support vectors; empty for a precomputed kernel.
    n_support_ : ndarray of shape (1,)
        Number of support vectors.
    dual_coef_ : ndarray of shape (1, n_SV)
        Signed coefficients.
    intercept_ : ndarray of shape (1,)
        Offset.
    fit_status_ : int
        0, or 1 where `max_iter` ended the training.
    shape_fit_ : tuple of int
        Numbers of samples and features of the training data.
    history_ : dict of str to list of float
        After each working set: the negative dual value under ``"loss"``, the duality gap under
        ``"gap"`` (an estimate while samples are left aside), and the largest violation under
        ``"kkt"``.
    n_iter_ : int
        Working sets solved.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    References
    ----------
    .. [1] A. Smola and B. Schoelkopf, "A tutorial on support vector regression", 2004.

    Examples
    --------
    >>> import numpy as np
    >>> from shallows.kernel import SVR
    >>> X = np.linspace(0, 6, 50)[:, None]
    >>> SVR(C=10.0, epsilon=0.01).fit(X, np.sin(X[:, 0])).score(X, np.sin(X[:, 0])) > 0.99
    True
    """

    def __init__(
        self,
        *,
        kernel: KernelName = "rbf",
        degree: Degree = 3,
        gamma: Gamma = "scale",
        coef0: FiniteFloat = 0.0,
        tol: PositiveFloat = 1e-3,
        C: PositiveFloat = 1.0,
        epsilon: NonNegativeFloat = 0.1,
        shrinking: bool = True,
        cache_size: PositiveFloat = 200,
        verbose: Verbose = False,
        max_iter: Annotated[int, Range(-1)] = -1,
        warm_start: bool = False,
    ):
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.tol = tol
        self.C = C
        self.epsilon = epsilon
        self.shrinking = shrinking
        self.cache_size = cache_size
        self.verbose = verbose
        self.max_iter = max_iter
        self.warm_start = warm_start

    def fit(self, X, y, sample_weight=None):
        """Find the support vectors.

        Parameters
        ----------
        X : array-like or CSR array of shape (n_samples, n_features)
            Training samples, or their Gram matrix for a precomputed kernel.
        y : array-like of shape (n_samples,)
            Targets.
        sample_weight : array-like of shape (n_samples,), default=None
            Factors of C by sample.

        Returns
        -------
        self : SVR
            The fitted estimator.
        """
        check_params(self)
        earlier = self._earlier_solution() if self.warm_start else None
        X, y, weights = check_regression(self, X, y, sample_weight, sparse=True, multi_output=False)
        used = rows_in_use(sample_weight, len(y))
        X = drop_columns(self, X, used)
        options = self.gamma, self.degree, self.coef0, weights
        self._kernel = resolve_kernel(self, self.kernel, X, *options)

        points = Points(type(self).__name__, self._kernel, X, self.cache_size * MEGABYTE)
        problem = self._problem(points, y.astype(np.float64), self.C * weights, earlier, used)
        solve_all(self, [problem], [_TubeLoss(problem)], X, y)

        support = np.flatnonzero(problem.coef)
        self.support_ = used[support].astype(np.int32)
        self.n_support_ = np.array([len(support)], dtype=np.int32)
        self.dual_coef_ = problem.coef[None, support].astype(X.dtype)
        self.intercept_ = np.array([problem.intercept], dtype=X.dtype)
        self.support_vectors_ = support_samples(self, X, support)
        self.shape_fit_ = rows_given(sample_weight, len(y)), X.shape[1]
        self.fit_status_ = int(not problem.converged)
        self._fitted_C, self._n_members = self.C, len(y)
        return self

    def predict(self, X):
        """Return the values of the fitted function.

        Parameters
        ----------
        X : array-like or CSR array of shape (n_samples, n_features)
            Samples, or kernel values between them and all training samples.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Predictions.
        """
        check_is_fitted(self)
        values = expand_support(self, self._kernel, X, self.dual_coef_.T)[:, 0]
        return values + self.intercept_.astype(values.dtype)

    def __sklearn_tags__(self):
        return set_tags(self, super().__sklearn_tags__())

    @property
    def coef_(self):
        """Weights of the features for the linear kernel, of shape (1, n_features)."""
        if self.kernel != "linear":
            raise AttributeError("coef_ exists for the linear kernel only.")
        return self.dual_coef_ @ self.support_vectors_

    def _problem(self, points, y, caps, earlier, used):
        start = None
        if earlier is not None:
            known = np.minimum(used, len(earlier) - 1)
            start = np.where(used < len(earlier), earlier[known], 0.0)
            start = feasible_start(start * self.C, -caps, caps)
        members = np.arange(len(y))
        rows = opener(points, members, points.cache_bytes)
        rest = self.epsilon, self.tol, self.shrinking, start, rows
        return Problem(points, members, y, -caps, caps, *rest)

    def _earlier_solution(self):
        """Return the present coefficients over C, by row of the data."""
        if not hasattr(self, "dual_coef_"):
            return None
        coefficients = np.zeros(self.shape_fit_[0])
        coefficients[self.support_] = self.dual_coef_[0] / self._fitted_C
        return coefficients


class _TubeLoss:
    """The primal loss of a problem as a function of its predictions."""

    def __init__(self, problem):
        self.targets, self.caps, self.epsilon = problem.targets, problem.high, problem.epsilon

    def __call__(self, decisions):
        errors = np.abs(self.targets - decisions) - self.epsilon
        return float(self.caps @ np.maximum(errors, 0.0))
