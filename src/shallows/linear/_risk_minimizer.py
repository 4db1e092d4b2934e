"""Linear function with the least empirical risk, for any loss and penalty."""

from __future__ import annotations

import warnings
from functools import partial
from inspect import signature
from typing import Literal

import numpy as np
from scipy import optimize
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.exceptions import ConvergenceWarning

from shallows._core.contract.data import check_regression
from shallows._core.contract.params import (
    NonNegativeFloat,
    PositiveFloat,
    PositiveInt,
    check_params,
    check_value,
)
from shallows._core.numerics.threads import hold_threads, map_blocks
from shallows.descent import LOSSES, Loss, StoppingRule, minimize
from shallows.linear._coordinates import descend
from shallows.linear._linear_model import predict_linear, store_linear
from shallows.linear._products import of_array

Losses = Literal[
    "squared",
    "half_squared",
    "sign_squared",
    "minkowski",
    "absolute",
    "huber",
    "epsilon_insensitive",
    "power_cost",
    "perceptron",
    "hinge",
    "squared_hinge",
    "logistic_loss",
]
BLOCK_CELLS = 2**18  # entries of X that stay in the cache between the two products with them
MANY_FEATURES = 1000  # more make products that take longer than steps
SQUARES = {"squared": 1.0, "half_squared": 0.5}  # factors of the squared error
MARGIN_LOSSES = {"power_cost", "perceptron", "hinge", "squared_hinge", "logistic_loss"}


