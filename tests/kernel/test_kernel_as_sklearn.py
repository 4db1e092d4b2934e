"""Kernels by scikit-learn's names and functions, a penalty per target."""

import numpy as np
import pytest
from sklearn import decomposition, kernel_ridge
from sklearn.datasets import load_iris
from sklearn.metrics.pairwise import laplacian_kernel

from shallows.kernel import KernelPCA, KernelRidge

X = load_iris().data
Y = np.column_stack([X[:, 0] * X[:, 1], X[:, 2] ** 2])


def overlap(x, z, scale=1.0):
    return scale * float(np.minimum(x, z).sum())


def sharp(X, Z, gamma):
    return laplacian_kernel(X, Z, gamma)


@pytest.mark.parametrize(
    "options",
    [
        {"kernel": "cosine"},
        {"kernel": "polynomial", "degree": 2},
        {"kernel": "chi2", "gamma": 0.3},
        {"kernel": "additive_chi2", "alpha": 500.0},
        {"kernel": overlap},
        {"kernel": overlap, "kernel_params": {"scale": 2.0}},
        {"kernel": "rbf", "alpha": [0.1, 3.0]},
    ],
    ids=lambda options: str(options).split(" at 0x")[0],
)
def test_kernel_ridge_is_scikit_learns(options):
    ours = KernelRidge(**options).fit(X, Y)
    theirs = kernel_ridge.KernelRidge(**options).fit(X.copy(), Y)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-5, atol=1e-5)


def test_functions_of_matrices_take_parameters():
    model = KernelRidge(kernel=sharp, kernel_params={"gamma": 0.5}).fit(X, Y)
    named = KernelRidge(kernel="laplacian", gamma=0.5).fit(X, Y)
    np.testing.assert_allclose(model.predict(X), named.predict(X), rtol=1e-9)


def test_kernel_pca_takes_functions_and_leaves_zeros_out():
    ours = KernelPCA(3, kernel=overlap, kernel_params={"scale": 2.0}).fit(X)
    theirs = decomposition.KernelPCA(3, kernel=overlap, kernel_params={"scale": 2.0}).fit(X)
    np.testing.assert_allclose(ours.eigenvalues_, theirs.eigenvalues_, rtol=1e-9)
    few = KernelPCA(20, remove_zero_eig=True).fit(X)
    assert few.transform(X).shape == (len(X), 4)
    assert KernelPCA(20).fit(X).transform(X).shape == (len(X), 20)
