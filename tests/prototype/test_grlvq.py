"""GRLVQ against finite differences, its theory and known results."""

import numpy as np
import pytest
from sklearn.datasets import load_iris, load_wine, make_blobs
from sklearn.preprocessing import scale

from prototype.costs import vector_of, whole_cost
from shallows.descent import check_gradient, numerical_gradient
from shallows.prototype import GLVQ, GRLVQ
from shallows.prototype._grlvq import Weighted, grlvq_epoch
from shallows.prototype._start import Samples

X, Y = load_iris(return_X_y=True)
X = scale(X)
GAPS = np.where(np.random.default_rng(0).random(X.shape) < 0.15, np.nan, X)
GAPS[:, 0] = X[:, 0]


def naive_cost(prototypes, roots, labels, sample, label, gamma):
    distances = np.nansum(roots**2 * (sample - prototypes) ** 2, axis=1)
    same, other = distances[labels == label].min(), distances[labels != label].min()
    relative = (same - other) / (same + other)
    return 1 / (1 + np.exp(-gamma * relative)) if gamma else relative


@pytest.mark.kernel
@pytest.mark.parametrize("data", [X, GAPS], ids=["complete", "missing"])
@pytest.mark.parametrize("gamma", [None, 2.0])
def test_gradient_of_the_whole_cost(data, gamma):
    weights = np.random.default_rng(1).random(30)
    model = GRLVQ(2, gamma=gamma, max_iter=1, tol=None, random_state=0).fit(data[::5], Y[::5])
    start = vector_of(model)
    away = start + 0.03 * np.random.default_rng(0).normal(size=len(start))
    assert check_gradient(whole_cost(model, data[::5], Y[::5], weights), away, step=1e-6) < 1e-5


@pytest.mark.kernel
@pytest.mark.parametrize("gamma", [0.0, 2.0])
def test_stochastic_step_follows_the_gradient_of_its_sample(gamma):
    rng, labels = np.random.default_rng(0), np.array([0, 1, 2])
    for row in (3, 57, 88, 120):
        prototypes, roots = rng.normal(size=(3, 4)), rng.random(4)
        roots /= np.linalg.norm(roots)

        def cost(v, row=row):
            return naive_cost(v[:12].reshape(3, 4), v[12:], labels, GAPS[row], Y[row], gamma)

        slope = numerical_gradient(cost, np.append(prototypes, roots), 1e-6)
        moved, turned = prototypes.copy(), roots.copy()
        sample = Samples(GAPS[row : row + 1], Y[row : row + 1], np.ones(1)), np.array([0])
        place = Weighted(moved, turned)
        grlvq_epoch(*sample, place, labels, gamma, (1e-5, 1e-5), place, True)
        np.testing.assert_allclose((prototypes - moved).ravel(), 1e-5 * slope[:12], atol=1e-10)
        raw = roots - 1e-5 * slope[12:]
        np.testing.assert_allclose(turned, raw / np.linalg.norm(raw), atol=1e-10)


def test_relevances_held_equal_are_glvq():
    shared = {"gamma": 2.0, "max_iter": 5, "tol": None, "random_state": 0}
    diagonal = GRLVQ(2, solver="sgd", relevance_rate=0.0, **shared)
    plain = GLVQ(2, learning_rate=diagonal.learning_rate / 2, **shared).fit(X, Y)
    np.testing.assert_allclose(diagonal.fit(X, Y).prototypes_, plain.prototypes_, rtol=1e-8)
    np.testing.assert_allclose(diagonal.relevances_, 0.25, rtol=1e-12)


@pytest.mark.parametrize("solver", ["sgd", "waypoint", "lbfgs"])
def test_noise_gets_little_relevance(solver):
    blobs, y = make_blobs(300, centers=[[0, 0], [3, 0]], random_state=0)
    data = scale(np.hstack([blobs, np.random.default_rng(0).normal(size=(300, 8))]))
    model = GRLVQ(solver=solver, random_state=0).fit(data, y)
    assert model.relevances_.min() >= 0 and model.relevances_.sum() == pytest.approx(1)
    assert model.relevances_[0] > 0.8


@pytest.mark.parametrize("factor", [0.25, 64.0])
def test_scale_of_one_feature_moves_into_its_relevance_at_the_optimum(factor):
    stretched = X * [1, 1, 1, factor]
    plain = GRLVQ(gamma=1.0, tol=1e-9, max_iter=1000).fit(X, Y)
    other = GRLVQ(gamma=1.0, tol=1e-9, max_iter=1000).fit(stretched, Y)
    assert np.mean(plain.predict(X) == other.predict(stretched)) > 0.97


@pytest.mark.parametrize("load", [load_iris, load_wine])
def test_known_data_are_nearly_separated(load):
    data, y = load(return_X_y=True)
    assert GRLVQ(random_state=0).fit(scale(data), y).score(scale(data), y) >= 0.95


def test_lbfgs_optimum_is_not_above_the_others():
    def cost(solver):
        model = GRLVQ(solver=solver, max_iter=100, tol=None, random_state=0).fit(X, Y)
        return whole_cost(model, X, Y, np.ones(150))(vector_of(model))[0]

    best = cost("lbfgs")
    assert best <= cost("sgd") and best <= cost("waypoint")
