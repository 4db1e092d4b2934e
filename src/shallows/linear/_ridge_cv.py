"""Ridge regression with a penalty chosen by cross-validation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.metrics import get_scorer
from sklearn.model_selection import GridSearchCV

from shallows._core.contract.data import check_regression
from shallows._core.contract.params import ArrayLike, PositiveFloat, check_params
from shallows._core.numerics.threads import map_blocks
from shallows.linear._linear_model import predict_linear, store_linear, two_dimensional
from shallows.linear._products import BLOCK_ROWS
from shallows.linear._ridge import Ridge
from shallows.linear._ridge_path import check_alphas, decompose, path_weights, shrinkage


class RidgeCV(RegressorMixin, BaseEstimator):
    r"""Ridge regression with a penalty chosen by cross-validation, under scikit-learn's name.

    The predictions of samples left out, one at a time, follow in closed form from one
    decomposition for all penalties: ``Ridge("loo")`` does that with fewer settings.

    Parameters
    ----------
    alphas : float or array-like of shape (n_alphas,), default=(0.1, 1.0, 10.0)
        Penalties to choose from.
    fit_intercept : bool, default=True
        Whether to fit an offset; the weights then belong to centred data.
    scoring : str, callable or None, default=None
        Score of the predictions of samples left out; None takes minus the mean squared error, and
        with `cv` the share of variance explained.
    cv : int, splitter, iterable or None, default=None
        Folds; None leaves out one sample at a time.
    gcv_mode : {"auto", "svd", "eigen"} or None, default=None
        Taken for scikit-learn's sake; the decomposition is chosen by the shape of the data.
    store_cv_results : bool, default=False
        Whether to keep `cv_results_`; without `cv` only.
    alpha_per_target : bool, default=False
        Whether each target gets a penalty of its own; without `cv` only.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features_in_,) or (n_targets, n_features_in_)
        Weights.
    intercept_ : float or ndarray of shape (n_targets,)
        Offset, 0 without one.
    alpha_ : float or ndarray of shape (n_targets,)
        Penalty chosen.
    best_score_ : float or ndarray of shape (n_targets,)
        Its score.
    cv_results_ : ndarray of shape (n_samples, n_alphas) or (n_samples, n_targets, n_alphas)
        Squared errors of samples left out, or their predictions with `scoring`; with
        `store_cv_results` only.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    Examples
    --------
    >>> from shallows.data import make_linear
    >>> from shallows.linear import RidgeCV
    >>> X, y = make_linear(30, [1.0, -2.0, 0.0], noise=0.5, random_state=0)
    >>> RidgeCV([0.01, 1.0, 100.0]).fit(X, y).alpha_
    0.01
    """

    def __init__(
        self,
        alphas: PositiveFloat | ArrayLike = (0.1, 1.0, 10.0),
        *,
        fit_intercept: bool = True,
        scoring: str | Callable[..., Any] | None = None,
        cv: Any = None,
        gcv_mode: Literal["auto", "svd", "eigen"] | None = None,
        store_cv_results: bool = False,
        alpha_per_target: bool = False,
    ):
        self.alphas = alphas
        self.fit_intercept = fit_intercept
        self.scoring = scoring
        self.cv = cv
        self.gcv_mode = gcv_mode
        self.store_cv_results = store_cv_results
        self.alpha_per_target = alpha_per_target

    def fit(self, X, y, sample_weight=None):
        """Choose the penalty and find the weights.

        Parameters
        ----------
        X : array-like or CSR array of shape (n_samples, n_features)
            Training data.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Targets.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each sample in the squared errors.

        Returns
        -------
        self : RidgeCV
            The fitted estimator.
        """
        check_params(self)
        alphas = check_alphas("RidgeCV", self.alphas)
        if self.cv is not None:
            return self._search(X, y, sample_weight, alphas)
        if (alphas == 0).any():
            raise ValueError(
                f"RidgeCV: alphas must be > 0 without cv, got {alphas[alphas == 0][0]}. Name folds "
                "in cv, or leave the penalty out."
            )
        X, y, weights = check_regression(self, X, y, sample_weight, sparse=True)
        Y, dtype, single = two_dimensional(y), X.dtype, y.ndim == 1
        found = decompose(X, Y, weights, self.fit_intercept, alphas.min())
        errors = left_out_errors(found, X, Y, weights, alphas, self.fit_intercept)
        scores = self._scores(errors, Y, weights, single)
        each = self.alpha_per_target and not single
        best = scores.argmax(axis=-1)
        coef, offset = path_weights(found, alphas)
        chosen = np.broadcast_to(best, Y.shape[1])
        targets = np.arange(Y.shape[1])
        store_linear(self, coef[chosen, targets].T, offset[chosen, targets], single, dtype)
        self.alpha_ = alphas[best] if each else float(alphas[best.ravel()[0]])
        found_scores = np.take_along_axis(np.atleast_2d(scores), np.atleast_1d(best)[:, None], 1)
        self.best_score_ = found_scores[:, 0] if each else float(found_scores[0, 0])
        vars(self).pop("cv_results_", None)
        if self.store_cv_results:
            kept = weights[:, None, None] * errors**2
            kept = kept if self.scoring is None else Y[:, :, None] - errors
            self.cv_results_ = (kept[:, 0] if single else kept).astype(dtype)
        return self

    def predict(self, X):
        """Return the values of the linear function.

        Parameters
        ----------
        X : array-like or CSR array of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        y : ndarray of shape (n_samples,) or (n_samples, n_targets)
            Predictions.
        """
        return predict_linear(self, X)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.multi_output = True
        return tags

    def _scores(self, errors, Y, weights, single):
        """Return the score of each penalty; one row per target with `alpha_per_target`."""
        each = self.alpha_per_target and not single
        if self.scoring is None:
            squares = -weights[:, None, None] * errors**2
            return squares.mean(axis=0) if each else squares.mean(axis=(0, 1))
        scorer = get_scorer(self.scoring)
        predicted = Y[:, :, None] - errors
        parts = [slice(k, k + 1) for k in range(Y.shape[1])] if each else [slice(None)]
        rows = []
        for part in parts:
            flat = single or each
            shaped = [
                (predicted[:, part, a].ravel(), Y[:, part].ravel())
                if flat
                else (predicted[:, part, a], Y[:, part])
                for a in range(errors.shape[2])
            ]
            rows.append([scorer(_Given(), values, target) for values, target in shaped])
        return np.array(rows if each else rows[0])

    def _search(self, X, y, sample_weight, alphas):
        if self.store_cv_results or self.alpha_per_target:
            name = "store_cv_results" if self.store_cv_results else "alpha_per_target"
            raise ValueError(
                f"RidgeCV: cv!=None and {name}=True are incompatible. Leave one of them out."
            )
        check_regression(self, X, y, sample_weight, sparse=True)
        model = Ridge(fit_intercept=self.fit_intercept)
        grid = {"alpha": [float(alpha) for alpha in alphas]}
        search = GridSearchCV(model, grid, cv=self.cv, scoring=self.scoring)
        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        search.fit(X, y, **weights)
        best = search.best_estimator_
        self.coef_, self.intercept_ = best.coef_, best.intercept_
        self.alpha_, self.best_score_ = best.alpha_, float(search.best_score_)
        return self


class _Given(RegressorMixin, BaseEstimator):
    """Predicts what it is given, for scorers."""

    def predict(self, X):
        return X


def left_out_errors(found, X, Y, weights, alphas, fit_intercept):
    """Return the errors of samples left out, of shape (n_samples, n_targets, n_alphas).

    The error of the fit to all is divided by one minus the leverage of the sample.
    """
    shrunk = shrinkage(found.values, alphas).T
    live = found.values > 0
    offset = 1.0 / found.weight if fit_intercept else 0.0

    def block(rows):
        part = X[rows] if isinstance(X, np.ndarray) else X[rows].toarray()
        moved = (part - found.x_mean) @ found.vectors[:, live]
        leverage = weights[rows, None] * (moved**2 @ shrunk[live] + offset)
        inner = found.targets[live].T[:, :, None] * shrunk[live]
        fitted = np.einsum("ik,tka->ita", moved, inner)
        errors = (Y[rows] - found.y_mean)[:, :, None] - fitted
        return errors / np.maximum(1 - leverage, np.finfo(np.float64).tiny)[:, None]

    return np.concatenate(map_blocks(block, X.shape[0], BLOCK_ROWS))
