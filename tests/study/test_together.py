import itertools

import numpy as np
import pytest
from scipy.optimize import minimize, nnls
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import roc_auc_score

from shallows.study import Study
from shallows.study._blend import Blend
from shallows.study._calibrate import PRIOR_ROWS, fit_scaling, scale, scaled_across
from shallows.study._verdict import _rank_score, _ranks
from shallows.study._weights import greedy_weights, stacked_chances, stacked_numbers


def chances(n=400, k=3, slope=3.0, seed=0):
    """Return overconfident probabilities and the classes that come of the right ones."""
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=(n, k))
    right = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    y = np.array([rng.choice(k, p=row) for row in right])
    said = np.exp(slope * scores)
    return said / said.sum(axis=1, keepdims=True), y


def test_scaling_is_the_minimum_of_its_cost():
    said, y = chances()
    logs, n = np.log(said.clip(1e-4)), len(y)
    middle = logs.mean(axis=0)
    spread = min((logs - middle).std(), 1.0)

    def cost(values):
        scores = values[0] * logs + values[1:]
        loss = np.log(np.exp(scores).sum(axis=1)) - scores[np.arange(n), y]
        more = values[0] - 1
        away = np.array([more * spread, *(values[1:] + more * middle)])
        return loss.mean() + PRIOR_ROWS / (2 * n) * away @ away

    found = fit_scaling(said, y)
    expected = minimize(cost, [1.0, 0, 0, 0], method="BFGS", options={"gtol": 1e-9}).x
    np.testing.assert_allclose(found, expected, atol=1e-4)
    assert found[0] == pytest.approx(1 / 3, abs=0.08)  # the slope undoes the overconfidence
    np.testing.assert_allclose(scale(said, found).sum(axis=1), 1)


def test_each_part_is_scaled_by_the_others():
    said, y = chances(90)
    parts = np.arange(90) % 3
    found = scaled_across(said, y, parts)
    for part in range(3):
        own = fit_scaling(said[parts != part], y[parts != part])
        np.testing.assert_allclose(found[parts == part], scale(said[parts == part], own))


def test_greedy_weights_are_near_the_best_of_all_weights():
    rng = np.random.default_rng(0)
    y = rng.normal(size=300)
    parts = np.column_stack([y + rng.normal(size=300) * s for s in (0.5, 0.6, 2.0)])

    def loss(columns):
        return ((y[:, None] - columns) ** 2).mean(axis=0)

    found = greedy_weights(parts, loss)
    assert found.sum() == pytest.approx(1) and found.min() >= 0
    grid = np.linspace(0, 1, 41)
    mixed = [(a, b, 1 - a - b) for a, b in itertools.product(grid, grid) if a + b <= 1]
    best = min(loss((parts @ np.array(w))[:, None])[0] for w in mixed)
    assert loss((parts @ found)[:, None])[0] < 1.01 * best
    copies = greedy_weights(parts[:, [0, 0]], loss)
    assert copies.tolist() == [1.0, 0.0]  # a copy adds nothing


def test_stacked_numbers_solve_the_penalised_problem():
    rng = np.random.default_rng(0)
    parts = rng.normal(size=(200, 3)) + 5
    y = parts @ [0.9, 0.4, -0.3] + 2 + 0.1 * rng.normal(size=200)
    weights = np.array([0.5, 0.5, 0.0])
    found, constant = stacked_numbers(parts, y, weights)
    pull = np.sqrt(20.0) * parts.std(axis=0).mean()
    centred = np.vstack([parts - parts.mean(axis=0), pull * np.eye(3)])
    expected = nnls(centred, np.concatenate([y - y.mean(), pull * weights]))[0]
    np.testing.assert_allclose(found, expected, atol=1e-6)
    assert constant == pytest.approx(y.mean() - parts.mean(axis=0) @ expected)


def test_stacked_powers_prefer_the_method_that_knows():
    said, y = chances(600, slope=1.0)
    noise, _ = chances(600, slope=1.0, seed=1)
    found = stacked_chances([said, noise], y, np.array([0.5, 0.5]))
    assert found[0] > 0.8 and found[1] < 0.2


def test_a_blend_answers_with_the_weighted_mean():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 3))
    y = X @ [1.0, 2, 3] + rng.normal(size=100)
    members = [LinearRegression(), LinearRegression(positive=True)]
    model = Blend(members, np.array([0.25, 0.75])).fit(X, y)
    single = [LinearRegression().fit(X, y), LinearRegression(positive=True).fit(X, y)]
    expected = 0.25 * single[0].predict(X) + 0.75 * single[1].predict(X)
    np.testing.assert_allclose(model.predict(X), expected)
    assert not hasattr(model, "predict_proba")
    labels = (y > 0).astype(int)
    scalings = [np.array([1.0, 0, 0]), np.array([2.0, 0.5, -0.5])]
    joint = Blend([LogisticRegression(), LogisticRegression(C=0.01)], [0.5, 0.5], scalings)
    joint.fit(X, labels)
    parts = [LogisticRegression(C=c).fit(X, labels).predict_proba(X) for c in (1.0, 0.01)]
    expected = sum(scale(p, s) for p, s in zip(parts, scalings, strict=True)) / 2
    np.testing.assert_allclose(joint.predict_proba(X), expected)
    np.testing.assert_array_equal(joint.predict(X), expected.argmax(axis=1))


def test_ranking_scores_are_those_of_scikit_learn():
    said, y = chances(120)
    expected = roc_auc_score(y, said, multi_class="ovr", average="macro")
    assert _rank_score(y, _ranks(said)) == pytest.approx(expected)
    two = said[:, :2] / said[:, :2].sum(axis=1, keepdims=True)
    assert _rank_score((y > 0) * 1, _ranks(two)) == pytest.approx(roc_auc_score(y > 0, two[:, 1]))


def columns_of(area, n, seed):
    """Return five columns; the best rule reaches that area under the curve."""
    from scipy.stats import norm

    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.5
    X = rng.normal(size=(n, 5))
    X[:, 0] += np.sqrt(2) * norm.ppf(area) * y
    return {**{f"x{i}": X[:, i] for i in range(5)}, "y": np.where(y, "p", "q")}


@pytest.mark.slow
def test_a_weak_signal_is_found_and_noise_is_not():
    only = ["least squares", "naive Bayes", "decision tree"]
    settings = {"only": only, "repeats": 1}
    found = [Study(columns_of(0.65, 500, s), "y", seed=s, **settings).run() for s in range(10)]
    noise = [Study(columns_of(0.5, 500, s), "y", seed=s, **settings).run() for s in range(10)]
    assert sum(each.learned for each in found) >= 6  # of 10 with a power of 0.8: 0.97
    assert sum(each.learned for each in noise) <= 2  # of 10 at a rate of 0.05: 0.99
    assert any(each.is_weak for each in found)
