"""Kernel ridge: scikit-learn and brute force as oracles, limits of the width, large data."""

import numpy as np
import pytest
from sklearn import kernel_ridge, linear_model
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV, LeaveOneOut, cross_val_predict

from shallows.kernel import KernelRidge, KernelRidgeClassifier, KernelRidgeCV, gaussian
from shallows.kernel._resolve import Kernel
from shallows.kernel._ridge_cg import ImplicitGram, solve_ridge

RNG = np.random.default_rng(0)
X = RNG.normal(size=(120, 4))
y = np.sin(2 * X[:, 0]) + 0.1 * RNG.normal(size=120)
WEIGHTS = RNG.random(120) + 0.1
SAMPLES = X[:50], y[:50]
RBF = {"kernel": "rbf", "gamma": 0.3}


@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf", "laplacian", "sigmoid"])
@pytest.mark.parametrize("weights", [None, WEIGHTS])
def test_agrees_with_scikit_learn(kernel, weights):
    targets = np.column_stack([y, X[:, 1]])
    options = {"kernel": kernel, "alpha": 3.0, "gamma": 0.02}
    ours = KernelRidge(**options).fit(X, targets, weights)
    theirs = kernel_ridge.KernelRidge(**options).fit(X, targets, weights)
    np.testing.assert_allclose(ours.dual_coef_, theirs.dual_coef_, atol=1e-8)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), atol=1e-8)


def test_linear_kernel_is_ridge_regression():
    model = KernelRidge(alpha=0.7).fit(X, y)
    ridge = linear_model.Ridge(alpha=0.7, fit_intercept=False).fit(X, y)
    np.testing.assert_allclose(X.T @ model.dual_coef_, ridge.coef_, atol=1e-10)
    np.testing.assert_allclose(model.dual_coef_, (y - model.predict(X)) / 0.7, atol=1e-10)


def test_limits_of_the_width():
    narrow = KernelRidge(alpha=0.5, kernel="rbf", gamma=1e8).fit(X, y)
    np.testing.assert_allclose(narrow.predict(X), y / 1.5, rtol=1e-6)
    wide = KernelRidge(alpha=0.5, kernel="rbf", gamma=1e-12).fit(X, y)
    np.testing.assert_allclose(wide.predict(X), y.sum() / 120.5, atol=1e-8)


@pytest.mark.parametrize("weights", [None, WEIGHTS])
def test_leave_one_out_equals_brute_force(weights):
    alphas = [0.01, 1.0]
    found = KernelRidge(**RBF).leave_one_out(X, y, alphas, weights)
    for alpha, ours in zip(alphas, found, strict=True):
        model = kernel_ridge.KernelRidge(alpha=alpha, **RBF)
        params = {} if weights is None else {"params": {"sample_weight": weights}}
        brute = cross_val_predict(model, X, y, cv=LeaveOneOut(), **params)
        np.testing.assert_allclose(ours, brute, atol=1e-11)


def test_leave_one_out_of_a_precomputed_kernel_and_several_targets():
    targets = np.column_stack([y, -y])
    expected = KernelRidge(**RBF).leave_one_out(X, y)
    gram = gaussian(X, sigma=np.sqrt(0.5 / 0.3))
    found = KernelRidge(kernel="precomputed").leave_one_out(gram, targets)
    np.testing.assert_allclose(found[:, :, 0], expected, atol=1e-10)
    np.testing.assert_allclose(found[:, :, 1], -expected, atol=1e-10)


def test_selection_finds_what_a_grid_search_by_leave_one_out_finds():
    alphas, gammas = [0.01, 0.1, 1.0], [0.05, 0.3, 2.0]
    X, y = SAMPLES
    ours = KernelRidgeCV(alphas, gammas=gammas).fit(X, y)
    theirs = GridSearchCV(
        kernel_ridge.KernelRidge(kernel="rbf"),
        {"alpha": alphas, "gamma": gammas},
        scoring="neg_mean_squared_error",
        cv=LeaveOneOut(),
    ).fit(X, y)
    errors = -theirs.cv_results_["mean_test_score"].reshape(3, 3).T
    np.testing.assert_allclose(ours.errors_, errors, rtol=1e-9)
    best = {"alpha": ours.alpha_, "gamma": ours.gamma_}
    assert best == theirs.best_params_
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), atol=1e-9)


