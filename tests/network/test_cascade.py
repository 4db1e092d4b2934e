"""Cascade correlation: exact gradient, frozen units, XOR."""

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_iris, make_moons
from sklearn.linear_model import LinearRegression
from sklearn.preprocessing import scale

from shallows.descent import numerical_gradient
from shallows.network import (
    CascadeCorrelationClassifier,
    CascadeCorrelationRegressor,
    candidate_scores,
)

XOR = np.array([[0, 0], [0, 1], [1, 0], [1, 1.0]]), np.array([0, 1, 1, 0])


def naive_score(inputs, errors, w):
    output = [np.tanh(sum(a * b for a, b in zip(row, w, strict=True))) for row in inputs]
    mean = sum(output) / len(output)
    return sum(
        abs(sum((o - mean) * (e - column.mean()) for o, e in zip(output, column, strict=True)))
        for column in errors.T
    )


def test_score_and_its_gradient():
    rng = np.random.default_rng(0)
    inputs, errors, W = rng.normal(size=(9, 4)), rng.normal(size=(9, 3)), rng.normal(size=(4, 2))
    scores, gradient = candidate_scores(inputs, errors, W)
    for c in (0, 1):
        assert scores[c] == pytest.approx(naive_score(inputs, errors, W[:, c]))
        exact = numerical_gradient(lambda w: naive_score(inputs, errors, w), W[:, c])
        np.testing.assert_allclose(gradient[:, c], exact, rtol=1e-6)
    np.testing.assert_allclose(candidate_scores(inputs, errors + 5, W)[0], scores)


def test_xor_needs_a_hidden_unit():
    none = CascadeCorrelationClassifier(0, tol=None).fit(*XOR)
    assert none.history_["loss"] == [pytest.approx(0.5)]  # half of 1: the output is zero
    for seed in range(5):
        model = CascadeCorrelationClassifier(3, tol=None, random_state=seed).fit(*XOR)
        assert model.score(*XOR) == 1 and len(model.hidden_coef_) >= 1


def test_frozen_units_never_change_and_the_error_never_rises():
    X, y = make_moons(150, noise=0.2, random_state=0)
    fits = [CascadeCorrelationClassifier(k, tol=None, random_state=0).fit(X, y) for k in (2, 4)]
    for early, late in zip(fits[0].hidden_coef_, fits[1].hidden_coef_, strict=False):
        np.testing.assert_array_equal(early, late)
    assert [len(unit) for unit in fits[1].hidden_coef_] == [3, 4, 5, 6]
    assert np.all(np.diff(fits[1].history_["loss"]) <= 1e-12)
    assert fits[1].score(X, y) > 0.9


def test_without_units_it_is_linear_regression():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(40, 3)), rng.normal(size=(40, 2))
    weights = rng.uniform(0.5, 2, 40)
    ours = CascadeCorrelationRegressor(0, tol=None).fit(X, y, weights)
    theirs = LinearRegression().fit(X, y, weights)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), atol=1e-10)


def test_growth_ends_on_held_out_data():
    rng = np.random.default_rng(2)
    X = rng.uniform(-3, 3, (120, 1))
    y = np.sin(2 * X).ravel() + 0.3 * rng.normal(size=120)
    model = CascadeCorrelationRegressor(
        30, validation_fraction=0.3, n_iter_no_change=5, random_state=0
    ).fit(X, y)
    scores = model.history_["val_score"]
    assert model.n_iter_ < 31 and len(model.hidden_coef_) == int(np.argmax(scores))


def test_three_classes():
    X, y = load_iris(return_X_y=True)
    model = CascadeCorrelationClassifier(8, tol=None, random_state=0).fit(scale(X), y)
    assert model.score(scale(X), y) > 0.96
    assert model.decision_function(scale(X)).shape == (150, 3)


def test_as_many_units_as_asked_for_are_no_reason_to_warn():
    X, y = load_diabetes(return_X_y=True)
    model = CascadeCorrelationRegressor(2, tol=0.0, random_state=0).fit(X / X.std(axis=0), y)
    assert len(model.hidden_coef_) == 2
    assert model.n_iter_ == 3
