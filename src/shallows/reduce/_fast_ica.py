"""Independent component analysis."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial
from typing import Any, Literal

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning

from shallows._core.contract.data import check_unlabelled
from shallows._core.contract.params import NonNegativeFloat, NumberArray, PositiveInt, check_params
from shallows._core.contract.rng import RandomState, as_generator
from shallows._core.contract.training import IterativeMixin, Training
from shallows._core.numerics.threads import hold_threads, map_blocks
from shallows.reduce._argument_checks import at_most, check_coordinates
from shallows.reduce._projection import Projection
from shallows.reduce._spectrum import by_shape, varying

BLOCK_ROWS = 4096


class FastICA(Projection, IterativeMixin, BaseEstimator):
    r"""Separate mixed signals into independent sources.

    Data are centred and whitened; then orthonormal directions are turned until the
    projections :math:`y = w \cdot z` are as far from Gaussian as possible, by Newton steps
    :math:`w \leftarrow \langle z\, g(w \cdot z) \rangle - \langle g'(w \cdot z) \rangle w` [1]_.
    For whitened data this is to make the mutual information of the outputs small. Sources
    come back in any order, sign and scale, and at most one of them may be Gaussian.

    Parameters
    ----------
    n_components : int or None, default=None
        Number of sources; None takes as many as the data allow.
    algorithm : {"parallel", "deflation"}, default="parallel"
        All directions at once, or one after the other.
    whiten : {"unit-variance", "arbitrary-variance", False}, default="unit-variance"
        Whether to whiten the data, for sources of variance one or of variance 1 / n_samples; with
        False they must be centred and white already.
    fun : {"logcosh", "exp", "cube"} or callable, default="logcosh"
        What is maximised: approximations of the negentropy, :math:`g = \tanh y` or
        :math:`g = y \exp(-y^2/2)`, which outliers hardly disturb; or the size of the
        kurtosis, :math:`g = y^3`. A function takes projections, one row per direction, and returns
        their :math:`g` and the mean of :math:`g'` in each row.
    fun_args : dict or None, default=None
        Arguments of `fun`: ``{"alpha": a}`` with a in [1, 2] is the slope of "logcosh",
        :math:`g = \tanh(a y)`; a function gets them as keyword arguments.
    max_iter : int, default=200
        Largest number of steps; for each source with "deflation".
    tol : float, default=1e-4
        It stops when no direction turns by more than this, as one minus the cosine.
    w_init : ndarray of shape (n_components, n_components) or None, default=None
        First directions; None draws them.
    whiten_solver : {"eigh", "svd"}, default="svd"
        Taken for scikit-learn's sake; the decomposition is chosen by the shape of the
        data.
    random_state : int, RandomState, Generator or None, default=None
        Draws the first directions.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Unmixing matrix: maps centred data to sources.
    mixing_ : ndarray of shape (n_features, n_components)
        Its pseudo-inverse: maps sources to centred data.
    mean_ : ndarray of shape (n_features,)
        Mean of each feature.
    whitening_ : ndarray of shape (n_components, n_features)
        Maps centred data to white data; with `whiten` only.
    history_ : dict of str to list of float
        One minus the smallest cosine between old and new directions, under ``"loss"``.
    n_iter_ : int
        Steps made.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    References
    ----------
    .. [1] A. Hyvarinen and E. Oja, "Independent component analysis: algorithms and
       applications", Neural Networks 13, 411-430, 2000.

    Examples
    --------
    >>> import numpy as np
    >>> from shallows.reduce import FastICA
    >>> time = np.linspace(0, 8, 2000)
    >>> sources = np.c_[np.sin(2 * time), np.sign(np.sin(3 * time))]
    >>> mixed = sources @ np.array([[1.0, 0.5], [1.0, 2.0]])
    >>> found = FastICA(2, random_state=0).fit_transform(mixed)
    >>> abs(np.corrcoef(found.T, sources.T)[:2, 2:]).max(axis=1).round(2)
    array([1., 1.])
    """

    def __init__(
        self,
        n_components: PositiveInt | None = None,
        *,
        algorithm: Literal["parallel", "deflation"] = "parallel",
        whiten: Literal["unit-variance", "arbitrary-variance", False] = "unit-variance",
        fun: Literal["logcosh", "exp", "cube"] | Callable[..., Any] = "logcosh",
        fun_args: dict | None = None,
        max_iter: PositiveInt = 200,
        tol: NonNegativeFloat = 1e-4,
        w_init: NumberArray | None = None,
        whiten_solver: Literal["eigh", "svd"] = "svd",
        random_state: RandomState = None,
    ):
        self.n_components = n_components
        self.algorithm = algorithm
        self.whiten = whiten
        self.fun = fun
        self.fun_args = fun_args
        self.max_iter = max_iter
        self.tol = tol
        self.w_init = w_init
        self.whiten_solver = whiten_solver
        self.random_state = random_state

    def fit(self, X, y=None):
        """Find the unmixing matrix.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Mixed signals in columns.
        y : None
            Ignored.

        Returns
        -------
        self : FastICA
            The fitted estimator.
        """
        check_params(self)
        contrast = self._contrast()
        X, _ = check_unlabelled(self, X)
        white = self._whitened(X)
        size = white.shape[1]
        start = as_generator(self.random_state).standard_normal((size, size))
        if self.w_init is not None:
            start = np.array(self.w_init, dtype=np.float64)
            if start.shape != (size, size):
                raise ValueError(
                    f"FastICA: w_init must have shape ({size}, {size}), got {start.shape}."
                )

        with hold_threads():
            directions = self._turn(white, start, contrast)
        unmixing = directions @ self.whitening_ if self.whiten else directions
        if self.whiten:
            scale = np.sqrt(len(X) / max(len(X) - 1, 1))  # to variance one with ddof=0
            if self.whiten == "arbitrary-variance":
                scale /= np.sqrt(len(X))
            unmixing = unmixing * scale
        self.components_ = unmixing.astype(X.dtype)
        self.mixing_ = np.linalg.pinv(unmixing).astype(X.dtype)
        return self

    def inverse_transform(self, X):
        """Mix sources.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_components)
            Sources in columns.

        Returns
        -------
        signals : ndarray of shape (n_samples, n_features)
            Mixed signals.
        """
        return check_coordinates(self, X) @ self.mixing_.T + self.mean_

    def _contrast(self):
        """Return a function from projections, in columns, to their g and the sums of its slopes."""
        arguments = dict(self.fun_args or {})
        if callable(self.fun):

            def contrast(y):
                value, slope = self.fun(y.T, **arguments)
                return np.asarray(value).T, len(y) * np.asarray(slope).reshape(y.shape[1], -1)[:, 0]

            return contrast
        if self.fun != "logcosh":
            return CONTRASTS[self.fun]
        alpha = arguments.get("alpha", 1.0)
        if not 1 <= alpha <= 2:
            raise ValueError(f"FastICA: alpha in fun_args must be in [1,2], got {alpha!r}.")
        return partial(_logcosh, alpha=alpha)

    def _whitened(self, X):
        if not self.whiten:
            if self.n_components is not None:
                warnings.warn(
                    f"FastICA: Ignoring n_components={self.n_components} with whiten=False.",
                    UserWarning,
                    stacklevel=4,
                )
            self.mean_ = np.zeros(X.shape[1], X.dtype)
            return X
        if self.n_components is not None:
            at_most(self, "n_components", min(X.shape), "min(n_samples, n_features) =")
        if len(X) < 2:
            raise ValueError(f"FastICA needs at least 2 samples, got n_samples={len(X)}.")
        spectrum = by_shape(X, None)
        varies = varying(self, spectrum, X, self.n_components)
        deviation = np.sqrt(spectrum.values[varies] / (len(X) - 1))
        self.whitening_ = (spectrum.vectors[varies] / deviation[:, None]).astype(X.dtype)
        self.mean_ = spectrum.mean.astype(X.dtype)
        return (X - self.mean_) @ self.whitening_.T

    def _turn(self, white, start, contrast):
        """Turn all directions, or one after the other, until they stay."""
        size = len(start)
        # All directions at once, or one after the other, each orthogonal to those before
        # (deflation).
        parallel = self.algorithm == "parallel"
        parts = [slice(0, size)] if parallel else [slice(k, k + 1) for k in range(size)]
        run = Training(self, self.max_iter)
        W, missed = np.zeros((size, size)), 0
        for part in run.starts(parts):
            W[part] = _orthonormal(start[part], W[: part.start])
            for _ in run.epochs():
                turned = _orthonormal(_newton(white, W[part], contrast), W[: part.start])
                change = float(np.abs(np.abs(np.sum(turned * W[part], axis=1)) - 1).max())
                W[part] = turned
                run.record(loss=change)
                if change < self.tol:
                    run.stop("tol")
            missed += run.stopped_by == "max_iter"
        if missed:
            warnings.warn(
                "FastICA did not converge. Consider increasing tolerance or the maximum number of "
                f"iterations: it stopped after max_iter={self.max_iter} steps before it converged.",
                ConvergenceWarning,
                stacklevel=3,
            )
        self.history_, self.n_iter_ = run.history, run.n_iter
        return W


def _newton(white, W, contrast):
    """Return the mean of z g(w z) less the mean of g'(w z) times w, for each row w of W."""
    directions = W.T.astype(white.dtype)

    def block(rows):
        part = white[rows]
        value, slope = contrast(part @ directions)
        return value.T @ part, slope

    sums = map_blocks(block, len(white), BLOCK_ROWS)
    products = np.sum([part[0] for part in sums], axis=0, dtype=np.float64)
    slopes = np.sum([part[1] for part in sums], axis=0, dtype=np.float64)
    return (products - slopes[:, None] * W) / len(white)


def _logcosh(y, alpha=1.0):
    if alpha != 1.0:
        y *= alpha
    value = np.tanh(y, out=y)
    return value, alpha * (len(y) - np.einsum("ij,ij->j", value, value))


def _exp(y):
    squares = y * y
    bell = np.exp(-squares / 2)
    return y * bell, ((1 - squares) * bell).sum(axis=0)


def _cube(y):
    squares = y * y
    return y * squares, 3 * squares.sum(axis=0)


CONTRASTS = {"logcosh": _logcosh, "exp": _exp, "cube": _cube}


def _orthonormal(W, earlier):
    """Make rows orthonormal, none preferred, and orthogonal to the earlier ones."""
    W = W - (W @ earlier.T) @ earlier
    left, _, right = np.linalg.svd(W, full_matrices=False)
    return left @ right
