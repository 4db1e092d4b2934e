"""Networks of Gaussian units: gradients, limits, known fits."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from scipy.special import logsumexp
from sklearn.datasets import load_iris, make_moons
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import log_loss
from sklearn.preprocessing import scale

from shallows.descent import check_gradient
from shallows.network import RBFClassifier, RBFRegressor
from shallows.network._rbf import forms, inputs_of, rbf_cost, responses

KINDS = ["isotropic", "diagonal", "full", "pooled"]


def random_parts(covariance, n_units=4, n_features=3, n_outputs=2):
    rng = np.random.default_rng(0)
    shape = {
        "isotropic": (n_units, 1),
        "diagonal": (n_units, n_features),
        "full": (n_units, n_features, n_features),
        "pooled": (n_features, n_features),
    }[covariance]
    return [
        rng.normal(size=(n_units, n_features)),
        rng.uniform(0.3, 1, shape),
        rng.normal(size=(n_units, n_outputs)),
        rng.normal(size=n_outputs),
    ]


def naive_forms(X, centers, shapes, covariance):
    def matrix(unit):
        if covariance == "pooled":
            return shapes
        return shapes[unit] if covariance == "full" else np.diag(np.resize(shapes[unit], 3))

    return [[np.sum((matrix(j) @ (x - centers[j])) ** 2) for j in range(len(centers))] for x in X]


@pytest.mark.parametrize("covariance", KINDS)
def test_forms_equal_loops(covariance):
    X = np.random.default_rng(1).normal(size=(5, 3))
    centers, shapes = random_parts(covariance)[:2]
    np.testing.assert_allclose(
        forms(inputs_of(X, covariance), centers, shapes, covariance),
        naive_forms(X, centers, shapes, covariance),
    )


@pytest.mark.parametrize(("classify", "n_outputs"), [(True, 2), (False, 2), (False, 1)])
@pytest.mark.parametrize("normalized", [True, False])
@pytest.mark.parametrize("covariance", KINDS)
def test_gradient_by_centres_widths_and_outputs(covariance, normalized, classify, n_outputs):
    rng = np.random.default_rng(2)
    X, target = rng.normal(size=(8, 3)), np.eye(2)[rng.integers(0, 2, 8), :n_outputs]
    shares, parts = rng.dirichlet(np.ones(8)), random_parts(covariance, n_outputs=n_outputs)
    inputs = inputs_of(X, covariance)
    cuts = np.cumsum([part.size for part in parts])[:-1]

    def cost(vector):
        given = [
            part.reshape(like.shape)
            for part, like in zip(np.split(vector, cuts), parts, strict=True)
        ]
        loss, slopes = rbf_cost(
            inputs, target, shares, given, covariance, normalized, 0.1, classify
        )
        return loss, np.concatenate([slope.ravel() for slope in slopes])

    assert check_gradient(cost, np.concatenate([part.ravel() for part in parts])) < 1e-6


def test_normalised_narrow_units_are_the_nearest_prototype():
    rng = np.random.default_rng(3)
    X, centers = rng.normal(size=(50, 2)), rng.normal(size=(6, 2))
    found = responses(inputs_of(X, "isotropic"), centers, np.full((6, 1), 200.0), "isotropic", True)
    nearest = np.eye(6)[cdist(X, centers).argmin(axis=1)]
    assert np.abs(found - nearest).max(axis=1).mean() < 0.02
    np.testing.assert_allclose(found.sum(axis=1), 1)


@pytest.mark.parametrize("covariance", KINDS)
def test_regression_recovers_a_sum_of_bumps(covariance):
    rng = np.random.default_rng(4)
    X = rng.uniform(-2, 2, (300, 2))
    y = 2 * np.exp(-((X - 0.5) ** 2).sum(axis=1)) - np.exp(-((X + 1) ** 2).sum(axis=1))
    model = RBFRegressor(4, covariance=covariance, alpha=1e-8, random_state=0).fit(X, y)
    assert model.score(X, y) > 0.999
    both = RBFRegressor(4, covariance=covariance, random_state=0).fit(X, np.c_[y, -y])
    assert both.predict(X).shape == (300, 2)


@pytest.mark.parametrize("normalized", [True, False])
def test_classes(normalized):
    X, y = make_moons(200, noise=0.15, random_state=0)
    options = {"normalized": normalized, "max_iter": 2000, "random_state": 0}
    assert RBFClassifier(10, **options).fit(X, y).score(X, y) > 0.97
    X, y = load_iris(return_X_y=True)
    model = RBFClassifier(6, covariance="pooled", **options)
    assert model.fit(scale(X), y).score(scale(X), y) > 0.95
    gaps = cdist(scale(X), model.centers_, "mahalanobis", VI=model.shapes_.T @ model.shapes_)
    hidden = np.exp(-(gaps**2) / 2)
    if normalized:
        hidden /= hidden.sum(axis=1, keepdims=True)
    net = hidden @ model.coef_ + model.intercept_
    expected = net - logsumexp(net, axis=1, keepdims=True)
    np.testing.assert_allclose(model.predict_log_proba(scale(X)), expected, rtol=1e-9)
    np.testing.assert_allclose(model.predict_proba(scale(X)), np.exp(expected), rtol=1e-9)


def test_training_improves_on_the_start():
    X, y = make_moons(200, noise=0.15, random_state=0)
    losses = RBFClassifier(5, random_state=0).fit(X, y).history_["loss"]
    assert losses[-1] < 0.5 * losses[0] and np.all(np.diff(losses) <= 1e-9)


def test_descent_gets_below_the_best_outputs_of_the_first_units():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1500, 10))
    y = (X @ rng.normal(size=(10, 10)) + 5 * np.sin(2 * X)).argmax(axis=1)
    start = RBFClassifier(30, covariance="isotropic", max_iter=1, tol=None, random_state=0)
    start.fit(X, y)
    hidden = responses(inputs_of(X, "isotropic"), start.centers_, start.shapes_, "isotropic", False)
    fixed = LogisticRegression(C=1e4, max_iter=5000).fit(hidden, y)
    options = {"covariance": "isotropic", "alpha": 1e-4, "max_iter": 100, "tol": None}
    trained = RBFClassifier(30, **options, random_state=0).fit(X, y)
    assert log_loss(y, trained.predict_proba(X)) < log_loss(y, fixed.predict_proba(hidden))


def test_the_loss_of_many_samples_is_the_sum_over_blocks():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2500, 2))
    y = np.sin(X[:, 0]) * X[:, 1]
    model = RBFRegressor(8, alpha=0.5, max_iter=20, tol=None, random_state=0).fit(X, y)
    penalty = 0.25 * np.sum(model.coef_**2) / len(X)
    error = 0.5 * np.mean((model.predict(X) - y) ** 2)
    assert model.history_["loss"][-1] == pytest.approx(error + penalty)


@pytest.mark.parametrize("covariance", KINDS)
def test_a_hundred_iterations_suffice_for_a_smooth_function(covariance):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 5))
    y = np.sin(X[:, 0]) + X[:, 1] * X[:, 2]
    options = {"covariance": covariance, "alpha": 1e-4, "max_iter": 100, "tol": None}
    model = RBFRegressor(30, **options, random_state=0).fit(X, y)
    assert np.mean((model.predict(X) - y) ** 2) < 0.005


@pytest.mark.parametrize("normalized", [True, False])
def test_outputs_are_those_of_ridge_regression_on_the_responses(normalized):
    rng = np.random.default_rng(1)
    X, weights = rng.normal(size=(200, 3)), rng.uniform(0.5, 2, 200)
    Y = np.c_[np.sin(X[:, 0]), X[:, 1] ** 2]
    model = RBFRegressor(8, alpha=0.3, normalized=normalized, max_iter=7, tol=None, random_state=0)
    model.fit(X, Y, sample_weight=weights)
    hidden = responses(
        inputs_of(X, "diagonal"), model.centers_, model.shapes_, "diagonal", normalized
    )
    ridge = Ridge(0.3).fit(hidden, Y, sample_weight=weights)
    np.testing.assert_allclose(model.coef_, ridge.coef_.T, rtol=1e-6)
    np.testing.assert_allclose(model.intercept_, ridge.intercept_, rtol=1e-6)


def test_the_unit_of_y_does_not_matter():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(150, 2))
    y = np.sin(2 * X[:, 0]) * X[:, 1]
    large, small = (RBFRegressor(8, random_state=0).fit(X, y * unit) for unit in (1, 2.0**-10))
    assert large.n_iter_ == small.n_iter_
    np.testing.assert_allclose(small.predict(X) * 2.0**10, large.predict(X), rtol=1e-6)


def test_units_alike_do_not_stop_an_unpenalised_fit():
    X = np.repeat(np.linspace(0, 1, 5), 4)[:, None]  # fewer places than units
    model = RBFRegressor(12, alpha=0, max_iter=20, tol=None, random_state=0)
    assert model.fit(X, X.ravel() ** 2).score(X, X.ravel() ** 2) > 0.99999
