"""Adaptive linear combiner by least mean squares."""

from __future__ import annotations

from typing import Literal

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin

from shallows._core.contract.data import check_new, check_regression
from shallows._core.contract.params import (
    NonNegativeFloat,
    PositiveFloat,
    PositiveInt,
    check_params,
)
from shallows._core.contract.training import IterativeMixin, Training
from shallows._core.numerics.compile import compiled_in_order

RULES = "lms", "sign", "normalized", "newton"
LEAST_MEAN_SQUARES, SIGN, NORMALIZED, NEWTON = range(4)  # as the compiled loop takes them


class LMS(RegressorMixin, IterativeMixin, BaseEstimator):
    r"""Linear filter that adapts to each sample as it comes.

    With the error :math:`\epsilon = d - w \cdot x` before the update, a sample moves the weights
    by :math:`2 \mu \epsilon x`, the rule of Widrow and Hoff [1]_. For a transversal filter the
    rows of `X` are those of :func:`~shallows.signal.delay_line`.

    Parameters
    ----------
    mu : float or None, default=None
        Step size :math:`\mu`. The filter stays stable up to :math:`1 / (3\, \text{tr} R)`, and
        its error exceeds the least one by the share :math:`\mu\, \text{tr} R`, the
        misadjustment. None takes the bound in the first 20 samples per weight and then what gives
        the wanted misadjustment, with the trace estimated on the way.
    rule : {"lms", "sign", "normalized", "newton"}, default="lms"
        How a sample moves the weights:

        - ``"lms"``: by :math:`2 \mu \epsilon x`
        - ``"sign"``: by :math:`2 \mu\, \text{sign}(\epsilon)\, x`
        - ``"normalized"``: by :math:`2 \mu \epsilon x / (|x|^2 + \psi)`, whatever the scale of
          the input; stable for `mu` below 1
        - ``"newton"``: by :math:`2 \mu \epsilon R^{-1} x`, as fast in all directions; stable for
          `mu` up to 1 / (3 n_features). The correlations R are those of the samples so far.
    misadjustment : float, default=0.05
        Excess of the error that `mu=None` aims at.
    psi : float, default=1e-6
        Guard :math:`\psi` of ``"normalized"`` against small inputs.
    fit_intercept : bool, default=False
        Whether to learn a constant, as the weight of an input 1.
    max_iter : int, default=1
        Passes over the data in `fit`.
    keep_path : bool, default=False
        Whether to keep the weights after every sample.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        Weights.
    intercept_ : float
        Constant.
    errors_ : ndarray of shape (n_samples,)
        Errors of the last pass, each before its update.
    path_ : ndarray of shape (n_samples, n_features)
        Weights after each sample of the last pass, with `keep_path`.
    trace_ : float
        Mean of :math:`|x|^2` so far, the trace of R.
    history_ : dict of str to list of float
        ``"loss"`` of each pass: the mean of squared errors, each before its update.
    n_iter_ : int
        Passes made.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    References
    ----------
    .. [1] B. Widrow, S. D. Stearns, "Adaptive Signal Processing", Prentice Hall, 1985.

    Examples
    --------
    >>> import numpy as np
    >>> from shallows.signal import LMS, delay_line, transversal_filter
    >>> x = np.random.default_rng(0).normal(size=5000)
    >>> plant = [0.5, -0.3, 0.1]
    >>> model = LMS().fit(delay_line(x, 3), transversal_filter(x, plant))
    >>> model.coef_.round(3)
    array([ 0.5, -0.3,  0.1])
    """

    def __init__(
        self,
        mu: PositiveFloat | None = None,
        *,
        rule: Literal["lms", "sign", "normalized", "newton"] = "lms",
        misadjustment: PositiveFloat = 0.05,
        psi: NonNegativeFloat = 1e-6,
        fit_intercept: bool = False,
        max_iter: PositiveInt = 1,
        keep_path: bool = False,
    ):
        self.mu = mu
        self.rule = rule
        self.misadjustment = misadjustment
        self.psi = psi
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.keep_path = keep_path

    def fit(self, X, y, sample_weight=None):
        """Adapt from zero weights, sample by sample.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Inputs, in the order of time.
        y : array-like of shape (n_samples,)
            Desired outputs.
        sample_weight : array-like of shape (n_samples,), default=None
            Factor of the step of each sample.

        Returns
        -------
        self : LMS
            The adapted filter.
        """
        check_params(self)
        X, y, weights = check_regression(self, X, y, sample_weight, multi_output=False)
        self._start(X.shape[1])
        run = Training(self, self.max_iter, state=("coef_", "intercept_"), X=X, y=y)
        for _ in run:
            run.record(self._adapt(X, y, weights))
        self.history_, self.n_iter_ = run.history, run.n_iter
        return self

    def partial_fit(self, X, y, sample_weight=None):
        """Go on adapting.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Inputs, in the order of time.
        y : array-like of shape (n_samples,)
            Desired outputs.
        sample_weight : array-like of shape (n_samples,), default=None
            Factor of the step of each sample.

        Returns
        -------
        self : LMS
            The adapted filter.
        """
        check_params(self)
        first = not hasattr(self, "coef_")
        X, y, weights = check_regression(self, X, y, sample_weight, multi_output=False, reset=first)
        if first:
            self._start(X.shape[1])
            self.history_, self.n_iter_ = {"loss": []}, 0
        self.history_["loss"].append(self._adapt(X, y, weights))
        self.n_iter_ += 1
        return self

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

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True  # one pass over few samples
        return tags

    def _start(self, n_features):
        self._weights = np.zeros(n_features + 1)
        self._seen = np.zeros(3)  # samples, sum of |x|^2, sum of |error|
        size = n_features + 1 if self.rule == "newton" else 0
        self._inverse = np.zeros((size, size))

    def _adapt(self, X, y, weights):
        """Visit the samples once; return the mean squared error."""
        path = np.empty((len(y) if self.keep_path else 0, X.shape[1]))
        errors = adapt(
            X,
            y,
            weights,
            self._weights,
            self._seen,
            self._inverse,
            path,
            RULES.index(self.rule),
            self.mu or 0.0,
            self.misadjustment,
            self.psi,
            float(self.fit_intercept),
        )
        self.trace_ = float(self._seen[1] / self._seen[0])
        self.coef_ = self._weights[:-1].astype(X.dtype)
        self.intercept_ = float(self._weights[-1])
        self.errors_ = errors.astype(X.dtype)
        if self.keep_path:
            self.path_ = path.astype(X.dtype)
        with np.errstate(over="ignore", invalid="ignore"):  # the training loop looks at it
            return float(np.average(errors**2, weights=weights))


