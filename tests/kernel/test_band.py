"""Inverses from a band matrix, against dense inverses and against eigenvectors."""

import numpy as np
import pytest
from scipy.linalg import LinAlgError, block_diag

from shallows.kernel import KernelRidge, KernelRidgeCV, gaussian
from shallows.kernel._band import (
    ROWS,
    WIDTH,
    _turned,
    inverse_parts,
    inverse_traces,
    invert_roots,
    reduce_to_band,
)

RNG = np.random.default_rng(0)
X = RNG.normal(size=(3 * ROWS + 7, 3))
Y = RNG.normal(size=(len(X), 2))
ALPHAS = np.array([1e-4, 0.1, 10.0])


@pytest.mark.parametrize("n", [1, WIDTH, WIDTH + 1, 3 * WIDTH, len(X)])
def test_inverses_equal_dense_ones(n):
    K = gaussian(X[:n])
    diagonals, solutions = inverse_parts(K.copy(), Y[:n], ALPHAS)
    for alpha, diagonal, solution in zip(ALPHAS, diagonals, solutions, strict=True):
        inverse = np.linalg.inv(K + alpha * np.eye(n))
        np.testing.assert_allclose(diagonal, inverse.diagonal(), rtol=1e-9)
        truth = np.linalg.solve(K + alpha * np.eye(n), Y[:n])
        assert np.abs(solution - truth).max() < 1e-9 * np.abs(truth).max()


@pytest.mark.parametrize("n", [1, WIDTH, WIDTH + 1, 3 * WIDTH, len(X)])
def test_traces_equal_sums_of_the_diagonals(n):
    K = gaussian(X[:n])
    diagonals, solutions = inverse_parts(K.copy(), Y[:n], ALPHAS)
    traces, same = inverse_traces(K.copy(), Y[:n], ALPHAS)
    np.testing.assert_allclose(traces, diagonals.sum(axis=1), rtol=1e-10)
    for one, other in zip(same, solutions, strict=True):
        assert np.abs(one - other).max() < 1e-9 * np.abs(other).max()


@pytest.mark.parametrize("scale", [1e-30, 1.0, 1e30])
def test_single_precision_leaves_five_digits_of_the_diagonals_and_all_of_the_solutions(scale):
    K, alphas = scale * gaussian(X / 5), scale * np.geomspace(1e-8, 1e2, 11)
    diagonals, solutions = inverse_parts(K.copy(), Y, alphas)
    single, same = inverse_parts(K.copy(), Y, alphas, np.float32)
    np.testing.assert_allclose(single, diagonals, rtol=5e-6)
    np.testing.assert_array_equal(same, solutions)


def test_the_band_is_orthogonally_similar_to_the_matrix():
    K = gaussian(X)
    (on, below), reflectors = reduce_to_band(K.copy())
    turned = _turned(reflectors, len(K))
    band = block_diag(*on)
    for k, block in enumerate(below):
        rows, columns = slice((k + 1) * WIDTH, (k + 2) * WIDTH), slice(k * WIDTH, (k + 1) * WIDTH)
        band[rows, columns], band[columns, rows] = block, block.T
    np.testing.assert_allclose(turned.T @ turned, np.eye(len(K)), atol=1e-12)
    np.testing.assert_allclose(turned.T @ band @ turned, K, atol=1e-11)


@pytest.mark.kernel
def test_small_triangles_are_inverted_where_matrices_are_positive_definite():
    vectors = np.random.default_rng(1).normal(size=(2, WIDTH, 2 * WIDTH))
    matrices = vectors @ vectors.swapaxes(1, 2)
    pairs = np.concatenate([matrices, np.broadcast_to(np.eye(WIDTH), matrices.shape)], axis=2)
    assert invert_roots(pairs)
    truth = np.linalg.inv(np.linalg.cholesky(matrices))
    np.testing.assert_allclose(pairs[:, :, WIDTH:], truth, rtol=1e-9, atol=1e-12)
    for k in (0, WIDTH - 1):
        bad = np.concatenate([matrices[:1], np.eye(WIDTH)[None]], axis=2)
        bad[0, k, k] = -1.0
        assert not invert_roots(bad)


@pytest.mark.parametrize("weights", [None, np.r_[np.zeros(5), np.ones(len(X) - 5)]])
def test_gram_matrices_of_the_user_are_left_alone(weights):
    K = gaussian(X)
    before = K.copy()
    model = KernelRidgeCV(ALPHAS, kernel="precomputed").fit(K, Y, weights)
    KernelRidge(kernel="precomputed").leave_one_out(K, Y, sample_weight=weights)
    KernelRidgeCV(ALPHAS, kernel=lambda A, B: K[: len(A), : len(B)]).fit(X, Y)
    np.testing.assert_array_equal(K, before)
    used = slice(None) if weights is None else weights > 0
    np.testing.assert_array_equal(model.X_fit_, K[used][:, used])


def test_indefinite_matrices_are_refused_and_solved_by_eigenvectors():
    K = gaussian(X)
    indefinite = K - 0.5 * np.eye(len(K))
    with pytest.raises(LinAlgError):
        inverse_parts(indefinite.copy(), Y, np.array([0.1]))
    values, vectors = np.linalg.eigh(indefinite)
    G = vectors / (np.maximum(values, 0) + 0.1) @ vectors.T
    model = KernelRidge(0.1, kernel=lambda A, B: gaussian(A, B) - 0.5 * (A[:, :1] == B[:, 0]))
    found = model.leave_one_out(X, Y)[0]
    np.testing.assert_allclose(found, Y - (G @ Y) / G.diagonal()[:, None], rtol=1e-6, atol=1e-8)
