"""Losses: derivatives by differences, conventions, minimisers and bounds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize
from sklearn import metrics

from shallows.descent import LOSSES, mean_loss, softmax

rng = np.random.default_rng(0)
NUMBERS = rng.normal(size=(2, 40)) * 2
SCORES = np.array([rng.normal(size=40) * 2, rng.choice([-1.0, 1.0], size=40)])
CHANCES = np.array([rng.uniform(0.05, 0.95, 40), rng.uniform(0, 1, 40)])
CLASSES = np.array([rng.dirichlet(np.ones(4), 10), rng.dirichlet(np.ones(4), 10)])
LOGITS = np.array([rng.normal(size=(10, 4)) * 3, rng.dirichlet(np.ones(4), 10)])

CASES = [
    ("squared", {}, NUMBERS),
    ("half_squared", {}, NUMBERS),
    ("sign_squared", {}, NUMBERS),
    ("sign_squared", {"gamma": 0.3}, NUMBERS),
    ("minkowski", {}, NUMBERS),
    ("minkowski", {"r": 3.0}, NUMBERS),
    ("minkowski", {"r": 1.0}, NUMBERS),
    ("absolute", {}, NUMBERS),
    ("huber", {}, NUMBERS),
    ("huber", {"delta": 0.4}, NUMBERS),
    ("epsilon_insensitive", {}, NUMBERS),
    ("epsilon_insensitive", {"epsilon": 1.0}, NUMBERS),
    ("power_cost", {}, SCORES),
    ("power_cost", {"k": 0.0, "margin": 0.0}, SCORES),
    ("power_cost", {"k": 0.5, "margin": 0.5}, SCORES),
    ("power_cost", {"k": 3.0, "margin": 0.2}, SCORES),
    ("perceptron", {}, SCORES),
    ("hinge", {}, SCORES),
    ("squared_hinge", {}, SCORES),
    ("logistic_loss", {}, SCORES),
    ("binary_cross_entropy", {}, CHANCES),
    ("binary_kullback_leibler", {}, CHANCES),
    ("cross_entropy", {}, CLASSES),
    ("kullback_leibler", {}, CLASSES),
    ("softmax_cross_entropy", {}, LOGITS),
]


def test_every_loss_is_tested():
    assert {name for name, _, _ in CASES} == set(LOSSES)


@pytest.mark.parametrize(("name", "settings", "pair"), CASES)
def test_derivative_agrees_with_central_differences(name, settings, pair):
    loss, (prediction, truth) = LOSSES[name], pair
    found = loss.derivative(prediction, truth, **settings)
    assert found.shape == prediction.shape
    step = 1e-7
    for index in np.ndindex(prediction.shape):
        above, below = prediction.copy(), prediction.copy()
        above[index] += step
        below[index] -= step
        rise = loss.value(above, truth, **settings) - loss.value(below, truth, **settings)
        assert found[index] == pytest.approx(rise.sum() / (2 * step), rel=1e-5, abs=1e-6)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("name", "settings", "pair"), CASES)
def test_dtype_and_inputs_are_kept(name, settings, pair, dtype):
    prediction, truth = (part.astype(dtype) for part in pair)
    before = prediction.copy(), truth.copy()
    for function in LOSSES[name]:
        assert function(prediction, truth, **settings).dtype == dtype
    np.testing.assert_array_equal((prediction, truth), before)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", ["binary_cross_entropy", "binary_kullback_leibler"])
def test_certain_but_wrong_probabilities_cost_much_but_not_infinitely(name, dtype):
    prediction, truth = np.array([0, 1, 0, 1], dtype), np.array([1, 0, 0, 1], dtype)
    value = LOSSES[name].value(prediction, truth)
    assert (value[:2] > 80).all() and np.isfinite(value).all()
    np.testing.assert_array_equal(value[2:], 0)
    assert np.isfinite(LOSSES[name].derivative(prediction, truth)).all()


@pytest.mark.parametrize("name", ["logistic_loss", "hinge", "softmax_cross_entropy"])
def test_huge_scores_are_safe(name):
    prediction = np.array([[1e4, -1e4]], dtype=np.float32)
    truth = np.array([[1, 0]] if "softmax" in name else [[-1, -1]], dtype=np.float32)
    for function in LOSSES[name]:
        assert np.isfinite(function(prediction, truth)).all()


def test_known_values_state_the_conventions():
    three, one = np.array([3.0]), np.array([1.0])
    values = {
        "squared": 4.0,
        "half_squared": 2.0,
        "absolute": 2.0,
        "huber": 1.5,
        "minkowski": 2**1.5,
        "hinge": 0.0,
        "perceptron": 0.0,
    }
    for name, expected in values.items():
        assert LOSSES[name].value(three, one)[0] == pytest.approx(expected), name
    assert LOSSES["logistic_loss"].value(np.zeros(1), one)[0] == pytest.approx(np.log(2))


def test_sign_squared_ranges_from_wrong_signs_only_to_plain_squares():
    prediction, truth = NUMBERS
    wrong = np.sign(prediction) != np.sign(truth)
    squares = LOSSES["squared"].value(prediction, truth)
    value = LOSSES["sign_squared"].value
    np.testing.assert_allclose(value(prediction, truth, gamma=0.0), np.where(wrong, squares, 0))
    np.testing.assert_allclose(value(prediction, truth, gamma=1.0), squares)
    assert value(np.zeros(1), np.ones(1), gamma=0.0) == 1


@pytest.mark.parametrize(("r", "best"), [(2.0, np.mean), (1.0, np.median)])
def test_best_constant_under_minkowski_error(r, best):
    data = np.random.default_rng(3).exponential(size=31)
    cost = lambda a: LOSSES["minkowski"].value(np.full(31, a), data, r=r).sum()  # noqa: E731
    found = optimize.minimize_scalar(cost, bounds=(0, 5), method="bounded", options={"xatol": 1e-9})
    assert found.x == pytest.approx(best(data), abs=1e-6)


def test_power_family_contains_the_named_costs_and_counts_errors():
    score, label = SCORES
    power, embedding = LOSSES["power_cost"].value, score * label
    np.testing.assert_allclose(power(score, label, k=1, margin=0), np.maximum(0, -embedding))
    np.testing.assert_allclose(
        power(score, label, k=2, margin=1), np.maximum(0, 1 - embedding) ** 2
    )
    assert power(score, label, k=0, margin=0).sum() == (embedding <= 0).sum()
    assert power(np.zeros(1), np.ones(1), k=0, margin=0) == 1
    assert metrics.hinge_loss(label, score) == pytest.approx(mean_loss(power(score, label)))


@given(st.lists(st.floats(-3, 3), min_size=1, max_size=8), st.floats(0, 2), st.floats(0.5, 3))
def test_power_cost_vanishes_iff_every_margin_is_reached(scores, margin, k):
    prediction = np.array(scores)
    value = LOSSES["power_cost"].value(prediction, np.ones_like(prediction), k=k, margin=margin)
    assert (value.sum() == 0) == all((margin - s) ** k == 0 or s > margin for s in scores)


def test_perceptron_slope_at_zero_lets_learning_start():
    slope = LOSSES["perceptron"].derivative(np.zeros(2), np.array([1.0, -1.0]))
    np.testing.assert_array_equal(slope, [-1, 1])


def test_uniform_prediction_of_ten_classes_costs_ln_10():
    value = LOSSES["cross_entropy"].value(np.full((3, 10), 0.1), np.eye(10)[:3])
    np.testing.assert_allclose(value, 2.302585, atol=5e-7)


@given(st.lists(st.floats(0.01, 1), min_size=6, max_size=6))
def test_divergence_is_cross_entropy_above_its_bound(weights):
    truth, prediction = np.array(weights).reshape(2, 1, 3)
    truth, prediction = truth / truth.sum(), prediction / prediction.sum()
    entropy = -(truth * np.log(truth)).sum(axis=-1)
    divergence = LOSSES["kullback_leibler"].value(prediction, truth)
    cross = LOSSES["cross_entropy"].value(prediction, truth)
    np.testing.assert_allclose(divergence, cross - entropy, atol=1e-12)
    assert divergence >= -1e-15
    np.testing.assert_allclose(LOSSES["kullback_leibler"].value(truth, truth), 0, atol=1e-15)


def test_divergence_is_not_symmetric_and_binary_is_two_classes():
    p, t = np.array([0.2]), np.array([0.7])
    binary = LOSSES["binary_kullback_leibler"].value
    assert binary(p, t) != pytest.approx(binary(t, p)[0], rel=1e-3)
    two = LOSSES["kullback_leibler"].value(np.array([[0.2, 0.8]]), np.array([[0.7, 0.3]]))
    np.testing.assert_allclose(binary(p, t), two)


def test_score_losses_equal_probability_losses():
    score, label = SCORES
    chance = 1 / (1 + np.exp(-score))
    np.testing.assert_allclose(
        LOSSES["logistic_loss"].value(score, label),
        LOSSES["binary_cross_entropy"].value(chance, (label + 1) / 2),
    )
    logits, truth = LOGITS
    np.testing.assert_allclose(
        LOSSES["softmax_cross_entropy"].value(logits, truth),
        LOSSES["cross_entropy"].value(softmax(logits), truth),
    )
    one_hot = np.eye(4)[[0, 1, 2, 3, 0, 1, 2, 3, 0, 1]]
    assert mean_loss(LOSSES["softmax_cross_entropy"].value(logits, one_hot)) == pytest.approx(
        metrics.log_loss(one_hot.argmax(axis=1), softmax(logits))
    )


def test_mean_loss_sums_outputs_averages_samples_and_weighs():
    values = np.arange(6, dtype=np.float32).reshape(3, 2)
    assert mean_loss(values) == 5.0
    assert mean_loss(values, np.array([1.0, 0.0, 3.0])) == (1 + 3 * 9) / 4
    many = np.full((1, 10**6), 0.1, dtype=np.float32)
    assert mean_loss(many) == pytest.approx(10**6 * float(np.float32(0.1)), rel=1e-12)
