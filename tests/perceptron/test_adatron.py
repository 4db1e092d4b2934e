"""AdaTron against libsvm, quadratic programming, and the Kuhn-Tucker conditions."""

import numpy as np
import pytest
from scipy.optimize import minimize, nnls
from scipy.sparse import csr_matrix
from sklearn.datasets import load_digits, load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC, LinearSVC

from shallows.perceptron import AdaTron
from shallows.perceptron._dual_ascent import DualAscent
from shallows.perceptron._parallel import balanced_parallel_sweep, largest_eigenvalue
from shallows.perceptron._smoothing import smoothed_solution


def teacher_data(seed, P, N, shift=0.0, flip=0.0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(P, N))
    S = np.sign(X @ rng.normal(size=N) + 0.3)
    S[rng.random(P) < flip] *= -1
    return X + shift, S


def textbook_adatron(X, S, cap, sweeps, rate=1.0):
    """The rule of the notes, in the space of embedding strengths and without threshold."""
    folded = X * S[:, None]
    C = folded @ folded.T
    x, duals = np.zeros(len(X)), []
    for _ in range(sweeps):
        for mu in range(len(X)):
            x[mu] = min(max(x[mu] + rate * (1 - C[mu] @ x) / C[mu, mu], 0), cap)
        duals.append(x.sum() - x @ C @ x / 2)
    return x, duals


def largest_stability(X, S):
    """Distance of the origin from the convex hull of the labelled inputs."""
    folded = X * S[:, None]
    y = nnls(np.vstack([folded.T, np.ones(len(X))]), np.eye(X.shape[1] + 1)[-1])[0]
    w = folded.T @ y
    return (folded @ w).min() / np.linalg.norm(w)


@pytest.mark.kernel
@pytest.mark.parametrize("cap", [np.inf, 0.3])
def test_strengths_equal_those_of_the_textbook(cap):
    X, S = teacher_data(0, 30, 10)
    x, duals = textbook_adatron(X, S, cap, 2000)
    assert (np.diff(duals) >= -1e-9).all()
    model = AdaTron(None if cap == np.inf else cap, threshold="none", tol=1e-10, random_state=0)
    model.fit(X, S)
    np.testing.assert_allclose(model.embedding_strengths_, x, atol=1e-4)
    np.testing.assert_allclose(model.coef_[0], (x * S) @ X, atol=1e-4)


@pytest.mark.kernel
@pytest.mark.parametrize("C", [0.05, 1.0])
@pytest.mark.parametrize("shift", [0.0, 5.0])
def test_soft_margin_equals_libsvm(C, shift):
    X, S = teacher_data(1, 80, 5, shift, flip=0.1)
    model = AdaTron(C, tol=1e-9, random_state=0).fit(X, S)
    peer = SVC(C=C, kernel="linear", tol=1e-9).fit(X, S)
    np.testing.assert_allclose(model.coef_, peer.coef_, atol=1e-4)
    np.testing.assert_allclose(model.intercept_, peer.intercept_, atol=1e-3)
    np.testing.assert_array_equal(model.support_, np.sort(peer.support_))
    strengths = np.zeros(len(X))
    strengths[peer.support_] = np.abs(peer.dual_coef_[0])
    np.testing.assert_allclose(model.embedding_strengths_, strengths, atol=1e-3)


@pytest.mark.kernel
def test_clamped_threshold_equals_liblinear():
    X, S = teacher_data(2, 60, 4, flip=0.1)
    model = AdaTron(0.5, threshold="clamped", clamp=2.0, tol=1e-10, random_state=0).fit(X, S)
    peer = LinearSVC(
        C=0.5,
        loss="hinge",
        intercept_scaling=2.0,
        tol=1e-9,
        max_iter=10**5,
        random_state=0,
    ).fit(X, S)
    np.testing.assert_allclose(model.coef_, peer.coef_, atol=1e-5)
    np.testing.assert_allclose(model.intercept_, peer.intercept_, atol=1e-5)


