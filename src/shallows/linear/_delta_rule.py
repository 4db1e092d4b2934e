"""The delta rule: gradient descent on squared error."""

from __future__ import annotations

import warnings
from typing import Literal

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.exceptions import ConvergenceWarning

from shallows._core.contract.data import check_regression
from shallows._core.contract.params import (
    NonNegativeFloat,
    PositiveFloat,
    PositiveInt,
    check_params,
)
from shallows._core.contract.rng import RandomState, as_generator
from shallows._core.contract.training import IterativeMixin, Training
from shallows._core.numerics.compile import compiled
from shallows.linear._linear_model import predict_linear

SMALLEST = 1e-300
DIVERGED = 10.0  # times the loss of zero weights


class DeltaRule(RegressorMixin, IterativeMixin, BaseEstimator):
    r"""Linear function that learns from its errors: :math:`w \leftarrow w + \eta (y - w x) x`.

    After each example (incremental: least mean squares, Widrow and Hoff, Adaline), after all
    (batch) or after some (mini-batch). Batch descent converges to the least-squares solution
    if and only if :math:`0 < \eta < 2 / \lambda_{max}(X'X)`; the incremental form follows it to
    order :math:`\eta^2` per pass and, with a constant rate, ends in a cycle near the solution.

    Parameters
    ----------
    mode : str, default="incremental"
        "incremental", "batch" or "minibatch".
    learning_rate : float or None, default=None
        Rate eta of the sum over the examples of a step. None takes 1 / largest eigenvalue of
        X'X for "batch", and 1 / (examples of a step times largest squared norm) otherwise; this
        rate is halved after each pass that does not lower the loss, so that the cycle shrinks.
    batch_size : int, default=32
        Examples of a step of "minibatch".
    divide_by : str, default="none"
        "n" divides the rate by the number of samples, "batch" by the examples of a step,
        "none" by nothing.
    fit_intercept : bool, default=True
        Whether to learn the weight of a constant input.
    max_iter : int, default=1000
        Largest number of passes.
    tol : float, default=1e-8
        Training ends when the mean squared error falls by less than this share of the
        variance of the targets in five passes in a row.
    random_state : int, RandomState, Generator or None, default=0
        Order of the examples, new in each pass; None is a different one in each fit.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features_in_,)
        Weights.
    intercept_ : float
        Weight of the constant input.
    history_ : dict of lists
        "loss", half the mean squared error after each pass.
    n_iter_ : int
        Passes made.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    References
    ----------
    .. [1] B. Widrow and M. Hoff, "Adaptive switching circuits", IRE WESCON Convention Record
       4, 96-104, 1960.

    Examples
    --------
    >>> from shallows.data import make_linear
    >>> from shallows.linear import DeltaRule
    >>> X, y = make_linear(50, [1.0, -2.0], noise=0.0, random_state=0)
    >>> DeltaRule("batch").fit(X, y).coef_.round(3)
    array([ 1., -2.])
    """

    def __init__(
        self,
        mode: Literal["incremental", "batch", "minibatch"] = "incremental",
        *,
        learning_rate: PositiveFloat | None = None,
        batch_size: PositiveInt = 32,
        divide_by: Literal["none", "n", "batch"] = "none",
        fit_intercept: bool = True,
        max_iter: PositiveInt = 1000,
        tol: NonNegativeFloat | None = 1e-8,
        random_state: RandomState = 0,
    ):
        self.mode = mode
        self.learning_rate = learning_rate
        self.batch_size = batch_size
        self.divide_by = divide_by
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def fit(self, X, y, sample_weight=None):
        """Learn in passes over the samples.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training data.
        y : array-like of shape (n_samples,)
            Targets.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each sample, which scales its steps.

        Returns
        -------
        self : DeltaRule
            The fitted estimator.
        """
        check_params(self)
        X, y, weights = check_regression(self, X, y, sample_weight, multi_output=False)
        rng = as_generator(self.random_state)
        self.coef_ = np.zeros(X.shape[1], dtype=X.dtype)
        self.intercept_ = X.dtype.type(0)
        rate, size = self._rate(X, weights)
        vars(self).pop("_online_rate", None)

        scale = float(np.var(y)) or 1.0
        tol = None if self.tol is None else self.tol * scale / 2
        state = ("coef_", "intercept_")
        run = Training(self, self.max_iter, tol, patience=5, state=state, X=X, y=y)
        least, total = np.inf, float(weights.sum())
        for _ in run:
            order = np.arange(len(X)) if self.mode == "batch" else rng.permutation(len(X))
            with np.errstate(over="ignore", invalid="ignore"):  # `record` judges the loss
                self._pass(X, y, weights, order, size, rate)
                errors = (X @ self.coef_ + self.intercept_ - y).astype(np.float64)
                loss = float(errors**2 @ weights) / total / 2
            if self.learning_rate is None and loss >= least:
                rate /= 2
            least = min(loss, least)
            run.record(loss)
        self.history_, self.n_iter_ = run.history, run.n_iter
        start = float(np.average(y.astype(np.float64) ** 2, weights=weights)) / 2
        if loss > DIVERGED * start:  # a constant rate may end a little above
            warnings.warn(
                f"DeltaRule diverged: with all weights zero the loss was {start:.3g}, after "
                f"{run.n_iter} passes it is {loss:.3g}. Lower the learning rate or scale the data.",
                ConvergenceWarning,
                stacklevel=3,
            )
        return self

    def partial_fit(self, X, y, sample_weight=None):
        """Visit the given samples once, in their order, whatever the mode.

        Without `learning_rate` the rate is that of the first call, one over the largest squared
        length of its samples.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            More training data.
        y : array-like of shape (n_samples,)
            Their targets.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each sample, which scales its steps.

        Returns
        -------
        self : DeltaRule
            The estimator after these samples.
        """
        check_params(self)
        first = not hasattr(self, "coef_")
        X, y, weights = check_regression(self, X, y, sample_weight, multi_output=False, reset=first)
        if first:
            self.coef_, self.intercept_ = np.zeros(X.shape[1], dtype=X.dtype), X.dtype.type(0)
            self.history_, self.n_iter_ = {"loss": []}, 0
        if not hasattr(self, "_online_rate"):
            self._online_rate = self.learning_rate or 1 / _longest(X, weights, self.fit_intercept)
        X = X.astype(self.coef_.dtype, copy=False)
        with np.errstate(over="ignore", invalid="ignore"):
            self._pass(X, y, weights, np.arange(len(X)), 1, self._online_rate)
            errors = (X @ self.coef_ + self.intercept_ - y).astype(np.float64)
            loss = float(np.average(errors**2, weights=weights)) / 2
        if not np.isfinite(loss):
            raise FloatingPointError(
                f"DeltaRule: the loss became {loss}. Lower the learning rate or scale the data."
            )
        self.history_["loss"].append(loss)
        self.n_iter_ += 1
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

    def _pass(self, X, y, weights, order, size, rate):
        place = np.append(self.coef_, self.intercept_).astype(np.float64)
        delta_pass(X, y, weights, order, place, size, rate, self.fit_intercept)
        self.coef_ = place[:-1].astype(X.dtype)
        self.intercept_ = X.dtype.type(place[-1])

    def _rate(self, X, weights):
        """Return the rate of the sum over a step, and the examples of a step."""
        size = {"incremental": 1, "batch": len(X)}.get(self.mode, min(self.batch_size, len(X)))
        if self.learning_rate is not None:
            divisor = {"none": 1, "n": len(X), "batch": size}[self.divide_by]
            return self.learning_rate / divisor, size
        if self.mode == "batch":
            constant = np.full((len(X), 1), float(self.fit_intercept))
            wide = np.hstack([X, constant], dtype=np.float64)
            largest = max(np.linalg.eigvalsh((wide.T * weights) @ wide)[-1], SMALLEST)
        else:
            largest = size * _longest(X, weights, self.fit_intercept)
        return 1 / largest, size


def _longest(X, weights, fit_intercept):
    """Return the largest weighted squared length of a sample with its constant input."""
    squares = np.einsum("ij,ij->i", X, X, dtype=np.float64) + float(fit_intercept)
    return max((weights * squares).max(), SMALLEST)


@compiled
def delta_pass(X, y, weights, order, place, size, rate, offset):
    """Visit samples in `order` and change `place`, weights and offset, after every `size`."""
    n_features = X.shape[1]
    step = np.zeros(n_features + 1)
    for count in range(order.shape[0]):
        i = order[count]
        x = X[i]
        error = y[i] - place[n_features]
        for j in range(n_features):
            error -= place[j] * x[j]
        error *= weights[i]
        if size == 1:  # the same sums without the way round
            for j in range(n_features):
                place[j] += rate * (error * x[j])
            if offset:
                place[n_features] += rate * error
            continue
        for j in range(n_features):
            step[j] += error * x[j]
        if offset:
            step[n_features] += error
        if (count + 1) % size == 0 or count + 1 == order.shape[0]:
            for j in range(n_features + 1):
                place[j] += rate * step[j]
                step[j] = 0.0