@pytest.mark.parametrize("n", [50, 450])
def test_generalized_cross_validation_is_its_formula(n):
    points = np.random.default_rng(1).normal(size=(n, 3))
    values = np.sin(points[:, 0]) + 0.1 * points[:, 1]
    alphas, gammas = [0.01, 1.0], [0.1, 1.0]
    model = KernelRidgeCV(alphas, gammas=gammas, criterion="gcv").fit(points, values)
    for gamma, errors in zip(gammas, model.errors_, strict=True):
        for alpha, error in zip(alphas, errors, strict=True):
            K = rbf_kernel(points, gamma=gamma)
            H = K @ np.linalg.inv(K + alpha * np.eye(n))
            free = 1 - np.trace(H) / n
            assert error == pytest.approx(np.mean((values - H @ values) ** 2) / free**2, rel=1e-8)
    fixed = KernelRidge(model.alpha_, kernel="rbf", gamma=model.gamma_).fit(points, values)
    np.testing.assert_allclose(model.predict(points), fixed.predict(points), atol=1e-8)


def test_a_weight_in_generalized_cross_validation_counts_samples():
    counts = np.arange(50) % 3 + 1
    options = {"alphas": [0.01, 1.0], "gammas": [0.1, 1.0], "criterion": "gcv"}
    weighted = KernelRidgeCV(**options).fit(*SAMPLES, counts)
    repeated = KernelRidgeCV(**options).fit(*(np.repeat(part, counts, axis=0) for part in SAMPLES))
    np.testing.assert_allclose(weighted.errors_, repeated.errors_, rtol=1e-8)


@pytest.mark.parametrize("kernel", ["linear", "precomputed", gaussian])
def test_selection_without_a_width(kernel):
    data = gaussian(X) if kernel == "precomputed" else X
    model = KernelRidgeCV(kernel=kernel).fit(data, y)
    fixed = KernelRidge(model.alpha_, kernel=kernel).fit(data, y)
    assert model.errors_.shape == (1, 22)
    np.testing.assert_allclose(model.predict(data), fixed.predict(data), atol=1e-8)


@pytest.mark.parametrize("rank", [1, 30, 1000])
@pytest.mark.parametrize("weights", [None, WEIGHTS])
def test_conjugate_gradients_reach_the_same_solution(rank, weights):
    exact = KernelRidge(alpha=0.1, **RBF).fit(X, y, weights)
    model = KernelRidge(alpha=0.1, solver="cg", rank=rank, random_state=0, **RBF)
    model.fit(X, y, weights)
    np.testing.assert_allclose(model.predict(X), exact.predict(X), atol=1e-5)
    assert model.residuals_[-1] <= 1e-6


@pytest.mark.parametrize(("alpha", "tol"), [(1e-2, 1e-8), (1e-4, 1e-8), (1e-6, 1e-6)])
def test_residuals_are_those_of_the_exact_kernel(alpha, tol):
    """Kernel values in single precision would leave residuals of 1e-5 and more."""
    rng = np.random.default_rng(0)
    points = rng.random((1500, 2))
    targets = np.sin(8 * points[:, 0]) * np.cos(5 * points[:, 1]) + 0.01 * rng.normal(size=1500)
    options = {"alpha": alpha, "kernel": "rbf", "gamma": 1.0}
    model = KernelRidge(solver="cg", rank=300, tol=tol, random_state=0, **options)
    coef = model.fit(points, targets).dual_coef_
    gram = np.exp(-((points[:, None] - points) ** 2).sum(axis=2))
    left = np.linalg.norm(targets - gram @ coef - alpha * coef) / np.linalg.norm(targets)
    assert left <= tol
    assert model.residuals_[-1] == pytest.approx(left, rel=0.01)
    exact = KernelRidge(solver="cholesky", **options).fit(points, targets)
    np.testing.assert_allclose(model.predict(points), exact.predict(points), atol=5 * tol)


