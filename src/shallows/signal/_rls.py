"""Recursive least squares."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin

from shallows._core.contract.data import check_new, check_regression
from shallows._core.contract.params import PositiveFloat, Range, check_params
from shallows._core.numerics.compile import compiled


class RLS(RegressorMixin, BaseEstimator):
    r"""Linear filter that is the least-squares solution of all samples so far, at every time.

    It minimises :math:`\sum_{i \leq n} \lambda^{n - i} (d(i) - w \cdot x(i))^2`, a penalty
    :math:`\lambda^n |w|^2 / \delta` included, and needs time and memory that grow with the square
    of the number of weights [1]_. It converges as fast in all directions, however the input is
    coloured.

    Parameters
    ----------
    forgetting : float, default=1.0
        Factor :math:`\lambda` by which a sample counts less with each step; 1 forgets nothing,
        0.99 remembers about a hundred samples.
    delta : float, default=1e6
        Size of the matrix P at the start: the larger, the weaker the penalty.
    fit_intercept : bool, default=False
        Whether to learn a constant, as the weight of an input 1.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        Weights.
    intercept_ : float
        Constant.
    errors_ : ndarray of shape (n_samples,)
        Errors of the last call, each before its update.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    References
    ----------
    .. [1] S. Haykin, "Adaptive Filter Theory", 5th edition, Pearson, 2014.

    Examples
    --------
    >>> import numpy as np
    >>> from shallows.signal import RLS, delay_line, transversal_filter
    >>> x = np.random.default_rng(0).normal(size=50)
    >>> RLS().fit(delay_line(x, 3), transversal_filter(x, [0.5, -0.3, 0.1])).coef_.round(4)
    array([ 0.5, -0.3,  0.1])
    """

    def __init__(
        self,
        forgetting: Annotated[float, Range(0, 1, open="low")] = 1.0,
        *,
        delta: PositiveFloat = 1e6,
        fit_intercept: bool = False,
    ):
        self.forgetting = forgetting
        self.delta = delta
        self.fit_intercept = fit_intercept

    def fit(self, X, y, sample_weight=None):
        """Adapt from zero weights, sample by sample.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Inputs, in the order of time.
        y : array-like of shape (n_samples,)
            Desired outputs.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each squared error.

        Returns
        -------
        self : RLS
            The adapted filter.
        """
        return self._adapt(X, y, sample_weight, afresh=True)

    def partial_fit(self, X, y, sample_weight=None):
        """Go on adapting.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Inputs, in the order of time.
        y : array-like of shape (n_samples,)
            Desired outputs.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each squared error.

        Returns
        -------
        self : RLS
            The adapted filter.
        """
        return self._adapt(X, y, sample_weight, afresh=not hasattr(self, "coef_"))

    def predict(self, X):
        """Return the outputs of the filter as it is now.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Inputs.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Outputs.
        """
        X = check_new(self, X)
        return X @ self.coef_ + self.intercept_

    def _adapt(self, X, y, sample_weight, afresh):
        check_params(self)
        X, y, weights = check_regression(
            self, X, y, sample_weight, multi_output=False, reset=afresh
        )
        if afresh:
            self._weights = np.zeros(X.shape[1] + 1)
            self._inverse = self.delta * np.eye(X.shape[1] + 1)
        task = self._weights, self._inverse, self.forgetting, float(self.fit_intercept)
        errors = recurse(X, y, weights, *task)
        if not np.isfinite(self._weights).all():
            raise FloatingPointError(
                f"RLS: the weights left all bounds with forgetting={self.forgetting} and "
                f"delta={self.delta}. Raise forgetting towards 1, lower delta, or scale the data."
            )
        self.coef_ = self._weights[:-1].astype(X.dtype)
        self.intercept_ = float(self._weights[-1])
        self.errors_ = errors.astype(X.dtype)
        return self


@compiled
def recurse(X, y, weights, w, inverse, forgetting, bias):
    """Move `w` and `inverse` in place; return the errors before each update.

    Half of the symmetric `inverse` is computed and copied, so that rounding keeps it symmetric.
    """
    n_samples, n = X.shape
    errors, x, gain = np.empty(n_samples), np.empty(n + 1), np.empty(n + 1)
    x[n] = bias
    for t in range(n_samples):
        for j in range(n):  # no writing within a sum, or its order would depend on addresses
            x[j] = X[t, j]
        error = y[t] - bias * w[n]
        for j in range(n):
            error -= w[j] * x[j]
        errors[t] = error
        along = forgetting / weights[t]
        for j in range(n + 1):
            total = 0.0
            for k in range(n + 1):
                total += inverse[j, k] * x[k]
            gain[j] = total
            along += x[j] * total
        for j in range(n + 1):
            w[j] += gain[j] / along * error
            for k in range(j + 1):
                value = (inverse[j, k] - gain[j] * gain[k] / along) / forgetting
                inverse[j, k] = value
                inverse[k, j] = value
    return errors
