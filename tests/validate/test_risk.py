"""Risk, the optimal regressor, overfitting and the rote learner."""

import numpy as np
import pytest
from scipy.stats import bernoulli, expon, norm, randint, uniform
from sklearn.linear_model import LinearRegression
from sklearn.metrics import mean_squared_error, zero_one_loss

from shallows.validate import (
    RoteLearner,
    empirical_risk,
    optimal_regressor,
    overfits,
    risk,
    risk_by_quadrature,
)


def sine(n, rng):
    x = rng.uniform(size=n)
    return x, np.sin(2 * np.pi * x) + rng.normal(scale=0.3, size=n)


def sine_law(x):
    return norm(np.sin(2 * np.pi * x), 0.3)


def test_empirical_risk_equals_the_metrics_of_scikit_learn():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 2)), rng.normal(size=30)
    model = LinearRegression().fit(X, y)
    assert empirical_risk(model, X, y) == pytest.approx(mean_squared_error(y, model.predict(X)))
    labels, found = rng.integers(3, size=30), rng.integers(3, size=30)
    assert empirical_risk(lambda x: found, X, labels, "zero_one") == zero_one_loss(labels, found)


def test_loss_takes_the_prediction_first():
    def too_low_costs_more(prediction, truth):
        return np.where(prediction < truth, 3.0, 1.0) * np.abs(prediction - truth)

    assert empirical_risk(lambda x: np.zeros(1), [0], [2.0], too_low_costs_more) == 6
    assert empirical_risk(lambda x: np.full(1, 2.0), [0], [0.0], too_low_costs_more) == 2


def test_monte_carlo_quadrature_and_closed_form_agree():
    # E (sin - 0)^2 + 0.09 = 0.59
    exact = risk_by_quadrature(lambda x: 0 * x, uniform(), sine_law)
    drawn = risk(lambda x: 0 * x, sine, n_samples=150_000, random_state=0)
    assert exact == pytest.approx(0.59, abs=1e-8)
    assert abs(drawn.value - 0.59) < 4 * drawn.standard_error
    assert drawn.standard_error == pytest.approx(0.6 / np.sqrt(150_000), rel=0.3)


def test_quadrature_of_discrete_laws_is_a_sum():
    value = risk_by_quadrature(
        lambda x: (x > 0.5).astype(int),
        bernoulli(0.3),
        lambda x: bernoulli(0.9 if x > 0.5 else 0.2),
        "zero_one",
    )
    assert value == pytest.approx(0.3 * 0.1 + 0.7 * 0.2)


def test_no_regressor_beats_the_conditional_mean():
    best = optimal_regressor(sine_law)
    few = randint(0, 4)
    least = risk_by_quadrature(best, few, sine_law)
    assert least == pytest.approx(0.09, abs=1e-8)
    moved = risk_by_quadrature(lambda x: best(x) + 0.2, few, sine_law)
    assert moved == pytest.approx(0.09 + 0.04, abs=1e-7)
    skewed = optimal_regressor(lambda x: expon(loc=x))
    assert np.allclose(skewed([0.0, 1.0]), [1.0, 2.0])


def test_estimators_take_one_row_per_input():
    x = np.linspace(0, 1, 9)
    line = LinearRegression().fit(x[:, None], 2 * x)
    assert risk_by_quadrature(line, randint(0, 3), lambda t: norm(2 * t, 1)) == pytest.approx(1.0)
    assert risk(line, sine, n_samples=10, random_state=0).n_samples == 10
    with pytest.raises(ValueError, match="n_samples must be int"):
        risk(line, sine, n_samples=1)


def test_overfitting_needs_a_witness():
    train, true = {"a": 0.1, "b": 0.2, "c": 0.3}, {"a": 0.5, "b": 0.4, "c": 0.6}
    judge = {name: overfits(name, train, train.get, true.get) for name in train}
    assert judge == {"a": True, "b": False, "c": False}
    assert not overfits("a", ["a"], train.get, true.get)


def test_rote_learner_knows_its_rows_and_nothing_else():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(50, 3)), rng.integers(3, size=50)
    memory = {tuple(row): label for row, label in zip(X, y, strict=True)}
    model = RoteLearner().fit(X, y)
    assert model.score(X, y) == 1.0
    fresh = np.concatenate([X[::7], rng.normal(size=(20, 3))])
    expected = [memory.get(tuple(row)) for row in fresh]
    assert model.predict(fresh).tolist() == expected
    assert model.knows(fresh).tolist() == [value is not None for value in expected]
    assert model.score(fresh, rng.integers(3, size=len(fresh))) <= 8 / 28


def test_rote_learner_votes_on_contradictions_and_may_guess():
    X, y = [[0.0], [0.0], [-0.0], [1.0], [1.0]], ["a", "b", "b", "a", "c"]
    model = RoteLearner("most_frequent").fit(X, y)
    assert model.predict([[0], [1], [9]]).tolist() == ["b", "a", "a"]
    assert model.n_contradictions_ == 2
    weighted = RoteLearner().fit(X, y, sample_weight=[5, 1, 1, 1, 2])
    assert weighted.predict([[0], [1]]).tolist() == ["a", "c"]
    with pytest.raises(ValueError, match="default must be one of 'most_frequent' or None"):
        RoteLearner("guess").fit(X, y)
