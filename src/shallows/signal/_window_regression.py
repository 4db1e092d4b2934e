"""Regression on a window of the last values of a signal."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from sklearn.base import BaseEstimator, MultiOutputMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from shallows._core.contract.data import check_new, check_regression, check_unlabelled
from shallows._core.contract.params import (
    NonNegativeFloat,
    NonNegativeInt,
    PositiveInt,
    check_params,
)
from shallows._core.numerics.threads import map_blocks
from shallows.signal._ridge_readout import ridge
from shallows.signal._volterra_features import volterra_features

PENALTIES = np.geomspace(1e-9, 1e3, 13)
BLOCK_ROWS = 4096


class WindowRegression(MultiOutputMixin, RegressorMixin, BaseEstimator):
    r"""Ridge regression on a window of the last values of a signal.

    The output :math:`y(t + h)` is a linear function of :math:`u(t - d + 1), \ldots, u(t)`, or a
    polynomial. Its memory is exactly the window. It is a good first method for a signal, with a
    large window and a well-chosen penalty.

    Parameters
    ----------
    window : int, default=10
        Number of steps :math:`d`, including the present one.
    horizon : int, default=1
        Steps ahead :math:`h`.
    degree : int, default=1
        Largest degree of products of values in the window; 2 is a Volterra series.
    alpha : float or "loo", default="loo"
        Penalty on the squared weights; ``"loo"`` chooses from a wide grid by leave-one-out.

    Attributes
    ----------
    coef_ : ndarray of shape (n_weights,) or (n_outputs, n_weights)
        Weights of the features of a window, oldest step first.
    intercept_ : float or ndarray of shape (n_outputs,)
        Constants.
    alpha_ : float
        The penalty.
    n_rows_ : int
        Number of complete windows with a target: n_steps - (window - 1) - horizon.
    n_features_in_ : int
        Number of input signals.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    Examples
    --------
    >>> import numpy as np
    >>> from shallows.signal import WindowRegression
    >>> wave = np.sin(0.3 * np.arange(200))[:, None]
    >>> model = WindowRegression(window=2, alpha=0.0).fit(wave)
    >>> model.forecast(wave, 3).ravel().round(6)
    array([-0.304811, -0.572654, -0.789344])
    >>> np.sin(0.3 * np.arange(200, 203)).round(6)
    array([-0.304811, -0.572654, -0.789344])
    """

    def __init__(
        self,
        window: PositiveInt = 10,
        *,
        horizon: NonNegativeInt = 1,
        degree: PositiveInt = 1,
        alpha: NonNegativeFloat | Literal["loo"] = "loo",
    ):
        self.window = window
        self.horizon = horizon
        self.degree = degree
        self.alpha = alpha

    def fit(self, X, y=None):
        """Learn from one signal.

        Parameters
        ----------
        X : array-like of shape (n_steps, n_features)
            Input signals, in the order of time.
        y : array-like of shape (n_steps,) or (n_steps, n_outputs), default=None
            Signals to predict; None means the inputs themselves.

        Returns
        -------
        self : WindowRegression
            The fitted estimator.
        """
        check_params(self)
        if y is None:
            y = X = check_unlabelled(self, X)[0]
        else:
            X, y, _ = check_regression(self, X, y)
        self.n_rows_ = len(X) - (self.window - 1) - self.horizon
        if self.n_rows_ < 2:
            raise ValueError(
                f"WindowRegression: window={self.window} and horizon={self.horizon} need at least "
                f"{self.window + self.horizon + 1} steps, got n_samples = {len(X)}."
            )

        # Row t has the last `window` values up to t; its target is `horizon` steps later.
        features = self._features(self._windows(X)[: self.n_rows_])
        targets = y[self.window - 1 + self.horizon :]
        penalties = PENALTIES if self.alpha == "loo" else np.array([float(self.alpha)])
        alpha, coef, intercept = ridge(features, targets.reshape(len(targets), -1), penalties)
        self.alpha_ = float(alpha)
        self.coef_ = coef.reshape(*y.shape[1:], -1).astype(X.dtype)
        self.intercept_ = np.reshape(intercept, y.shape[1:]).astype(X.dtype)
        self._predicts_itself = y is X
        return self

    def predict(self, X):
        """Predict at each step the target `horizon` steps later.

        Parameters
        ----------
        X : array-like of shape (n_steps, n_features)
            Input signals, in order of time. They are constant before the start.

        Returns
        -------
        y : ndarray of shape (n_steps,) or (n_steps, n_outputs)
            Predictions.
        """
        X = check_new(self, X)
        padded = np.concatenate([np.repeat(X[:1], self.window - 1, axis=0), X])
        return self._answer(padded).astype(X.dtype, copy=False)

    def forecast(self, X, n_steps: int):
        """Continue a signal, one predicted step at a time.

        Parameters
        ----------
        X : array-like of shape (n_steps, n_features)
            The signal so far, at least one window long.
        n_steps : int
            Number of steps to add.

        Returns
        -------
        future : ndarray of shape (n_steps, n_features)
            The steps after the last of `X`.
        """
        check_is_fitted(self)
        if not self._predicts_itself or self.horizon != 1:
            raise ValueError(
                "WindowRegression: forecast needs a model of the signal itself, one step ahead. "
                "Fit it without y and with horizon=1."
            )
        X = check_new(self, X)
        if len(X) < self.window:
            raise ValueError(
                f"WindowRegression: forecast needs {self.window} steps to start from, got {len(X)}."
            )

        # Each prediction becomes the last value of the next window.
        path = list(X[len(X) - self.window :])
        for _ in range(n_steps):
            path.append(self._answer(np.array(path[-self.window :]))[0])
        return np.array(path[self.window :])

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = False
        tags.regressor_tags.poor_score = True  # samples that are no signal have no memory
        return tags

    def _windows(self, X):
        """Return all complete windows, by step, place and signal, without copies."""
        return sliding_window_view(X, self.window, axis=0).transpose(0, 2, 1)

    def _features(self, windows):
        flat = windows.reshape(len(windows), -1)
        return flat if self.degree == 1 else volterra_features(flat, self.degree)

    def _answer(self, X):
        windows = self._windows(X)

        def part(rows):
            return self._features(windows[rows]) @ self.coef_.T + self.intercept_

        return np.concatenate(map_blocks(part, len(windows), BLOCK_ROWS))
