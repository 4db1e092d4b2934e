"""Leading eigenpairs from products alone."""

import numpy as np
import pytest

from shallows._core.numerics.krylov import leading_eigenpairs


def operator(values):
    q = np.linalg.qr(np.random.default_rng(1).normal(size=(len(values), len(values))))[0]
    return (q * values) @ q.T


@pytest.mark.parametrize("size", [1, 7, 60, 300])
def test_finds_what_a_dense_solver_finds(size):
    matrix = operator(1.0 / np.arange(1, size + 1))
    k = min(4, size)
    found, vectors = leading_eigenpairs(
        lambda block: matrix @ block, size, k, np.random.default_rng(0), tol=1e-16, max_products=30
    )
    np.testing.assert_allclose(found, 1.0 / np.arange(1, k + 1), rtol=1e-8)
    np.testing.assert_allclose(matrix @ vectors, vectors * found, atol=1e-8)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(k), atol=1e-10)


def test_low_rank_and_zero_operators_do_not_break_it():
    values = np.r_[3.0, 2.0, np.zeros(50)]
    matrix = operator(values)
    found, _ = leading_eigenpairs(lambda b: matrix @ b, 52, 5, np.random.default_rng(0))
    np.testing.assert_allclose(found, values[:5], atol=1e-10)
    found, _ = leading_eigenpairs(lambda b: 0 * b, 52, 3, np.random.default_rng(0))
    assert not found.any()


def test_values_never_exceed_the_true_ones():
    matrix = operator(1.0 / np.sqrt(np.arange(1, 401)))
    found, _ = leading_eigenpairs(
        lambda b: matrix @ b, 400, 10, np.random.default_rng(0), max_products=3
    )
    true = 1.0 / np.sqrt(np.arange(1, 11))
    assert (found <= true * (1 + 1e-12)).all() and found.sum() > 0.99 * true.sum()
