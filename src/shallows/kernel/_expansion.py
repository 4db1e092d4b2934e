"""Functions of the form sum_i alpha_i k(x_i, x), and what support vectors say about a fit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from shallows._core.numerics.threads import map_blocks
from shallows.kernel._resolve import block_rows


@dataclass(frozen=True)
class KernelExpansion:
    """The function ``f(x) = sum_i alpha_i k(x_i, x) + offset``.

    Every minimiser of a loss with a penalty on the norm in feature space has this form
    (representer theorem).

    Parameters
    ----------
    X : ndarray of shape (n_centres, n_features)
        Centres.
    alpha : ndarray of shape (n_centres,) or (n_centres, n_outputs)
        Coefficients.
    kernel : callable
        Takes two arrays of rows and returns the matrix of its values.
    offset : float, default=0.0
        Constant.

    Examples
    --------
    >>> import numpy as np
    >>> from shallows.kernel import KernelExpansion, linear
    >>> f = KernelExpansion(np.array([[1.0], [2.0]]), np.array([1.0, -1.0]), linear)
    >>> f(np.array([[3.0]]))
    array([-3.])
    """

    X: np.ndarray
    alpha: np.ndarray
    kernel: Any
    offset: float = 0.0

    def __call__(self, X):
        """Return f of each row, computed in blocks."""
        parts = map_blocks(
            lambda rows: self.kernel(X[rows], self.X) @ self.alpha,
            len(X),
            block_rows(len(X), len(self.X)),
        )
        return np.concatenate(parts) + self.offset


def support_fraction(model):
    """Return the share of training samples that are support vectors.

    Leaving out any other sample would not change the fit, so the leave-one-out error is at most
    this share; near 1 it warns of overfitting without a test set. Samples of weight zero don't
    count.

    Parameters
    ----------
    model : SVC, SVR, SimpleSMO, KernelAdaTron or KernelPerceptron
        A fitted machine.

    Returns
    -------
    fraction : float
        Between 0 and 1.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from shallows.kernel import SVC, support_fraction
    >>> X, y = load_iris(return_X_y=True)
    >>> 0.2 < support_fraction(SVC().fit(X, y)) < 0.5
    True
    """
    check_is_fitted(model)
    n_members = getattr(model, "_n_members", None)
    if n_members is None:
        raise ValueError(
            f"support_fraction: {type(model).__name__} has no support vectors; it takes SVC, SVR, "
            "SimpleSMO, KernelAdaTron and KernelPerceptron."
        )
    return len(model.support_) / n_members


def kkt_violations(strengths, margins, C, tol=1e-3):
    """Return which samples violate the optimality conditions of a support vector classifier.

    With ``y f(x)`` the margin of a sample it must be at least 1 at strength 0, at most 1 at
    strength C, and 1 in between.

    Parameters
    ----------
    strengths : array-like of shape (n_samples,)
        Dual variables, between 0 and C.
    margins : array-like of shape (n_samples,)
        Labels -1, +1 times decision values.
    C : float or array-like of shape (n_samples,)
        Upper bounds.
    tol : float, default=1e-3
        Violation that is accepted.

    Returns
    -------
    violated : ndarray of bool of shape (n_samples,)
        True where the conditions fail.

    Examples
    --------
    >>> from shallows.kernel import kkt_violations
    >>> kkt_violations([0.0, 0.5, 1.0], [0.9, 1.0, 0.2], C=1.0)
    array([ True, False, False])
    """
    strengths, margins = np.asarray(strengths), np.asarray(margins)
    caps = np.broadcast_to(np.asarray(C, dtype=np.float64), strengths.shape)
    if not np.all(np.isfinite(caps) & (caps >= 0)):
        raise ValueError(f"kkt_violations: C must be finite and not negative, got {C!r}.")
    if np.any((strengths < -tol) | (strengths > caps + tol)):
        raise ValueError("kkt_violations: strengths must lie between 0 and C.")
    too_low = (strengths < caps) & (margins < 1 - tol)
    too_high = (strengths > 0) & (margins > 1 + tol)
    return too_low | too_high
