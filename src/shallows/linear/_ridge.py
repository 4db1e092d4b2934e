"""Ridge regression."""

from __future__ import annotations

from typing import Literal

import numpy as np
from scipy import linalg
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, RegressorMixin

from shallows._core.contract.data import check_regression
from shallows._core.contract.params import (
    ArrayLike,
    NonNegativeFloat,
    NumberArray,
    PositiveInt,
    check_params,
)
from shallows._core.contract.rng import RandomState
from shallows._core.numerics.streams import is_stream
from shallows._core.numerics.threads import quick_lapack
from shallows.linear._least_squares import FEW, SMALL, least_squares
from shallows.linear._linear_model import predict_linear, store_linear, two_dimensional
from shallows.linear._nonnegative import nonnegative_weights
from shallows.linear._products import check_targets_of_stream, moments_of, of_array, of_moments
from shallows.linear._ridge_path import (
    check_alphas,
    decompose,
    generalized,
    leave_one_out,
    of_products,
    path_weights,
)
from shallows.linear._sparse import iterate

Solver = Literal["auto", "svd", "cholesky", "lsqr", "sparse_cg", "sag", "saga", "lbfgs"]
SAFE = 1e8  # condition up to which X'X + alpha is solved as it stands


class Ridge(RegressorMixin, BaseEstimator):
    r"""Least squares with a penalty on large weights, chosen by itself if wanted.

    The weights minimise :math:`\sum_i (w \cdot x_i + b - y_i)^2 + \alpha |w|^2`. With
    ``alpha="loo"`` or ``"gcv"`` all of `alphas` are tried at the cost of about one fit: the
    errors of samples left out follow in closed form from one decomposition. Tall data are
    solved by X'X, wide data by XX', hardly determined data by an SVD.

    Parameters
    ----------
    alpha : float, array-like of shape (n_targets,) or str, default=1.0
        Penalty, or one per target, or "loo" to take the one of `alphas` with the least mean
        squared leave-one-out error, or "gcv" for generalized cross-validation.
    fit_intercept : bool, default=True
        Whether to fit the offset b; the weights then belong to centred data.
    copy_X : bool, default=True
        Taken for scikit-learn's sake: X is never changed, and copied only where it must
        be.
    max_iter : int or None, default=None
        Taken for scikit-learn's sake; iterations end by their accuracy.
    tol : float, default=1e-4
        Taken for scikit-learn's sake; large sparse data are solved to twelve digits.
    solver : str, default="auto"
        "auto", "svd", "cholesky", "lsqr", "sparse_cg", "sag", "saga" or "lbfgs".
        Taken for scikit-learn's sake; the solver is chosen by the data, and the result is the same.
        With `positive` only "auto" and "lbfgs" are allowed, and "lbfgs" only then.
    positive : bool, default=False
        Whether no weight may be negative, for dense data and given penalties.
    random_state : int, RandomState, Generator or None, default=None
        Taken for scikit-learn's sake; nothing is random.
    alphas : array-like or None, default=None
        Penalties that "loo" and "gcv" try. None takes 49 from 1e-9 to 1000 times the largest
        eigenvalue of X'X.
    penalize_intercept : bool, default=False
        Whether the penalty holds for the offset too, as it does for the weight of a constant
        column. Predictions then depend on where the targets have their zero.
    scaling : str, default="sum"
        "sum" for the criterion above; "mean" divides the squared errors by the number of
        samples n, so that alpha acts like n times alpha does in the sum form.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features_in_,) or (n_targets, n_features_in_)
        Weights.
    intercept_ : float or ndarray of shape (n_targets,)
        Offset b, 0 without one.
    alpha_ : float or ndarray of shape (n_targets,)
        Penalty used, in the scaling of `alpha`.
    alphas_ : ndarray of shape (n_alphas,)
        Penalties tried; only where one was chosen.
    scores_ : ndarray of shape (n_alphas,)
        The criterion for each of `alphas_`: the lower, the better.
    n_iter_ : None
        No solver counts steps here.
    solver_ : str
        The solver of scikit-learn that comes closest to what was done.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    References
    ----------
    .. [1] A. Hoerl and R. Kennard, "Ridge regression: biased estimation for nonorthogonal
       problems", Technometrics 12, 55-67, 1970.

    Examples
    --------
    >>> from shallows.data import make_linear
    >>> from shallows.linear import Ridge
    >>> X, y = make_linear(30, [1.0, -2.0, 0.0], noise=0.5, random_state=0)
    >>> Ridge(alpha=10.0).fit(X, y).coef_.shape
    (3,)
    >>> bool(Ridge("loo").fit(X, y).alpha_ < 10)
    True
    """

    def __init__(
        self,
        alpha: NonNegativeFloat | NumberArray | Literal["loo", "gcv"] = 1.0,
        *,
        fit_intercept: bool = True,
        copy_X: bool = True,
        max_iter: PositiveInt | None = None,
        tol: NonNegativeFloat = 1e-4,
        solver: Literal[
            "auto", "svd", "cholesky", "lsqr", "sparse_cg", "sag", "saga", "lbfgs"
        ] = "auto",
        positive: bool = False,
        random_state: RandomState = None,
        alphas: ArrayLike | None = None,
        penalize_intercept: bool = False,
        scaling: Literal["sum", "mean"] = "sum",
    ):
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.copy_X = copy_X
        self.max_iter = max_iter
        self.tol = tol
        self.solver = solver
        self.positive = positive
        self.random_state = random_state
        self.alphas = alphas
        self.penalize_intercept = penalize_intercept
        self.scaling = scaling

    def fit(self, X, y, sample_weight=None):
        """Find the weights and, where asked for, the penalty.

        Parameters
        ----------
        X : array-like, CSR array, memory-mapped file or Dask array
            Training data of shape (n_samples, n_features).
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Targets.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each sample; a sample of weight two counts as two samples.

        Returns
        -------
        self : Ridge
            The fitted estimator.
        """
        check_params(self)
        if self.alphas is not None and not isinstance(self.alpha, str):
            raise ValueError(
                f"Ridge: alphas are penalties to choose from by alpha='loo' or 'gcv', got "
                f"alpha={self.alpha!r}. Give one of both."
            )
        self._check_positive(X)
        if is_stream(X) and not self.positive:
            return self._fit_stream(X, y, sample_weight)
        X, y, weights = check_regression(self, X, y, sample_weight, sparse=not self.positive)
        Y, dtype = two_dimensional(y), X.dtype
        # A penalised offset is one more weight, of a constant column.
        penalised_offset = self.fit_intercept and self.penalize_intercept
        if penalised_offset:
            X = np.hstack([X.toarray() if issparse(X) else X, np.ones((X.shape[0], 1), dtype)])
        centre = self.fit_intercept and not penalised_offset
        factor = weights.sum() if self.scaling == "mean" else 1.0

        # One decomposition serves all penalties and their selection.
        if isinstance(self.alpha, str):
            named = self.alphas is not None
            smallest = check_alphas("Ridge", self.alphas).min() * factor if named else np.inf
            found = decompose(X, Y, weights, centre, smallest)
            penalty = self._select(found, X, Y, weights, centre, factor)
            coef, offset = _per_target(found, np.broadcast_to(penalty, Y.shape[1]))
        else:
            penalties = self._given(Y.shape[1]) * factor
            if self.positive:
                each = np.broadcast_to(penalties, Y.shape[1])
                coef, offset = nonnegative_weights(X, Y, weights, centre, each)
            else:
                coef, offset = _solve(X, Y, weights, centre, penalties)
        if penalised_offset:
            coef, offset = coef[:-1], coef[-1]
        return self._keep(coef, offset, y.ndim == 1, dtype)

    def predict(self, X):
        """Return the values of the linear function.

        Parameters
        ----------
        X : array-like, CSR array, memory-mapped file or Dask array
            Samples of shape (n_samples, n_features).

        Returns
        -------
        y : ndarray or Dask array of shape (n_samples,) or (n_samples, n_targets)
            Predictions; a Dask array for a Dask array.
        """
        return predict_linear(self, X)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = not self.positive
        tags.target_tags.multi_output = True
        return tags

    def _check_positive(self, X):
        """Refuse what does not go with non-negative weights."""
        if not self.positive:
            if self.solver == "lbfgs":
                raise ValueError(
                    "Ridge: solver='lbfgs' can be used only when positive=True. Use 'auto'."
                )
            return
        if self.solver not in ("auto", "lbfgs"):
            raise ValueError(
                f"Ridge: solver={self.solver!r} does not support positive=True. Use 'auto' or "
                "'lbfgs'."
            )
        lazy = is_stream(X) and not isinstance(X, np.ndarray)
        if isinstance(self.alpha, str) or self.penalize_intercept or lazy:
            raise ValueError(
                "Ridge: positive=True goes with given penalties, an offset without penalty and "
                "data in memory."
            )

    def _fit_stream(self, X, y, sample_weight):
        if (self.alpha == "loo" and not isinstance(X, np.ndarray)) or self.penalize_intercept:
            raise ValueError(
                "Ridge reads a stream for its products alone: alpha='loo' needs an array or a "
                "memory-mapped file, penalize_intercept=True an array. Or use alpha='gcv'."
            )
        Y, weights, single, dtype = check_targets_of_stream(self, X, y, sample_weight)
        factor = weights.sum() if self.scaling == "mean" else 1.0
        products = of_moments(moments_of(X, Y, weights), X.shape[1], self.fit_intercept)
        found = of_products(products)
        if isinstance(self.alpha, str):
            penalty = self._select(found, X, Y, weights, self.fit_intercept, factor)
        else:
            penalty = self._given(Y.shape[1]) * factor
        coef, offset = _per_target(found, np.broadcast_to(penalty, Y.shape[1]))
        return self._keep(coef, offset, single, dtype)

    def _given(self, n_targets):
        """Return the penalties of the sum form, one or one per target."""
        penalties = check_alphas("Ridge", self.alpha)
        if len(penalties) not in (1, n_targets):
            raise ValueError(
                f"Ridge: alpha must be one penalty or one per target, {n_targets} here, "
                f"got {len(penalties)}. Name penalties to choose from in alphas."
            )
        one = np.ndim(self.alpha) == 0
        self.alpha_ = float(penalties[0]) if one else penalties.copy()
        return penalties

    def _select(self, found, X, Y, weights, centre, factor):
        """Keep the scores and return the penalty with the lowest; the larger on a tie."""
        if weights.sum() <= 1:
            raise ValueError(
                f"Ridge: alpha={self.alpha!r} needs at least two samples, "
                f"got n_samples={weights.sum():g}."
            )
        if self.alphas is None:
            alphas = np.logspace(-9, 3, 49) * (found.values.max(initial=0.0) or 1.0)
        else:
            alphas = check_alphas("Ridge", self.alphas) * factor
        if self.alpha == "loo":
            scores = leave_one_out(found, X, Y, weights, alphas, centre)
        else:
            scores = generalized(found, alphas, centre)
        if not np.isfinite(scores).any():
            raise ValueError(
                f"Ridge: alpha={self.alpha!r} can't judge any of the penalties, since each fits "
                "every sample exactly. Name larger ones in alphas."
            )

        # Of equally good penalties the largest.
        best = np.flatnonzero(scores == scores.min())
        chosen = alphas[best].max()
        self.alphas_, self.scores_ = alphas / factor, scores
        self.alpha_ = float(chosen / factor)
        return np.array([chosen])

    def _keep(self, coef, offset, single, dtype):
        self.n_iter_, self.solver_ = None, "lbfgs" if self.positive else "cholesky"
        store_linear(self, coef, offset, single, dtype)
        if isinstance(self.alpha_, np.ndarray):
            self.alpha_ = self.alpha_.astype(dtype)
        if isinstance(self.alpha, str):
            self.alphas_, self.scores_ = self.alphas_.astype(dtype), self.scores_.astype(dtype)
        else:
            vars(self).pop("alphas_", None)
            vars(self).pop("scores_", None)
        return self