@pytest.mark.kernel
@pytest.mark.parametrize("seed", range(5))
def test_hard_margin_has_the_largest_stability(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(40, 20))
    S = np.sign(X @ rng.normal(size=20))
    model = AdaTron(None, threshold="none", tol=1e-9, max_iter=5000, random_state=0).fit(X, S)
    assert model.stability_[0] == pytest.approx(largest_stability(X, S), rel=1e-7)
    x, w = model.embedding_strengths_, model.coef_[0]
    assert x.sum() == pytest.approx(w @ w, rel=1e-6)
    assert x.sum() == pytest.approx(model.stability_[0] ** -2, rel=1e-6)
    potentials = S * (X @ w)
    assert potentials.min() >= 1 - 1e-6
    np.testing.assert_allclose(x * (potentials - 1), 0, atol=1e-5)


@pytest.mark.kernel
def test_only_support_vectors_matter_and_adaline_on_them_agrees():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(60, 10))
    S = np.sign(X @ rng.normal(size=10))
    options = {"threshold": "none", "tol": 1e-11, "max_iter": 5000, "random_state": 0}
    model = AdaTron(None, **options).fit(X, S)
    few = model.support_
    assert len(few) <= 10
    again = AdaTron(None, **options).fit(X[few], S[few])
    np.testing.assert_allclose(again.coef_, model.coef_, rtol=1e-6)
    least_squares = np.linalg.lstsq(X[few] * S[few, None], np.ones(len(few)))[0]
    np.testing.assert_allclose(least_squares, model.coef_[0], rtol=1e-6)


@pytest.mark.kernel
def test_soft_margin_conditions_hold():
    X, S = teacher_data(4, 100, 5, flip=0.1)
    C = 0.5
    model = AdaTron(C, tol=1e-11, max_iter=5000, random_state=0).fit(X, S)
    x, potentials = model.embedding_strengths_, S * model.decision_function(X)
    assert (potentials[x == 0] >= 1 - 1e-6).all()
    assert (potentials[x == C] <= 1 + 1e-6).all()
    between = (x > 0) & (x < C)
    assert between.any()
    np.testing.assert_allclose(potentials[between], 1, atol=1e-6)
    assert x @ S == pytest.approx(0, abs=1e-9)
    assert model.dual_gap_[0] <= 1e-11


@pytest.mark.kernel
def test_large_price_recovers_the_hard_margin():
    X, S = teacher_data(5, 40, 5)
    hard = AdaTron(None, tol=1e-9, random_state=0).fit(X, S)
    soft = AdaTron(1e6, tol=1e-9, random_state=0).fit(X, S)
    np.testing.assert_allclose(soft.coef_, hard.coef_, rtol=1e-4)


@pytest.mark.kernel
@pytest.mark.parametrize("threshold", ["none", "clamped", "exact"])
@pytest.mark.parametrize("eta0", [0.5, 1.0, 1.7])
def test_dual_value_never_falls_in_a_sweep(threshold, eta0):
    X, S = teacher_data(6, 50, 5, shift=1.0, flip=0.1)
    problem = DualAscent(X, S, np.full(50, 2.0), threshold)
    rng, values = np.random.default_rng(0), []
    for _ in range(30):
        problem.sweep(rng, eta0)
        problem.leap()
        found = problem.solution()
        values.append(found.dual)
        assert found.dual <= found.primal * (1 + 1e-12)
        assert (problem.strengths >= 0).all() and (problem.strengths <= 2).all()
    if threshold != "exact":
        assert (np.diff(values) >= -1e-9).all()


