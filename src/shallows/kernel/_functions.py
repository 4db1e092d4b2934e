"""Kernels as functions of two sets of rows, and the check that a kernel is one."""

from __future__ import annotations

import numpy as np
from scipy.linalg import eigvalsh
from scipy.sparse.linalg import ArpackNoConvergence, eigsh
from sklearn.utils.validation import check_array

from shallows._core.contract.params import (
    FiniteFloat,
    NonNegativeFloat,
    NonNegativeInt,
    PositiveFloat,
    check_value,
)
from shallows._core.numerics.distances import kernel_distances
from shallows.kernel._resolve import Kernel

DENSE_LIMIT = 1500


def linear(X, Z=None):
    """Return the scalar products of all pairs of rows.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Rows on the left.
    Z : array-like of shape (n_others, n_features), default=None
        Rows on the right; `X` unless given.

    Returns
    -------
    values : ndarray of shape (n_samples, n_others)
        Kernel values.

    Examples
    --------
    >>> from shallows.kernel import linear
    >>> linear([[1.0, 2.0]], [[3.0, 4.0]])
    array([[11.]])
    """
    return _evaluate("linear", Kernel("linear"), X, Z)


def polynomial(X, Z=None, degree=2, offset=1.0):
    """Return ``(x'z + offset) ** degree`` for all pairs of rows.

    With offset 1 the feature space holds all monomials up to the degree.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Rows on the left.
    Z : array-like of shape (n_others, n_features), default=None
        Rows on the right; `X` unless given.
    degree : int, default=2
        Power.
    offset : float, default=1.0
        Constant; not negative, or the function is no kernel.

    Returns
    -------
    values : ndarray of shape (n_samples, n_others)
        Kernel values.

    Examples
    --------
    >>> from shallows.kernel import polynomial
    >>> polynomial([[1.0, 2.0]], [[3.0, 4.0]], degree=2)
    array([[144.]])
    """
    check_value("polynomial", "degree", NonNegativeInt, degree)
    check_value("polynomial", "offset", NonNegativeFloat, offset)
    return _evaluate("polynomial", Kernel("poly", 1.0, degree, offset), X, Z)


def gaussian(X, Z=None, sigma=1.0):
    """Return ``exp(-|x - z|^2 / (2 sigma^2))`` for all pairs of rows.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Rows on the left.
    Z : array-like of shape (n_others, n_features), default=None
        Rows on the right; `X` unless given.
    sigma : float, default=1.0
        Width; scikit-learn's ``gamma`` is ``1 / (2 sigma^2)``.

    Returns
    -------
    values : ndarray of shape (n_samples, n_others)
        Kernel values in (0, 1].

    Examples
    --------
    >>> from shallows.kernel import gaussian
    >>> gaussian([[0.0], [2.0]], [[0.0]], sigma=1.0).round(4)
    array([[1.    ],
           [0.1353]])
    """
    check_value("gaussian", "sigma", PositiveFloat, sigma)
    return _evaluate("gaussian", Kernel("rbf", 0.5 / float(sigma) ** 2), X, Z)


def laplacian(X, Z=None, gamma=1.0):
    """Return ``exp(-gamma |x - z|_1)`` for all pairs of rows.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Rows on the left.
    Z : array-like of shape (n_others, n_features), default=None
        Rows on the right; `X` unless given.
    gamma : float, default=1.0
        Inverse width.

    Returns
    -------
    values : ndarray of shape (n_samples, n_others)
        Kernel values in (0, 1].

    Examples
    --------
    >>> from shallows.kernel import laplacian
    >>> laplacian([[0.0, 0.0]], [[1.0, -1.0]], gamma=0.5).round(4)
    array([[0.3679]])
    """
    check_value("laplacian", "gamma", PositiveFloat, gamma)
    return _evaluate("laplacian", Kernel("laplacian", float(gamma)), X, Z)


def sigmoid(X, Z=None, gamma=1.0, offset=0.0):
    """Return ``tanh(gamma x'z + offset)`` for all pairs of rows.

    It looks like the unit of a network, but for many parameters it is not positive
    semi-definite; see `check_kernel`.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Rows on the left.
    Z : array-like of shape (n_others, n_features), default=None
        Rows on the right; `X` unless given.
    gamma : float, default=1.0
        Slope.
    offset : float, default=0.0
        Constant inside.

    Returns
    -------
    values : ndarray of shape (n_samples, n_others)
        Values in (-1, 1).

    Examples
    --------
    >>> from shallows.kernel import sigmoid
    >>> sigmoid([[1.0]], [[1.0]]).round(4)
    array([[0.7616]])
    """
    check_value("sigmoid", "gamma", PositiveFloat, gamma)
    check_value("sigmoid", "offset", FiniteFloat, offset)
    return _evaluate("sigmoid", Kernel("sigmoid", float(gamma), 1, offset), X, Z)


def quadratic_features(X, offset=0.0):
    """Return the features whose scalar product is ``(x'z + offset)^2``.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Rows.
    offset : float, default=0.0
        Constant of the kernel, not negative. With 0 two inputs give the three features
        ``x1^2, sqrt(2) x1 x2, x2^2``.

    Returns
    -------
    features : ndarray of shape (n_samples, n_quadratic)
        Products of pairs and, with an offset, the inputs themselves and a constant.

    Examples
    --------
    >>> from shallows.kernel import quadratic_features
    >>> quadratic_features([[1.0, 2.0]]).round(4)
    array([[1.    , 2.8284, 4.    ]])
    """
    check_value("quadratic_features", "offset", NonNegativeFloat, offset)
    X = check_array(X, dtype=(np.float64, np.float32))
    i, j = np.triu_indices(X.shape[1])
    products = X[:, i] * X[:, j] * np.where(i == j, 1.0, np.sqrt(2.0)).astype(X.dtype)
    if offset == 0.0:
        return products
    constant = np.full((len(X), 1), offset, dtype=X.dtype)
    inputs = X * np.sqrt(2.0 * offset).astype(X.dtype)
    return np.hstack([products, inputs, constant])


