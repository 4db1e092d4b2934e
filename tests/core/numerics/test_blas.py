"""Products in place, against NumPy's."""

import numpy as np
import pytest

from shallows._core.numerics.blas import (
    add_product,
    set_symmetric_product,
    subtract_symmetric,
    triangulate,
)

DTYPES = pytest.mark.parametrize("dtype", [np.float32, np.float64])


def part(rng, rows, columns, order, dtype):
    """A matrix inside a larger one."""
    whole = rng.normal(size=(rows + 5, columns + 3)).astype(dtype, order=order)
    return whole[2 : 2 + rows, 1 : 1 + columns]


def assert_equal_but_for_rounding(found, truth):
    np.testing.assert_allclose(found, truth, rtol=0, atol=30 * np.finfo(found.dtype).eps)


@DTYPES
@pytest.mark.parametrize("orders", ["CCC", "FFF", "CFF", "FCF", "FFC", "CCF"])
@pytest.mark.parametrize(
    "shape", [(4, 3, 5), (1, 3, 5), (4, 1, 5), (4, 3, 1), (1, 1, 1), (0, 3, 5)]
)
def test_products_are_added_to_a_part_of_a_matrix(dtype, orders, shape):
    m, k, n = shape
    rng = np.random.default_rng(0)
    C = part(rng, m, n, orders[0], dtype)
    A, B = part(rng, m, k, orders[1], dtype), part(rng, k, n, orders[2], dtype)
    around = C.base.astype(np.float64)
    around[2 : 2 + m, 1 : 1 + n] -= 2.0 * (A.astype(np.float64) @ B)
    add_product(C, A, B, -2.0)
    assert_equal_but_for_rounding(C.base, around)


@DTYPES
def test_symmetric_routines_use_the_lower_triangle_alone(dtype):
    rng = np.random.default_rng(0)
    A, V, W = (part(rng, 6, columns, "F", dtype) for columns in (6, 2, 2))
    whole = (np.tril(A) + np.tril(A, -1).T).astype(np.float64)
    C = part(rng, 6, 2, "F", dtype)
    around = C.base.astype(np.float64)
    around[2:8, 1:3] = whole @ V
    set_symmetric_product(C, A, V)
    assert_equal_but_for_rounding(C.base, around)
    expected, product = A.base.astype(np.float64), V.astype(np.float64) @ W.T
    expected[2:8, 1:7] -= np.tril(product + product.T)
    subtract_symmetric(A, V, W)
    assert_equal_but_for_rounding(A.base, expected)


@DTYPES
@pytest.mark.parametrize("shape", [(7, 3), (3, 3), (1, 1)])
def test_columns_are_an_orthogonal_matrix_times_a_triangle(dtype, shape):
    A = part(np.random.default_rng(0), *shape, "F", dtype)
    truth, (m, n) = A.astype(np.float64), shape
    R, T = triangulate(A)
    assert A.dtype == R.dtype == T.dtype == dtype
    np.testing.assert_array_equal(R, np.triu(R))
    np.testing.assert_array_equal(np.triu(A), np.eye(m, n))
    V = A.astype(np.float64)
    Q = np.eye(m) - V @ T @ V.T
    assert_equal_but_for_rounding((Q @ Q.T).astype(dtype), np.eye(m))
    assert_equal_but_for_rounding((Q[:, :n] @ R).astype(dtype), truth)


def test_triangles_need_as_many_rows_as_columns():
    with pytest.raises(ValueError, match="got 2 by 3"):
        triangulate(np.ones((2, 3), order="F"))
    with pytest.raises(ValueError, match="first axis"):
        triangulate(np.ones((3, 2)))


def test_matrices_that_do_not_fit_are_refused():
    A, B = np.ones((2, 3)), np.ones((3, 4))
    with pytest.raises(ValueError, match="do not fit"):
        add_product(np.ones((2, 3)), A, B)
    with pytest.raises(ValueError, match="do not fit"):
        add_product(np.ones((2, 4), np.float32), A, B)
    with pytest.raises(ValueError, match="do not fit"):
        add_product(np.ones((2, 4)), A, np.ones((4, 4)))
    with pytest.raises(ValueError, match="side by side"):
        add_product(np.ones((2, 4)), A, np.ones((3, 8))[:, ::2])
    with pytest.raises(ValueError, match="do not fit"):
        set_symmetric_product(A, np.ones((3, 3), order="F"), A)
    with pytest.raises(ValueError, match="do not fit"):
        subtract_symmetric(np.ones((3, 3), order="F"), A, A)
    with pytest.raises(ValueError, match="first axis"):
        set_symmetric_product(B, np.ones((3, 3)), B)
