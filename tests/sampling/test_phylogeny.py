"""Clocks, trees, likelihoods by summing over all ancestors, and the posterior of trees."""

import itertools

import numpy as np
import pytest
from scipy.linalg import expm
from scipy.special import logsumexp

from shallows._core.numerics.clock_tree import decode
from shallows.data import random_clock_tree, simulate_sequences
from shallows.sampling import ClockTree, MolecularClock, sample_trees, tree_log_likelihood
from shallows.sampling._sample_trees import turn_branches

CLOCK = MolecularClock(0.7, 3.0, [0.1, 0.2, 0.3, 0.4])


def test_clock_is_the_exponential_of_its_rates():
    np.testing.assert_allclose(CLOCK.rates.sum(axis=1), 0, atol=1e-15)
    assert CLOCK.rates[0, 2] == pytest.approx(0.7 * 3.0 * 0.3)
    for t in (0.0, 0.3, 2.0):
        P = CLOCK.transition(t)
        np.testing.assert_allclose(P, expm(t * CLOCK.rates), atol=1e-12)
        np.testing.assert_allclose(P.sum(axis=1), 1)
        np.testing.assert_allclose(CLOCK.frequencies @ P, CLOCK.frequencies)
    np.testing.assert_allclose(CLOCK.transition(0.5) @ CLOCK.transition(0.2), CLOCK.transition(0.7))
    assert CLOCK.transition([0.1, 0.2]).shape == (2, 4, 4)
    with pytest.raises(ValueError, match="four positive numbers"):
        MolecularClock(frequencies=[1, 0, 0, 0])


def figure_50():
    t = np.cumsum(np.arange(1, 7))  # t1, t1 + t2, ...
    order = np.array([1, 4, 7, 2, 3, 6, 5]) - 1
    return ClockTree(order, 2.0 * t[[3, 0, 4, 2, 1, 5]])


@pytest.mark.kernel
def test_the_tree_of_figure_50():
    tree = figure_50()
    assert tree.topology() == "(((0,(3,6)),(1,(2,5))),4)"
    assert frozenset({3, 6}) in tree.clades()
    assert len(tree.clades()) == 6
    assert tree.height == 21


@pytest.mark.kernel
def test_turning_branches_draws_the_same_tree():
    tree = figure_50()
    drawings = set()
    for draws in itertools.product([0.2, 0.7], repeat=6):
        order, distances = turn_branches(tree.order, tree.distances, np.array(draws))
        other = ClockTree(order, distances)
        assert other.topology() == tree.topology()
        assert sorted(distances) == sorted(tree.distances)
        drawings.add(tuple(order))
    assert len(drawings) == 2**6


def test_trees_from_parents_keep_heights_and_clades():
    tree = random_clock_tree(8, random_state=3)
    parents, heights = tree.to_parents()
    drawn = ClockTree.from_parents(parents, heights)
    np.testing.assert_array_equal(drawn.order, tree.order)
    np.testing.assert_array_equal(drawn.distances, tree.distances)
    np.testing.assert_allclose(np.sort(tree.distances) / 2, np.sort(heights[8:]))
    below = {leaf: frozenset([leaf]) for leaf in range(8)}
    for node in range(8, 15):
        below[node] = frozenset().union(*(below[c] for c in np.flatnonzero(parents == node)))
    assert tree.clades() == {below[node] for node in range(8, 15)}


def test_a_generated_tree_goes_straight_into_the_likelihood():
    tree = random_clock_tree(4, height=0.5, random_state=0)
    assert isinstance(tree, ClockTree)
    letters = simulate_sequences(tree, 2000, rate=0.7, kappa=3.0, random_state=0)
    clock = MolecularClock(0.7, 3.0)
    taller = ClockTree(tree.order, 3 * tree.distances)
    assert tree_log_likelihood(tree, letters, clock) > tree_log_likelihood(taller, letters, clock)


def test_lists_make_a_tree():
    tree = ClockTree([2, 0, 1], [4, 1])
    assert tree.height == 2.0 and tree.topology() == "((0,1),2)"
    again = ClockTree.from_parents([3, 3, 4, 4, -1], [0, 0, 0, 0.5, 2])
    assert again.topology() == "((0,1),2)" and again.height == 2.0
    assert ClockTree([0], []).topology() == "0"


def brute_force(tree, letters, clock):
    """Sum the joint probability over all letters of all ancestors, for one site."""
    left, right, heights = decode(tree.order, tree.distances)
    n = len(tree.order)
    ages = np.concatenate([np.zeros(n), heights])
    total = 0.0
    for ancestors in itertools.product(range(4), repeat=n - 1):
        symbols = [*letters, *ancestors]
        chance = clock.frequencies[symbols[-1]]
        for k in range(n - 1):
            for child in (left[k], right[k]):
                P = clock.transition(ages[n + k] - ages[child])
                chance *= P[symbols[n + k], symbols[child]]
        total += chance
    return total


