"""Kernel AdaTron, kernel perceptron and simplified SMO: naive versions and SVC as oracles."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn import svm
from sklearn.datasets import load_iris, make_blobs, make_circles
from sklearn.exceptions import ConvergenceWarning

from shallows.kernel import (
    SVC,
    KernelAdaTron,
    KernelExpansion,
    KernelPerceptron,
    SimpleSMO,
    _kernel_perceptron,
    gaussian,
    kkt_violations,
    linear,
    polynomial,
    quadratic_features,
    support_fraction,
)
from shallows.kernel._simple_smo import smo_sweep

RNG = np.random.default_rng(0)
CIRCLES, RING = make_circles(80, factor=0.4, noise=0.05, random_state=0)
SIGNS = 2.0 * RING - 1
BLOBS, BLOB = make_blobs(60, centers=[[-1, -1], [1, 1]], random_state=3)


def naive_adatron(gram, signs, step, cap, passes):
    strengths = np.zeros(len(signs))
    for _ in range(passes):
        for i in range(len(signs)):
            potential = signs[i] * gram[i] @ (strengths * signs)
            strengths[i] = min(max(strengths[i] + step * (1 - potential), 0), cap)
    return strengths


@pytest.mark.kernel
@pytest.mark.parametrize("C", [None, 0.5])
def test_adatron_equals_its_formula(C):
    model = KernelAdaTron(C, kernel=gaussian, learning_rate=0.8, max_iter=5)
    with pytest.warns(ConvergenceWarning, match="max_iter=5"):
        model.fit(CIRCLES, RING)
    cap = np.inf if C is None else C
    strengths = naive_adatron(gaussian(CIRCLES), SIGNS, 0.8, cap, 5)
    found = np.zeros(80)
    found[model.support_] = np.abs(model.dual_coef_[0])
    np.testing.assert_allclose(found, strengths, atol=1e-10)


@pytest.mark.kernel
@pytest.mark.parametrize("passes", [6, 20, 200])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_adatron_stops_anywhere_with_the_dual_value_of_its_strengths(passes):
    X, y = load_iris(return_X_y=True)
    model = KernelAdaTron(1.0, kernel=gaussian, max_iter=passes, tol=1e-2).fit(X, y)
    coef, gram = np.zeros((3, 150)), gaussian(X)
    coef[:, model.support_] = model.dual_coef_
    dual = np.abs(coef).sum() - np.einsum("ki,ij,kj->", coef, gram, coef) / 2
    assert model.history_["loss"][-1] == pytest.approx(-dual, rel=1e-9)
    assert np.all(np.diff(model.history_["loss"]) <= 1e-12)
    signs = np.where(y == np.arange(3)[:, None], 1.0, -1.0)
    strengths, margins = np.abs(coef), signs * (coef @ gram)
    converged = not kkt_violations(strengths, margins, 1.0, 2e-2).any()
    assert converged == (passes == 200)


@pytest.mark.parametrize("C", [None, 0.5])
def test_adatron_ends_where_passes_over_all_samples_end(C):
    model = KernelAdaTron(C, kernel=gaussian, tol=1e-9, max_iter=20000).fit(CIRCLES, RING)
    naive = naive_adatron(gaussian(CIRCLES), SIGNS, 1.0, np.inf if C is None else C, 3000)
    fields = gaussian(CIRCLES) @ (naive * SIGNS)
    np.testing.assert_allclose(model.decision_function(CIRCLES), fields, atol=1e-6)


def test_adatron_raises_the_dual_to_the_optimum_of_the_largest_margin():
    model = KernelAdaTron(kernel=polynomial, tol=1e-6, max_iter=20000).fit(CIRCLES, RING)
    assert np.all(np.diff(model.history_["loss"]) <= 1e-12)
    margins = SIGNS * model.decision_function(CIRCLES)
    assert margins.min() == pytest.approx(1, abs=1e-5)
    np.testing.assert_allclose(margins[model.support_], 1, atol=1e-5)
    features = quadratic_features(CIRCLES, 1.0)
    explicit = KernelAdaTron(kernel="linear", tol=1e-6, max_iter=20000).fit(features, RING)
    np.testing.assert_allclose(
        explicit.decision_function(features), model.decision_function(CIRCLES), atol=1e-4
    )


def test_adatron_of_several_classes_is_one_for_each():
    X, y = load_iris(return_X_y=True)
    together = KernelAdaTron(1.0, gamma=0.5).fit(X, y)
    alone = [KernelAdaTron(1.0, gamma=0.5).fit(X, y == label) for label in range(3)]
    fields = np.column_stack([model.decision_function(X) for model in alone])
    np.testing.assert_allclose(together.decision_function(X), fields, atol=1e-10)
    passes = [model.n_iter_ for model in alone]
    assert max(passes) <= together.n_iter_ < sum(passes)  # classes wait for one another
    assert together.history_["kkt"][-1] <= 1e-3


def test_adatron_of_the_linear_kernel_is_that_of_the_liblinear_dual():
    model = KernelAdaTron(1.0, kernel="linear", tol=1e-8, max_iter=50000).fit(BLOBS, BLOB)
    other = svm.LinearSVC(
        C=1.0, loss="hinge", fit_intercept=False, tol=1e-9, max_iter=10**6, random_state=0
    ).fit(BLOBS, BLOB)
    weights = model.dual_coef_ @ model.support_vectors_
    np.testing.assert_allclose(weights, other.coef_, atol=1e-5)


@pytest.mark.kernel
def test_perceptron_equals_its_rule_and_ends_without_mistakes():
    model = KernelPerceptron(kernel=gaussian, shuffle=False, max_iter=500).fit(CIRCLES, RING)
    gram, counts, mistakes = gaussian(CIRCLES) + 1, np.zeros(80), 1
    while mistakes:
        mistakes = 0
        for i in range(80):
            if SIGNS[i] * (gram[i] @ (counts * SIGNS)) <= 0:
                counts[i] += 1
                mistakes += 1
    found = np.zeros(80)
    found[model.support_] = model.dual_coef_[0]
    np.testing.assert_array_equal(found, counts * SIGNS)
    assert model.history_["loss"][-1] == 0 and model.score(CIRCLES, RING) == 1


@pytest.mark.parametrize("form", [np.asarray, csr_array])
@pytest.mark.parametrize("options", [{"gamma": 0.5}, {"kernel": "poly", "gamma": 1, "coef0": 1}])
def test_perceptron_learns_part_by_part(form, options, monkeypatch):
    monkeypatch.setattr(_kernel_perceptron, "TOGETHER", 30)
    X, y = (part[np.random.default_rng(0).permutation(150)] for part in load_iris(return_X_y=True))
    model = KernelPerceptron(**options)
    for rows in (slice(0, 20), slice(20, 21), slice(21, 150)):
        model.partial_fit(form(X[rows]), y[rows], classes=[0, 1, 2])
        assert model._n_members == rows.stop
    gram = gaussian(X) if "kernel" not in options else polynomial(X, degree=3)
    coefficients = np.zeros((3, 150))
    for label in range(3):
        for i in range(150):
            sign = 1 if y[i] == label else -1
            if sign * (coefficients[label] @ (gram[i] + 1)) <= 0:
                coefficients[label, i] += sign
    np.testing.assert_array_equal(model.support_, np.flatnonzero(coefficients.any(axis=0)))
    np.testing.assert_array_equal(model.dual_coef_, coefficients[:, model.support_])
    np.testing.assert_array_equal(model.intercept_, coefficients.sum(axis=1))
    expected = gram @ coefficients.T + model.intercept_
    np.testing.assert_allclose(model.decision_function(X), expected, atol=1e-9 * gram.max())
    assert model.n_iter_ == len(model.history_["loss"]) == 3
    once = KernelPerceptron(shuffle=False, max_iter=1, **options).fit(X, y)
    np.testing.assert_array_equal(model.dual_coef_, once.dual_coef_)
    assert support_fraction(model) == support_fraction(once)


def test_perceptron_goes_on_from_a_fit_until_there_are_no_mistakes():
    model = KernelPerceptron(gamma=0.5, shuffle=False, max_iter=1).fit(CIRCLES, RING)
    whole = KernelPerceptron(gamma=0.5, shuffle=False, max_iter=500).fit(CIRCLES, RING)
    while model.history_["loss"][-1]:
        model.partial_fit(CIRCLES, RING)
    assert model.history_ == whole.history_ and model.n_iter_ == whole.n_iter_
    np.testing.assert_allclose(
        model.decision_function(CIRCLES), whole.decision_function(CIRCLES), atol=1e-9
    )
    model.partial_fit(csr_array(CIRCLES.astype(np.float32)), RING)
    assert model.support_vectors_.dtype == np.float64


def test_perceptron_refuses_parts_that_do_not_fit():
    with pytest.raises(ValueError, match=r"got kernel='precomputed'\. Name a kernel"):
        KernelPerceptron(kernel="precomputed").partial_fit(gaussian(CIRCLES), RING)
    with pytest.raises(ValueError, match="at least 2 classes"):
        KernelPerceptron().partial_fit(CIRCLES, np.zeros(80))
    model = KernelPerceptron().partial_fit(CIRCLES, RING, classes=[0, 1])
    with pytest.raises(ValueError, match="y holds 2, which is not one of the classes"):
        model.partial_fit(CIRCLES, RING + 1)
    with pytest.raises(ValueError, match="1 features"):
        model.partial_fit(CIRCLES[:, :1], RING)


@pytest.mark.parametrize("C", [0.1, 10.0])
def test_simple_smo_with_kkt_exit_reaches_the_optimum(C):
    exact = SVC(C, kernel="linear", tol=1e-6).fit(BLOBS, BLOB)
    simple = SimpleSMO(C, kernel="linear", stop="kkt", random_state=0).fit(BLOBS, BLOB)
    best = -exact.history_["loss"][-1]
    assert -simple.history_["loss"][-1] == pytest.approx(best, rel=1e-4)
    np.testing.assert_allclose(
        simple.decision_function(BLOBS), exact.decision_function(BLOBS), atol=2e-2
    )


@pytest.mark.kernel
def test_simple_smo_keeps_the_constraints_and_never_lowers_the_dual():
    model = SimpleSMO(2.0, kernel=gaussian, random_state=1).fit(CIRCLES, RING)
    assert model.dual_coef_.sum() == pytest.approx(0, abs=1e-9)
    assert 0 < np.abs(model.dual_coef_).max() <= 2.0
    assert np.all(np.diff(model.history_["loss"]) <= 1e-9)
    assert model.score(CIRCLES, RING) == 1


@pytest.mark.kernel
def test_simple_smo_records_dual_value_and_violation():
    X, y = load_iris(return_X_y=True)
    model = SimpleSMO(2.0, kernel=gaussian, stop="kkt", random_state=0).fit(X, y)
    coef, gram = np.zeros((3, 150)), gaussian(X)
    coef[:, model.support_] = model.dual_coef_
    dual = np.abs(coef).sum() - np.einsum("ki,ij,kj->", coef, gram, coef) / 2
    assert model.history_["loss"][-1] == pytest.approx(-dual, rel=1e-9)
    signs = np.where(y == np.arange(3)[:, None], 1.0, -1.0)
    slopes = signs - coef @ gram
    low, high = np.minimum(2 * signs, 0), np.maximum(2 * signs, 0)
    highest = np.where(coef < high, slopes, -np.inf).max(axis=1)
    lowest = np.where(coef > low, slopes, np.inf).min(axis=1)
    worst = (highest - lowest).max()
    assert model.history_["kkt"][-1] == pytest.approx(worst, abs=1e-9)
    assert worst <= 2e-3


def naive_smo(gram, y, C, tol, partners):
    """Platt's pairs, with every decision summed afresh; thresholds as in his equations."""
    a, b = np.zeros(len(y)), 0.0
    for i, j in enumerate(partners):
        before = gram @ (a * y) - b - y
        if not ((y[i] * before[i] < -tol and a[i] < C) or (y[i] * before[i] > tol and a[i] > 0)):
            continue
        start = a[[i, j]].copy()
        same = y[i] == y[j]
        low = max(0, a[i] + a[j] - C) if same else max(0, a[j] - a[i])
        high = min(C, a[i] + a[j]) if same else min(C, C + a[j] - a[i])
        bend = gram[i, i] + gram[j, j] - 2 * gram[i, j]
        a[j] = np.clip(a[j] + y[j] * (before[i] - before[j]) / bend, low, high)
        if abs(a[j] - start[1]) < 1e-5:
            a[j] = start[1]
            continue
        a[i] = np.clip(a[i] + y[i] * y[j] * (start[1] - a[j]), 0, C)
        errors = gram @ (a * y) - b - y  # a threshold higher by an error makes that error vanish
        free = [k for k in (i, j) if 1e-12 * C < a[k] < (1 - 1e-12) * C]
        b += errors[free[0]] if free else (errors[i] + errors[j]) / 2
    return a, gram @ (a * y), b


