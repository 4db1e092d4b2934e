"""Descent: the mean of stochastic places against naive sums, and when training stops."""

from math import comb

import numpy as np
import pytest
from scipy.linalg import orthogonal_procrustes
from sklearn.datasets import load_wine, make_classification
from sklearn.preprocessing import scale
from sklearn.utils.class_weight import compute_sample_weight

from prototype.costs import set_vector, vector_of, whole_cost
from shallows.prototype import GLVQ, GMLVQ, GRLVQ, RSLVQ
from shallows.prototype._cost_descent import chance_gain
from shallows.prototype._gmlvq import SHRINKAGE
from shallows.prototype._start import Samples

X, Y = load_wine(return_X_y=True)
X = scale(X)
EPOCHS = 6
START = {GMLVQ: {"shrinkage": SHRINKAGE}}  # what `fit` asks of the start


def places(model, data, y, seed):
    """Return where each epoch of stochastic descent leads with the first step size."""
    rng, weights = np.random.default_rng(seed), np.ones(len(y))
    model.classes_ = np.unique(y)
    samples = Samples(data, y, weights)
    place, rule = model._begin(samples, rng, **START.get(type(model), {})), model._rule()
    found = []
    for _ in range(model.max_iter):
        place, _ = rule.epoch(place, samples, rng.permutation(len(y)), model.learning_rate)
        found.append(rule.vector_of(place))
    model._keep(place)
    return np.array(found)


