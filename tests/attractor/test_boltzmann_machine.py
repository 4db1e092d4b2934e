"""Boltzmann machines against enumeration, and the restricted one of scikit-learn."""

import itertools

import numpy as np
import pytest
from sklearn.neural_network import BernoulliRBM

from shallows.attractor import BoltzmannMachine, energy

WEIGHTS = np.array([[0, 0.6, -0.4, 0], [0.6, 0, 0.5, 0.2], [-0.4, 0.5, 0, -0.7], [0, 0.2, -0.7, 0]])
BIASES = np.array([0.3, -0.2, 0.0, 0.1])
EVERY = np.array(list(itertools.product([-1.0, 1.0], repeat=4)))


def law(temperature=1.0):
    chances = np.exp(-energy(WEIGHTS, EVERY, BIASES) / temperature)
    return chances / chances.sum()


@pytest.mark.parametrize("temperature", [1.0, 2.5])
def test_newton_finds_the_machine_that_made_the_data(temperature):
    model = BoltzmannMachine(temperature, alpha=0).fit(EVERY, sample_weight=law(temperature))
    np.testing.assert_allclose(model.weights_, WEIGHTS, atol=1e-5)
    np.testing.assert_allclose(model.biases_, BIASES, atol=1e-5)
    np.testing.assert_allclose(np.exp(model.score_samples(EVERY)), law(temperature), atol=1e-6)
    assert model.n_iter_ < 12


def test_moments_become_those_of_the_data():
    X = np.random.default_rng(0).choice([-1.0, 1.0], size=(300, 5))
    X[:, 1] = np.where(np.random.default_rng(1).random(300) < 0.8, X[:, 0], X[:, 1])
    model = BoltzmannMachine(alpha=0).fit(X)
    every = np.array(list(itertools.product([-1.0, 1.0], repeat=5)))
    chances = np.exp(model.score_samples(every))
    assert chances.sum() == pytest.approx(1)
    np.testing.assert_allclose(chances @ every, X.mean(axis=0), atol=1e-6)
    np.testing.assert_allclose((every * chances[:, None]).T @ every, X.T @ X / 300, atol=1e-6)


def test_units_that_always_agree_need_the_penalty():
    X = np.array([[1.0, 1.0], [-1.0, -1.0]])
    strong, weak = (BoltzmannMachine(alpha=alpha).fit(X) for alpha in (1e-3, 1e-1))
    assert 0 < weak.weights_[0, 1] < strong.weights_[0, 1] < 10


def test_chains_find_nearly_the_same_machine():
    rng = np.random.default_rng(2)
    X = EVERY[rng.choice(16, size=5000, p=law())]
    exact = BoltzmannMachine(alpha=0).fit(X)
    chains = BoltzmannMachine(alpha=0, solver="persistent", random_state=0).fit(X)
    np.testing.assert_allclose(chains.weights_, exact.weights_, atol=0.1)
    np.testing.assert_allclose(chains.biases_, exact.biases_, atol=0.1)
    assert chains.score(X) > exact.score(X) - 0.01
    assert chains.history_["loss"][-1] < chains.history_["loss"][0]
    again = BoltzmannMachine(alpha=0, solver="persistent", random_state=0).fit(X)
    np.testing.assert_array_equal(chains.weights_, again.weights_)


def test_samples_follow_the_law():
    model = BoltzmannMachine(alpha=0).fit(EVERY, sample_weight=law())
    states = model.sample(20_000, random_state=0)
    numbers = ((states + 1) / 2 @ [8, 4, 2, 1]).astype(int)
    found = np.bincount(numbers, minlength=16) / 20_000
    assert np.abs(found - law()).max() < 4.5 * np.sqrt(law().max() / 20_000)


def test_a_larger_machine_learns_and_names_its_limits():
    rng = np.random.default_rng(3)
    X = np.where(rng.random((400, 25)) < 0.7, rng.choice([-1.0, 1.0], size=(400, 1)), -1.0)
    model = BoltzmannMachine(max_iter=100, random_state=0).fit(X)
    drawn = model.sample(500, random_state=1)
    np.testing.assert_allclose(drawn.mean(axis=0), X.mean(axis=0), atol=0.3)
    with pytest.raises(ValueError, match="up to 20 units, got 25"):
        model.score_samples(X)
    with pytest.raises(ValueError, match="up to 10 units, got 25"):
        BoltzmannMachine(solver="newton").fit(X)


def test_restricted_machine_of_scikit_learn_follows_its_law():
    """Block Gibbs steps of a 3 x 2 machine visit visible states by the enumerated law."""
    rbm = BernoulliRBM(n_components=2, random_state=0)
    rng = np.random.default_rng(4)
    rbm.fit(np.zeros((1, 3)))
    rbm.components_ = rng.normal(size=(2, 3))
    rbm.intercept_visible_, rbm.intercept_hidden_ = rng.normal(size=3), rng.normal(size=2)
    visible = np.array(list(itertools.product([0.0, 1.0], repeat=3)))
    hidden = np.array(list(itertools.product([0.0, 1.0], repeat=2)))
    joint = np.exp(
        visible @ rbm.components_.T @ hidden.T
        + (visible @ rbm.intercept_visible_)[:, None]
        + hidden @ rbm.intercept_hidden_
    ).sum(axis=1)
    states = np.zeros((20_000, 3))
    for _ in range(30):
        states = rbm.gibbs(states)
    found = np.bincount((states @ [4, 2, 1]).astype(int), minlength=8) / 20_000
    assert np.abs(found - joint / joint.sum()).max() < 4.5 * np.sqrt(0.25 / 20_000)