@pytest.mark.kernel
@pytest.mark.parametrize("clamp", [1.0, 10.0, 100.0])
def test_naive_threshold_is_never_more_stable_than_the_exact_one(clamp):
    X, S = teacher_data(7, 30, 3, shift=4.0)
    options = {"tol": 1e-9, "max_iter": 20_000, "random_state": 0}
    exact = AdaTron(None, **options).fit(X, S)
    naive = AdaTron(None, threshold="clamped", clamp=clamp, **options).fit(X, S)
    assert naive.stability_[0] <= exact.stability_[0] * (1 + 1e-8)


@pytest.mark.kernel
@pytest.mark.parametrize("threshold", ["none", "clamped", "exact"])
@pytest.mark.parametrize("index_dtype", [np.int32, np.int64])
def test_sparse_equals_dense(threshold, index_dtype):
    X, y = load_iris(return_X_y=True)
    X = np.where(X > 2, X, 0)
    sparse = csr_matrix(X)
    sparse.indices = sparse.indices.astype(index_dtype)
    sparse.indptr = sparse.indptr.astype(index_dtype)
    model = AdaTron(0.1, threshold=threshold, tol=1e-9, random_state=0)
    dense = model.fit(X, y).coef_
    np.testing.assert_allclose(model.fit(sparse, y).coef_, dense, rtol=1e-4, atol=1e-5)


@pytest.mark.kernel
def test_weights_mean_repetition():
    X, S = teacher_data(8, 40, 4, flip=0.2)
    repeats = np.arange(40) % 3
    options = {"tol": 1e-10, "random_state": 0}
    weighted = AdaTron(0.5, **options).fit(X, S, repeats)
    repeated = AdaTron(0.5, **options).fit(np.repeat(X, repeats, 0), np.repeat(S, repeats))
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, atol=1e-6)
    assert not weighted.embedding_strengths_[repeats == 0].any()


def test_digits_are_learned_one_against_the_rest():
    X, y = load_digits(return_X_y=True)
    model = AdaTron(0.001, random_state=0).fit(X[:1000], y[:1000])
    assert model.coef_.shape == (10, 64)
    assert model.embedding_strengths_.shape == (10, 1000)
    assert model.score(X[1000:], y[1000:]) > 0.9


def test_threads_do_not_change_the_bits(monkeypatch):
    X, y = load_iris(return_X_y=True)
    model = AdaTron(0.1, random_state=0)
    alone = model.fit(X, y).coef_
    monkeypatch.setattr("shallows.perceptron._adatron.THREADS_PAY_FROM", 1)
    np.testing.assert_array_equal(model.fit(X, y).coef_, alone)


def test_history_brackets_the_optimum():
    X, S = teacher_data(9, 50, 5, flip=0.1)
    history = AdaTron(1.0, tol=1e-6, random_state=0).fit(X, S).history_
    assert history["gap"][-1] <= 1e-6 < history["gap"][0]
    assert min(history["loss"]) < 0


def test_inseparable_data_warn_in_the_hard_problem():
    X, y = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]]), [0, 1, 1, 0]
    with pytest.warns(ConvergenceWarning, match="no hyperplane separates"):
        model = AdaTron(None, max_iter=5000, random_state=0).fit(X, y)
    assert model.stability_[0] <= 0


def test_zero_vectors():
    X, y = np.array([[0.0, 0], [1, 1], [-1, -1]]), [0, 1, 0]
    assert AdaTron(None, random_state=0).fit(X, y).stability_[0] == pytest.approx(0.5**0.5)
    soft = AdaTron(2.0, threshold="none", random_state=0).fit(X, y)
    assert soft.embedding_strengths_[0] == 2.0
    with pytest.warns(ConvergenceWarning):
        hard = AdaTron(None, threshold="none", max_iter=50, random_state=0).fit(X, y)
    assert hard.stability_[0] == 0


def smoothed_cost(plane, X, S, caps, price, width):
    """The rounded price of missing potentials, written out."""
    z = 1 - S * (X @ plane[:-1] + plane[-1])
    prices = np.where(z > width, z - width / 2, np.maximum(z, 0) ** 2 / (2 * width))
    return (plane[:-1] @ plane[:-1] + (price or 0) * plane[-1] ** 2) / 2 + caps @ prices