def feature_distances(kernel, X, Z=None):
    """Return the distances of all pairs of rows in the feature space of a kernel.

    The features need not be known: ``|phi(x) - phi(z)|^2 = k(x, x) - 2 k(x, z) + k(z, z)``.

    Parameters
    ----------
    kernel : callable
        Takes two arrays of rows and returns the matrix of its values.
    X : array-like of shape (n_samples, n_features)
        Rows on the left.
    Z : array-like of shape (n_others, n_features), default=None
        Rows on the right; `X` unless given.

    Returns
    -------
    distances : ndarray of shape (n_samples, n_others)
        Euclidean distances between the features.

    Examples
    --------
    >>> from shallows.kernel import feature_distances, gaussian, linear
    >>> feature_distances(linear, [[0.0, 0.0]], [[3.0, 4.0]])
    array([[5.]])
    >>> feature_distances(gaussian, [[0.0]], [[100.0]]).round(4)  # at most sqrt(2)
    array([[1.4142]])
    """
    if not callable(kernel):
        raise ValueError(
            "feature_distances: kernel must be a function of two arrays of rows, such as those of "
            f"shallows.kernel, got {kernel!r}."
        )
    X = check_array(X, dtype=(np.float64, np.float32))
    Z = X if Z is None else _check_others("feature_distances", X, Z)
    return np.sqrt(kernel_distances(X, Z, kernel))


def check_kernel(kernel, X, tol=1e-8):
    """Check that a kernel is symmetric and positive semi-definite on a set of points.

    A function is a kernel, that is a scalar product in some feature space, if and only if every
    Gram matrix is (Mercer). One set of points can refute it, never prove it.

    Parameters
    ----------
    kernel : callable or "precomputed"
        Takes two arrays of rows and returns the matrix of its values.
    X : array-like of shape (n_samples, n_features)
        Points, or the Gram matrix where `kernel` is "precomputed".
    tol : float, default=1e-8
        Rounding that is allowed, relative to the largest value.

    Returns
    -------
    smallest : float
        Smallest eigenvalue of the Gram matrix; of many points an estimate by Lanczos iteration.

    Raises
    ------
    ValueError
        If the Gram matrix is not symmetric, or has an eigenvalue well below zero.

    Examples
    --------
    >>> import numpy as np
    >>> from shallows.kernel import check_kernel, gaussian
    >>> check_kernel(gaussian, np.arange(3.0)[:, None]) > 0
    True
    """
    X = check_array(X, dtype=(np.float64, np.float32))
    if kernel != "precomputed" and not callable(kernel):
        raise ValueError(
            f'check_kernel: kernel must be a function of two arrays of rows or "precomputed", got '
            f"{kernel!r}. The kernels of shallows.kernel are such functions."
        )
    gram = np.asarray(kernel(X, X)) if callable(kernel) else X
    return check_gram("check_kernel", gram, tol)


def check_gram(owner, gram, tol):
    """Return the smallest eigenvalue of a Gram matrix; raise where it can't be one."""
    if gram.ndim != 2 or gram.shape[0] != gram.shape[1]:
        raise ValueError(
            f"{owner}: a Gram matrix must be square, one row and one column per sample, "
            f"got shape {gram.shape}."
        )
    largest = float(np.abs(gram).max())
    if not np.isfinite(largest):
        raise ValueError(f"{owner}: the Gram matrix holds NaN or infinity. Scale the data.")
    gap = float(np.abs(gram - gram.T).max())
    if gap > tol * largest:
        raise ValueError(
            f"{owner}: the Gram matrix is not symmetric, K and its transpose differ by up to "
            f"{gap:.3g}. Use (K + K.T) / 2 if that is what you mean."
        )

    # Rounding leaves eigenvalues of this size below zero.
    smallest = _smallest_eigenvalue(gram)
    if smallest < -tol * largest * len(gram):
        raise ValueError(
            f"{owner}: the Gram matrix is not positive semi-definite. There are significant "
            f"negative eigenvalues, the smallest eigenvalue is {smallest:.3g}: it is no kernel. "
            f"Add {-smallest:.3g} to the diagonal, or choose another kernel."
        )
    return smallest


def _smallest_eigenvalue(gram):
    if len(gram) <= DENSE_LIMIT:
        return float(eigvalsh(gram, subset_by_index=[0, 0])[0])
    start = np.cos(np.arange(len(gram)))
    try:
        found = eigsh(gram, 1, which="SA", v0=start, tol=1e-3, maxiter=20, ncv=20)[0]
    except ArpackNoConvergence as error:
        found = error.eigenvalues
    return float(found[0]) if len(found) else 0.0


def _evaluate(owner, kernel, X, Z):
    X = check_array(X, dtype=(np.float64, np.float32))
    return kernel(X) if Z is None else kernel(X, _check_others(owner, X, Z))


def _check_others(owner, X, Z):
    Z = check_array(Z, dtype=(np.float64, np.float32))
    if Z.shape[1] != X.shape[1]:
        raise ValueError(
            f"{owner}: rows on both sides must have the same features, got {X.shape[1]} "
            f"and {Z.shape[1]}."
        )
    return Z
