"""The kernel that an estimator's parameters name, evaluated in blocks on BLAS.

A kernel of scalar products is one matrix product ``left @ right.T`` and one elementwise
function; the Gaussian kernel too, with the squared lengths as two more columns. Both factors are
made once per set of points, so that any block of the Gram matrix costs one product.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np
from scipy.sparse import csr_array, hstack, issparse
from scipy.spatial.distance import cdist
from sklearn.metrics import pairwise

from shallows._core.contract.params import NonNegativeFloat, PositiveFloat
from shallows._core.numerics.threads import map_blocks

KernelName = (
    Literal["linear", "poly", "rbf", "laplacian", "sigmoid", "precomputed"] | Callable[..., Any]
)
AnyKernelName = KernelName | Literal["additive_chi2", "chi2", "cosine", "polynomial"]
Gamma = Literal["scale", "auto"] | PositiveFloat
Degree = NonNegativeFloat
BLOCK_CELLS = 2**20
FEW_ROWS = 512  # of a Gram matrix, up to which threads take longer to start than they save
GRAM_ROWS = 256  # of a block beyond, so that threads share matrices of a thousand rows
SMALLEST = float(np.finfo(np.float64).tiny)
TRIED = 50  # rows on which a callable is tried before it is trusted


@dataclass(frozen=True)
class Kernel:
    """A kernel with its parameters fixed; `function` is set for a callable alone.

    Of a precomputed kernel the "points" on the left are rows of the Gram matrix and those on
    the right are indices of its columns.
    """

    name: str
    gamma: float = 1.0
    degree: float = 3
    coef0: float = 0.0
    function: Callable[..., Any] | None = None

    @property
    def of_products(self):
        """Whether a block is an elementwise function of one matrix product."""
        return self.name in ("linear", "poly", "sigmoid", "rbf")

    def __call__(self, X, Z=None):
        """Return the matrix of kernel values of the rows of X and Z, in the dtype of X."""
        left, right = self.factors(X, X if Z is None else Z)
        values = np.empty((left.shape[0], right.shape[0]), dtype=X.dtype)
        mirror = Z is None and self.of_products and not issparse(left)

        def fill(rows):
            first = rows.start if mirror else 0
            self.block(left[rows], right[first:], values[rows, first:])
            if mirror:
                values[rows.stop :, rows] = values[rows, rows.stop :].T

        map_blocks(fill, *_rows_and_block(left, right))
        if Z is None and self.name == "rbf":
            np.fill_diagonal(values, 1.0)
        return values

    def matmul(self, X, Z, coefficients):
        """Return the kernel matrix of X and Z times the coefficients, without keeping it."""
        left, right = self.factors(X, Z)
        parts = map_blocks(
            lambda rows: self.block(left[rows], right) @ coefficients,
            *_rows_and_block(left, right),
        )
        return np.concatenate(parts).astype(X.dtype, copy=False)

    def factors(self, X, Z, dtype=np.float64):
        """Return what `block` takes, for rows X and columns Z."""
        if self.name == "precomputed":
            return X, (np.arange(X.shape[1]) if Z is X else Z)
        if self.function is not None:
            return X, Z
        if self.name in ("linear", "laplacian"):
            return X.astype(dtype, copy=False), Z.astype(dtype, copy=False)
        if self.name == "rbf":
            if not issparse(X):  # fewer digits cancel around the mean
                centre, same = Z.mean(axis=0, dtype=np.float64), Z is X
                X = X - centre
                Z = X if same else Z - centre
            return self._gaussian_left(X, dtype), self._gaussian_right(Z, dtype)
        return _with_columns(X * self.gamma, (self.coef0,), dtype), _with_columns(Z, (1.0,), dtype)

    def block(self, left, right, out=None):
        """Return the kernel values of two sets of factors, on this thread, in `out` if given."""
        in_place = self.of_products and not issparse(left)
        if out is not None and not (in_place and out.dtype == left.dtype):
            out[...] = self.block(left, right)
            return out
        if self.name == "precomputed":
            return left[:, right]
        if self.function is not None:
            return _checked_values(self.function(left, right), (len(left), len(right)))
        if self.name == "laplacian":
            values = cdist(left, right, "cityblock")
            values *= -self.gamma
            return np.exp(values, out=values)
        if issparse(left):
            values = (left @ right.T).toarray()
        else:
            values = np.matmul(left, right.T, out=out)
        if self.name == "rbf":
            np.minimum(values, 0.0, out=values)
            return np.exp(values, out=values)
        if self.name == "poly":
            return _power(values, self.degree)
        return np.tanh(values, out=values) if self.name == "sigmoid" else values

    def diagonal(self, X):
        """Return k(x, x) of each row, as float64."""
        if self.name == "precomputed":
            return np.array(np.diagonal(X), dtype=np.float64)
        if self.name in ("rbf", "laplacian"):
            return np.ones(X.shape[0])
        if self.function is not None:
            rows = (self.function(X[i : i + 1], X[i : i + 1]) for i in range(len(X)))
            return np.array([np.asarray(value).item() for value in rows], dtype=np.float64)
        squares = _row_squares(X)
        if self.name == "linear":
            return squares
        squares = squares * self.gamma + self.coef0
        return squares**self.degree if self.name == "poly" else np.tanh(squares)

    def _gaussian_left(self, centred, dtype):
        return _with_columns(centred, (_row_squares(centred), 1.0), dtype)

    def _gaussian_right(self, centred, dtype):
        extra = -self.gamma, -self.gamma * _row_squares(centred)
        return _with_columns(2 * self.gamma * centred, extra, dtype)


def resolve_kernel(owner, kernel, X, gamma="scale", degree=3, coef0=0.0, weights=None, params=None):
    """Return the `Kernel` that scikit-learn's parameters describe.

    With gamma "scale" it is 1 / (n_features * variance of all values of X), with "auto"
    1 / n_features. `owner` is the estimator, named in messages; `weights` count as repetitions;
    `params` are keyword arguments of a function.
    """
    kernel = "poly" if kernel == "polynomial" else kernel
    if isinstance(kernel, str) and kernel in PAIRWISE:
        options = {} if kernel != "chi2" or gamma in ("scale", "auto") else {"gamma": gamma}
        kernel, params = PAIRWISE[kernel], options
    if issparse(X) and not takes_sparse(kernel):
        raise TypeError(
            f"{type(owner).__name__}: sparse samples go with the kernels 'linear', 'poly', 'rbf' "
            f"and 'sigmoid', got kernel={kernel!r}. Use X.toarray() if it fits in memory."
        )
    if callable(kernel):
        kernel = partial(kernel, **params) if params else kernel
        if hasattr(owner, "kernel_params"):
            kernel = of_matrices(kernel, X[:2])
        _check_function(owner, kernel, X[:TRIED])
        return Kernel("callable", function=kernel)
    if kernel == "precomputed":
        return Kernel("precomputed")
    with np.errstate(over="ignore"):
        squares = _row_squares(X)
        overflow = not np.isfinite(squares.sum())
    if overflow:
        raise ValueError(
            f"{type(owner).__name__}: the squares of X are beyond the range of numbers, since it "
            f"holds values up to {abs(X).max():.3g}. Scale the data."
        )
    if gamma == "scale":
        spread = X.shape[1] * _variance(X, weights)
        gamma = 1.0 / spread if spread > SMALLEST else 1.0
    elif gamma == "auto":
        gamma = 1.0 / X.shape[1]
    if kernel == "poly" and degree != int(degree):
        raise ValueError(
            f"{type(owner).__name__}: degree of the polynomial kernel must be a whole number, "
            f"got {degree!r}; other powers are not positive semi-definite."
        )
    found = Kernel(kernel, float(gamma), degree, float(coef0))
    if kernel in ("rbf", "laplacian"):  # never above 1
        return found
    with np.errstate(over="ignore"):
        largest = found.diagonal(X[[squares.argmax()]])
    if not np.isfinite(largest).all():
        raise ValueError(
            f"{type(owner).__name__}: kernel values are beyond the range of numbers, with "
            f"kernel={kernel!r}, gamma={found.gamma:.3g} and samples of length up to "
            f"{np.sqrt(squares.max()):.3g}. Scale the data, or lower gamma or degree."
        )
    return found


def chi2(X, Z, gamma=1.0):
    """Return the exponential chi-squared kernel; scikit-learn's takes no read-only arrays."""
    return pairwise.chi2_kernel(np.array(X), np.array(Z), gamma)


