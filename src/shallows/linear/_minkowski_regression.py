"""Linear regression with the Minkowski-r error."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin

from shallows._core.contract.data import check_regression
from shallows._core.contract.params import PositiveFloat, PositiveInt, Range, check_params
from shallows._core.contract.training import IterativeMixin, Training
from shallows._core.numerics.threads import hold_threads
from shallows.linear._linear_model import predict_linear, store_linear
from shallows.linear._reweighted import Reweighted

FLOOR = 1e-7  # residuals count as at least this share of the largest, where r < 2
HALVINGS = 30  # and doublings of a step


class MinkowskiRegression(RegressorMixin, IterativeMixin, BaseEstimator):
    r"""Linear function with the least sum of r-th powers of the errors.

    It minimises :math:`\sum_i |w \cdot x_i + b - y_i|^r`, which is maximum likelihood under
    noise of density proportional to :math:`\exp(-\beta |n|^r)`: r = 2 is least squares, r near
    1 resists outliers, large r approaches the least largest error. Each step solves least
    squares with weights :math:`|e_i|^{r-2}`; Newton's step is 1 / (r - 1) of the way there. For
    r > 2 it goes as far, and less where the error would rise; for r < 2 it goes all the way, and
    beyond it as far as the error falls.

    Parameters
    ----------
    r : float, default=1.5
        Exponent, at least 1.
    fit_intercept : bool, default=True
        Whether to fit the offset b; the weights then belong to centred data.
    max_iter : int, default=500
        Largest number of steps.
    tol : float, default=1e-10
        Training ends when the error falls by less than this share of its first value.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features_in_,)
        Weights.
    intercept_ : float
        Offset b, 0 without one.
    history_ : dict of lists
        "loss", the r-th root of the mean r-th power of the errors, after each step.
    n_iter_ : int
        Steps made.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    Examples
    --------
    >>> import numpy as np
    >>> from shallows.linear import MinkowskiRegression
    >>> x, y = np.arange(7.0)[:, None], np.array([0.0, 1, 2, 30, 4, 5, 6])
    >>> MinkowskiRegression(r=1.1).fit(x, y).coef_.round(2)
    array([1.])
    """

    def __init__(
        self,
        r: Annotated[float, Range(1)] = 1.5,
        *,
        fit_intercept: bool = True,
        max_iter: PositiveInt = 500,
        tol: PositiveFloat = 1e-10,
    ):
        self.r = r
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol

    def fit(self, X, y, sample_weight=None):
        """Find the weights.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training data.
        y : array-like of shape (n_samples,)
            Targets.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each sample; a sample of weight two counts as two samples.

        Returns
        -------
        self : MinkowskiRegression
            The fitted estimator.
        """
        check_params(self)
        X, y, weights = check_regression(self, X, y, sample_weight, multi_output=False)
        y, shares = y.astype(np.float64), weights / weights.sum()
        with hold_threads():  # for steps that are soon done
            data = Reweighted(X, y, self.fit_intercept)
            place = data.solve(weights)
            errors = _errors(X, y, place)
            loss = self._loss(errors, shares)
            # Weights from errors that are only rounding would lead to another exact solution.
            rounding = len(y) * np.finfo(y.dtype).eps * np.abs(y).max()

            run = Training(self, self.max_iter, self.tol * max(loss, 1e-300))
            for _ in run:
                if loss > rounding:
                    goal = data.solve(weights * self._importance(errors))
                    place, errors, loss = self._towards(X, y, shares, place, goal, errors, loss)
                run.record(loss)
        self.history_, self.n_iter_ = run.history, run.n_iter
        store_linear(self, place[0][:, None], place[1:], True, X.dtype)
        return self

    def predict(self, X):
        """Return the values of the linear function.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Predictions.
        """
        return predict_linear(self, X)

    def _importance(self, errors):
        """Return the weights of the samples that make the next problem one of least squares."""
        sizes = np.abs(errors)
        largest = sizes.max(initial=0.0) or 1.0
        if self.r < 2:
            sizes = np.maximum(sizes, FLOOR * largest)
        own = np.maximum((sizes / largest) ** (self.r - 2), 1e-12)
        return own / own.max()

    def _loss(self, errors, shares):
        sizes = np.abs(errors)
        largest = sizes.max(initial=0.0) or 1.0
        mean = shares @ (sizes / largest) ** self.r
        return float(largest * mean ** (1 / self.r))

    def _towards(self, X, y, shares, place, goal, errors, loss):
        """Go from place towards goal, further up to Newton's step while the error falls."""
        way = _errors(X, y, goal) - errors  # errors are linear, so that a try takes no product
        longest = 1 / (self.r - 1) if self.r > 1 else np.inf
        share = min(1.0, longest)
        found = self._loss(errors + share * way, shares)
        for _ in range(HALVINGS):
            further = min(2 * share, longest)
            if (
                further == share
                or not (tried := self._loss(errors + further * way, shares)) < found
            ):
                break
            share, found = further, tried
        for _ in range(HALVINGS):
            there = tuple(old + share * (new - old) for old, new in zip(place, goal, strict=True))
            left = _errors(X, y, there)
            found = self._loss(left, shares)
            if found <= loss:
                return there, left, found
            share /= 2
        return place, errors, loss


def _errors(X, y, place):
    return X @ place[0] + place[1] - y
