"""Adaptive linear filter with the least mean squares (LMS) rule."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, Literal, NamedTuple

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

Rule = Literal["lms", "sign", "sign-data", "sign-sign", "normalized", "newton"]
RULES = "lms", "sign", "sign-data", "sign-sign", "normalized", "newton"
LEAST_MEAN_SQUARES, SIGN, SIGN_DATA, SIGN_SIGN, NORMALIZED, NEWTON = range(6)  # for the kernels
SAFE = 1.0 / 3.0  # share of the bound on mu up to which Gaussian inputs are stable
EARLY = 20  # samples per weight that use the largest safe step


class LMS(RegressorMixin, IterativeMixin, BaseEstimator):
    r"""Linear filter that adapts to each sample.

    With the error :math:`\epsilon = d - w \cdot x` before the update, a sample moves the weights
    by :math:`2 \mu \epsilon x`, the rule of Widrow and Hoff [1]_. For a transversal filter the
    rows of `X` are those of :func:`~shallows.signal.delay_line`.

    Parameters
    ----------
    mu : float or None, default=None
        Step size :math:`\mu`. Above :math:`1 / \text{tr} R` the error grows without bound, and a
        warning is given; up to :math:`1 / (3\, \text{tr} R)` the filter is safe. The error exceeds
        its minimum by the share :math:`\mu\, \text{tr} R`, the misadjustment. None uses a third of
        the bound for the first 20 samples per weight, and then the step of the given
        misadjustment, with a running estimate of the trace. It never makes a step that changes the
        sign of the sample's own error, so ``"lms"`` and ``"normalized"`` are stable on any input.
    schedule : callable or None, default=None
        Step sizes instead of `mu`: a function of the sample numbers t = 1, 2, ..., for example
        from :func:`~shallows.descent.schedule`.
    rule : {"lms", "sign", "sign-data", "sign-sign", "normalized", "newton"}, default="lms"
        How a sample moves the weights:

        - ``"lms"``: by :math:`2 \mu \epsilon x`
        - ``"sign"``: by :math:`2 \mu\, \text{sign}(\epsilon)\, x`, robust against outliers
        - ``"sign-data"``: by :math:`2 \mu \epsilon\, \text{sign}(x)`; on some inputs it diverges
          for every fixed `mu`
        - ``"sign-sign"``: by :math:`2 \mu\, \text{sign}(\epsilon)\, \text{sign}(x)`, without
          multiplications
        - ``"normalized"``: by :math:`2 \mu \epsilon x / (|x|^2 + \psi)`, independent of the scale
          of the input; stable for `mu` below 1
        - ``"newton"``: by :math:`2 \mu \epsilon R^{-1} x`, equally fast in all directions; stable
          for `mu` up to 1 / (3 n_features). R is estimated from the samples so far
    misadjustment : float, default=0.05
        Misadjustment for `mu=None`.
    psi : float, default=1e-6
        Constant :math:`\psi` of ``"normalized"`` that prevents large steps for small inputs.
    fit_intercept : bool, default=False
        Whether to learn a constant, the weight of an input 1.
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
        Errors of the last pass, each before the update.
    path_ : ndarray of shape (n_samples, n_features)
        Weights after each sample of the last pass, with `keep_path`.
    trace_ : float
        Mean of :math:`|x|^2` so far, the trace of R.
    history_ : dict of str to list of float
        ``"loss"`` of each pass: mean squared error, each error before its update.
    n_iter_ : int
        Number of passes.
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
        schedule: Callable[..., Any] | None = None,
        rule: Rule = "lms",
        misadjustment: PositiveFloat = 0.05,
        psi: NonNegativeFloat = 1e-6,
        fit_intercept: bool = False,
        max_iter: PositiveInt = 1,
        keep_path: bool = False,
    ):
        self.mu = mu
        self.schedule = schedule
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
            Inputs, in order of time.
        y : array-like of shape (n_samples,)
            Desired outputs.
        sample_weight : array-like of shape (n_samples,), default=None
            Factor on the step of each sample.

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
        """Continue to adapt.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Inputs, in order of time.
        y : array-like of shape (n_samples,)
            Desired outputs.
        sample_weight : array-like of shape (n_samples,), default=None
            Factor on the step of each sample.

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
        """Return the outputs of the current filter.

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
        self._seen = np.zeros(3)  # samples, sum of sizes of the input, sum of |error|
        self._trace = np.zeros(2)  # samples, sum of |x|^2
        size = n_features + 1 if self.rule == "newton" else 0
        self._inverse = np.zeros((size, size))

    def _adapt(self, X, y, weights):
        """Visit the samples once; return the mean squared error."""
        squares = np.einsum("ij,ij->i", X, X, dtype=np.float64) + self.fit_intercept
        trace = self._trace + (len(y), squares.sum())
        bound = self._bound(X, squares, weights, trace)
        steps = self._steps(len(y), bound)
        # Work on a copy: if this call fails, the filter before it is kept.
        state = Filter(self._weights.copy(), self._seen.copy(), self._inverse.copy())
        path = np.empty((len(y) if self.keep_path else 0, X.shape[1]))
        kernel = adapt_newton if self.rule == "newton" else adapt
        errors = kernel(Samples(X, y, weights), state, steps, path)
        self._refuse_divergence(errors, y, bound)

        self._weights, self._seen, self._inverse = state
        self._trace = trace
        self.trace_ = float(trace[1] / trace[0])
        self.coef_ = self._weights[:-1].astype(X.dtype)
        self.intercept_ = float(self._weights[-1])
        self.errors_ = errors.astype(X.dtype)
        if self.keep_path:
            self.path_ = path.astype(X.dtype)
        return float(np.average(errors**2, weights=weights))

    def _bound(self, X, squares, weights, trace):
        """Return the step size above which the mean square error grows."""
        if self.rule in ("sign", "sign-sign"):
            return np.inf  # the size of their steps does not depend on the error
        if self.rule == "normalized":
            return 1.0
        if self.rule == "newton":
            return 1.0 / (X.shape[1] + self.fit_intercept)
        if self.rule == "sign-data":
            size = np.average(np.abs(X).sum(axis=1) + self.fit_intercept, weights=weights)
        elif np.ptp(weights) > 0:
            size = np.mean(weights * squares)
        else:
            size = weights[0] * trace[1] / trace[0]
        return 1.0 / size if size > 0 else np.inf

    def _steps(self, n_samples, bound):
        """Return the step sizes of the samples; no rates if the filter chooses its own."""
        if self.schedule is not None and self.mu is not None:
            raise ValueError(
                f"LMS: give either mu or schedule, got mu={self.mu} and a schedule. Leave mu=None "
                "to use the schedule."
            )
        rates = np.empty(0)
        if self.mu is not None:
            rates = np.full(n_samples, float(self.mu))
        elif self.schedule is not None:
            times = self._trace[0] + np.arange(1, n_samples + 1)
            rates = np.array(np.broadcast_to(self.schedule(times), n_samples), dtype=np.float64)
            if not (np.isfinite(rates).all() and (rates >= 0).all()):
                raise ValueError(
                    "LMS: schedule returned a step size that is negative, infinite or NaN. "
                    "It must return one for each of the sample numbers t = 1, 2, ..."
                )

        # Above this bound the mean weights diverge.
        if len(rates) and rates.max() > bound:
            warnings.warn(
                f"LMS: a step size of {rates.max():.3g} is above {bound:.3g}, from which the error "
                f"of rule={self.rule!r} grows without bound on this input. Take at most "
                f"{SAFE * bound:.3g}, or leave mu=None.",
                UserWarning,
                stacklevel=4,
            )
        return Steps(
            RULES.index(self.rule), rates, self.misadjustment, self.psi, float(self.fit_intercept)
        )

    def _refuse_divergence(self, errors, y, bound):
        """Raise an error if errors are not finite, or grew a hundredfold in mean square."""
        tenth = max(len(y) // 10, 1)
        with np.errstate(over="ignore", invalid="ignore"):
            squares = errors**2
            limit = 100.0 * max(np.mean(y**2), np.mean(squares[:tenth]))
            grown = len(y) > 20 and np.mean(squares[-tenth:]) > limit
            if np.isfinite(squares).all() and not grown:
                return
        step = "this schedule" if self.schedule is not None else f"mu={self.mu}"
        raise FloatingPointError(
            f"LMS: the filter diverged with {step} and rule={self.rule!r}. Take a mu of at most "
            f"{min(SAFE * bound, 1.0):.3g}, leave mu=None, or scale the data."
        )


class Samples(NamedTuple):
    """Inputs (n_samples, n), desired outputs, and factors on the steps."""

    X: np.ndarray
    y: np.ndarray
    weights: np.ndarray


class Filter(NamedTuple):
    """Adaptive state of the filter.

    `w` has n weights and the weight of the constant input. `seen` counts samples, from the first
    non-zero input, and sums the sizes of their inputs and |error|. `inverse` is the inverse of the
    sum of x x' over samples, for Newton's rule only.
    """

    w: np.ndarray
    seen: np.ndarray
    inverse: np.ndarray


class Steps(NamedTuple):
    """Parameters of the step; without `rates` the step sizes follow the input."""

    rule: int
    rates: np.ndarray
    misadjustment: float
    psi: float
    bias: float  # the constant input, 1 or 0


@compiled_in_order
def adapt(samples, state, steps, path):
    """Move the filter along the gradient of each sample; return the errors before each update."""
    X, y, weights = samples.X, samples.y, samples.weights
    w, seen, rule = state.w, state.seen, steps.rule
    n_samples, n = X.shape
    errors, x = np.empty(n_samples), np.empty(n + 1)
    x[n] = steps.bias
    for t in range(n_samples):
        # the error d - w.x before the update, |x|^2 and |x|_1
        for j in range(n):  # no writing within a sum, or its order would depend on addresses
            x[j] = X[t, j]
        error, power, length = y[t] - steps.bias * w[n], steps.bias, steps.bias
        for j in range(n):
            error -= w[j] * x[j]
            power += x[j] * x[j]
            length += abs(x[j])
        errors[t] = error

        # the sample divides its own error by 1 - 2 mu size: signs of the input have size |x|_1
        size = length if rule in (SIGN_DATA, SIGN_SIGN) else power
        if seen[1] + size > 0.0:
            seen[0] += 1.0
            seen[1] += size
            seen[2] += abs(error)
        mean_size = power + steps.psi if rule == NORMALIZED else seen[1] / max(seen[0], 1.0)
        if len(steps.rates) == 0:
            rate = own_rate(seen[0], n, mean_size, weights[t] * size, steps.misadjustment)
            if rule in (SIGN, SIGN_SIGN):
                rate *= seen[2] / max(seen[0], 1.0)
        else:
            rate = steps.rates[t]
            if rule == NORMALIZED:
                rate = rate / mean_size if mean_size > 0.0 else 0.0

        # w += 2 mu error x, with signs in place of the error, the input or both
        if rule in (SIGN, SIGN_SIGN):
            error = np.sign(error)
        move = 2.0 * rate * weights[t] * error
        if rule in (SIGN_DATA, SIGN_SIGN):
            for j in range(n + 1):
                w[j] += move * np.sign(x[j])
        else:
            for j in range(n + 1):
                w[j] += move * x[j]
        for j in range(n if len(path) > 0 else 0):
            path[t, j] = w[j]
    return errors


@compiled_in_order
def adapt_newton(samples, state, steps, path):
    """Move the filter by 2 mu error R^-1 x; return the errors before each update."""
    X, y, weights = samples.X, samples.y, samples.weights
    w, seen, inverse = state.w, state.seen, state.inverse
    n_samples, n = X.shape
    errors, x, step = np.empty(n_samples), np.empty(n + 1), np.empty(n + 1)
    x[n] = steps.bias
    for t in range(n_samples):
        # the error d - w.x before the update, and |x|^2
        for j in range(n):
            x[j] = X[t, j]
        error, power = y[t] - steps.bias * w[n], steps.bias
        for j in range(n):
            error -= w[j] * x[j]
            power += x[j] * x[j]
        errors[t] = error

        # the sum of x x' starts at the mean square of the first input that is not zero
        if seen[1] > 0.0 or power > 0.0:
            if seen[1] == 0.0:
                for j in range(n + 1):
                    inverse[j, j] = (n + steps.bias) / power
            seen[0] += 1.0
            seen[1] += power
            seen[2] += abs(error)

            # Sherman and Morrison: (A + x x')^-1 = A^-1 - A^-1 x x' A^-1 / (1 + x' A^-1 x)
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

            # R^-1 x = seen A^-1 x, with the new A
            if len(steps.rates) == 0:
                size = weights[t] * seen[0] * (along - 1.0) / along
                rate = own_rate(seen[0], n, n + steps.bias, size, steps.misadjustment)
            else:
                rate = steps.rates[t]
            move = 2.0 * rate * weights[t] * error * seen[0] / along
            for j in range(n + 1):
                w[j] += move * step[j]
        for j in range(n if len(path) > 0 else 0):
            path[t, j] = w[j]
    return errors


@compiled_in_order
def own_rate(n_seen, n, mean_size, size, misadjustment):
    """Return the step size of `mu=None`.

    Early samples take a third of 1 / trace R, later ones what costs the wanted misadjustment
    Early samples use a third of 1 / trace R, later ones the step with the given misadjustment mu
    trace R. No step exceeds 1 / (2 size), for which the sample's own error becomes zero: then I -
    2 mu x x' makes no vector longer, so no input makes the weights diverge.
    """
    if mean_size <= 0.0:
        return 0.0
    share = SAFE if n_seen <= EARLY * n else min(misadjustment, SAFE)
    rate = share / mean_size
    return min(rate, 0.5 / size) if size > 0.0 else rate
