"""Sparse samples give what the same dense samples give."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix, random_array
from sklearn import decomposition
from sklearn.svm import SVC as SklearnSVC

from shallows.kernel import (
    SVC,
    SVR,
    KernelAdaTron,
    KernelPCA,
    KernelPerceptron,
    KernelRidge,
    KernelRidgeClassifier,
    KernelRidgeCV,
    SimpleSMO,
)

RNG = np.random.default_rng(0)
SPARSE = random_array((150, 30), density=0.2, rng=RNG).tocsr()
X = SPARSE.toarray()
VALUES = X @ RNG.normal(size=30)
CLASSES = np.digitize(VALUES, np.quantile(VALUES, [0.3, 0.6]))
WEIGHTS = RNG.random(150) + (RNG.random(150) > 0.1)
KERNELS = ["linear", "poly", "rbf", "sigmoid"]


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("cache_size", [200, 0.01])
def test_support_vector_machines(kernel, cache_size):
    options = {"kernel": kernel, "cache_size": cache_size, "tol": 1e-6, "coef0": 0.5}
    sparse = SVC(**options).fit(SPARSE, CLASSES, WEIGHTS)
    dense = SVC(**options).fit(X, CLASSES, WEIGHTS)
    expected = dense.decision_function(X)
    np.testing.assert_allclose(sparse.decision_function(SPARSE), expected, atol=1e-4)
    np.testing.assert_allclose(sparse.decision_function(X), expected, atol=1e-4)
    np.testing.assert_allclose(dense.decision_function(SPARSE), expected, atol=1e-9)
    curve = SVR(**options).fit(SPARSE, VALUES, WEIGHTS).predict(SPARSE)
    np.testing.assert_allclose(curve, SVR(**options).fit(X, VALUES, WEIGHTS).predict(X), atol=1e-4)
    if kernel == "sigmoid":
        return  # no kernel, so there is more than one solution
    theirs = SklearnSVC(kernel=kernel, tol=1e-6, coef0=0.5).fit(SPARSE, CLASSES, WEIGHTS)
    assert np.mean(theirs.predict(SPARSE) == sparse.predict(SPARSE)) > 0.99


def test_weights_equal_repetition():
    times = RNG.integers(0, 3, 150)
    again = np.repeat(np.arange(150), times)
    for model, targets in (
        (SVC(tol=1e-7), CLASSES),
        (SVR(tol=1e-7), VALUES),
        (KernelAdaTron(C=1.0, tol=1e-7, max_iter=20_000), CLASSES),
    ):
        # The default width depends on the samples; with weights it must come out the same.
        weighted = model.fit(SPARSE, targets, times).predict(SPARSE)
        repeated = model.fit(SPARSE[again], targets[again]).predict(SPARSE)
        np.testing.assert_allclose(weighted, repeated, atol=1e-4)


def test_linear_weights_and_probabilities():
    sparse = SVC(kernel="linear", probability=True, random_state=0).fit(SPARSE, CLASSES)
    dense = SVC(kernel="linear", probability=True, random_state=0).fit(X, CLASSES)
    np.testing.assert_allclose(sparse.coef_, dense.coef_, atol=1e-6)
    np.testing.assert_allclose(sparse.predict_proba(SPARSE), dense.predict_proba(X), atol=1e-6)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("solver", ["cholesky", "cg"])
def test_ridge(kernel, solver):
    if kernel == "sigmoid" and solver == "cg":
        pytest.skip("not positive semi-definite, as conjugate gradients need")
    options = {"alpha": 1.0, "kernel": kernel, "solver": solver, "tol": 1e-12, "random_state": 0}
    sparse = KernelRidge(**options).fit(csr_matrix(SPARSE), VALUES, WEIGHTS)
    dense = KernelRidge(**options).fit(X, VALUES, WEIGHTS)
    np.testing.assert_allclose(sparse.predict(SPARSE), dense.predict(X), atol=1e-6)
    left_out = KernelRidge(**options).leave_one_out(SPARSE, VALUES)
    np.testing.assert_allclose(left_out, KernelRidge(**options).leave_one_out(X, VALUES), atol=1e-8)


@pytest.mark.parametrize(
    "model",
    [
        KernelRidgeClassifier(),
        KernelRidgeCV(),
        KernelAdaTron(C=1.0),
        KernelPerceptron(random_state=0),
        SimpleSMO(random_state=0),
    ],
    ids=lambda model: type(model).__name__,
)
def test_the_others(model):
    targets = VALUES if isinstance(model, KernelRidgeCV) else CLASSES
    expected = model.fit(X, targets).predict(X)
    found = model.fit(SPARSE, targets).predict(SPARSE)
    np.testing.assert_allclose(found, expected, atol=1e-8)


@pytest.mark.parametrize("model", [SVC(kernel="laplacian"), KernelRidge(kernel=lambda a, b: a @ b)])
def test_kernels_that_need_dense_samples_say_so(model):
    with pytest.raises(TypeError, match="sparse samples go with the kernels"):
        model.fit(SPARSE, CLASSES)


def test_single_precision_stays():
    model = SVC().fit(SPARSE.astype(np.float32), CLASSES)
    assert model.dual_coef_.dtype == np.float32
    assert model.decision_function(SPARSE.astype(np.float32)).dtype == np.float32


@pytest.mark.parametrize("solver", ["dense", "arpack", "randomized"])
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_kernel_pca_of_sparse_samples(solver, kernel):
    options = {"n_components": 3, "kernel": kernel, "gamma": 0.1}
    model = KernelPCA(eigen_solver=solver, random_state=0, **options).fit(SPARSE)
    theirs = decomposition.KernelPCA(eigen_solver="dense", **options).fit(X)
    expected = np.abs(theirs.transform(X))
    np.testing.assert_allclose(np.abs(model.transform(SPARSE)), expected, atol=1e-5)
    np.testing.assert_allclose(np.abs(model.transform(X)), expected, atol=1e-5)
    back = KernelPCA(fit_inverse_transform=True, **options).fit(SPARSE)
    assert back.inverse_transform(back.transform(SPARSE)).shape == X.shape
