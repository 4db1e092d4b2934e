"""RSLVQ against finite differences, a library's loss, its theory and known results."""

import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import multivariate_normal
from sklearn.datasets import load_iris, load_wine
from sklearn.metrics import log_loss
from sklearn.preprocessing import scale

from prototype.costs import vector_of, whole_cost
from shallows.descent import check_gradient, numerical_gradient
from shallows.prototype import RSLVQ
from shallows.prototype._rslvq import rslvq_epoch
from shallows.prototype._start import Samples

X, Y = load_iris(return_X_y=True)
X = scale(X)
GAPS = np.where(np.random.default_rng(0).random(X.shape) < 0.15, np.nan, X)
GAPS[:, 0] = X[:, 0]


def test_probabilities_are_those_of_the_gaussian_mixture():
    model = RSLVQ(2, sigma=0.7, max_iter=2, tol=None, random_state=0).fit(X, Y)
    heights = np.array(
        [multivariate_normal(w, 0.7**2 * np.eye(4)).pdf(X) for w in model.prototypes_]
    )
    joint = heights.reshape(3, 2, 150).sum(axis=1).T
    expected = joint / joint.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(model.predict_proba(X), expected, rtol=1e-8, atol=1e-12)
    assert np.array_equal(model.predict(X), expected.argmax(axis=1))


def test_logarithms_of_probabilities_stay_finite_far_away():
    model = RSLVQ(2, sigma=0.1, max_iter=2, tol=None, random_state=0).fit(X, Y)
    rows = np.concatenate([X, [[50.0, 50, 50, 50]]])
    clouds = [multivariate_normal(w, 0.01 * np.eye(4)) for w in model.prototypes_]
    heights = np.array([cloud.logpdf(rows) for cloud in clouds]).reshape(3, 2, -1)
    joint = logsumexp(heights, axis=1).T
    expected = joint - logsumexp(joint, axis=1, keepdims=True)
    np.testing.assert_allclose(model.predict_log_proba(rows), expected, rtol=1e-9, atol=1e-9)
    assert (model.predict_proba(rows[-1:]) == 0).any() and expected.min() > -np.inf


def test_decision_is_the_logarithm_of_the_odds():
    model = RSLVQ(2, random_state=0).fit(X, Y)
    chances, values = model.predict_proba(X), model.decision_function(X)
    inside = (chances > 1e-9) & (chances < 1 - 1e-9)
    expected = np.log(chances[inside] / (1 - chances[inside]))
    np.testing.assert_allclose(values[inside], expected, rtol=1e-5, atol=1e-9)
    assert inside.sum() > 100 and np.isfinite(values).all()
    np.testing.assert_array_equal(model.classes_[values.argmax(axis=1)], model.predict(X))
    two = RSLVQ(random_state=0).fit(X[50:], Y[50:])
    np.testing.assert_array_equal(two.decision_function(X[50:]) > 0, two.predict(X[50:]) == 2)
    gap = np.sum((X[50:, None] - two.prototypes_) ** 2, axis=2) @ [1, -1] / (2 * two.sigma_**2)
    np.testing.assert_allclose(two.decision_function(X[50:]), gap)


def test_a_missing_value_is_integrated_out():
    model = RSLVQ(2, sigma=0.7, max_iter=2, tol=None, random_state=0).fit(X, Y)
    row, seen = np.array([[np.nan, 0.3, np.nan, -0.2]]), [1, 3]
    clouds = [multivariate_normal(w[seen], 0.49 * np.eye(2)) for w in model.prototypes_]
    heights = np.array([cloud.pdf(row[0, seen]) for cloud in clouds])
    joint = heights.reshape(3, 2).sum(axis=1)
    np.testing.assert_allclose(model.predict_proba(row)[0], joint / joint.sum(), rtol=1e-8)


def test_cost_is_the_log_loss_of_scikit_learn():
    weights = np.random.default_rng(0).random(150)
    model = RSLVQ(2, random_state=0, max_iter=3, tol=None).fit(X, Y, weights)
    expected = log_loss(Y, model.predict_proba(X), sample_weight=weights)
    assert whole_cost(model, X, Y, weights)(vector_of(model))[0] == pytest.approx(
        expected, rel=1e-9
    )
    assert model.history_["loss"][-1] == pytest.approx(expected, rel=1e-9)


@pytest.mark.kernel
@pytest.mark.parametrize("data", [X, GAPS], ids=["complete", "missing"])
def test_gradient_of_the_whole_cost(data):
    weights = np.random.default_rng(1).random(30)
    model = RSLVQ(2, max_iter=1, tol=None, random_state=0).fit(data[::5], Y[::5])
    start = vector_of(model)
    away = start + 0.1 * np.random.default_rng(0).normal(size=len(start))
    assert check_gradient(whole_cost(model, data[::5], Y[::5], weights), away, step=1e-6) < 1e-5


@pytest.mark.kernel
def test_stochastic_step_follows_the_gradient_of_its_sample():
    rng, labels = np.random.default_rng(0), np.array([0, 0, 1])
    for _ in range(10):
        prototypes, x = rng.normal(size=(3, 2)), rng.normal(size=2)

        def loss(v, x=x):
            heights = np.exp(-((v.reshape(3, 2) - x) ** 2).sum(axis=1) / (2 * 0.8**2))
            return -np.log(heights[:2].sum() / heights.sum())

        slope = numerical_gradient(loss, prototypes.ravel(), 1e-6)
        moved = prototypes.copy()
        sample = Samples(x[None], np.array([0]), np.ones(1)), np.array([0])
        value = rslvq_epoch(*sample, moved, labels, 0.8, 1e-5, moved)
        assert value == pytest.approx(loss(prototypes.ravel()))
        # the prototypes move one after the other, but their shares were taken before
        np.testing.assert_allclose((prototypes - moved).ravel(), 1e-5 * slope, atol=1e-11)


def test_small_sigma_learns_from_mistakes_alone():
    """A sample that is clearly right moves nothing; one that is wrong moves two prototypes."""
    labels, order, one = np.array([0, 1]), np.array([0]), np.ones(1)
    start = np.array([[0.0, 0.0], [2.0, 0.0]])
    for x, moves in (([0.5, 0.1], False), ([1.5, 0.1], True)):
        moved = start.copy()
        sample = Samples(np.array([x]), np.array([0]), one)
        rslvq_epoch(sample, order, moved, labels, 0.05, 1e-4, moved)
        assert np.allclose(moved, start, rtol=0, atol=1e-12) is not moves


@pytest.mark.parametrize("solver", ["sgd", "waypoint", "lbfgs"])
@pytest.mark.parametrize("load", [load_iris, load_wine])
def test_known_data_are_nearly_separated(load, solver):
    data, y = load(return_X_y=True)
    model = RSLVQ(solver=solver, random_state=0).fit(scale(data), y)
    assert model.score(scale(data), y) >= 0.96


def test_default_width_is_the_spread_within_classes():
    model = RSLVQ().fit(X, Y)
    within = np.mean([X[k == Y].var(axis=0).mean() for k in range(3)])
    assert model.sigma_ == pytest.approx(np.sqrt(within))


def test_lbfgs_optimum_is_not_above_the_others():
    def cost(solver):
        model = RSLVQ(solver=solver, max_iter=100, tol=None, random_state=0).fit(X, Y)
        return whole_cost(model, X, Y, np.ones(150))(vector_of(model))[0]

    best = cost("lbfgs")
    assert best <= cost("sgd") and best <= cost("waypoint")
