"""BLAS and LAPACK routines that read and write parts of matrices where they stand.

NumPy makes an array for every product, and SciPy copies what is not contiguous. Large matrices that
are changed part by part spend half of their time so.
"""

from __future__ import annotations

from collections.abc import Callable
from ctypes import CFUNCTYPE, byref, c_char, c_double, c_float, c_int64, c_void_p
from functools import cache
from typing import Any

import numpy as np
from numba.extending import get_cython_function_address
from numpy.typing import NDArray

Matrix = NDArray[Any]  # float32 or float64, with neighbours in memory along one of its axes


def add_product(C: Matrix, A: Matrix, B: Matrix, factor: float = 1.0) -> None:
    """Set ``C += factor * A @ B``.

    Examples
    --------
    >>> C = np.ones((2, 4))
    >>> add_product(C[:, 1:3], np.eye(2), np.eye(2), -1.0)
    >>> C
    array([[1., 0., 1., 1.],
           [1., 1., 0., 1.]])
    """
    _check(C, (A, B), (len(A), B.shape[1]), A.shape[1] == len(B))
    if not A.size or not B.size:
        return
    if C.strides[0] > C.strides[1]:
        C, A, B = C.T, B.T, A.T
    (a, a_step), (b, b_step), (_, c_step) = _form(A), _form(B), _form(C)
    scale, (m, n), k = _scalar(C), C.shape, A.shape[1]
    _routine("gemm", C.dtype, 13)(
        a, b, _size(m), _size(n), _size(k), scale(factor), _start(A), a_step, _start(B), b_step,
        scale(1), _start(C), c_step,
    )  # fmt: skip


def set_symmetric_product(C: Matrix, A: Matrix, B: Matrix) -> None:
    """Set ``C = A @ B`` for a symmetric matrix A of which only the lower triangle is read.

    All have neighbours in memory along the first axis.

    Examples
    --------
    >>> A, C = np.asfortranarray([[1.0, 9.0], [2.0, 3.0]]), np.empty((2, 2), order="F")
    >>> set_symmetric_product(C, A, np.eye(2, order="F"))
    >>> C
    array([[1., 2.],
           [2., 3.]])
    """
    _check(A, (B, C), (len(B), len(C)), B.shape == C.shape)
    _check_columns(A, B, C)
    scale, (m, n) = _scalar(A), B.shape
    _routine("symm", A.dtype, 12)(
        _letter(b"L"), _letter(b"L"), _size(m), _size(n), scale(1), _start(A), _form(A)[1],
        _start(B), _form(B)[1], scale(0), _start(C), _form(C)[1],
    )  # fmt: skip


def subtract_symmetric(A: Matrix, V: Matrix, W: Matrix) -> None:
    """Set ``A -= V @ W.T + W @ V.T`` in the lower triangle, and leave the rest alone.

    All have neighbours in memory along the first axis.

    Examples
    --------
    >>> A, v = np.zeros((2, 2), order="F"), np.asfortranarray([[1.0], [2.0]])
    >>> subtract_symmetric(A, v, v)
    >>> A
    array([[-2.,  0.],
           [-4., -8.]])
    """
    _check(A, (V, W), (len(V), len(W)), V.shape == W.shape)
    _check_columns(A, V, W)
    scale, (m, k) = _scalar(A), V.shape
    _routine("syr2k", A.dtype, 12)(
        _letter(b"L"), _letter(b"N"), _size(m), _size(k), scale(-1), _start(V), _form(V)[1],
        _start(W), _form(W)[1], scale(1), _start(A), _form(A)[1],
    )  # fmt: skip


def triangulate(A: Matrix) -> tuple[Matrix, Matrix]:
    """Set A to V, and return R and T, with ``A = (I - V @ T @ V.T)[:, :n] @ R`` for n columns.

    The bracket is orthogonal, R an upper triangle, and V has ones on its diagonal with zeros
    above. A has neighbours in memory along the first axis, and no fewer rows than columns.

    Examples
    --------
    >>> A = np.asfortranarray([[3.0], [4.0]])
    >>> R, T = triangulate(A)
    >>> abs(R)
    array([[5.]])
    >>> (np.eye(2) - A @ T @ A.T)[:, :1] @ R
    array([[3.],
           [4.]])
    """
    (m, n), info = A.shape, c_int64()
    _check_columns(A)
    if m < n:
        raise ValueError(f"A needs as many rows as columns at least, got {m} by {n}.")
    T, work = np.empty((2, n, n), dtype=A.dtype)
    _routine("geqrt", A.dtype, 9, "cython_lapack")(
        _size(m), _size(n), _size(n), _start(A), _form(A)[1], _start(T), _size(n), _start(work),
        byref(info),
    )  # fmt: skip
    R, top = np.triu(A[:n]), A[:n]
    top[:] = np.tril(top, -1) + np.eye(n, dtype=A.dtype)
    return R, np.triu(T.T)


def _check(
    matrix: Matrix, others: tuple[Matrix, ...], shape: tuple[int, int], fit: bool = True
) -> None:
    """BLAS would write beyond the ends of matrices that do not fit."""
    if matrix.shape != shape or not fit or any(other.dtype != matrix.dtype for other in others):
        described = ", ".join(f"{a.dtype} {a.shape}" for a in (matrix, *others))
        raise ValueError(f"Shapes or kinds of numbers do not fit together: {described}.")


def _check_columns(*matrices: Matrix) -> None:
    if any(A.strides[0] != A.itemsize and len(A) > 1 for A in matrices):
        raise ValueError("Neighbours along the first axis must stand side by side in memory.")


@cache
def _routine(
    name: str, dtype: np.dtype[Any], n_arguments: int, library: str = "cython_blas"
) -> Callable[..., None]:
    """Return a routine of the BLAS or LAPACK of SciPy; it releases the GIL."""
    prefix = {"float32": "s", "float64": "d"}[dtype.name]
    address = get_cython_function_address(f"scipy.linalg.{library}", prefix + name)
    return CFUNCTYPE(None, *[c_void_p] * n_arguments)(address)


def _form(A: Matrix) -> tuple[Any, Any]:
    """Return whether BLAS, which wants columns, sees A or its transpose, and their distance."""
    inner, outer = (0, 1) if A.strides[0] <= A.strides[1] else (1, 0)
    if A.strides[inner] != A.itemsize and A.shape[inner] > 1:
        raise ValueError(f"Neighbours along axis {inner} must stand side by side in memory.")
    steps = max(A.strides[outer] // A.itemsize, A.shape[inner], 1)
    return _letter(b"N" if inner == 0 else b"T"), _size(steps)


def _letter(letter: bytes) -> Any:
    return byref(c_char(letter))


def _size(value: int) -> Any:
    """Point to a number that reads the same with 32 and 64 bits."""
    return byref(c_int64(value))


def _scalar(A: Matrix) -> Callable[[float], Any]:
    kind = c_float if A.dtype == np.float32 else c_double
    return lambda value: byref(kind(value))


def _start(A: Matrix) -> int:
    return int(A.ctypes.data)
