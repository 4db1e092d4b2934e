"""Sigmoid units trained by least mean squares."""

from __future__ import annotations

import numpy as np
from scipy.special import expit, log_expit, log_softmax
from sklearn.base import BaseEstimator, ClassifierMixin

from shallows._core.contract.data import check_labelled, check_new
from shallows._core.contract.params import (
    NonNegativeFloat,
    PositiveFloat,
    PositiveInt,
    check_params,
)
from shallows._core.contract.rng import RandomState, as_generator
from shallows._core.contract.training import IterativeMixin, Training
from shallows._core.numerics.compile import compiled
from shallows.linear._least_squares_classifier import coded


class SigmoidUnit(ClassifierMixin, IterativeMixin, BaseEstimator):
    r"""Classifier by one unit with a smooth threshold, or one for each of several classes.

    The output is :math:`f(x) = 1 / (1 + e^{-a (w \cdot x + b)})`. After each example the weights
    follow the gradient of the squared error: :math:`\Delta w = \eta\, \delta\, x` with
    :math:`\delta = (d - f) f'` and targets d of 0 and 1. Where the unit is saturated f' and
    with it the correction vanish, so it starts from zero weights. It is a network without a
    hidden layer; the gain a changes how far a step goes.

    Parameters
    ----------
    gain : float, default=1.0
        Steepness a of the sigmoid.
    learning_rate : float or None, default=None
        Rate eta. None takes 4 / (a^2 times the largest squared norm of a sample).
    fit_intercept : bool, default=True
        Whether to learn the weight of a constant input.
    max_iter : int, default=200
        Largest number of passes.
    tol : float, default=1e-4
        Training ends when the mean squared error falls by less than this in five passes in a
        row.
    random_state : int, RandomState, Generator or None, default=0
        Order of the examples, new in each pass; None is a different one in each fit.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features_in_) or (n_classes, n_features_in_)
        Weights, of the second class alone where there are two.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Weights of the constant input.
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    history_ : dict of lists
        "loss", the mean squared error of the output after each pass, or part of the data.
    n_iter_ : int
        Passes made, and parts given to `partial_fit`.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    Examples
    --------
    >>> from shallows.data import truth_table
    >>> from shallows.linear import SigmoidUnit
    >>> X, y = truth_table("and")
    >>> SigmoidUnit(max_iter=1000, tol=None).fit(X, y).predict(X)
    array([0., 0., 0., 1.])
    """

    def __init__(
        self,
        *,
        gain: PositiveFloat = 1.0,
        learning_rate: PositiveFloat | None = None,
        fit_intercept: bool = True,
        max_iter: PositiveInt = 200,
        tol: NonNegativeFloat | None = 1e-4,
        random_state: RandomState = 0,
    ):
        self.gain = gain
        self.learning_rate = learning_rate
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
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each sample, which scales its steps.

        Returns
        -------
        self : SigmoidUnit
            The fitted estimator.
        """
        check_params(self)
        X, y, weights = check_labelled(self, X, y, sample_weight)
        rng = as_generator(self.random_state)
        targets = coded(y, len(self.classes_))
        self._start(X, targets)
        rate = self.learning_rate or self._safe_rate(X, weights)

        state = ("coef_", "intercept_")
        run = Training(self, self.max_iter, self.tol, patience=5, state=state, X=X, y=y)
        for _ in run:
            order = rng.permutation(len(X))
            with np.errstate(over="ignore"):  # weights that overflow are an error
                self._pass(X, targets, weights, order, rate)
            run.record(self._error(X, targets, weights))
        self.history_, self.n_iter_ = run.history, run.n_iter
        vars(self).pop("_online_rate", None)
        return self

    def partial_fit(self, X, y, classes=None, sample_weight=None):
        """Visit the given samples once, in their order.

        Without `learning_rate` the rate is that of the first call, 4 / (a^2 times the largest
        squared norm of its samples).

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            More training data.
        y : array-like of shape (n_samples,)
            Their class labels.
        classes : array-like of shape (n_classes,), default=None
            All labels that will ever come; needed in the first call only.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each sample, which scales its steps.

        Returns
        -------
        self : SigmoidUnit
            The estimator after these samples.
        """
        check_params(self)
        first = not hasattr(self, "coef_")
        X, y, weights = check_labelled(self, X, y, sample_weight, classes=classes, reset=first)
        targets = coded(y, len(self.classes_))
        if first:
            self._start(X, targets)
            self.history_, self.n_iter_ = {"loss": []}, 0
        if not hasattr(self, "_online_rate"):
            self._online_rate = self.learning_rate or self._safe_rate(X, weights)
        X = X.astype(self.coef_.dtype, copy=False)
        with np.errstate(over="ignore"):
            self._pass(X, targets, weights, np.arange(len(X)), self._online_rate)
        loss = self._error(X, targets, weights)
        if not np.isfinite(loss):
            raise FloatingPointError(
                f"SigmoidUnit: the loss became {loss}. Lower the learning rate or scale the data."
            )
        self.history_["loss"].append(loss)
        self.n_iter_ += 1
        return self

    def decision_function(self, X):
        """Return the input of the unit.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        net : ndarray of shape (n_samples,) or (n_samples, n_classes)
            With two classes, positive values mean ``classes_[1]``.
        """
        net = self._net(check_new(self, X))
        return net[:, 0] if net.shape[1] == 1 else net

    def predict_proba(self, X):
        """Return the outputs of the units as probabilities.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            1 - f and f; of several classes, each f as share of their sum.
        """
        return np.exp(self.predict_log_proba(X))

    def predict_log_proba(self, X):
        """Return the logarithm of the probability of each class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        log_probability : ndarray of shape (n_samples, n_classes)
            Logarithms, finite also where a probability rounds to zero.
        """
        net = self.gain * self._net(check_new(self, X))
        if net.shape[1] == 1:
            return log_expit(np.hstack([-net, net]))
        return log_softmax(log_expit(net), axis=1)

    def predict(self, X):
        """Return the class of each sample.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Class labels.
        """
        net = self.decision_function(X)
        return self.classes_[net.argmax(1) if net.ndim == 2 else (net > 0).astype(int)]

    def _start(self, X, targets):
        self.coef_ = np.zeros((targets.shape[1], X.shape[1]), X.dtype)
        self.intercept_ = np.zeros(targets.shape[1], X.dtype)

    def _error(self, X, targets, weights):
        """Return the mean squared error, or NaN where weights have overflowed."""
        if not np.isfinite(self.coef_).all():
            return np.nan
        errors = expit(self.gain * self._net(X)).astype(np.float64) - targets
        return float(np.average((errors**2).sum(axis=1), weights=weights))

    def _net(self, X):
        return X @ self.coef_.T + self.intercept_

    def _pass(self, X, targets, weights, order, rate):
        for k, target in enumerate(np.ascontiguousarray(targets.T)):
            place = np.append(self.coef_[k], self.intercept_[k]).astype(np.float64)
            sigmoid_pass(X, target, weights, order, place, rate, self.gain, self.fit_intercept)
            self.coef_[k], self.intercept_[k] = place[:-1], place[-1]

    def _safe_rate(self, X, weights):
        norms = np.einsum("ij,ij->i", X, X).astype(np.float64) + self.fit_intercept
        return 4 / max(float((weights * norms).max()) * self.gain**2, 1e-300)


@compiled
def sigmoid_pass(X, target, weights, order, place, rate, gain, offset):
    """Visit samples in `order` and change `place`, weights and offset, after each."""
    n_features = X.shape[1]
    for i in order:
        net = place[n_features]
        for j in range(n_features):
            net += place[j] * X[i, j]
        output = 1.0 / (1.0 + np.exp(-gain * net))
        delta = weights[i] * (target[i] - output) * gain * output * (1.0 - output)
        for j in range(n_features):
            place[j] += rate * delta * X[i, j]
        if offset:
            place[n_features] += rate * delta