def test_conjugate_gradients_refuse_what_is_no_kernel():
    points = load_iris().data
    with pytest.raises(ValueError, match='solver="cg" needs a positive semi-definite kernel'):
        KernelRidge(0.1, kernel="sigmoid", gamma=0.01, solver="cg").fit(points, points[:, 0])


@pytest.mark.parametrize(
    "options",
    [{"gammas": [np.inf]}, {"gammas": ["scale"]}, {"kernel": "linear", "gammas": [1.0, 2.0]}],
)
def test_widths_that_make_no_sense_are_refused(options):
    with pytest.raises(ValueError, match="KernelRidgeCV: gammas"):
        KernelRidgeCV(**options).fit(X, y)


def test_preconditioner_saves_steps():
    points = RNG.normal(size=(600, 3))
    targets = np.sin(points[:, :1])
    kernel, ones = Kernel("rbf", 0.5), np.ones(600)
    steps = [
        len(solve_ridge(kernel, points, targets, ones, 0.01, rank, 1e-6, RNG)[1])
        for rank in (1, 200)
    ]
    assert steps[1] < steps[0] / 5


@pytest.mark.kernel
@pytest.mark.parametrize("n", [1, 2, 7, 50])
def test_implicit_products_equal_explicit_ones(n, monkeypatch):
    monkeypatch.setattr("shallows.kernel._ridge_cg.BLOCK", 3)
    kernel, roots = Kernel("poly", 0.5, 2, 1.0), RNG.random(n)
    vectors = RNG.normal(size=(n, 2))
    found = ImplicitGram(kernel, X[:n], roots, np.float64) @ vectors
    expected = (kernel(X[:n]) * roots[:, None] * roots) @ vectors
    np.testing.assert_allclose(found, expected, atol=1e-10)


def test_classifier_is_regression_to_signs():
    labels = np.array(["b", "a"])[(y > 0).astype(int)]
    model = KernelRidgeClassifier(alpha=0.2, **RBF).fit(X, labels)
    signs = np.where(labels == "b", 1.0, -1.0)
    expected = KernelRidge(alpha=0.2, **RBF).fit(X, signs).predict(X)
    np.testing.assert_allclose(model.decision_function(X), expected, atol=1e-10)
    assert list(model.predict(X[:3])) == ["b" if value > 0 else "a" for value in expected[:3]]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"alphas": [0.1, -1.0]}, "positive finite"),
        ({"alphas": np.geomspace(1e-3, 1, 1001)}, "at most 1000"),
        ({"gammas": [0.0]}, "gammas must be"),
    ],
)
def test_bad_grids_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        KernelRidgeCV(**options).fit(X, y)


def test_bad_input_is_refused():
    with pytest.raises(ValueError, match="alpha must be"):
        KernelRidge(alpha=-1.0).fit(X, y)
    with pytest.raises(ValueError, match="one per target"):
        KernelRidge(alpha=[1.0, 2.0]).fit(X, y)
    with pytest.raises(ValueError, match="not positive definite"):
        KernelRidge(alpha=1e-3, kernel=lambda A, B: -gaussian(A, B)).fit(X, y)
    with pytest.raises(ValueError, match="positive semi-definite"):
        KernelRidge(kernel="precomputed").fit(-gaussian(X), y)


def test_too_hard_a_problem_warns(monkeypatch):
    monkeypatch.setattr("shallows.kernel._ridge_cg.MAX_STEPS", 2)
    with pytest.warns(ConvergenceWarning, match="relative residual"):
        KernelRidge(alpha=1e-6, solver="cg", rank=1, **RBF).fit(X, y)