class RiskMinimizer(RegressorMixin, BaseEstimator):
    r"""Linear function with the least mean loss plus penalty, whatever the loss.

    It minimises :math:`\frac{1}{n} \sum_i L(w \cdot x_i + b, y_i) + a\, R(w)` by L-BFGS, or one
    weight after the other for squared errors and "l1"; the offset is not penalised. With squared
    loss and squared weights it is ridge regression in the mean form, without a penalty plain
    empirical risk minimisation. Put a `BasisExpansion` before it for functions that bend. Losses
    with kinks are followed as far as steps still improve them, to about four digits.

    Parameters
    ----------
    loss : str, default="squared"
        "squared", "half_squared", "sign_squared", "minkowski", "absolute", "huber" or
        "epsilon_insensitive" for real targets; "power_cost", "perceptron", "hinge",
        "squared_hinge" or "logistic_loss" for targets -1 and +1, where the sign of the
        prediction is the class. Or a loss of your own: a pair of functions of predictions and
        targets, its values and their derivatives by the predictions.
    loss_options : dict or None, default=None
        Parameters of the loss, such as ``{"delta": 2.0}`` for "huber".
    penalty : str or None, default="l2"
        R: "l2" for the sum of squared weights, "l1" for the sum of absolute weights, which
        sets some to exactly zero, None for none.
    strength : float, default=0.0
        Strength a of the penalty.
    fit_intercept : bool, default=True
        Whether to fit the offset b.
    max_iter : int, default=1000
        Largest number of iterations.
    tol : float, default=1e-6
        Norm of the gradient at which the search ends.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features_in_,)
        Weights.
    intercept_ : float
        Offset b, 0 without one.
    history_ : dict of lists
        "loss", the penalised mean loss after each iteration.
    n_iter_ : int
        Iterations made.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    References
    ----------
    .. [1] V. Vapnik, "Principles of risk minimization for learning theory", Advances in Neural
       Information Processing Systems 4, 831-838, 1992.

    Examples
    --------
    >>> import numpy as np
    >>> from shallows.linear import RiskMinimizer
    >>> x, y = np.arange(7.0)[:, None], np.array([0.0, 1, 2, 30, 4, 5, 6])
    >>> model = RiskMinimizer("huber", loss_options={"delta": 0.01}).fit(x, y)
    >>> model.coef_.round(2)
    array([1.])
    """

    def __init__(
        self,
        loss: Losses | tuple = "squared",
        *,
        loss_options: dict | None = None,
        penalty: Literal["l2", "l1"] | None = "l2",
        strength: NonNegativeFloat = 0.0,
        fit_intercept: bool = True,
        max_iter: PositiveInt = 1000,
        tol: PositiveFloat = 1e-6,
    ):
        self.loss = loss
        self.loss_options = loss_options
        self.penalty = penalty
        self.strength = strength
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol

    def fit(self, X, y, sample_weight=None):
        """Find the weights.

        Parameters
        ----------
        X : array-like or CSR array of shape (n_samples, n_features)
            Training data.
        y : array-like of shape (n_samples,)
            Targets.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each sample; a sample of weight two counts as two samples.

        Returns
        -------
        self : RiskMinimizer
            The fitted estimator.
        """
        check_params(self)
        X, y, weights = check_regression(self, X, y, sample_weight, sparse=True, multi_output=False)
        self._check_loss()
        if self.loss in MARGIN_LOSSES and not np.isin(y, (-1, 1)).all():
            raise ValueError(f"RiskMinimizer: loss={self.loss!r} needs targets -1 and +1 alone.")
        place, losses, converged = self._search(X, y.astype(np.float64), weights)
        if not converged:
            warnings.warn(
                f"RiskMinimizer stopped after max_iter={self.max_iter} iterations before it "
                "converged. Raise max_iter, raise tol, or scale the data.",
                ConvergenceWarning,
                stacklevel=2,
            )
        self.history_, self.n_iter_ = {"loss": losses}, len(losses)
        store_linear(self, place[:-1, None], place[-1:], True, X.dtype)
        return self

    def predict(self, X):
        """Return the values of the linear function.

        Parameters
        ----------
        X : array-like or CSR array of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Predictions.
        """
        return predict_linear(self, X)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _check_loss(self):
        if isinstance(self.loss, tuple):
            if len(self.loss) != 2 or not all(map(callable, self.loss)):
                raise ValueError(
                    "RiskMinimizer: a loss of your own must be two functions, values and "
                    f"derivatives, got {self.loss!r}."
                )
            return
        known = [*signature(LOSSES[self.loss].value).parameters][2:]
        for name, value in (self.loss_options or {}).items():
            if name not in known:
                raise ValueError(
                    f"RiskMinimizer: loss={self.loss!r} has the options {known}, got {name!r}."
                )
            check_value("RiskMinimizer", f"loss_options[{name!r}]", NonNegativeFloat, value)

    def _risk(self, X, y, shares):
        """Return the mean loss and its gradient, as a function of weights and offset."""
        options, own = self.loss_options or {}, isinstance(self.loss, tuple)
        loss = Loss(*self.loss) if own else LOSSES[self.loss]

        def part(X, y, shares, place):
            values = X @ place[:-1] + place[-1]
            slopes = shares * loss.derivative(values, y, **options)
            offset = slopes.sum() if self.fit_intercept else 0.0
            return shares @ loss.value(values, y, **options), np.append(X.T @ slopes, offset)

        def in_blocks(place):
            block_rows = max(1, BLOCK_CELLS // X.shape[1])
            parts = map_blocks(
                lambda rows: part(X[rows], y[rows], shares[rows], place), len(y), block_rows
            )
            value, gradient = (sum(each) for each in zip(*parts, strict=True))
            return value, gradient

        # A loss of one's own may look at all samples at once.
        return partial(part, X, y, shares) if own or issparse(X) else in_blocks

    def _search(self, X, y, weights):
        """Return weights with the offset behind them, losses on the way, and whether it ended."""
        sparse_weights = self.penalty == "l1" and self.strength > 0
        few = X.shape[1] <= min(MANY_FEATURES, X.shape[0])
        if sparse_weights and few and self.loss in SQUARES:
            found = self._by_coordinates(X, y, weights)
            if found is not None:
                return found
        risk, start = self._risk(X, y, weights / weights.sum()), np.zeros(X.shape[1] + 1)
        search = self._bounded if sparse_weights else self._smooth
        with hold_threads():
            return search(risk, start)

    def _by_coordinates(self, X, y, weights):
        """Minimise squared errors and absolute weights, from products that are made once.

        None where features are so much alike that it takes too long.
        """
        products = of_array(X, y[:, None], weights, self.fit_intercept)
        factor = 2 * SQUARES[self.loss] / products.weight
        coef, costs = np.zeros(X.shape[1]), np.empty(self.max_iter)
        n_sweeps, worst = descend(
            factor * products.xx, factor * products.xy[:, 0], self.strength, self.tol, coef, costs
        )
        if worst > self.tol:
            return None
        offset = products.y_mean[0] - products.x_mean @ coef if self.fit_intercept else 0.0
        losses = np.maximum(costs[:n_sweeps] + factor / 2 * products.yy[0], 0.0)
        return np.append(coef, offset), losses.tolist(), True

    def _smooth(self, risk, start):
        """Minimise with squared weights as penalty, or none."""
        strength = self.strength if self.penalty == "l2" else 0.0

        def penalised(place):
            value, gradient = risk(place)
            gradient[:-1] += 2 * strength * place[:-1]
            return value + strength * place[:-1] @ place[:-1], gradient

        rule = StoppingRule(gradient_norm=self.tol, max_iter=self.max_iter)
        found = minimize(penalised, start, stopping=rule)
        return found.x, found.history["loss"][1:], found.stopped_by != "max_iter"

    def _bounded(self, risk, start):
        """Minimise with absolute weights: each is a difference of two that are not negative."""
        size, losses = len(start) - 1, []

        def penalised(parts):
            place = np.append(parts[:size] - parts[size:-1], parts[-1])
            value, slopes = risk(place)
            gradient = np.concatenate([slopes[:-1], -slopes[:-1], slopes[-1:]])
            gradient[:-1] += self.strength
            return value + self.strength * parts[:-1].sum(), gradient

        found = optimize.minimize(
            penalised,
            np.zeros(2 * size + 1),
            jac=True,
            method="L-BFGS-B",
            bounds=[(0, None)] * (2 * size) + [(None, None)],
            callback=lambda intermediate_result: losses.append(float(intermediate_result.fun)),
            options={"maxiter": self.max_iter, "gtol": self.tol, "ftol": 0.0, "maxfun": 10**9},
        )
        place = np.append(found.x[:size] - found.x[size:-1], found.x[-1])
        return place, losses or [float(found.fun)], found.nit < self.max_iter
