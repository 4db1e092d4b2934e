"""Perceptrons that minimise a power of what potentials miss to a margin."""

from __future__ import annotations

import warnings
from functools import partial
from typing import Annotated, Literal

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import csr_matrix, diags, hstack, identity
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning

from shallows._core.contract.params import (
    NonNegativeFloat,
    PositiveFloat,
    PositiveInt,
    Range,
    check_params,
    check_value,
)
from shallows._core.numerics.threads import quick_lapack
from shallows.descent import StoppingRule, minimize
from shallows.descent._classification_losses import power_cost as cost_of
from shallows.descent._classification_losses import power_cost_slope as slope_of
from shallows.perceptron._linear import LinearClassifier, check_weighted, signs
from shallows.perceptron._storage import potentials_of

SMALL = 2**20  # entries of X whose products are done before a second thread of BLAS is awake


class PowerCostPerceptron(LinearClassifier, BaseEstimator):
    r"""Linear classifier of least cost :math:`\sum (c - E)^k` over the samples with :math:`E < c`.

    With labels :math:`S = \pm 1` and potentials :math:`E = S (w \cdot x + b)` the cost is zero
    exactly where all :math:`E \geq c` [1]_. Power 1 is the perceptron cost; its minimum is found
    by linear programming. Larger powers are smooth and are minimised by their gradients; 2 is the
    quickest. The length of the weights costs nothing, so that separable data have many solutions,
    in general none of optimal stability; see `AdaTron` for that. With more than two classes, each
    class is trained against the rest.

    Parameters
    ----------
    power : float, default=2.0
        Exponent :math:`k`, 1 or more. The larger, the more the worst samples count.
    margin : float, default=1.0
        The value :math:`c`. It only sets the scale of the weights.
    fit_intercept : bool, default=True
        Whether to learn :math:`b`.
    max_iter : int, default=1000
        Largest number of iterations.
    tol : float, default=1e-6
        The search ends where the gradient of the mean cost is shorter than this, or where no
        lower cost can be found.
    class_weight : dict, "balanced" or None, default=None
        Weight of each class, a factor of the weights of its samples.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Weights, one row for two classes, else one row per class.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Intercepts :math:`b`.
    costs_ : ndarray of shape (1,) or (n_classes,)
        The least weighted mean of the cost of a sample; with power 1 it is zero exactly for
        separable data.
    history_ : dict of str to list of float
        ``"loss"``, the mean cost, the mean over classes; of a class that is ready, its last.
    n_iter_ : int
        Iterations of the class that took most.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    References
    ----------
    .. [1] M. Griniasty and H. Gutfreund, "Learning and retrieval in attractor neural networks
       above saturation", Journal of Physics A 24, 715-734, 1991.

    Examples
    --------
    >>> from shallows.perceptron import PowerCostPerceptron
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1]
    >>> model = PowerCostPerceptron(power=1).fit(X, y)
    >>> model.predict(X), model.costs_
    (array([0, 0, 0, 1]), array([0.]))
    """

    def __init__(
        self,
        power: Annotated[float, Range(1)] = 2.0,
        *,
        margin: PositiveFloat = 1.0,
        fit_intercept: bool = True,
        max_iter: PositiveInt = 1000,
        tol: PositiveFloat = 1e-6,
        class_weight: dict | Literal["balanced"] | None = None,
    ):
        self.power = power
        self.margin = margin
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.class_weight = class_weight

    def fit(self, X, y, sample_weight=None):
        """Minimise the cost.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each sample in the cost.

        Returns
        -------
        self : PowerCostPerceptron
            The fitted estimator.
        """
        check_params(self)
        X, y, weights, _ = check_weighted(self, X, y, sample_weight)
        weights /= weights.sum()

        solve = self._program if self.power == 1 else self._descend
        found = [solve(X, S, weights) for S in signs(y, len(self.classes_))]
        self.coef_ = np.array([w[:-1] for w, _ in found], dtype=X.dtype)
        self.intercept_ = np.array([w[-1] for w, _ in found], dtype=X.dtype)
        self.costs_ = np.array([losses[-1] for _, losses in found], dtype=X.dtype)
        self.n_iter_ = max(len(losses) for _, losses in found)
        filled = [losses + losses[-1:] * (self.n_iter_ - len(losses)) for _, losses in found]
        self.history_ = {"loss": [float(value) for value in np.mean(filled, axis=0)]}
        return self

    def _program(self, X, S, weights):
        """Minimise the sum of slacks, which make up for what potentials miss."""
        # A linear program in (w, slacks): minimise the weighted slacks subject to S f(x) + slack >=
        # margin and slack >= 0.
        constant = csr_matrix(np.full((len(S), 1), float(self.fit_intercept)))
        rows = diags(-S) @ hstack([csr_matrix(X, dtype=np.float64), constant])
        limits = hstack([rows, -identity(len(S))], format="csr")
        n_weights = X.shape[1] + 1
        free, positive = [(None, None)] * n_weights, [(0, None)] * len(S)
        found = linprog(
            np.append(np.zeros(n_weights), weights),
            A_ub=limits,
            b_ub=np.full(len(S), -float(self.margin)),
            bounds=free + positive,
            method="highs",
        )
        if not found.success:
            raise ArithmeticError(f"PowerCostPerceptron: {found.message} Scale the data.")
        w = found.x[:n_weights] * np.append(np.ones(X.shape[1]), float(self.fit_intercept))
        return w, [max(float(found.fun), 0.0)]

    def _descend(self, X, S, weights):
        with quick_lapack(0 if X.shape[0] * X.shape[1] < SMALL else max(X.shape)):
            found = minimize(
                partial(self._value_and_gradient, X, S, weights),
                np.zeros(X.shape[1] + 1),
                "lbfgs",
                stopping=StoppingRule(gradient_norm=self.tol, max_iter=self.max_iter),
            )
        if found.stopped_by == "max_iter":
            warnings.warn(
                f"PowerCostPerceptron stopped after max_iter={self.max_iter} iterations before it "
                "converged. Raise max_iter, raise tol, or scale the data.",
                ConvergenceWarning,
                stacklevel=3,
            )
        return found.x, found.history["loss"][1:] or found.history["loss"]

    def _value_and_gradient(self, X, S, weights, w):
        fields = X @ w[:-1] + w[-1]
        shape = {"k": self.power, "margin": self.margin}
        slopes = weights * slope_of(fields, S, **shape)
        gradient = np.append(slopes @ X, self.fit_intercept * slopes.sum())
        return float(weights @ cost_of(fields, S, **shape)), gradient


