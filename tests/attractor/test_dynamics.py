"""Recurrent dynamics and energies against plain loops."""

import itertools

import numpy as np
import pytest

from shallows.attractor import energy, overlap, recurrent

pytestmark = pytest.mark.kernel
RNG = np.random.default_rng(0)


def symmetric(n):
    weights = RNG.normal(size=(n, n))
    weights += weights.T
    np.fill_diagonal(weights, 0.0)
    return weights


def one_sweep(state, weights, biases, order):
    """Update the units in order, written naively."""
    state = state.copy()
    for i in order:
        field = weights[i] @ state + biases[i]
        if field != 0:
            state[i] = np.sign(field)
    return state


@pytest.mark.parametrize("seed", range(3))
def test_sequential_steps_follow_the_definition(seed):
    rng = np.random.default_rng(seed)
    weights, biases = rng.normal(size=(9, 9)), rng.normal(size=9)
    states = rng.choice([-1.0, 1.0], size=(20, 9))
    found = recurrent.step(recurrent.init(states), weights, biases).states
    expected = [one_sweep(state, weights, biases, range(9)) for state in states]
    np.testing.assert_array_equal(found, expected)


def test_parallel_steps_follow_the_definition():
    weights = symmetric(8)
    states = RNG.choice([-1.0, 1.0], size=(5, 8))
    found = recurrent.step(recurrent.init(states), weights, update="parallel")
    np.testing.assert_array_equal(found.states, np.sign(states @ weights.T))
    assert found.time == 1


@pytest.mark.parametrize("update", ["sequential", "random"])
def test_no_sweep_raises_the_energy_and_every_run_rests_in_a_minimum(update):
    weights = symmetric(12)
    for seed in range(5):
        start = np.random.default_rng(seed).choice([-1.0, 1.0], size=12)
        path = recurrent.run(start, weights, update=update, random_state=seed)
        assert (np.diff(energy(weights, path.states)) <= 1e-12).all()
        assert path.period == 1
        end = path.states[-1]
        flipped = end * (1 - 2 * np.eye(12))
        assert (energy(weights, flipped) >= energy(weights, end) - 1e-12).all()


def test_all_orders_share_their_fixed_points():
    weights = symmetric(10)
    states = np.array(list(itertools.product([-1.0, 1.0], repeat=10)))
    after = {
        update: recurrent.step(recurrent.init(states), weights, update=update, random_state=0)
        for update in ("parallel", "sequential", "random")
    }
    fixed = {name: (new.states == states).all(axis=1) for name, new in after.items()}
    assert fixed["parallel"].any()
    np.testing.assert_array_equal(fixed["parallel"], fixed["sequential"])
    np.testing.assert_array_equal(fixed["parallel"], fixed["random"])


def test_updates_all_at_once_may_cycle():
    path = recurrent.run([1, -1], [[0, 1], [1, 0]], update="parallel")
    assert path.period == 2
    assert recurrent.run([1, -1], [[0, 1], [1, 0]]).period == 1


def test_a_field_of_zero_leaves_the_unit_alone():
    states = np.array([[1.0, -1.0, 1.0], [-1.0, 1.0, -1.0]])
    for update in ("parallel", "sequential"):
        new = recurrent.step(recurrent.init(states), np.zeros((3, 3)), update=update)
        np.testing.assert_array_equal(new.states, states)


def test_runs_are_repeatable():
    weights, start = symmetric(30), RNG.choice([-1.0, 1.0], size=30)
    options = {"update": "random", "temperature": 2.0, "max_steps": 5}
    first, second = (
        recurrent.run(start, weights, random_state=seed, **options).states for seed in (7, 7)
    )
    np.testing.assert_array_equal(first, second)
    assert len(np.unique(first, axis=0)) > 1


@pytest.mark.parametrize("update", ["sequential", "random"])
def test_long_runs_at_a_temperature_visit_states_by_boltzmanns_law(update):
    weights, biases = np.array([[0, 0.8, -0.5], [0.8, 0, 0.3], [-0.5, 0.3, 0]]), [0.2, 0.0, -0.4]
    every = np.array(list(itertools.product([-1.0, 1.0], repeat=3)))
    law = np.exp(-energy(weights, every, biases) / 1.5)
    law /= law.sum()
    state, rng = recurrent.init(np.ones((4000, 3))), np.random.default_rng(1)
    for _ in range(30):
        state = recurrent.step(
            state, weights, biases, update=update, temperature=1.5, random_state=rng
        )
    counts = (state.states @ [4, 2, 1] + 7) / 2
    found = np.bincount(counts.astype(int), minlength=8) / 4000
    assert np.abs(found - law).max() < 4.5 * np.sqrt(0.25 / 4000)


def test_graded_units():
    weights, start = RNG.normal(size=(4, 4)), RNG.normal(size=(3, 4))
    new = recurrent.step(recurrent.init(start), weights, 0.1, update="parallel", activation="tanh")
    np.testing.assert_allclose(new.states, np.tanh(start @ weights.T + 0.1))
    expected = start.copy()
    for unit in range(4):
        expected[:, unit] = np.tanh(expected @ weights[unit])
    new = recurrent.step(recurrent.init(start), weights, activation="tanh")
    np.testing.assert_allclose(new.states, expected)


def test_energy_is_the_sum_over_pairs():
    weights, state = symmetric(6), RNG.choice([-1.0, 1.0], size=6)
    pairs = itertools.combinations(range(6), 2)
    expected = -sum(weights[i, j] * state[i] * state[j] for i, j in pairs)
    assert energy(weights, state) == pytest.approx(expected)
    assert energy(weights, -state) == pytest.approx(expected)
    assert energy(weights + 3 * np.eye(6), state) == pytest.approx(expected)
    assert energy(weights, state, np.arange(6)) == pytest.approx(expected - state @ np.arange(6))


def test_aligned_states_are_those_of_least_energy_in_a_magnet():
    magnet = np.ones((8, 8)) - np.eye(8)
    every = np.array(list(itertools.product([-1.0, 1.0], repeat=8)))
    energies = energy(magnet, every)
    assert set(np.flatnonzero(energies == energies.min())) == {0, 255}
    assert energies.min() == -28


def test_overlap_counts_flips():
    pattern = np.ones(10)
    flipped = pattern.copy()
    flipped[:3] = -1
    assert overlap(flipped, pattern) == pytest.approx(1 - 2 * 0.3)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: energy([[0, 1], [0, 0]], [1, 1]), "must be symmetric"),
        (lambda: energy(np.zeros((3, 3)), [1, 1]), "need weights of shape"),
        (lambda: recurrent.run([1, 1], np.zeros((3, 3))), "need weights of shape"),
        (lambda: recurrent.run([1, 1], np.zeros((2, 2)), update="all"), "update must be"),
        (lambda: recurrent.run([1, 1], np.zeros((2, 2)), temperature=-1.0), "not be negative"),
    ],
)
def test_impossible_networks_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