def _solve(X, Y, weights, centre, penalties):
    """Return weights of shape (n_features, n_targets) and offsets."""
    if len(penalties) > 1:
        return _per_target(decompose(X, Y, weights, centre, penalties.min()), penalties)
    alpha = penalties[0]
    if alpha == 0:
        return least_squares(X, Y, weights, centre)[:2]
    if issparse(X) and X.shape[0] * X.shape[1] > SMALL and X.shape[1] > FEW:
        return iterate(X, Y, weights, centre, alpha, SAFE)
    solved = (_primal if X.shape[0] > X.shape[1] else _dual)(X, Y, weights, centre, alpha)
    if solved is not None:
        return solved
    found = decompose(X, Y, weights, centre, alpha)
    return _per_target(found, np.full(Y.shape[1], alpha))


def _per_target(found, penalties):
    coef = [path_weights(found, penalties[k : k + 1])[0][0, k] for k in range(len(penalties))]
    coef = np.stack(coef, axis=1)
    return coef, found.y_mean - found.x_mean @ coef


def _primal(X, Y, weights, centre, alpha):
    """Solve (X'X + alpha) w = X'y, or return None where rounding would show."""
    products = of_array(X, Y, weights, centre)
    matrix = products.xx
    matrix[np.diag_indices_from(matrix)] += alpha
    coef = _cholesky(matrix, products.xy)
    return None if coef is None else (coef, products.y_mean - products.x_mean @ coef)


def _dual(X, Y, weights, centre, alpha):
    """Solve (XX' + alpha) a = y, w = X'a, or return None where rounding would show."""
    X = X.toarray() if issparse(X) else X
    x_mean, y_mean = np.zeros(X.shape[1]), np.zeros(Y.shape[1])
    if centre:
        x_mean, y_mean = (np.average(part, axis=0, weights=weights) for part in (X, Y))
    roots = np.sqrt(weights)[:, None]
    moved = (X - x_mean) * roots
    matrix = moved @ moved.T
    matrix[np.diag_indices_from(matrix)] += alpha
    inner = _cholesky(matrix, (Y - y_mean) * roots)
    if inner is None:
        return None
    coef = moved.T @ inner
    return coef, y_mean - x_mean @ coef


def _cholesky(matrix, right):
    """Solve, or return None where the condition is above SAFE."""
    size = np.abs(matrix).sum(axis=0).max()
    with quick_lapack(len(matrix)):
        factor, failed = linalg.lapack.dpotrf(matrix.T)  # in the order that LAPACK wants
        if failed or linalg.lapack.dpocon(factor, size)[0] * SAFE < 1:
            return None
        return linalg.cho_solve((factor, False), right)
