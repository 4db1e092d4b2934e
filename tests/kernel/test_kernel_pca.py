"""Kernel PCA: scikit-learn as oracle, PCA as special case, pre-images."""

import numpy as np
import pytest
from sklearn import decomposition
from sklearn.datasets import make_circles
from sklearn.exceptions import NotFittedError

from shallows.kernel import KernelPCA, gaussian

RNG = np.random.default_rng(0)
X = RNG.normal(size=(90, 4)) * [3, 2, 1, 0.5] + 1
NEW = RNG.normal(size=(20, 4))


def same_up_to_sign(left, right, atol=1e-7):
    np.testing.assert_allclose(np.abs(left), np.abs(right), atol=atol)


@pytest.mark.parametrize(
    "options",
    [
        {"kernel": "linear"},
        {"kernel": "rbf", "gamma": 0.1},
        {"kernel": "poly", "degree": 2, "gamma": 0.1},
    ],
)
def test_agrees_with_scikit_learn(options):
    ours = KernelPCA(3, **options).fit(X)
    theirs = decomposition.KernelPCA(3, eigen_solver="dense", **options).fit(X)
    np.testing.assert_allclose(ours.eigenvalues_, theirs.eigenvalues_, rtol=1e-9)
    same_up_to_sign(ours.transform(NEW), theirs.transform(NEW))


def test_linear_kernel_is_pca():
    scores = KernelPCA(kernel="linear").fit_transform(X)
    assert scores.shape == (90, 4)
    same_up_to_sign(scores, decomposition.PCA().fit_transform(X), 1e-9)


def test_training_scores_equal_the_projection_of_training_samples():
    model = KernelPCA(5, kernel="rbf")
    np.testing.assert_allclose(model.fit_transform(X), model.transform(X), atol=1e-9)


def test_few_components_of_many_samples_come_from_the_partial_solver():
    many = RNG.normal(size=(600, 3))
    ours = KernelPCA(4, kernel="rbf").fit(many)
    theirs = decomposition.KernelPCA(4, kernel="rbf", eigen_solver="dense").fit(many)
    np.testing.assert_allclose(ours.eigenvalues_, theirs.eigenvalues_, rtol=1e-8)
    same_up_to_sign(ours.transform(NEW[:, :3]), theirs.transform(NEW[:, :3]), 1e-6)


def test_scores_are_uncorrelated_with_the_eigenvalues_as_squares():
    model = KernelPCA(6, kernel="rbf")
    scores = model.fit_transform(X)
    np.testing.assert_allclose(scores.T @ scores, np.diag(model.eigenvalues_), atol=1e-9)
    np.testing.assert_allclose(scores.sum(0), 0, atol=1e-9)


def test_precomputed_kernel():
    named = KernelPCA(3, kernel="rbf", gamma=0.5).fit(X)
    given = KernelPCA(3, kernel="precomputed").fit(gaussian(X))
    np.testing.assert_allclose(given.transform(gaussian(NEW, X)), named.transform(NEW), atol=1e-9)


def test_pre_images_denoise_and_agree_with_scikit_learn():
    clean, _ = make_circles(300, factor=0.4, random_state=0)
    noisy = clean + RNG.normal(scale=0.1, size=clean.shape)
    options = {"kernel": "rbf", "gamma": 2.0, "alpha": 0.01, "fit_inverse_transform": True}
    ours = KernelPCA(6, **options).fit(noisy)
    theirs = decomposition.KernelPCA(6, eigen_solver="dense", **options).fit(noisy)
    back = ours.inverse_transform(ours.transform(noisy))
    np.testing.assert_allclose(back, theirs.inverse_transform(theirs.transform(noisy)), atol=1e-5)
    assert np.mean((back - clean) ** 2) < np.mean((noisy - clean) ** 2)
    with pytest.raises(NotFittedError, match="fit_inverse_transform=True"):
        KernelPCA().fit(X).inverse_transform(X)
    with pytest.raises(ValueError, match="Cannot fit_inverse_transform"):
        KernelPCA(kernel="precomputed", fit_inverse_transform=True).fit(gaussian(X))


@pytest.mark.parametrize("kernel", ["linear", "rbf", "precomputed"])
@pytest.mark.parametrize("eigen_solver", ["arpack", "randomized"])
def test_partial_solvers_agree_with_the_dense_one(kernel, eigen_solver):
    rows = RNG.normal(size=(300, 5)) * [4, 3, 2, 1, 0.5]
    given, new = rows, rows[:7] + 0.1
    if kernel == "precomputed":
        given, new = gaussian(rows, sigma=3), gaussian(new, rows, sigma=3)
    partial = KernelPCA(4, kernel=kernel, eigen_solver=eigen_solver, random_state=0).fit(given)
    dense = KernelPCA(4, kernel=kernel, eigen_solver="dense").fit(given)
    np.testing.assert_allclose(partial.eigenvalues_, dense.eigenvalues_, rtol=1e-8)
    np.testing.assert_allclose(partial.transform(new), dense.transform(new), atol=1e-4)


def test_many_samples_are_solved_without_the_gram_matrix(monkeypatch):
    monkeypatch.setattr("shallows.kernel._kernel_pca.GRAM_LIMIT", 50)
    dense = KernelPCA(2, kernel="rbf", eigen_solver="dense").fit(X)

    def whole(*_):
        raise AssertionError("the Gram matrix was built")

    monkeypatch.setattr("shallows.kernel._resolve.Kernel.__call__", whole)
    model = KernelPCA(2, kernel="rbf", random_state=0).fit(X)
    np.testing.assert_allclose(model.eigenvalues_, dense.eigenvalues_, rtol=1e-8)
    single = KernelPCA(2, kernel="rbf", random_state=0).fit(X.astype(np.float32))
    assert single.eigenvalues_.dtype == np.float32
    np.testing.assert_allclose(single.eigenvalues_, dense.eigenvalues_, rtol=1e-5)


@pytest.mark.parametrize("eigen_solver", ["arpack", "randomized"])
def test_partial_solvers_must_know_how_many(eigen_solver):
    with pytest.raises(ValueError, match="say how many in n_components"):
        KernelPCA(eigen_solver=eigen_solver).fit(X)