def naive_logarithm(tree, letters, clock):
    """Prune in logarithms, for one site."""
    left, right, heights = decode(tree.order, tree.distances)
    ages = np.concatenate([np.zeros(len(letters)), heights])
    with np.errstate(divide="ignore"):
        below = list(np.log(np.eye(4)[letters]))
    for k, pair in enumerate(zip(left, right, strict=True)):
        age = ages[len(letters) + k]
        moves = [np.log(expm((age - ages[child]) * clock.rates)) for child in pair]
        below.append(sum(logsumexp(P + below[c], axis=1) for P, c in zip(moves, pair, strict=True)))
    return logsumexp(np.log(clock.frequencies) + below[-1])


@pytest.mark.kernel
def test_pruning_is_the_sum_over_all_ancestors():
    rng = np.random.default_rng(0)
    tree = random_clock_tree(5, random_state=1)
    sites = rng.integers(4, size=(5, 3))
    expected = sum(np.log(brute_force(tree, column, CLOCK)) for column in sites.T)
    assert tree_log_likelihood(tree, sites, CLOCK) == pytest.approx(expected, rel=1e-12)
    text = ["".join("ACGT"[i] for i in row) for row in sites]
    assert tree_log_likelihood(tree, text, CLOCK) == pytest.approx(expected, rel=1e-12)


def test_unknown_letters_are_summed_over():
    tree = ClockTree([0, 1, 2], [1.0, 2.0])
    known = [np.exp(tree_log_likelihood(tree, ["A", "C", x], CLOCK)) for x in "ACGT"]
    unknown = np.exp(tree_log_likelihood(tree, ["A", "C", "N"], CLOCK))
    assert unknown == pytest.approx(sum(known))
    assert np.exp(tree_log_likelihood(tree, ["-", "-", "-"], CLOCK)) == pytest.approx(1)


def test_large_trees_do_not_underflow():
    tree = random_clock_tree(400, random_state=0)
    sites = np.random.default_rng(0).integers(4, size=(400, 2))
    expected = sum(naive_logarithm(tree, column, CLOCK) for column in sites.T)
    assert expected < -900  # far below what a float64 holds, so that products are scaled
    assert tree_log_likelihood(tree, sites, CLOCK) == pytest.approx(expected, rel=1e-10)


def test_without_data_the_prior_prefers_balanced_trees():
    sample = sample_trees(["N"] * 4, 6000, delta=0.5, thin=3, random_state=0)
    topologies = sample.topologies()
    balanced = {name: share for name, share in topologies.items() if name.count("),(") == 1}
    assert len(topologies) == 15
    assert len(balanced) == 3
    assert sum(balanced.values()) == pytest.approx(1 / 3, abs=0.05)


def test_the_true_topology_is_found_in_long_sequences():
    tree = random_clock_tree(5, random_state=4)
    sequences = simulate_sequences(tree, 800, rate=0.5, random_state=0)
    truth = tree.topology()
    samples = [
        sample_trees(sequences, 300, delta=0.05, max_height=3.0, burn_in=3000, random_state=seed)
        for seed in (0, 1)
    ]
    for sample in samples:
        assert next(iter(sample.topologies())) == truth
        assert 0.01 < sample.acceptance[1] < 0.9
        assert next(iter(sample.clades().values())) == 1.0
    means = [sample.log_posteriors.mean() for sample in samples]
    assert means[0] == pytest.approx(means[1], abs=3)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ClockTree([0, 2], [1.0]), "each once"),
        (lambda: ClockTree([[0, 1]], [1.0]), "each once"),
        (lambda: ClockTree([0, 1], [[1.0]]), "one entry less"),
        (lambda: ClockTree([0, 1], [-1.0]), "not negative"),
        (lambda: ClockTree.from_parents([2, 2, -1], [0, 0]), "one number for each"),
        (lambda: ClockTree.from_parents([3, 3, 3, 4, -1], [0, 0, 0, 1, 2]), "twice"),
        (lambda: ClockTree.from_parents([2, 2, -1], [0, 1, 2]), "0 for leaves"),
        (lambda: ClockTree.from_parents([3, 3, 4, 4, -1], [0, 0, 0, 2, 1]), "above that of"),
        (lambda: tree_log_likelihood(figure_50(), ["A"], CLOCK), "7 leaves need"),
    ],
)
def test_impossible_trees_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
