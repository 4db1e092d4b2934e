"""Kernels as functions: scikit-learn as oracle, laws of scalar products, Mercer's condition."""

import numpy as np
import pytest
from sklearn.metrics import pairwise

from shallows.kernel import (
    check_kernel,
    feature_distances,
    gaussian,
    laplacian,
    linear,
    polynomial,
    quadratic_features,
    sigmoid,
)
from shallows.kernel._resolve import Kernel, resolve_kernel

RNG = np.random.default_rng(0)
X, Z = RNG.normal(size=(37, 3)) + 5, RNG.normal(size=(11, 3)) + 5


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (linear(X, Z), pairwise.linear_kernel(X, Z)),
        (polynomial(X, Z, 3, 0.5), pairwise.polynomial_kernel(X, Z, 3, 1.0, 0.5)),
        (gaussian(X, Z, 0.7), pairwise.rbf_kernel(X, Z, 0.5 / 0.49)),
        (laplacian(X, Z, 0.3), pairwise.laplacian_kernel(X, Z, 0.3)),
        (sigmoid(X, Z, 0.01, 0.2), pairwise.sigmoid_kernel(X, Z, 0.01, 0.2)),
    ],
)
def test_values_agree_with_scikit_learn(ours, theirs):
    np.testing.assert_allclose(ours, theirs, rtol=1e-10, atol=1e-13)


@pytest.mark.parametrize("name", ["linear", "poly", "rbf", "laplacian", "sigmoid"])
def test_diagonal_and_products_agree_with_the_matrix(name):
    kernel = Kernel(name, 0.05, 2, 0.3)
    weights = RNG.normal(size=(len(Z), 2))
    np.testing.assert_allclose(kernel.diagonal(X), np.diagonal(kernel(X)), rtol=1e-12)
    np.testing.assert_allclose(kernel.matmul(X, Z, weights), kernel(X, Z) @ weights, rtol=1e-10)


def test_blocks_do_not_change_the_values(monkeypatch):
    whole = gaussian(X, Z)
    monkeypatch.setattr("shallows.kernel._resolve.BLOCK_CELLS", 30)
    np.testing.assert_allclose(gaussian(X, Z), whole, rtol=1e-12)


def test_gaussian_survives_data_far_from_the_origin():
    near, far = X - X.mean(0), X - X.mean(0) + 1e7
    np.testing.assert_allclose(gaussian(far), gaussian(near), rtol=1e-6)


def test_float32_is_kept():
    assert gaussian(X.astype(np.float32)).dtype == np.float32


@pytest.mark.parametrize("offset", [0.0, 1.0, 2.5])
def test_quadratic_features_are_the_feature_space(offset):
    features, others = quadratic_features(X, offset), quadratic_features(Z, offset)
    np.testing.assert_allclose(features @ others.T, polynomial(X, Z, 2, offset), rtol=1e-12)
    assert features.shape[1] == 6 + (4 if offset else 0)


def test_gaussian_limits():
    np.testing.assert_allclose(gaussian(X, sigma=1e-4), np.eye(len(X)), atol=1e-12)
    np.testing.assert_allclose(gaussian(X, sigma=1e6), 1.0, atol=1e-9)
    assert check_kernel(gaussian, X) > 0


def test_what_is_no_kernel_is_caught():
    with pytest.raises(ValueError, match="smallest eigenvalue"):
        check_kernel(lambda A, B: -pairwise.euclidean_distances(A, B, squared=True), X)
    with pytest.raises(ValueError, match="not positive semi-definite"):
        check_kernel(lambda A, B: sigmoid(A, B, 1.0, -1.0), X - 5)
    with pytest.raises(ValueError, match="not symmetric"):
        check_kernel("precomputed", [[1.0, 0.5], [0.0, 1.0]])
    with pytest.raises(ValueError, match="square"):
        check_kernel("precomputed", X)


def test_large_matrices_are_checked_by_lanczos():
    points = RNG.normal(size=(1600, 2))
    gram = gaussian(points)
    assert abs(check_kernel("precomputed", gram)) < 1e-3
    gram[0, 1] = gram[1, 0] = 30.0
    with pytest.raises(ValueError, match="positive semi-definite"):
        check_kernel("precomputed", gram)


def test_gamma_is_resolved_as_in_scikit_learn():
    assert resolve_kernel(None, "rbf", X).gamma == pytest.approx(1 / (3 * X.var()))
    assert resolve_kernel(None, "rbf", X, "auto").gamma == pytest.approx(1 / 3)
    assert resolve_kernel(None, "rbf", np.ones((4, 2))).gamma == 1.0
    with pytest.raises(ValueError, match="whole number"):
        resolve_kernel(None, "poly", X, degree=1.5)


def test_bad_parameters_are_refused():
    with pytest.raises(ValueError, match="sigma must be"):
        gaussian(X, sigma=0)


@pytest.mark.parametrize("kernel", [linear, polynomial, gaussian, laplacian])
def test_distances_in_feature_space_are_those_of_explicit_features(kernel):
    rng = np.random.default_rng(0)
    points, others = rng.normal(size=(6, 3)), rng.normal(size=(5, 3))
    everyone = np.vstack([points, others])
    values, vectors = np.linalg.eigh(kernel(everyone))
    features = vectors * np.sqrt(np.maximum(values, 0))
    expected = np.linalg.norm(features[:6, None] - features[6:], axis=2)
    np.testing.assert_allclose(feature_distances(kernel, points, others), expected, atol=1e-7)
    assert np.abs(feature_distances(kernel, points).diagonal()).max() < 1e-7


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda X: gaussian(X, X[:, :1]), "gaussian: rows on both sides"),
        (lambda X: feature_distances(linear, X, X[:, :1]), "feature_distances: rows"),
        (lambda X: feature_distances("rbf", X), "must be a function"),
        (lambda X: check_kernel("rbf", X), 'must be a function of two arrays of rows or "pre'),
        (lambda X: check_kernel(lambda a, b: np.full((len(a), len(b)), np.nan), X), "NaN"),
        (lambda X: polynomial(X, offset=-1.0), "polynomial: offset"),
        (lambda X: sigmoid(X, offset=np.nan), "sigmoid: offset"),
        (lambda X: quadratic_features(X, offset=-1.0), "quadratic_features: offset"),
    ],
)
def test_kernel_functions_name_what_is_wrong(call, message):
    with pytest.raises(ValueError, match=message):
        call(np.ones((3, 2)))


@pytest.mark.parametrize("dtype", ["f8", "f4"])
def test_gram_matrix_of_several_blocks_is_mirrored(dtype):
    rows = RNG.normal(size=(700, 3)).astype(dtype)
    rtol = 1e-4 if dtype == "f4" else 1e-10
    found = Kernel("rbf", gamma=0.3)(rows)
    np.testing.assert_allclose(found, pairwise.rbf_kernel(rows.astype("f8"), gamma=0.3), rtol)
    np.testing.assert_array_equal(found[:256, 256:], found[256:, :256].T)
    cubes = Kernel("poly", gamma=0.3, coef0=1.0)(rows)
    expected = pairwise.polynomial_kernel(rows.astype("f8"), gamma=0.3, coef0=1.0)
    np.testing.assert_allclose(cubes, expected, rtol, atol=1e-5)