@compiled_in_order
def adapt(X, y, weights, w, seen, inverse, path, rule, mu, misadjustment, psi, bias):
    """Move `w`, `seen` and `inverse` in place; return the errors before each update.

    The last weight belongs to a constant input `bias`, 1 or 0. `inverse` is that of the sum of
    x x' over samples, which starts at the size of the first.
    """
    n_samples, n = X.shape
    errors, x, step = np.empty(n_samples), np.empty(n + 1), np.empty(n + 1)
    x[n] = bias
    for t in range(n_samples):
        for j in range(n):  # no writing within a sum, or its order would depend on addresses
            x[j] = X[t, j]
        error, power = y[t] - bias * w[n], bias
        for j in range(n):
            error -= w[j] * x[j]
            power += x[j] * x[j]
        errors[t] = error
        seen[0] += 1.0
        seen[1] += power
        seen[2] += abs(error)

        scale = seen[1] / seen[0]
        if rule == NORMALIZED:
            scale = power + psi
        elif rule == NEWTON:
            scale = n + bias
            if seen[0] == 1.0:
                for j in range(n + 1):
                    inverse[j, j] = 1.0 / max(power / scale, 1e-300)
        rate = mu
        if mu == 0.0:
            share = 1.0 / 3.0 if seen[0] <= 20 * n else min(misadjustment, 1.0 / 3.0)
            rate = share / scale if scale > 0.0 else 0.0
            if rule == SIGN:
                rate *= seen[2] / seen[0]
        elif rule == NORMALIZED:
            rate = mu / scale if scale > 0.0 else 0.0
        move = 2.0 * rate * weights[t] * (np.sign(error) if rule == SIGN else error)
        if rule == NEWTON:
            along = 1.0
            for j in range(n + 1):
                total = 0.0
                for k in range(n + 1):
                    total += inverse[j, k] * x[k]
                step[j] = total
                along += x[j] * total
            for j in range(n + 1):
                for k in range(n + 1):
                    inverse[j, k] -= step[j] * step[k] / along
            for j in range(n + 1):
                w[j] += move * seen[0] * step[j] / along
        else:
            for j in range(n + 1):
                w[j] += move * x[j]
        for j in range(n if len(path) > 0 else 0):
            path[t, j] = w[j]
    return errors