@pytest.mark.kernel
@pytest.mark.parametrize("C", [0.02, 0.3, 50.0])
def test_a_sweep_of_simple_smo_is_platts(C):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3)) + 0.5  # a kernel whose diagonal varies
    gram, y = (1 + X @ X.T) ** 2, np.where(X[:, 0] + rng.normal(size=40) > 0.5, 1.0, -1.0)
    drawn = rng.integers(0, 39, 40)
    partners = drawn + (drawn >= np.arange(40))
    state = np.zeros((1, 40)), np.zeros((1, 40)), np.zeros(1)
    smo_sweep(gram, y[None], np.full(40, C), 1e-3, drawn[None], *state)
    for found, expected in zip(state, naive_smo(gram, y, C, 1e-3, partners), strict=True):
        np.testing.assert_allclose(found[0], expected, rtol=1e-9, atol=1e-12)


def test_simple_smo_solves_two_points_exactly():
    model = SimpleSMO(kernel="linear", random_state=0).fit([[-1.0], [1.0]], [0, 1])
    np.testing.assert_allclose(model.dual_coef_, [[-0.5, 0.5]])
    assert model.intercept_[0] == 0


def test_simple_smo_warns():
    with pytest.warns(ConvergenceWarning, match="use SVC"):
        SimpleSMO(10.0, kernel="linear", max_iter=2).fit(BLOBS, BLOB)