@pytest.mark.parametrize("price", [None, 0.0, 0.5])
@pytest.mark.parametrize("form", [np.asarray, csr_matrix])
def test_smoothed_solution_minimises_its_cost(price, form):
    X, S = teacher_data(10, 600, 5, shift=0.5, flip=0.1)
    caps = np.random.default_rng(0).uniform(0.5, 2.0, size=600)
    found = smoothed_solution(form(X), S, caps, price, 1e-3)
    assert found.gap <= 1e-3

    def cost(plane):
        plane = plane * [1, 1, 1, 1, 1, price is not None]
        return smoothed_cost(plane, X, S, caps, price, found.width)

    least = minimize(cost, found.plane, method="BFGS", options={"gtol": 1e-5})
    assert cost(found.plane) <= least.fun * (1 + 1e-6)
    a, S_a = found.strengths, found.strengths * S
    assert (a >= 0).all() and (a <= caps).all()
    assert found.dual == pytest.approx(
        a.sum() - ((S_a @ X) ** 2).sum() / 2 - ((S_a.sum() ** 2 / price / 2) if price else 0.0)
    )
    if price == 0.0:
        assert abs(S_a.sum()) <= 1e-6 * a.sum()


@pytest.mark.parametrize("threshold", ["none", "clamped", "exact"])
@pytest.mark.parametrize("C", [1.0, 100.0])
def test_many_samples_at_a_high_price_are_learned_in_few_sweeps(threshold, C):
    X, S = teacher_data(11, 4000, 10, shift=0.5, flip=0.1)
    model = AdaTron(C, threshold=threshold, tol=1e-4, random_state=0).fit(X, S)
    assert model.n_iter_ < 100
    w, b, a = model.coef_[0], model.intercept_[0], model.embedding_strengths_
    length2 = w @ w + (b * b if threshold == "clamped" else 0.0)
    primal = length2 / 2 + C * np.maximum(1 - S * (X @ w + b), 0).sum()
    dual = a.sum() - length2 / 2
    assert (a >= 0).all() and (a <= C).all()
    np.testing.assert_allclose(w, (a * S) @ X, atol=1e-6 * C)
    assert -1e-9 <= 1 - dual / primal <= 1e-4
    if threshold == "exact":
        assert a @ S == pytest.approx(0, abs=1e-9 * a.sum())


@pytest.mark.parametrize("form", [np.asarray, csr_matrix])
@pytest.mark.parametrize("threshold", ["none", "clamped", "exact"])
@pytest.mark.parametrize("C", [None, 0.5])
def test_parallel_updates_end_where_sequential_ones_do(C, threshold, form):
    X, S = teacher_data(13, 15, 3)
    X[:, 0] += S if C is None else 0.3 * S
    options = {"threshold": threshold, "tol": 1e-7, "max_iter": 20_000, "random_state": 0}
    sequential = AdaTron(C, **options).fit(X, S)
    parallel = AdaTron(C, update="parallel", eta0=1.8, **options).fit(form(X), S)
    np.testing.assert_allclose(parallel.coef_, sequential.coef_, atol=2e-3)
    np.testing.assert_allclose(parallel.intercept_, sequential.intercept_, atol=2e-3)
    assert parallel.dual_gap_[0] <= 1e-7


@pytest.mark.parametrize("cap", [np.inf, 0.4])
def test_balanced_strengths_are_the_nearest_allowed_ones(cap):
    rng = np.random.default_rng(0)
    aim, S = rng.normal(size=12), np.where(np.arange(12) < 5, 1.0, -1.0)
    caps = np.full(12, cap)
    found, _ = balanced_parallel_sweep(-aim, S, caps, 1.0, np.zeros(12))
    assert found @ S == pytest.approx(0, abs=1e-12)
    peer = minimize(
        lambda a: ((a - aim) ** 2).sum(),
        np.zeros(12),
        method="SLSQP",
        bounds=[(0, None if cap == np.inf else cap)] * 12,
        constraints={"type": "eq", "fun": lambda a: a @ S},
        options={"ftol": 1e-14},
    )
    np.testing.assert_allclose(found, peer.x, atol=1e-6)


