import numpy as np
import pytest
from sklearn.metrics import zero_one_loss

from shallows.validate import (
    best_threshold,
    cost_decision,
    cost_matrix_loss,
    cost_threshold,
    threshold_for,
)

ZERO_ONE = 1 - np.eye(3)


def scored(seed, n=200, ties=False):
    rng = np.random.default_rng(seed)
    y = rng.integers(2, size=n)
    scores = y + rng.normal(size=n)
    return y, np.round(scores) if ties else scores


def test_ones_off_the_diagonal_are_the_error_rate():
    rng = np.random.default_rng(0)
    y_true, y_pred = rng.integers(3, size=(2, 100))
    weights = rng.random(100)
    loss = cost_matrix_loss(y_true, y_pred, ZERO_ONE, sample_weight=weights)
    assert loss == pytest.approx(zero_one_loss(y_true, y_pred, sample_weight=weights))


def test_labels_name_rows_in_any_order():
    costs = np.array([[0, 1, 2], [3, 0, 5], [7, 11, 0]])
    true, predicted = ["c", "a", "b"], ["a", "b", "b"]
    loss = cost_matrix_loss(true, predicted, costs, labels=["b", "c", "a"])
    assert loss == pytest.approx((costs[1, 2] + costs[2, 0] + costs[0, 0]) / 3)


def test_decision_has_the_least_expected_cost_of_all():
    rng = np.random.default_rng(1)
    costs, probability = rng.random((3, 3)), rng.dirichlet([1, 1, 1], size=50)
    decided = cost_decision(probability, costs, classes=["x", "y", "z"])
    for p, label in zip(probability, decided, strict=True):
        expected = [sum(p[i] * costs[i, j] for i in range(3)) for j in range(3)]
        assert "xyz"[int(np.argmin(expected))] == label
    np.testing.assert_array_equal(cost_decision(probability, ZERO_ONE), probability.argmax(axis=1))


def test_threshold_is_where_the_decision_turns():
    costs = [[-1, 3], [9, 0.5]]
    p = np.linspace(0, 1, 10_001)
    decided = cost_decision(np.column_stack([1 - p, p]), costs)
    assert p[np.argmax(decided)] == pytest.approx(cost_threshold(costs), abs=2e-4)


def test_threshold_follows_the_prevalence():
    # two unit Gaussians at -1 and 1: the posterior odds are exp(2 x) times the prior odds
    costs, trained, used = [[0, 2], [5, 0]], 0.5, 0.1
    threshold = cost_threshold(costs, prevalence=used, training_prevalence=trained)
    x = 0.5 * np.log(threshold / (1 - threshold))
    odds_in_use = np.exp(2 * x) * used / (1 - used)
    assert odds_in_use / (1 + odds_in_use) == pytest.approx(cost_threshold(costs))


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("prevalence", [None, 0.05])
def test_best_threshold_beats_every_other(ties, prevalence):
    y, scores = scored(2, ties=ties)
    costs = np.array([[0, 1], [4, -0.5]])
    share = y.mean() if prevalence is None else prevalence
    every = {}
    for threshold in [np.inf, *np.unique(scores)[::-1]]:
        called = (scores >= threshold).astype(int)
        by_class = [costs[k, called[y == k]].mean() for k in (0, 1)]
        every[threshold] = (1 - share) * by_class[0] + share * by_class[1]
    point = best_threshold(y, scores, costs, prevalence=prevalence)
    assert point.cost == pytest.approx(min(every.values()))
    assert every[point.threshold] == pytest.approx(point.cost)
    called = scores >= point.threshold
    assert point.tpr == pytest.approx(called[y == 1].mean())
    assert point.fpr == pytest.approx(called[y == 0].mean())


@pytest.mark.parametrize("ties", [False, True])
def test_demands_are_met_and_the_next_threshold_would_not_do(ties):
    y, scores = scored(3, ties=ties)
    distinct = np.unique(scores)
    above = {t: scores >= t for t in distinct}
    found = threshold_for(y, scores, tpr=0.8).threshold
    assert above[found][y == 1].mean() >= 0.8
    assert all(above[t][y == 1].mean() < 0.8 for t in distinct if t > found)
    found = threshold_for(y, scores, fpr=0.1).threshold
    assert above[found][y == 0].mean() <= 0.1
    assert all(above[t][y == 0].mean() > 0.1 for t in distinct if t < found)
    found = threshold_for(y, scores, precision=0.75).threshold
    assert y[above[found]].mean() >= 0.75
    assert all(y[above[t]].mean() < 0.75 for t in distinct if t < found)


def test_bad_input():
    with pytest.raises(ValueError, match=r"finite matrix \(2, 2\), rows actual"):
        cost_matrix_loss([0, 1], [0, 1], ZERO_ONE)
    with pytest.raises(ValueError, match="equally long columns"):
        cost_matrix_loss([0, 1], [0], [[0, 1], [1, 0]])
    with pytest.raises(ValueError, match=r"2 is not one of the labels \[0, 1\]"):
        cost_matrix_loss([0, 2], [0, 1], [[0, 1], [1, 0]], labels=[0, 1])
    with pytest.raises(ValueError, match="always the cheaper one"):
        cost_threshold([[1, 0], [1, 0]])
    with pytest.raises(ValueError, match="both, or none"):
        cost_threshold([[0, 1], [1, 0]], prevalence=0.1)
    with pytest.raises(ValueError, match="0 or more"):
        cost_decision([[np.nan, 1]], [[0, 1], [1, 0]])
    with pytest.raises(ValueError, match="name the 2 columns"):
        cost_decision([[0.5, 0.5]], [[0, 1], [1, 0]], classes=[1])
    with pytest.raises(ValueError, match="one of tpr, fpr and precision, got 2"):
        threshold_for([0, 1], [0, 1], tpr=1, fpr=0)
    with pytest.raises(
        ValueError, match=r"no threshold reaches precision 0.9; the best here is 0.5"
    ):
        threshold_for([0, 1], [1, 1], precision=0.9)
    with pytest.raises(ValueError, match="both classes in y_true, got only 1"):
        best_threshold([1, 1], [0, 1])
    with pytest.raises(ValueError, match="must not be NaN"):
        best_threshold([0, 1], [0, np.nan])
    with pytest.raises(ValueError, match="two classes, but y_true has 3"):
        best_threshold([0, 1, 2], [0, 1, 2])
