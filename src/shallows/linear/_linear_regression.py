"""Linear regression by least squares."""

from __future__ import annotations

from math import log, pi
from typing import Literal

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.metaestimators import available_if

from shallows._core.contract.data import check_regression
from shallows._core.contract.params import NJobs, NonNegativeFloat, check_params
from shallows._core.numerics import moments
from shallows._core.numerics.streams import is_stream
from shallows._core.numerics.threads import uses_jobs
from shallows.linear._least_squares import by_cholesky, by_eigenvectors, least_squares
from shallows.linear._linear_model import (
    predict_linear,
    store_linear,
    two_dimensional,
    warn_of_rank,
)
from shallows.linear._nonnegative import nonnegative_weights
from shallows.linear._products import check_targets_of_stream, moments_of, of_moments


def _takes_parts(model):
    return not model.positive  # sums of products are no help then


class LinearRegression(RegressorMixin, BaseEstimator):
    r"""Linear function with the least sum of squared errors.

    The weights minimise :math:`\sum_i (w \cdot x_i + b - y_i)^2`; where many do, those of
    smallest norm are taken. The normal equations are solved where their condition leaves at
    least twelve digits; otherwise [1, X] is decomposed by QR and the solution is refined with
    residuals in twice the working precision [1]_, which keeps nine digits and more on
    strongly collinear columns. Columns that double precision can't tell from combinations of
    others are counted in `rank_` and reported by a warning.

    A memory-mapped file or a Dask array is read once, block by block; so is what `partial_fit`
    is given piece by piece. Then only the normal equations are at hand, with half the digits.

    Parameters
    ----------
    fit_intercept : bool, default=True
        Whether to fit the offset b; the weights then belong to centred data.
    copy_X : bool, default=True
        Taken for scikit-learn's sake: X is never changed, and copied only where it must
        be.
    tol : float, default=1e-6
        Taken for scikit-learn's sake; large sparse data are solved to twelve digits.
    n_jobs : int or None, default=None
        Number of threads: None takes as many as the process may use, -1 all cores.
    positive : bool, default=False
        Whether no weight may be negative: least squares over non-negative weights by an
        active set [2]_, for dense data in memory.
    solver : str, default="auto"
        "normal" for the normal equations whatever their condition, "qr" for the
        decomposition, "auto" to choose as described.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features_in_,) or (n_targets, n_features_in_)
        Weights.
    intercept_ : float or ndarray of shape (n_targets,)
        Offset b, 0 without one.
    rank_ : int or None
        Rank of the inputs, centred where an offset is fitted. None for a large sparse
        problem that was solved by iteration, and with `positive`, where none of these three is
        known.
    singular_values_ : ndarray of shape (min(n_samples, n_features_in_),) or None
        Singular values of the same matrix; None for large sparse problems.
    condition_ : float or None
        Ratio of the largest to the smallest singular value that was used, after columns were
        scaled to one norm. The weights lose about as many digits as it has.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    References
    ----------
    .. [1] A. Bjorck, "Iterative refinement of linear least squares solutions I", BIT 7,
       257-278, 1967.
    .. [2] C. Lawson and R. Hanson, "Solving least squares problems", Prentice-Hall, 1974.

    Examples
    --------
    >>> import numpy as np
    >>> from shallows.linear import LinearRegression
    >>> X = np.array([[0.0], [1.0], [2.0]])
    >>> model = LinearRegression().fit(X, [1.0, 3.0, 5.0])
    >>> model.coef_.round(12), round(float(model.intercept_), 12)
    (array([2.]), 1.0)
    """

    def __init__(
        self,
        *,
        fit_intercept: bool = True,
        copy_X: bool = True,
        tol: NonNegativeFloat = 1e-6,
        n_jobs: NJobs = None,
        positive: bool = False,
        solver: Literal["auto", "normal", "qr"] = "auto",
    ):
        self.fit_intercept = fit_intercept
        self.copy_X = copy_X
        self.tol = tol
        self.n_jobs = n_jobs
        self.positive = positive
        self.solver = solver

    @uses_jobs
    def fit(self, X, y, sample_weight=None):
        """Find the weights.

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
        self : LinearRegression
            The fitted estimator.
        """
        check_params(self)
        self._moments = None
        if self.positive:
            return self._fit_positive(X, y, sample_weight)
        if is_stream(X) and self.solver != "qr":
            Y, weights, single, dtype = check_targets_of_stream(self, X, y, sample_weight)
            return self._finish(moments_of(X, Y, weights), single, dtype)
        X, y, weights = check_regression(self, X, y, sample_weight, sparse=True)
        Y = two_dimensional(y)
        solution = least_squares(X, Y, weights, self.fit_intercept, self.solver)
        limit = X.shape[1] if X.shape[0] > X.shape[1] else solution.rank
        return self._keep(solution, limit, y.ndim == 1, X.dtype)

    @available_if(_takes_parts)
    def partial_fit(self, X, y, sample_weight=None):
        """Add samples and find the weights for all that were given so far.

        A `fit` in between starts again from nothing.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            More training data.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Their targets.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each sample; a sample of weight two counts as two samples.

        Returns
        -------
        self : LinearRegression
            The estimator fitted to all samples so far.
        """
        check_params(self)
        before = getattr(self, "_moments", None)
        X, y, weights = check_regression(self, X, y, sample_weight, reset=before is None)
        # Moments of all blocks so far are sufficient statistics.
        new = moments_of(X, two_dimensional(y), weights)
        if before is not None:
            if len(new.mean) != len(before.mean):
                raise ValueError(
                    f"LinearRegression: y must have as many targets as before, "
                    f"{len(before.mean) - X.shape[1]}, got {len(new.mean) - X.shape[1]}."
                )
            new = moments.merge(before, new)
        self._finish(new, y.ndim == 1, X.dtype)
        self._moments = new
        return self

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

    def log_likelihood(self, X, y, sigma):
        r"""Return the log-likelihood of targets under Gaussian noise around the function.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,)
            Targets.
        sigma : float
            Standard deviation of the noise.

        Returns
        -------
        log_likelihood : float
            :math:`-\frac{P}{2} \log(2 \pi \sigma^2) - \sum (y - f(x))^2 / (2 \sigma^2)`.
        """
        if not sigma > 0:
            raise ValueError(f"LinearRegression: sigma must be positive, got {sigma!r}.")
        y, means = np.asarray(y, dtype=np.float64), self.predict(X)
        if y.shape != means.shape:
            raise ValueError(
                f"LinearRegression: y must have the shape of the predictions, {means.shape}, got "
                f"{y.shape}."
            )
        errors = y - means
        total = errors.size * log(2 * pi * sigma**2) + (errors**2).sum() / sigma**2
        return float(-total / 2)

    @property
    def singular_(self):
        """Singular values of the inputs, under scikit-learn's name."""
        return self.singular_values_

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = not self.positive
        tags.target_tags.multi_output = True
        return tags

    def _fit_positive(self, X, y, sample_weight):
        X, y, weights = check_regression(self, X, y, sample_weight)
        Y = two_dimensional(y)
        none = np.zeros(Y.shape[1])
        coef, offset = nonnegative_weights(X, Y, weights, self.fit_intercept, none)
        store_linear(self, coef, offset, y.ndim == 1, X.dtype)
        self.rank_ = self.singular_values_ = self.condition_ = None
        return self

    def _finish(self, joint, single, dtype):
        """Solve what joint moments of inputs and targets determine."""
        products = of_moments(joint, self.n_features_in_, self.fit_intercept)
        solution = by_cholesky(products) or by_eigenvectors(products)
        tall = joint.weight > self.n_features_in_
        return self._keep(solution, self.n_features_in_ if tall else solution.rank, single, dtype)

    def _keep(self, solution, full_rank, single, dtype):
        warn_of_rank(self, solution.rank, full_rank)
        store_linear(self, solution.coef, solution.intercept, single, dtype)
        self.rank_ = solution.rank
        self.condition_ = solution.condition
        values = solution.singular_values
        self.singular_values_ = None if values is None else values.astype(dtype)
        return self
