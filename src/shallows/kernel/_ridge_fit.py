"""The coefficients of kernel ridge regression: how they are solved for, kept and used."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve, eigh
from sklearn.utils.validation import check_is_fitted

from shallows._core.contract.rng import as_generator
from shallows._core.numerics.threads import quick_lapack
from shallows.kernel._kernel_machine import expand
from shallows.kernel._resolve import resolve_kernel
from shallows.kernel._ridge_cg import solve_ridge

CHOLESKY_LIMIT = 10_000
Solver = Literal["auto", "cholesky", "cg"]


def resolve(model, X, weights):
    """Return the kernel of a model whose `gamma` may be None."""
    gamma = "auto" if model.gamma is None else model.gamma
    options = model.degree, model.coef0, weights, getattr(model, "kernel_params", None)
    return resolve_kernel(model, model.kernel, X, gamma, *options)


class RidgeFit(NamedTuple):
    """Coefficients of shape (n_samples, n_outputs), and the residuals of conjugate gradients."""

    coef: np.ndarray
    residuals: list[float]


class FittedRidge:
    """Predictions by coefficients of the training samples, for estimators that keep these."""

    def _keep(self, kernel, X, used, coef, y):
        """Store coefficients of shape (n_samples, n_outputs) and what predictions need."""
        self._kernel = kernel
        self.dual_coef_ = (coef if y.ndim == 2 else coef[:, 0]).astype(X.dtype)
        self.X_fit_, self._columns = X.copy(), used

    def _values(self, X):
        """Return the values of the fitted function."""
        check_is_fitted(self)
        return expand(self, self._kernel, X, self.X_fit_, self._columns, self.dual_coef_)


def fit_ridge(model: Any, kernel, X, targets, weights) -> RidgeFit:
    """Solve for the coefficients of all outputs, by the solver that the model names."""
    alphas = penalties_of(model, targets.shape[1])
    if len(alphas) > 1 or alphas[0] == 0:
        return RidgeFit(_solve_each(kernel, X, targets, weights, alphas), [])
    if model.solver == "cg" or (model.solver == "auto" and len(targets) > CHOLESKY_LIMIT):
        options = model.rank, model.tol, as_generator(model.random_state)
        try:
            return RidgeFit(*solve_ridge(kernel, X, targets, weights, alphas[0], *options))
        except LinAlgError:
            raise ValueError(
                f'{type(model).__name__}: solver="cg" needs a positive semi-definite kernel, and '
                f'{model.kernel!r} is not on these data. Choose another, or solver="cholesky".'
            ) from None
    return RidgeFit(_solve_cholesky(model, kernel, X, targets, weights, alphas[0]), [])


def penalties_of(model, n_targets):
    """Return the penalties of a model: one, or one per target."""
    alphas = np.atleast_1d(np.asarray(model.alpha, dtype=np.float64))
    if alphas.ndim != 1 or len(alphas) not in (1, n_targets) or not np.all(alphas >= 0):
        raise ValueError(
            f"{type(model).__name__}: alpha must be one number that is not negative, or one per "
            f"target, {n_targets} here, got {model.alpha!r}."
        )
    return alphas


def _gram(kernel, X, roots):
    """Return the Gram matrix with rows and columns times the roots of the weights."""
    gram = X.astype(np.float64) if kernel.name == "precomputed" else kernel(X)
    gram = gram.astype(np.float64, copy=False)
    if (roots != 1).any():
        gram *= roots[:, None]
        gram *= roots
    return gram


def _solve_each(kernel, X, targets, weights, alphas):
    """Solve for a penalty per target, or none, by one eigen-decomposition.

    Without a penalty the solution is the shortest one of least squares.
    """
    roots = np.sqrt(weights)[:, None]
    gram = _gram(kernel, X, roots[:, 0])
    with quick_lapack(len(gram)):
        values, vectors = eigh(gram, check_finite=False)
    inner = values[:, None] + alphas
    small = np.abs(inner) <= len(gram) * np.finfo(np.float64).eps * np.abs(values).max()
    turned = vectors.T @ (targets * roots)
    scaled = np.divide(turned, inner, out=np.zeros_like(turned), where=~small)
    return (vectors @ scaled) * roots


def _solve_cholesky(model, kernel, X, targets, weights, alpha):
    roots = np.sqrt(weights)
    gram = _gram(kernel, X, roots)
    gram[np.diag_indices(len(gram))] += alpha
    try:
        # the transpose of a symmetric matrix in C order is itself in the order of LAPACK
        with quick_lapack(len(gram)):
            factor = cho_factor(gram.T, overwrite_a=True, check_finite=False)
            scaled = cho_solve(factor, targets * roots[:, None], check_finite=False)
    except LinAlgError:
        raise ValueError(
            f"{type(model).__name__}: K + alpha I is not positive definite, so the kernel is not "
            f"positive semi-definite or alpha={alpha} is too small. Raise alpha, or choose "
            "another kernel."
        ) from None
    return scaled * roots[:, None]
