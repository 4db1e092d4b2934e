"""LVQ1, LVQ2.1 and LVQ3 against naive updates, their theory and known results."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine, make_blobs
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import balanced_accuracy_score
from sklearn.preprocessing import scale
from sklearn.utils.class_weight import compute_sample_weight

from shallows.prototype import GLVQ, LVQ1, LVQ3, LVQ21, RSLVQ
from shallows.prototype._lvq1 import Place, lvq1_epoch, matrix_lvq1_epoch
from shallows.prototype._lvq3 import lvq3_epoch
from shallows.prototype._metric_steps import MINKOWSKI, Measure, metric_lvq1_epoch
from shallows.prototype._start import Samples

X, Y = load_iris(return_X_y=True)
X = scale(X)
LABELS = np.repeat([0, 1, 2], 2)
START = X[[0, 20, 60, 80, 110, 140]] + 0.1
ONCE = Samples(X, Y, np.ones(150)), np.arange(150)


def naive_lvq1(prototypes, rate, omega=None, relevance_rate=0.0):
    """One pass over the samples, as the rule is told in words; no move passes the rate."""
    prototypes, wrong = prototypes.copy(), 0
    omega = np.eye(4) if omega is None else omega.copy()
    for x, label in zip(X, Y, strict=True):
        distances = (((x - prototypes) @ omega.T) ** 2).sum(axis=1)
        winner = distances.argmin()
        sign = 1 if LABELS[winner] == label else -1
        wrong += sign < 0
        gap = x - prototypes[winner]
        move = omega.T @ omega @ gap
        move *= min(1, np.linalg.norm(gap) / np.linalg.norm(move))
        prototypes[winner] += sign * rate * move
        omega -= sign * relevance_rate * np.outer(omega @ gap, gap)
        omega *= 2 / np.linalg.norm(omega)
    return prototypes, omega, wrong / len(X)


def naive_lvq3(prototypes, rate, window, epsilon):
    prototypes, border = prototypes.copy(), (1 - window) / (1 + window)
    for x, label in zip(X, Y, strict=True):
        distances = np.linalg.norm(x - prototypes, axis=1)
        first, second = np.argsort(distances)[:2]
        right = [LABELS[k] == label for k in (first, second)]
        inside = min(distances[first] / distances[second], distances[second] / distances[first])
        for k, agrees in zip((first, second), right, strict=True):
            if all(right):
                prototypes[k] += epsilon * rate * (x - prototypes[k])
            elif any(right) and inside > border:
                prototypes[k] += (rate if agrees else -rate) * (x - prototypes[k])
    return prototypes


@pytest.mark.kernel
def test_lvq1_is_the_rule_in_words():
    moved, (expected, _, wrong) = START.copy(), naive_lvq1(START, 0.1)
    loss = lvq1_epoch(*ONCE, moved, LABELS, 0.1)
    np.testing.assert_allclose(moved, expected, rtol=1e-10)
    assert loss == pytest.approx(wrong)


@pytest.mark.kernel
def test_lvq1_in_another_metric_follows_its_gradient_but_not_too_far():
    """Minus half the gradient of Manhattan's squared distance is |gap|_1 sign(gap)."""
    moved, expected = START.copy(), START.copy()
    manhattan = Measure(MINKOWSKI, np.array([1.0, 0, 0, 0]))
    metric_lvq1_epoch(*ONCE, moved, LABELS, 0.1, manhattan)
    for x, label in zip(X, Y, strict=True):
        winner = np.abs(x - expected).sum(axis=1).argmin()
        gap = x - expected[winner]
        move = np.abs(gap).sum() * np.sign(gap)
        move *= min(1, np.linalg.norm(gap) / np.linalg.norm(move))
        expected[winner] += (0.1 if LABELS[winner] == label else -0.1) * move
    np.testing.assert_allclose(moved, expected, rtol=1e-10)