@pytest.mark.parametrize("cls", [KernelAdaTron, KernelPerceptron, SimpleSMO])
def test_precomputed_kernels_agree_with_named_ones(cls):
    options = {} if cls is KernelAdaTron else {"random_state": 0}
    options |= {} if cls is KernelPerceptron else {"C": 1.0}
    named = cls(kernel=gaussian, **options).fit(CIRCLES, RING)
    gram = gaussian(CIRCLES)
    given = cls(kernel="precomputed", **options).fit(gram, RING)
    np.testing.assert_allclose(
        given.decision_function(gram), named.decision_function(CIRCLES), atol=1e-9
    )


def test_expansion_is_the_decision_function():
    model = SVC(gamma=0.5).fit(CIRCLES, RING)
    f = KernelExpansion(
        model.support_vectors_, model.dual_coef_[0], gaussian, float(model.intercept_[0])
    )
    np.testing.assert_allclose(f(CIRCLES), model.decision_function(CIRCLES), atol=1e-10)
    weights = KernelExpansion(BLOBS, BLOB.astype(float), linear)
    np.testing.assert_allclose(weights(BLOBS), BLOBS @ (BLOBS.T @ BLOB), atol=1e-9)


def test_support_fraction_and_violations():
    model = SVC(C=5.0, tol=1e-5).fit(BLOBS, BLOB)
    assert support_fraction(model) == len(model.support_) / 60
    narrow = SVC(gamma=1e6).fit(BLOBS, BLOB)
    assert support_fraction(narrow) == 1
    strengths = np.zeros(60)
    strengths[model.support_] = np.abs(model.dual_coef_[0])
    margins = (2 * BLOB - 1) * model.decision_function(BLOBS)
    assert not kkt_violations(strengths, margins, 5.0).any()
    assert kkt_violations(strengths * 0, margins, 5.0).sum() == np.sum(margins < 0.999)
