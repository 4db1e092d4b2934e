"""Total least squares."""

from __future__ import annotations

import numpy as np
from scipy import linalg
from sklearn.base import BaseEstimator, RegressorMixin

from shallows._core.contract.data import check_regression
from shallows._core.contract.params import check_params
from shallows.linear._linear_model import predict_linear, store_linear, two_dimensional


class TotalLeastSquares(RegressorMixin, BaseEstimator):
    r"""Linear function for noise in inputs and targets alike.

    Least squares measures errors along the target alone; with noise of variance
    :math:`\sigma^2` in the inputs its weights come out too small. Total least squares
    changes inputs and targets as little as possible so that a linear function fits exactly:
    it minimises the sum of squared distances at right angles to the plane, which holds where
    noise is equally strong in all columns. Scale the columns so that it is. The solution is
    the last right singular vectors of the centred [X, y] [1]_; where several planes are
    equally close, the weights of smallest norm are taken.

    Parameters
    ----------
    fit_intercept : bool, default=True
        Whether to fit the offset b; the weights then belong to centred data.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features_in_,) or (n_targets, n_features_in_)
        Weights.
    intercept_ : float or ndarray of shape (n_targets,)
        Offset b, 0 without one.
    singular_values_ : ndarray of shape (n_features_in_ + n_targets,)
        Singular values of [X, y]; the squares of the last n_targets sum to the squared
        distances. The closer the one before is to them, the less the data determine.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    References
    ----------
    .. [1] G. Golub and C. Van Loan, "An analysis of the total least squares problem", SIAM
       Journal on Numerical Analysis 17, 883-893, 1980.

    Examples
    --------
    >>> import numpy as np
    >>> from shallows.linear import TotalLeastSquares
    >>> x = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> TotalLeastSquares().fit(x, [0.0, 1.0, 2.0, 3.0]).coef_.round(12)
    array([1.])
    """

    def __init__(self, *, fit_intercept: bool = True):
        self.fit_intercept = fit_intercept

    def fit(self, X, y, sample_weight=None):
        """Find the plane.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training data.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Targets.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each sample; a sample of weight two counts as two samples.

        Returns
        -------
        self : TotalLeastSquares
            The fitted estimator.
        """
        check_params(self)
        X, y, weights = check_regression(self, X, y, sample_weight)
        joined = np.hstack([X, two_dimensional(y)], dtype=np.float64)
        mean = np.zeros(joined.shape[1])
        if self.fit_intercept:
            mean = np.average(joined, axis=0, weights=weights)
        rows = (joined - mean) * np.sqrt(weights)[:, None]
        triangle = linalg.qr(rows, mode="r")[0][: rows.shape[1]]
        _, values, vectors = linalg.svd(triangle)  # all of them: rows may be fewer than columns

        size, rounding = X.shape[1], max(rows.shape) * np.finfo(np.float64).eps
        least = values[size] if len(values) > size else 0.0
        wide = int(np.sum(values[:size] > least + rounding * values[0]))
        across = vectors[wide:]
        share = linalg.svdvals(across[:, size:])[-1]
        if share < np.sqrt(np.finfo(np.float64).eps):
            raise ValueError(
                "TotalLeastSquares: no plane that is a function of X is closest to the data, "
                "since the direction of least spread lies within X alone. Drop columns of X "
                "that are constant or that others determine."
            )
        coef = -(linalg.pinv(across[:, size:]) @ across[:, :size]).T
        store_linear(self, coef, mean[size:] - mean[:size] @ coef, y.ndim == 1, X.dtype)
        full = np.zeros(joined.shape[1])
        full[: len(values)] = values
        self.singular_values_ = full.astype(X.dtype)
        return self

    def predict(self, X):
        """Return the values of the linear function.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        y : ndarray of shape (n_samples,) or (n_samples, n_targets)
            Predictions.
        """
        return predict_linear(self, X)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags
