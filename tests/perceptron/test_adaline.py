"""Adaline and Hebbian learning against least squares, naive loops and known values."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LinearRegression

from shallows.perceptron import Adaline, HebbianPerceptron, Perceptron

SOLVERS = ("direct", "batch", "sequential")

FORMS = ("weights", "embedding")


def teacher_data(seed, P, N):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(P, N))
    return X, np.sign(X @ rng.normal(size=N))


def delta_rule(X, S, passes, eta):
    w, x = np.zeros(X.shape[1]), np.zeros(len(X))
    for _ in range(passes):
        for i in range(len(X)):
            missing = 1 - S[i] * (w @ X[i])
            w += eta * missing * S[i] * X[i]
            x[i] += eta * missing
    return w, x


def test_direct_equals_regression_on_labels():
    X, S = teacher_data(0, 60, 5)
    weights = np.random.default_rng(1).uniform(0.1, 2, 60)
    model, peer = Adaline().fit(X, S, weights), LinearRegression().fit(X, S, weights)
    np.testing.assert_allclose(model.coef_[0], peer.coef_, rtol=1e-9)
    np.testing.assert_allclose(model.intercept_[0], peer.intercept_, rtol=1e-9)


def test_direct_is_the_inverse_correlation_where_all_potentials_can_be_one():
    X, S = teacher_data(2, 15, 20)
    folded = X * S[:, None]
    x = np.linalg.solve(folded @ folded.T / 20, np.ones(15))
    model = Adaline(fit_intercept=False).fit(X, S)
    np.testing.assert_allclose(model.coef_[0], x @ folded / 20, rtol=1e-9)
    np.testing.assert_allclose(S * model.decision_function(X), 1, rtol=1e-9)
    np.testing.assert_allclose(model.coef_[0], np.linalg.pinv(X) @ S, rtol=1e-9)


@pytest.mark.kernel
@pytest.mark.parametrize("solver", SOLVERS)
def test_all_solvers_agree_where_all_potentials_can_be_one(solver):
    X, S = teacher_data(3, 8, 12)
    direct = Adaline(fit_intercept=False).fit(X, S)
    model = Adaline(solver, fit_intercept=False, tol=1e-12, eta0=None, max_iter=20_000)
    if solver == "sequential":
        model.set_params(eta0=1 / (X**2).sum(1).max(), tol=None, max_iter=2000)
    model.fit(X, S)
    np.testing.assert_allclose(model.coef_, direct.coef_, atol=1e-8)
    if solver != "direct":
        np.testing.assert_allclose((model.embedding_strengths_ * S) @ X, model.coef_[0], atol=1e-9)


def test_batch_reaches_least_squares_and_lowers_the_cost_in_every_step():
    X, S = teacher_data(4, 80, 5)
    model = Adaline("batch", tol=1e-10).fit(X, S)
    np.testing.assert_allclose(model.coef_, Adaline().fit(X, S).coef_, atol=1e-8)
    assert (np.diff(model.history_["loss"]) <= 1e-15).all()
    rows = np.column_stack([X, np.ones(80)])
    condition = np.linalg.cond(rows.T @ rows)
    excess = np.array(model.history_["loss"]) - Adaline().fit(X, S).history_["loss"][0]
    ratios = excess[1:5] / excess[:4]
    assert ratios.max() <= ((condition - 1) / (condition + 1)) ** 2 + 1e-9


@pytest.mark.parametrize(("factor", "converges"), [(0.99, True), (1.01, False)])
def test_batch_converges_below_twice_the_inverse_of_the_largest_eigenvalue(factor, converges):
    X, S = teacher_data(5, 50, 4)
    eta = factor * 2 / np.linalg.eigvalsh(X.T @ X)[-1]
    model = Adaline("batch", fit_intercept=False, eta0=eta, tol=None, max_iter=3000)
    if not converges:
        model.set_params(max_iter=10**5)
        with pytest.raises(FloatingPointError, match="Lower the learning rate"):
            model.fit(X, S)
        return
    best = Adaline(fit_intercept=False).fit(X, S).coef_
    np.testing.assert_allclose(model.fit(X, S).coef_, best, atol=1e-9)


@pytest.mark.kernel
def test_sequential_is_the_delta_rule_and_cycles_at_a_distance_proportional_to_the_rate():
    X, S = teacher_data(6, 40, 10)
    best = Adaline(fit_intercept=False).fit(X, S).coef_[0]
    distances = []
    for eta in (0.01, 0.001):
        w, x = delta_rule(X, S, 500, eta)
        model = Adaline(
            "sequential",
            fit_intercept=False,
            eta0=eta,
            shuffle=False,
            tol=None,
            max_iter=500,
        ).fit(X, S)
        np.testing.assert_allclose(model.coef_[0], w, rtol=1e-9)
        np.testing.assert_allclose(model.embedding_strengths_, x, rtol=1e-9)
        distances.append(np.linalg.norm(w - best))
    assert distances[0] / distances[1] == pytest.approx(10, rel=0.5)


@pytest.mark.parametrize(
    ("labels", "coef", "intercept", "cost"),
    [
        ([0, 0, 0, 1], [1, 1], -1.5, 1 / 8),
        ([0, 1, 1, 1], [1, 1], -0.5, 1 / 8),
        ([0, 1, 1, 0], [0, 0], 0.0, 1 / 2),
    ],
)
def test_gates(labels, coef, intercept, cost):
    """Known least-squares fits; the cost of targets 0 and 1 is a quarter of that of -1 and 1."""
    model = Adaline().fit([[0, 0], [0, 1], [1, 0], [1, 1]], labels)
    np.testing.assert_allclose(model.coef_[0], coef, atol=1e-12)
    assert model.intercept_[0] == pytest.approx(intercept, abs=1e-12)
    assert 4 * model.history_["loss"][0] / 4 == pytest.approx(cost)


def test_separable_points_that_least_squares_does_not_separate():
    X, y = np.array([[0.0], [1], [2], [10]]), np.array([0, 0, 1, 1])
    model = Adaline().fit(X, y)
    assert -model.intercept_[0] / model.coef_[0, 0] == pytest.approx(3.25)
    assert model.predict(X).tolist() == [0, 0, 0, 1]
    assert Perceptron(tol=None, random_state=0).fit(X, y).score(X, y) == 1


@pytest.mark.kernel
@pytest.mark.parametrize("solver", SOLVERS)
def test_sparse_equals_dense(solver):
    X, y = load_iris(return_X_y=True)
    X = np.where(X > 2, X, 0)
    model = Adaline(solver, max_iter=20, tol=None, random_state=0)
    dense = model.fit(X, y).coef_
    np.testing.assert_allclose(model.fit(csr_matrix(X), y).coef_, dense, rtol=1e-6, atol=1e-9)


def test_outputs_of_all_classes_sum_to_a_constant():
    X, y = load_iris(return_X_y=True)
    fields = Adaline().fit(X, y).decision_function(X)
    np.testing.assert_allclose(fields.sum(1), 2 - 3, atol=1e-9)


@pytest.mark.kernel
def test_partial_fit_is_one_pass():
    X, S = teacher_data(7, 30, 3)
    options = {"eta0": 0.01, "shuffle": False, "tol": None, "max_iter": 1}
    whole = Adaline("sequential", **options).fit(X, S)
    parts = Adaline("sequential", **options)
    for rows in np.array_split(np.arange(30), 4):
        parts.partial_fit(X[rows], S[rows], classes=[-1, 1])
    np.testing.assert_allclose(parts.coef_, whole.coef_, rtol=1e-12)
    with pytest.raises(ValueError, match="Give the weights as a dict"):
        Adaline(class_weight="balanced").partial_fit(X, S)


def test_slow_descent_warns():
    X, S = teacher_data(8, 30, 10)
    with pytest.warns(ConvergenceWarning, match="max_iter=2"):
        Adaline("batch", max_iter=2).fit(X, S)


@pytest.mark.kernel
def test_hebb_rule_is_the_sum_of_labelled_samples():
    X, S = teacher_data(9, 25, 4)
    model = HebbianPerceptron(fit_intercept=False, eta0=0.25).fit(X, S)
    np.testing.assert_allclose(model.coef_[0], 0.25 * S @ X)
    assert (model.embedding_strengths_ == 0.25).all()


@pytest.mark.kernel
@pytest.mark.parametrize(
    "options", [{"modulation": "rosenblatt"}, {"modulation": "power", "power": 1}]
)
def test_rosenblatt_modulation_equals_the_perceptron(options):
    X, S = teacher_data(10, 40, 5)
    model = HebbianPerceptron(**options, margin=0.5, eta0=0.2, max_iter=1000).fit(X, S)
    peer = Perceptron(margin=0.5, eta0=0.2, shuffle=False, tol=None).fit(X, S)
    np.testing.assert_allclose(model.coef_, peer.coef_, rtol=1e-9)
    np.testing.assert_allclose(model.embedding_strengths_, 0.2 * peer.embedding_strengths_)
    assert model.n_iter_ == peer.n_iter_


@pytest.mark.kernel
@pytest.mark.parametrize("modulation", ["hebb", "rosenblatt", "delta", "power"])
def test_both_forms_agree_and_sparse_equals_dense(modulation):
    X, y = load_iris(return_X_y=True)
    model = HebbianPerceptron(modulation, margin=1.0, eta0=0.01, max_iter=3)
    dense = model.fit(X, y).coef_
    labels = np.where(y == np.arange(3)[:, None], 1, -1)
    np.testing.assert_allclose(dense, (model.embedding_strengths_ * labels) @ X, rtol=1e-9)
    np.testing.assert_allclose(model.fit(csr_matrix(X), y).coef_, dense, rtol=1e-9)


def test_hebbian_refuses_what_can_not_learn():
    X, S = teacher_data(11, 10, 2)
    with pytest.raises(ValueError, match="Set margin=1"):
        HebbianPerceptron("delta").fit(X, S)
    with pytest.raises(ValueError, match="power must be 1 or more"):
        HebbianPerceptron("power", power=0.5).fit(X, S)


@pytest.mark.parametrize("spread", [1.0, 1e3, 1e5])
def test_direct_is_precise_for_features_of_any_scale(spread):
    rng = np.random.default_rng(12)
    X = rng.normal(size=(100, 3)) * [1, spread, 1 / spread] + [5, 0, 0]
    S = rng.choice([-1.0, 1.0], size=100)
    rows = np.column_stack([X, np.ones(100)])
    expected = np.linalg.lstsq(rows / [1, spread, 1 / spread, 1], S)[0]
    model = Adaline().fit(X, S)
    found = np.append(model.coef_[0], model.intercept_) * [1, spread, 1 / spread, 1]
    np.testing.assert_allclose(found, expected, rtol=1e-6)


@pytest.mark.kernel
@pytest.mark.parametrize("modulation", ["hebb", "rosenblatt", "delta", "power"])
@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("form", [np.asarray, csr_matrix])
def test_both_forms_are_the_same_after_every_visit(modulation, bias, form):
    """By hand: a strength grows by eta f(E), with E from the products of the samples alone."""
    rng = np.random.default_rng(3)
    X, S = rng.normal(size=(12, 4)), np.tile([1, -1], 6)
    functions = {
        "hebb": lambda E: 1.0,
        "rosenblatt": lambda E: float(E <= 0.5),
        "delta": lambda E: 0.5 - E,
        "power": lambda E: 3 * max(0.5 - E, 0.0) ** 2,
    }
    rows = np.column_stack([X, np.full(12, float(bias))])
    a = np.zeros(12)
    for k in range(12):
        E = S[k] * sum(a[j] * S[j] * (rows[j] @ rows[k]) for j in range(12))
        a[k] += 0.1 * functions[modulation](E)
        if k == 0:
            continue
        options = {"margin": 0.5, "power": 3.0, "fit_intercept": bias, "eta0": 0.1}
        for kind in ("weights", "embedding"):
            model = HebbianPerceptron(modulation, form=kind, **options)
            model.fit(form(X[: k + 1]), S[: k + 1])
            np.testing.assert_allclose(model.embedding_strengths_, a[: k + 1], atol=1e-12)
            found = np.append(model.coef_[0], model.intercept_)
            np.testing.assert_allclose(found, (a * S) @ rows, atol=1e-12)


def test_a_part_in_the_form_of_strengths_goes_on_from_the_weights():
    rng = np.random.default_rng(4)
    X, S = rng.normal(size=(20, 3)), rng.choice([-1, 1], 20)
    models = [HebbianPerceptron("delta", form=f, margin=1, eta0=0.1) for f in FORMS]
    for model in models:
        for rows in (slice(0, 7), slice(7, 20)):
            model.partial_fit(X[rows], S[rows], classes=[-1, 1])
    np.testing.assert_allclose(models[0].coef_, models[1].coef_, rtol=1e-12)
    np.testing.assert_allclose(models[0].history_["loss"], models[1].history_["loss"], rtol=1e-12)


def test_class_weights_of_hebbs_rule_weigh_the_sums():
    X, y = np.array([[1.0, 2], [3, 4], [5, 6]]), np.array([0, 0, 1])
    model = HebbianPerceptron(fit_intercept=False, class_weight={0: 2.0, 1: 3.0}).fit(X, y)
    np.testing.assert_allclose(model.coef_[0], 3 * X[2] - 2 * X[0] - 2 * X[1])
    balanced = HebbianPerceptron(fit_intercept=False, class_weight="balanced").fit(X, y)
    np.testing.assert_allclose(balanced.coef_[0], 1.5 * X[2] - 0.75 * (X[0] + X[1]))
    with pytest.raises(ValueError, match="Give the weights as a dict"):
        HebbianPerceptron(class_weight="balanced").partial_fit(X, y, classes=[0, 1])