@pytest.mark.kernel
@pytest.mark.parametrize("diagonal", [False, True])
def test_matrix_lvq1_is_the_rule_in_words(diagonal):
    moved, omega = START.copy(), np.eye(4)
    if diagonal:
        rate = 0.0  # then the naive matrix stays diagonal too
        omega = np.diag([1.5, 0.2, 1.0, 0.5]) / np.sqrt(3.54) * 2
    else:
        rate = 0.01
    expected, expected_omega, wrong = naive_lvq1(START, 0.1, omega, rate)
    loss = matrix_lvq1_epoch(*ONCE, Place(moved, omega), LABELS, (0.1, rate), diagonal)
    np.testing.assert_allclose(moved, expected, rtol=1e-8)
    np.testing.assert_allclose(omega, expected_omega, rtol=1e-8)
    assert loss == pytest.approx(wrong)


@pytest.mark.kernel
def test_unit_matrix_reproduces_lvq1():
    plain, matrix = START.copy(), START.copy()
    lvq1_epoch(*ONCE, plain, LABELS, 0.1)
    matrix_lvq1_epoch(*ONCE, Place(matrix, np.eye(4)), LABELS, (0.1, 0.0), False)
    np.testing.assert_allclose(matrix, plain, rtol=1e-10)


@pytest.mark.kernel
@pytest.mark.parametrize("window", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("epsilon", [0.0, 0.3])
def test_lvq3_is_the_rule_in_words(window, epsilon):
    moved = START.copy()
    lvq3_epoch(*ONCE, moved, LABELS, 0.1, window, epsilon)
    np.testing.assert_allclose(moved, naive_lvq3(START, 0.1, window, epsilon), rtol=1e-9)
    assert not np.allclose(moved, START)


def test_diagonal_relevances_follow_bojers_rule_to_first_order():
    """d omega_j = -rate omega_j gap_j^2 is d lambda_j = -2 rate lambda_j gap_j^2."""
    visit = Samples(X[:1], np.array([0]), np.ones(1)), np.array([0])
    gap = X[0] - START[0]
    omega = np.eye(4)
    labels = np.array([0, 1])
    far = np.stack([START[0], START[0] + 100])
    matrix_lvq1_epoch(*visit, Place(far, omega), labels, (0.0, 1e-6), True)
    raw = 1 - 2e-6 * gap**2
    np.testing.assert_allclose(np.diag(omega) ** 2, 4 * raw / raw.sum(), rtol=1e-10)


def test_samples_far_from_the_border_do_not_move_lvq21():
    blobs, y = make_blobs(60, centers=[[-10, 0], [10, 0]], random_state=0)
    model = LVQ21(random_state=0).fit(blobs, y)
    means = [blobs[y == k].mean(axis=0) for k in (0, 1)]
    np.testing.assert_allclose(model.prototypes_, means, rtol=1e-12)


def test_lvq3_keeps_the_prototypes_that_lvq21_loses():
    """With overlapping classes LVQ2.1 drives prototypes off the data."""
    rng = np.random.default_rng(0)
    data = np.concatenate([rng.normal(size=(300, 2)), rng.normal(size=(300, 2)) + [1, 0]])
    options = {"window": 0.3, "learning_rate": 0.05, "max_iter": 100, "random_state": 0}
    y = np.repeat([0, 1], 300)
    kept = LVQ3(2, **options).fit(data, y)
    with pytest.warns(ConvergenceWarning, match=r"LVQ21 drove \d of 4 prototypes off the data"):
        lost = LVQ21(2, **options).fit(data, y)
    near, far = (np.linalg.norm(model.prototypes_, axis=1).max() for model in (kept, lost))
    assert near < 2 < 10 < far


@pytest.mark.parametrize(
    "model",
    [LVQ1(2), LVQ1(relevance="matrix"), LVQ1(relevance="diagonal"), LVQ21(2), LVQ3()],
    ids=repr,
)
@pytest.mark.parametrize("load", [load_iris, load_wine])
def test_known_data_are_nearly_separated(model, load):
    data, y = load(return_X_y=True)
    data = scale(data)
    assert model.set_params(random_state=0).fit(data, y).score(data, y) >= 0.945


def test_relevances_are_normalised_and_small_for_noise():
    rng = np.random.default_rng(0)
    data = np.hstack([X, rng.normal(size=(150, 4))])
    for relevance in ("diagonal", "matrix"):
        model = LVQ1(relevance=relevance, random_state=0).fit(data, Y)
        assert model.relevances_.sum() == pytest.approx(1) and model.relevances_.min() >= 0
        np.testing.assert_allclose(np.diag(model.relevance_matrix_), model.relevances_)
        assert model.relevances_[2:4].sum() > model.relevances_[4:].sum()


@pytest.mark.parametrize("metric", ["minkowski", "divergence", "rbf", "laplacian"])
def test_lvq1_learns_in_other_metrics(metric):
    raw, y = load_iris(return_X_y=True)
    assert LVQ1(2, metric=metric, random_state=0).fit(raw, y).score(raw, y) >= 0.94


def test_lvq1_learns_with_a_quadratic_kernel_around_the_mean():
    raw, y = load_iris(return_X_y=True)
    moved = raw - raw.mean(axis=0)
    model = LVQ1(2, metric="poly", metric_params={"degree": 2}, random_state=0)
    assert model.fit(moved, y).score(moved, y) >= 0.94


@pytest.mark.parametrize("relevance", ["diagonal", "matrix"])
def test_relevances_of_many_features_help(relevance):
    pixels, y = load_digits(return_X_y=True)
    pixels = scale(pixels)
    plain, learned = (
        LVQ1(relevance=kind, max_iter=15, random_state=0).fit(pixels, y).score(pixels, y)
        for kind in (None, relevance)
    )
    assert learned > plain > 0.88


@pytest.mark.parametrize("metric", ["minkowski", "laplacian", "poly"])
def test_no_metric_throws_prototypes_off_the_data(metric):
    many, y = load_breast_cancer(return_X_y=True)
    many = scale(many)
    model = LVQ1(metric=metric, random_state=0).fit(many, y)
    assert np.abs(model.prototypes_).max() < np.abs(many).max()
    assert model.score(many, y) > 0.85


def test_relevances_need_euclids_distance():
    with pytest.raises(ValueError, match="relevance='matrix' needs metric='euclidean', got 'rbf'"):
        LVQ1(relevance="matrix", metric="rbf").fit(X, Y)


@pytest.mark.parametrize("rule", [LVQ1, LVQ21, LVQ3])
def test_blocks_of_partial_fit_equal_one_block(rule):
    rows = np.random.default_rng(0).permutation(150)
    whole = rule(random_state=0).partial_fit(X[rows[:30]], Y[rows[:30]], classes=[0, 1, 2])
    parts = rule(random_state=0).partial_fit(X[rows[:30]], Y[rows[:30]], classes=[0, 1, 2])
    whole.partial_fit(X[rows[30:]], Y[rows[30:]])
    for part in np.split(rows[30:], 4):
        parts.partial_fit(X[part], Y[part])
    np.testing.assert_allclose(whole.prototypes_, parts.prototypes_, rtol=1e-12)
    assert parts.n_iter_ == 5 == len(parts.history_["loss"])


def rare_class(n_rare, gap, seed=1):
    """Return 3000 samples of one class and a few of another, and as many new ones of both."""
    rng = np.random.default_rng(seed)
    rows = np.r_[rng.normal(size=(3000, 4)), rng.normal(size=(n_rare, 4)) + gap]
    new = np.r_[rng.normal(size=(1000, 4)), rng.normal(size=(1000, 4)) + gap]
    return rows, np.repeat([0, 1], [3000, n_rare]), new, np.repeat([0, 1], 1000)


@pytest.mark.parametrize(
    "model",
    [
        LVQ1(2),
        LVQ1(relevance="matrix"),
        LVQ1(relevance="diagonal"),
        LVQ1(metric="minkowski"),
        LVQ3(),
        RSLVQ(2, solver="sgd", tol=None, max_iter=30),
    ],
    ids=repr,
)
@pytest.mark.parametrize(("n_rare", "gap"), [(8, 2.0), (40, 1.0)])
def test_balanced_weights_help_a_rare_class_as_its_copies_do(model, n_rare, gap):
    rows, y, new, truth = rare_class(n_rare, gap)
    weights = compute_sample_weight("balanced", y)
    model.set_params(random_state=0).fit(rows, y, weights)
    weighted = balanced_accuracy_score(truth, model.predict(new))
    assert np.abs(model.prototypes_).max() < 2 * np.abs(rows).max()
    copies = np.repeat(np.arange(len(rows)), np.where(y == 1, 3000 // n_rare, 1))
    copied = balanced_accuracy_score(truth, model.fit(rows[copies], y[copies]).predict(new))
    assert weighted > copied - 0.1 and weighted > 0.7


@pytest.mark.parametrize("rule", [LVQ1, LVQ21, LVQ3])
def test_equal_weights_change_nothing(rule):
    plain = rule(2, random_state=0).fit(X, Y)
    equal = rule(2, random_state=0).fit(X, Y, np.full(150, 0.3))
    np.testing.assert_allclose(equal.prototypes_, plain.prototypes_, rtol=1e-12)
    assert equal.history_["loss"] == pytest.approx(plain.history_["loss"])


def test_the_loss_counts_weights_and_not_visits():
    """A start that never moves: the loss is the weighted share of wrong winners."""
    weights = np.random.default_rng(0).uniform(0, 5, 150)
    model = LVQ1(learning_rate=1e-12, max_iter=2, random_state=0).fit(X, Y, weights)
    wrong = 1 - model.score(X, Y, sample_weight=weights)
    assert wrong > 0 and model.history_["loss"] == pytest.approx([wrong, wrong])


@pytest.mark.kernel
@pytest.mark.parametrize("agrees", [True, False])
def test_no_weight_moves_a_prototype_beyond_the_sample(agrees):
    x, y, labels = np.array([[1.0, 2.0]]), np.array([0 if agrees else 1]), np.array([0, 1])
    visit = Samples(x, y, np.array([1e6])), np.array([0])
    start = np.array([[0.0, 0.0], [9.0, 9.0]])
    expected = [1.0, 2.0] if agrees else [-1.0, -2.0]
    plain, matrix, pair = start.copy(), start.copy(), start.copy()
    lvq1_epoch(*visit, plain, labels, 0.1)
    matrix_lvq1_epoch(*visit, Place(matrix, np.eye(2)), labels, (0.1, 0.0), False)
    lvq3_epoch(*visit, pair, labels, 0.1, 0.9, 0.2)
    for moved in (plain, matrix, pair):
        np.testing.assert_allclose(moved[0], expected)


@pytest.mark.parametrize("rule", [LVQ1, LVQ21, LVQ3])
def test_steps_longer_than_the_way_are_refused(rule):
    with pytest.raises(ValueError, match=r"learning_rate must be float in \(0, 1\], got 1.5"):
        rule(learning_rate=1.5).fit(X, Y)


def test_lost_prototypes_are_told_and_infinite_ones_refused():
    rng = np.random.default_rng(0)
    noise, y = rng.normal(size=(400, 2)), rng.integers(4, size=400)
    with pytest.warns(ConvergenceWarning, match=r"LVQ1 drove \d of 4 prototypes off the data"):
        LVQ1(random_state=0).fit(noise, y)
    with pytest.raises(FloatingPointError, match=r"LVQ1: prototypes left the range of floats"):
        LVQ1(learning_rate=1.0, max_iter=100, random_state=0).fit(noise, y)
    model = LVQ1(learning_rate=0.5, random_state=0)
    with pytest.raises(FloatingPointError, match=r"LVQ1: prototypes left the range of floats"):
        for _ in range(50):
            model.partial_fit(noise, y)


@pytest.mark.parametrize("rule", [LVQ1, LVQ21, LVQ3])
def test_copies_of_few_samples_are_not_lost(rule):
    for seed in range(20):  # another warning is an error here
        with pytest.warns(ConvergenceWarning, match=r"fewer samples \(1\) than prototypes \(4\)"):
            rule(4, random_state=seed).fit([[0.0], [1.0]], [0, 1])
        rule(2, random_state=seed).fit(np.full((7, 3), 0.1), [0, 1, 0, 1, 0, 1, 1])


@pytest.mark.parametrize("rule", [LVQ1, GLVQ])
def test_partial_fit_refuses_negative_values_in_every_block_and_goes_on(rule):
    raw, y = load_iris(return_X_y=True)
    model = rule(metric="divergence", random_state=0)
    for block in (X, raw, X):
        if block is raw:
            model.partial_fit(raw, y)
            continue
        with pytest.raises(ValueError, match="needs values that are not negative, got -2"):
            model.partial_fit(block, y)
    expected = rule(metric="divergence", random_state=0).partial_fit(raw, y)
    np.testing.assert_array_equal(model.prototypes_, expected.prototypes_)
    assert model.n_iter_ == 1 and model.score(raw, y) > 0.85