def parallel_textbook(X, S, cap, step, sweeps):
    """All strengths from the same potentials, without threshold."""
    folded = X * S[:, None]
    C = folded @ folded.T
    x, duals = np.zeros(len(X)), []
    for _ in range(sweeps):
        x = np.clip(x + step * (1 - C @ x), 0, cap)
        duals.append(x.sum() - x @ C @ x / 2)
    return x, duals


@pytest.mark.parametrize("eta0", [0.3, 1.0, 1.99])
def test_parallel_updates_equal_the_textbook_and_climb(eta0):
    X, S = teacher_data(14, 30, 4, flip=0.1)
    largest = np.linalg.eigvalsh(X @ X.T)[-1]
    x, duals = parallel_textbook(X, S, 0.7, eta0 / largest, 50)
    assert (np.diff(duals) >= -1e-12).all()
    options = {"threshold": "none", "update": "parallel", "max_iter": 50, "tol": None}
    model = AdaTron(0.7, eta0=eta0, **options).fit(X, S)
    np.testing.assert_allclose(model.embedding_strengths_, x, rtol=1e-5, atol=1e-8)
    np.testing.assert_allclose(-np.array(model.history_["loss"]), duals, rtol=1e-5)


def test_parallel_updates_overshoot_beyond_the_condition_on_the_rate():
    X = np.random.default_rng(15).normal(1.0, 0.1, size=(10, 4))
    for rate, climbs in ((1.99, True), (2.1, False)):
        problem, values = DualAscent(X, np.ones(10), np.full(10, 50.0)), []
        for _ in range(60):
            problem.advance_in_parallel(rate)
            values.append(problem.dual)
        assert (np.diff(values) >= -1e-12).all() == climbs
    with pytest.raises(ValueError, match="eta0"):
        AdaTron(update="parallel", eta0=2.1).fit(X, np.arange(10) % 2)


@pytest.mark.parametrize("clamp", [0.0, 2.0])
@pytest.mark.parametrize("shape", [(1, 1), (5, 30), (30, 5)])
def test_largest_eigenvalue_sets_the_rate(shape, clamp):
    X = np.random.default_rng(0).normal(size=shape)
    mean = X.mean(axis=0)
    rows = np.hstack([X - mean, np.full((len(X), 1), clamp)])
    expected = np.linalg.eigvalsh(rows @ rows.T)[-1]
    for form in (np.asarray, csr_matrix):
        assert largest_eigenvalue(form(X), mean, clamp) == pytest.approx(expected, rel=1e-6)


def test_an_inseparable_class_leaves_the_others_alone():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(40, 2)) + [c, 0] for c in (0, 6, 12)])
    y = np.repeat(["a", "b", "c"], 40)
    with pytest.warns(ConvergenceWarning, match="no hyperplane separates 'b' from the rest"):
        model = AdaTron(None, tol=1e-6, random_state=0).fit(X, y)
    assert model.dual_gap_[[0, 2]].max() <= 1e-6 < model.dual_gap_[1]
    for k in (0, 2):
        peer = SVC(kernel="linear", C=1e9, tol=1e-9).fit(X, y == model.classes_[k])
        np.testing.assert_allclose(model.coef_[k], peer.coef_[0], rtol=1e-3, atol=1e-3)
    with pytest.warns(ConvergenceWarning, match="'b' from the rest"):
        model = AdaTron(None, tol=None, max_iter=100, random_state=0).fit(X, y)
    assert model.n_iter_ == 100