@pytest.mark.parametrize("kind", [GLVQ, GRLVQ])
def test_the_model_is_a_mean_that_weighs_late_epochs_more(kind):
    options = {"solver": "sgd", "max_iter": EPOCHS, "tol": None}
    model = kind(**options, random_state=np.random.default_rng(0)).fit(X, Y)
    fitted = vector_of(model)
    weights = [comb(epoch + 3, 3) for epoch in range(EPOCHS)]
    set_vector(model, np.average(places(kind(**options), X, Y, 0), axis=0, weights=weights))
    np.testing.assert_allclose(fitted, vector_of(model), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("options", [{}, {"rank": 2}, {"local": "class"}], ids=str)
def test_matrices_are_turned_towards_their_mean(options):
    """Steps may rotate a matrix, which changes no distance: a plain mean would shrink it."""
    options = {"solver": "sgd", "max_iter": EPOCHS, "tol": None, "relevance_rate": 40.0, **options}
    model = GMLVQ(**options, random_state=np.random.default_rng(0)).fit(X, Y)
    found, other = vector_of(model), GMLVQ(**options)
    cut = model.prototypes_.size
    mean = None
    for epoch, place in enumerate(places(other, X, Y, 0)):
        if mean is None:
            samples = Samples(X, Y, np.ones(len(Y)))
            start = other._begin(samples, np.random.default_rng(0), shrinkage=SHRINKAGE)
            mean = other._rule().vector_of(start)
        omegas, towards = (v[cut:].reshape(model._omegas.shape) for v in (place, mean))
        turned = [
            orthogonal_procrustes(omega.T, aim.T)[0].T @ omega
            for omega, aim in zip(omegas, towards, strict=True)
        ]
        place = np.append(place[:cut], np.ravel(turned))
        mean = mean + 4 / (4 + epoch) * (place - mean)
    set_vector(model, mean)
    np.testing.assert_allclose(found, vector_of(model), rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("kind", [GLVQ, GRLVQ, GMLVQ])
@pytest.mark.parametrize("seed", range(4))
def test_the_mean_costs_less_than_the_last_place(kind, seed):
    options = {"solver": "sgd", "max_iter": 60, "tol": None}
    model = kind(**options, random_state=np.random.default_rng(seed)).fit(X, Y)
    mean, cost = vector_of(model), whole_cost(model, X, Y, np.ones(len(Y)))
    assert cost(mean)[0] < cost(places(kind(**options), X, Y, seed)[-1])[0]


def test_the_mean_of_matrices_that_rotate_costs_less_than_the_last_place():
    options = {"solver": "sgd", "max_iter": 60, "tol": None, "relevance_rate": 40.0}
    data, y = make_classification(
        1000, 10, n_informative=6, n_classes=4, n_clusters_per_class=1, random_state=2
    )
    data = scale(data)
    model = GMLVQ(**options, random_state=np.random.default_rng(0)).fit(data, y)
    mean, cost = vector_of(model), whole_cost(model, data, y, np.ones(len(y)))
    assert cost(mean)[0] < cost(places(GMLVQ(**options), data, y, 0)[-1])[0] - 0.02


@pytest.mark.parametrize("tol", [None, 1e-4, 2e-3])
@pytest.mark.parametrize("kind", [GLVQ, RSLVQ])
def test_smaller_steps_go_on_from_the_mean_until_they_bring_nothing(kind, tol):
    options = {"solver": "sgd", "tol": tol, "max_iter": 90}
    model = kind(**options, random_state=np.random.default_rng(0)).fit(X, Y)
    rng, rate, losses, level = np.random.default_rng(0), model.learning_rate, [], []
    other, weights = kind(**options), np.ones(len(Y))
    other.classes_ = np.unique(Y)
    samples = Samples(X, Y, weights)
    start, rule = other._begin(samples, rng), other._rule()
    since, gained, place = 0, False, rule.vector_of(start)
    for _ in range(90):
        moved, loss = rule.epoch(rule.place_at(place), samples, rng.permutation(len(Y)), rate)
        better = not losses or loss < min(losses) - (tol or 0.0)
        since, gained = (0, True) if better else (since + 1, gained)
        losses.append(loss)
        place = rule.vector_of(moved)
        level.append(place)
        mean = np.average(level, axis=0, weights=[comb(k + 3, 3) for k in range(len(level))])
        if since == 5 and gained:
            rate, since, gained, place, level = rate / 10, 0, False, mean, []
        elif since >= 5 and tol is not None:
            break
    np.testing.assert_allclose(model.history_["loss"], losses, rtol=1e-7)
    np.testing.assert_allclose(vector_of(model), mean, rtol=1e-6, atol=1e-9)
    assert tol is None or (len(losses) < 90 and rate < model.learning_rate)


@pytest.mark.parametrize("kind", [GRLVQ, GMLVQ, RSLVQ])
def test_small_steps_come_as_near_to_the_minimum_as_lbfgs(kind):
    """Steps of one size stop where they are noise: by 0.01 and more short of the minimum."""
    data, y = make_classification(
        20_000, 20, n_informative=10, n_classes=4, n_clusters_per_class=1, random_state=0
    )
    data = scale(data)
    last, lowest = (
        kind(solver=solver, tol=tol, random_state=0).fit(data, y).history_["loss"][-1]
        for solver, tol in (("sgd", "auto"), ("lbfgs", None))
    )
    assert last < lowest + 0.002


@pytest.mark.parametrize("kind", [GLVQ, GRLVQ, GMLVQ, RSLVQ])
def test_large_weights_do_not_throw_prototypes_off(kind):
    rng = np.random.default_rng(0)
    y = (np.arange(5000) % 500 == 0).astype(int)
    data = rng.normal(size=(5000, 4))
    data[:, 0] += 3 * y
    weights = compute_sample_weight("balanced", y)
    model = kind(solver="sgd", random_state=0).fit(data, y, weights)
    new, truth = rng.normal(size=(4000, 4)), np.arange(4000) % 2
    new[:, 0] += 3 * truth
    assert model.score(new, truth) > 0.8  # 0.93 is the most that one can have


@pytest.mark.parametrize("kind", [GRLVQ, GMLVQ])
@pytest.mark.parametrize("n_prototypes", [2, 3, 5])
def test_more_prototypes_do_not_make_steps_too_long(kind, n_prototypes):
    rng = np.random.default_rng(5)
    data = rng.normal(size=(1500, 15))
    y = (data[:, 0] + data[:, 1] > 0) + 2 * (np.abs(data[:, 2]) > 0.7)  # each class in two parts
    train, test = (data[:500], y[:500]), (data[500:], y[500:])
    models = [kind(n_prototypes, solver="sgd", random_state=seed) for seed in range(5)]
    assert np.mean([model.fit(*train).score(*test) for model in models]) > 0.86


def parts_of_classes(n_samples, rng):
    """Return samples of three classes, each of which has three parts."""
    centres, mixing = rng.normal(size=(3, 3, 10)), rng.normal(size=(10, 10))
    y = rng.integers(3, size=n_samples)
    data = centres[y, rng.integers(3, size=n_samples)] + rng.normal(size=(n_samples, 10))
    return data @ mixing, y


@pytest.mark.parametrize("n_prototypes", [1, 3])
def test_of_many_samples_the_default_learns_nearly_all(n_prototypes):
    default, early, late = [], [], []
    to_the_end = {"tol": None, "max_iter": 200}
    for seed in range(6):
        data, y = parts_of_classes(25_000, np.random.default_rng(seed))
        data = scale(data)
        for scores, options in ((default, {}), (early, {"tol": 2e-3}), (late, to_the_end)):
            model = GMLVQ(n_prototypes, **options, random_state=0).fit(data[:5000], y[:5000])
            scores.append(model.score(data[5000:], y[5000:]))
    assert np.mean(default) > np.mean(late) - 0.003
    assert np.mean(default) > np.mean(early) + 0.003


@pytest.mark.parametrize(
    ("kind", "few"), [(GLVQ, 1e-4), (GRLVQ, 1e-4), (RSLVQ, 1e-4), (GMLVQ, 2e-3)]
)
def test_of_few_samples_the_default_is_the_largest_tolerance(kind, few):
    losses = [kind(**o, random_state=0).fit(X, Y).history_["loss"] for o in ({}, {"tol": few})]
    assert losses[0] == losses[1]


@pytest.mark.parametrize("kind", [GLVQ, GRLVQ, GMLVQ, RSLVQ])
def test_gain_by_chance(kind):
    n_numbers = {GLVQ: 39, GRLVQ: 39 + 13, GMLVQ: 39 + 169, RSLVQ: 39}[kind]
    model = kind(max_iter=1, tol=None).fit(X, Y)
    assert vector_of(model).size == n_numbers
    for n in (50, 1000, 100_000):
        expected = min(2 * n_numbers / n, 1) / n
        assert chance_gain(n_numbers, np.ones(n), 1.0) == pytest.approx(expected)
        assert chance_gain(n_numbers, np.full(n, 7.0), 1.0) == pytest.approx(expected)
        assert chance_gain(n_numbers, np.repeat([1.0, 0.0], n), 1.0) == pytest.approx(expected)
        assert chance_gain(n_numbers, np.ones(n), 1e-9) == 1e-9
    uneven = np.random.default_rng(0).exponential(size=1000)
    assert chance_gain(n_numbers, uneven, 1.0) > chance_gain(n_numbers, np.ones(1000), 1.0)


def test_tolerances_that_are_none():
    for tol in ("early", -1e-3):
        with pytest.raises(ValueError, match="GMLVQ: tol must be"):
            GMLVQ(tol=tol).fit(X, Y)
