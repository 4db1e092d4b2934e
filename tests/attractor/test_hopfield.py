"""Associative memory: storage rules, retrieval, known results."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from shallows.attractor import Hopfield, overlap


def random_patterns(p, n, seed=0, bias=0.5):
    return np.random.default_rng(seed).choice([-1.0, 1.0], p=[1 - bias, bias], size=(p, n))


def damaged(patterns, share, seed=1):
    """Flip exactly this share of the units of each pattern."""
    rng, states = np.random.default_rng(seed), patterns.copy()
    for row in states:
        row[rng.choice(len(row), round(share * len(row)), replace=False)] *= -1
    return states


@pytest.mark.kernel
def test_hebb_adds_products_of_patterns():
    patterns = random_patterns(4, 15)
    expected = sum(np.outer(x, x) for x in patterns) / 4
    np.fill_diagonal(expected, 0.0)
    np.testing.assert_allclose(Hopfield().fit(patterns).weights_, expected)


@pytest.mark.kernel
def test_storing_one_by_one_is_storing_at_once():
    patterns = random_patterns(6, 20)
    memory = Hopfield()
    for pattern in patterns:
        memory.partial_fit(pattern[None])
    np.testing.assert_allclose(memory.weights_, Hopfield().fit(patterns).weights_, atol=1e-15)


@pytest.mark.kernel
def test_a_weight_counts_patterns():
    patterns, counts = random_patterns(4, 12), [1, 3, 0, 2]
    weighted = Hopfield().fit(patterns, sample_weight=counts)
    repeated = Hopfield().fit(np.repeat(patterns, counts, axis=0))
    np.testing.assert_allclose(weighted.weights_, repeated.weights_)


@pytest.mark.kernel
def test_zeros_and_ones_are_patterns_too():
    patterns = random_patterns(3, 10)
    one, other = Hopfield().fit(patterns), Hopfield().fit(patterns > 0)
    np.testing.assert_array_equal(one.weights_, other.weights_)


@pytest.mark.parametrize("update", ["sequential", "random", "parallel"])
def test_figure_of_the_notes(update):
    """100 patterns of 2500 units come back from 40 % flips, and not from 45 %."""
    patterns = random_patterns(100, 2500)
    memory = Hopfield(update=update, random_state=0).fit(patterns)
    for share, found in ((0.40, 1.0), (0.45, 0.0)):
        states = memory.transform(damaged(patterns[:5], share))
        perfect = np.mean(np.diag(overlap(states, patterns[:5])) == 1.0)
        assert perfect == found


def test_energy_falls_on_the_way_to_an_attractor():
    patterns = random_patterns(10, 100)
    memory = Hopfield().fit(patterns)
    start = damaged(patterns, 0.3)
    assert (memory.energy(memory.transform(start)) <= memory.energy(start)).all()
    np.testing.assert_allclose(memory.energy(start), memory.energy(-start))


@pytest.mark.parametrize("learning", ["projection", "perceptron"])
@pytest.mark.parametrize("bias", [0.5, 0.8])
def test_better_couplings_keep_what_hebb_loses(learning, bias):
    patterns = random_patterns(60, 150, bias=bias)
    hebb = Hopfield().fit(patterns).transform(patterns)
    better = Hopfield(learning, margin=0.1).fit(patterns)
    assert (hebb != patterns).any(axis=1).mean() > 0.5
    for update in ("sequential", "parallel"):
        np.testing.assert_array_equal(
            better.set_params(update=update).transform(patterns), patterns
        )


def test_trained_units_exceed_the_margin():
    patterns = random_patterns(40, 80, seed=3)
    memory = Hopfield("perceptron", margin=0.7).fit(patterns)
    fields = patterns @ memory.weights_.T
    assert (patterns * fields).min() > 0.7 - 1e-9
    assert memory.n_passes_ > 1
    assert not np.diag(memory.weights_).any()


def test_projection_is_that_of_the_pseudo_inverse():
    patterns = random_patterns(12, 40)
    patterns[3] = -patterns[2]  # one depends on the others
    expected = np.linalg.pinv(patterns) @ patterns
    np.fill_diagonal(expected, 0.0)
    np.testing.assert_allclose(Hopfield("projection").fit(patterns).weights_, expected, atol=1e-10)


def test_more_than_can_be_learned_warns():
    patterns = random_patterns(60, 12)
    with pytest.warns(ConvergenceWarning, match="did not learn all 60 patterns"):
        Hopfield("perceptron", max_passes=20).fit(patterns)


def test_what_needs_all_patterns_at_once_is_refused():
    patterns = random_patterns(3, 10)
    with pytest.raises(ValueError, match="partial_fit needs"):
        Hopfield("projection").partial_fit(patterns)
    with pytest.raises(ValueError, match="takes no sample_weight"):
        Hopfield("perceptron").fit(patterns, sample_weight=[1, 2, 3])
