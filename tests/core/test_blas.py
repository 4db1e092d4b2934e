"""Products in place, against NumPy's."""

import numpy as np
import pytest

from shallows._core.blas import add_product, subtract_symmetric, symmetric_product

RNG = np.random.default_rng(0)
DTYPES = pytest.mark.parametrize("dtype", [np.float32, np.float64])


def part(rows, columns, order, dtype):
    """A matrix inside a larger one."""
    whole = RNG.normal(size=(rows + 5, columns + 3)).astype(dtype, order=order)
    return whole[2 : 2 + rows, 1 : 1 + columns]


@DTYPES
@pytest.mark.parametrize("orders", ["CCC", "FFF", "CFF", "FCF", "FFC", "CCF"])
@pytest.mark.parametrize(
    "shape", [(4, 3, 5), (1, 3, 5), (4, 1, 5), (4, 3, 1), (1, 1, 1), (0, 3, 5)]
)
def test_products_are_added_to_a_part_of_a_matrix(dtype, orders, shape):
    m, k, n = shape
    C = part(m, n, orders[0], dtype)
    A, B = part(m, k, orders[1], dtype), part(k, n, orders[2], dtype)
    around = C.base.copy()
    around[2 : 2 + m, 1 : 1 + n] += dtype(-2.0) * (A @ B)
    add_product(C, A, B, -2.0)
    np.testing.assert_allclose(C.base, around, rtol=1e-4 if dtype == np.float32 else 1e-12)


@DTYPES
def test_symmetric_routines_use_the_lower_triangle_alone(dtype):
    A, V, W = part(6, 6, "F", dtype), part(6, 2, "F", dtype), part(6, 2, "F", dtype)
    whole = np.tril(A) + np.tril(A, -1).T
    rtol = 1e-4 if dtype == np.float32 else 1e-12
    np.testing.assert_allclose(symmetric_product(A, V), whole @ V, rtol=rtol)
    expected = A.base.copy()
    expected[2:8, 1:7] -= np.tril(V @ W.T + W @ V.T)
    subtract_symmetric(A, V, W)
    np.testing.assert_allclose(A.base, expected, rtol=rtol)


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
        symmetric_product(np.ones((3, 3), order="F"), A)
    with pytest.raises(ValueError, match="do not fit"):
        subtract_symmetric(np.ones((3, 3), order="F"), A, A)
    with pytest.raises(ValueError, match="first axis"):
        symmetric_product(np.ones((3, 3)), B)