def power_cost(
    coef, X, y, k: NonNegativeFloat = 1.0, c: NonNegativeFloat = 1.0, intercept: float = 0.0
):
    r"""Return the cost :math:`H = \sum (c - E)^k` over the samples with :math:`E \leq c`.

    With :math:`k = 1` it is the perceptron cost, with 2 that of AdaTron in the literature, with
    0 and :math:`c = 0` the number of errors.

    Parameters
    ----------
    coef : array-like of shape (n_features,)
        Weights.
    X : array-like of shape (n_samples, n_features)
        Samples.
    y : array-like of shape (n_samples,)
        Labels of two classes; the larger one means :math:`S = 1`.
    k : float, default=1.0
        Exponent.
    c : float, default=1.0
        The value that potentials :math:`E = S (w \cdot x + b)` should exceed.
    intercept : float, default=0.0
        Offset :math:`b`.

    Returns
    -------
    cost : float
        The sum over all samples.

    Examples
    --------
    >>> from shallows.perceptron import power_cost
    >>> X, y = [[1, 0], [-2, 0]], [1, 1]
    >>> power_cost([1, 0], X, y, k=0, c=0), power_cost([1, 0], X, y, k=2)
    (1.0, 9.0)
    """
    check_value("power_cost", "k", NonNegativeFloat, k)
    check_value("power_cost", "c", NonNegativeFloat, c)
    potentials = potentials_of("power_cost", coef, X, y, intercept)
    return float(cost_of(potentials, np.ones_like(potentials), k, c).sum())