def additive_chi2(X, Z):
    """Return the additive chi-squared kernel."""
    return pairwise.additive_chi2_kernel(np.array(X), np.array(Z))


PAIRWISE = {"additive_chi2": additive_chi2, "chi2": chi2, "cosine": pairwise.cosine_similarity}


@dataclass(frozen=True)
class OfRows:
    """A kernel function of two rows, made one of two matrices."""

    function: Callable[..., Any]

    def __call__(self, X, Z):
        return np.array([[self.function(x, z) for z in Z] for x in X], dtype=np.float64)


def of_matrices(function, X):
    """Return a kernel function of matrices; scikit-learn's may be one of two rows."""
    if len(X) < 2:
        return function
    try:
        fits = np.shape(function(X, X)) == (len(X), len(X))
    except (TypeError, ValueError, IndexError):
        fits = False
    if fits:
        return function
    try:
        return OfRows(function) if np.ndim(function(X[0], X[1])) == 0 else function
    except (TypeError, ValueError, IndexError):
        return function


def _check_function(owner, function, X):
    """Refuse a callable that is no kernel on a few rows."""
    values = _checked_values(function(X, X), (len(X), len(X)))
    gap, largest = np.abs(values - values.T).max(), np.abs(values).max()
    if gap > 1e-6 * largest:
        raise ValueError(
            f"{type(owner).__name__}: the kernel function is not symmetric, k(x, z) and k(z, x) "
            f"differ by up to {gap:.3g}. A kernel is a scalar product; see `check_kernel`."
        )


