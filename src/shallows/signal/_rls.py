"""Recursive least squares."""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin

from shallows._core.contract.data import check_new, check_regression
from shallows._core.contract.params import PositiveFloat, Range, check_params
from shallows._core.numerics.compile import compiled


class RLS(RegressorMixin, BaseEstimator):
    r"""Linear filter that is always the least-squares solution of all samples so far.

    It minimises :math:`\sum_{i \leq n} \lambda^{n - i} (d(i) - w \cdot x(i))^2` plus a penalty
    :math:`\lambda^n |w|^2 / \delta`. Time and memory grow with the square of the number of weights
    [1]_. It converges equally fast in all directions, even for coloured input.

    P, the inverse of the weighted sum of :math:`x x'`, is stored as a square root, :math:`P = S
    S'` [2]_, so rounding can't make it indefinite. If the input excites only some directions while
    old samples are forgotten, P is kept near `delta` in the other directions, and the weights stay
    constant there.

    Parameters
    ----------
    forgetting : float, default=1.0
        Factor :math:`\lambda` by which the weight of a sample falls per step; 1 forgets nothing,
        0.99 remembers about a hundred samples.
    delta : float, default=1e6
        Size of the matrix P at the start and, with `forgetting` below 1, its largest size: the
        larger, the weaker the penalty. If the mean square of the inputs is below 1, the largest
        size is divided by it.
    fit_intercept : bool, default=False
        Whether to learn a constant, the weight of an input 1.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        Weights.
    intercept_ : float
        Constant.
    errors_ : ndarray of shape (n_samples,)
        Errors of the last call, each before the update.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    References
    ----------
    .. [1] S. Haykin, "Adaptive Filter Theory", 5th edition, Pearson, 2014.
    .. [2] G. J. Bierman, "Factorization Methods for Discrete Sequential Estimation", Academic
       Press, 1977. The update is Potter's.

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
        """Continue to adapt.

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

    def _adapt(self, X, y, sample_weight, afresh):
        check_params(self)
        X, y, weights = check_regression(
            self, X, y, sample_weight, multi_output=False, reset=afresh
        )
        if afresh:
            size = X.shape[1] + 1
            self._weights = np.zeros(size)
            self._root = np.sqrt(self.delta) * np.eye(size)
            self._power = np.zeros(2)  # samples, sum of squares of their inputs
        # Work on a copy: if this call fails, the filter before it is kept.
        state = Filter(self._weights.copy(), self._root.copy(), self._power.copy())
        samples = Samples(X, y, weights)
        errors = recurse(samples, state, self.forgetting, self.delta, float(self.fit_intercept))
        if not np.isfinite(state.w).all():
            raise FloatingPointError(
                f"RLS: the weights diverged with forgetting={self.forgetting} and "
                f"delta={self.delta}. Raise forgetting towards 1, lower delta, or scale the data."
            )
        self._weights, self._root, self._power = state
        self.coef_ = self._weights[:-1].astype(X.dtype)
        self.intercept_ = float(self._weights[-1])
        self.errors_ = errors.astype(X.dtype)
        return self


class Samples(NamedTuple):
    """Inputs (n_samples, n), desired outputs, and weights of the squared errors."""

    X: np.ndarray
    y: np.ndarray
    weights: np.ndarray


class Filter(NamedTuple):
    """Weights w, the root S of P = S S', and (samples, sum of x_j^2) so far.

    The last weight belongs to the constant input. Samples count from the first non-zero one.
    """

    w: np.ndarray
    root: np.ndarray
    power: np.ndarray


@compiled
def recurse(samples, state, forgetting, delta, bias):
    """Move the filter in place; return the errors before each update."""
    X, y, weights = samples.X, samples.y, samples.weights
    w, root, power = state.w, state.root, state.power
    n_samples, n = X.shape
    size = n + 1
    errors, x = np.empty(n_samples), np.empty(size)
    along, gains = np.empty(size), np.empty(size)
    x[n] = bias
    # Check so many variances per step that none grows a hundred millionfold between two checks.
    looks = 1 + int(size * np.log(1.0 / forgetting) / 18.0) if forgetting < 1.0 else 0
    looked = int(power[0]) * looks % size
    grow = 1.0 / np.sqrt(forgetting)
    for t in range(n_samples):
        # the error d - w.x before the update
        for j in range(n):  # no writing within a sum, or its order would depend on addresses
            x[j] = X[t, j]
        error, square = y[t] - bias * w[n], bias
        for j in range(n):
            error -= w[j] * x[j]
            square += x[j] * x[j]
        errors[t] = error
        if power[1] + square == 0.0:
            continue  # nothing to forget yet
        power[0] += 1.0
        power[1] += square

        # Add the sample's information w x x' and discount all earlier information.
        if weights[t] > 0.0:
            learn(root, x, forgetting / weights[t], grow, along, gains)
            for j in range(size):
                w[j] += error * gains[j]
        else:
            root *= grow

        # Directions without input: add information to a variance P_jj that exceeds the limit.
        limit = delta / min(1.0, power[1] / (power[0] * (n + bias)))
        for _ in range(looks):
            variance = 0.0
            for k in range(size):
                variance += root[looked, k] * root[looked, k]
            if variance > limit:
                x[:] = 0.0
                x[looked] = 1.0
                learn(root, x, 1.0 / (1.0 / limit - 1.0 / variance), 1.0, along, gains)
                x[n] = bias
            looked = (looked + 1) % size
    return errors


@compiled
def learn(root, x, noise, grow, along, gains):
    """Add the information x x' / noise to the inverse of P = S S', by Potter's square root.

    With phi = S'x and alpha = noise + phi'phi, S loses (S phi) phi' / (alpha + sqrt(alpha noise)).
    Then S grows by the factor `grow`. Writes phi to `along` and S phi / alpha to `gains`.
    """
    size = len(x)
    # phi = S'x and alpha = noise + phi'phi.
    along[:] = 0.0
    for j in range(size):
        for k in range(size):
            along[k] += root[j, k] * x[j]

    # The innovation's variance x'P x + noise, and the factor of the root's rank-one change.
    total = noise
    for k in range(size):
        total += along[k] * along[k]
    shrink = 1.0 / (total + np.sqrt(total * noise))
    # Gains, and the downdate of S row by row.
    for j in range(size):
        # Gains P x / total, and S less its part along S'x, over the root of the forgetting.
        value = 0.0
        for k in range(size):
            value += root[j, k] * along[k]
        gains[j] = value / total
        for k in range(size):
            root[j, k] = grow * (root[j, k] - shrink * value * along[k])