def _checked_values(values, shape):
    values = np.asarray(values)
    if values.shape != shape or values.dtype.kind not in "biuf":
        raise ValueError(
            f"The kernel function must return numbers of shape {shape} for as many rows on the "
            f"left and on the right, got {values.dtype} of shape {values.shape}."
        )
    if not np.isfinite(values).all():
        raise ValueError("The kernel function returned NaN or infinity. Scale the data.")
    return values


def takes_sparse(kernel):
    """Tell whether a kernel is a function of scalar products, which CSR rows have too."""
    return isinstance(kernel, str) and kernel in ("linear", "poly", "rbf", "sigmoid")


def block_rows(n_rows, n_columns):
    """Return how many rows of a kernel matrix make one block.

    Each block takes one thread, so beyond a few rows there are blocks for several.
    """
    share = n_rows if n_rows <= FEW_ROWS else GRAM_ROWS
    return max(1, min(share, BLOCK_CELLS // max(n_columns, 1)))


def _variance(X, weights):
    if issparse(X):
        mean = np.average(np.ravel(X.mean(axis=1)), weights=weights)
        return float(np.average(_row_squares(X), weights=weights) / X.shape[1] - mean**2)
    if weights is None or (weights == 1).all():
        return float(np.var(X, dtype=np.float64))
    mean = np.average(X.mean(axis=1, dtype=np.float64), weights=weights)
    return float(np.average(((X - mean) ** 2).mean(axis=1), weights=weights))


def _row_squares(X):
    if issparse(X):
        return np.ravel(X.multiply(X).sum(axis=1)).astype(np.float64)
    return np.einsum("ij,ij->i", X, X, dtype=np.float64)


def _rows_and_block(left, right):
    n_rows, n_columns = left.shape[0], right.shape[0]
    return n_rows, block_rows(n_rows, n_columns)


def _with_columns(X, extra, dtype):
    """Return X with more columns, each given by a number or by one number per row."""
    n, d = X.shape
    if issparse(X):
        more = np.column_stack([np.broadcast_to(column, n) for column in extra])
        return hstack([X, csr_array(more)], format="csr", dtype=dtype)
    wide = np.empty((n, d + len(extra)), dtype=dtype)
    wide[:, :d] = X
    for k, column in enumerate(extra):
        wide[:, d + k] = column
    return wide


def _power(values, degree):
    """Raise to a whole power in place, by multiplication, which is far quicker than `pow`."""
    if degree == 0:
        values.fill(1.0)
    base = values.copy() if degree > 1 else values
    for _ in range(int(degree) - 1):
        values *= base
    return values
