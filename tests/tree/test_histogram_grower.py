"""Trees on binned columns: each split against a search through all, and where the bins lie."""

from itertools import combinations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from shallows._core.numerics.threads import limit_threads
from shallows.tree import _histogram_grower
from shallows.tree._histogram_bins import bin_rows, learn_bins
from shallows.tree._histogram_grower import Grower, Limits, no_relations
from shallows.tree._histogram_kernels import Rules
from shallows.tree._histogram_tree import LEAF, add_answers, join_trees

RULES = Rules(min_samples=3.0, min_hessian=1e-3, l2=0.5, smoothing=0.0)


def binned(X, max_bins=16, n_categories=None):
    counts = n_categories or [0] * X.shape[1]
    bins = learn_bins(X, np.ones(len(X)), max_bins, counts, np.random.default_rng(0))
    return bins, bin_rows(bins, X)


def grower(X, rules=RULES, limits=Limits(), max_bins=16, n_categories=None):  # noqa: B008
    bins, table = binned(X, max_bins, n_categories)
    relations = no_relations(X.shape[1])
    return Grower(bins, table, rules, limits, relations, np.random.default_rng(0))


def noisy(n=300, d=4, seed=0, gaps=0.0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    X[rng.random(X.shape) < gaps] = np.nan
    gradient, hessian = rng.normal(size=n), rng.uniform(0.1, 1, size=n)
    gradient += np.where(X[:, 1] > 0.3, 1, 0) * np.where(X[:, 2] > 0, 1, -1)
    return X, gradient, hessian


def score(gradient, hessian, rows, l2=0.5):
    return gradient[rows].sum() ** 2 / (hessian[rows].sum() + l2)


def best_split(table, gap_bin, gradient, hessian):
    """Return gain and left rows of the best of all splits at all bins, gaps on either side."""
    best = (0.0, None)
    for column in table:
        gaps = column == gap_bin
        for place in np.unique(column[~gaps]):
            for left in (~gaps & (column <= place), gaps | (column <= place)):
                if min(left.sum(), (~left).sum()) < 3:
                    continue
                gain = score(gradient, hessian, left) + score(gradient, hessian, ~left)
                gain -= score(gradient, hessian, slice(None))
                if gain > best[0] * (1 + 1e-9):
                    best = gain, left
    return best


@pytest.mark.kernel
@pytest.mark.parametrize("gaps", [0.0, 0.2])
@pytest.mark.parametrize("seed", range(3))
def test_the_first_split_is_the_best_of_all(gaps, seed):
    X, gradient, hessian = noisy(seed=seed, gaps=gaps)
    bins, table = binned(X)
    tree = grower(X, limits=Limits(max_leaves=2)).grow(gradient, hessian)
    gain, left = best_split(table, bins.gap_bin, gradient, hessian)
    assert tree.nodes["gain"][0] == pytest.approx(gain, rel=1e-10)
    assert tree.nodes["count"][1] == left.sum()
    assert tree.nodes["value"][1] == pytest.approx(
        -gradient[left].sum() / (hessian[left].sum() + 0.5)
    )


def grown_naively(table, gap_bin, gradient, hessian, n_leaves):
    """Return the rows of the leaves when the leaf that gains most is always split next."""
    leaves = [np.arange(table.shape[1])]
    for _ in range(n_leaves - 1):
        found = []
        for rows in leaves:
            gain, left = best_split(table[:, rows], gap_bin, gradient[rows], hessian[rows])
            found.append((gain, rows[left] if left is not None else None))
        best = int(np.argmax([gain for gain, _ in found]))
        left = found[best][1]
        leaves = [*leaves, left, np.setdiff1d(leaves[best], left)]
        del leaves[best]
    return leaves


@pytest.mark.kernel
@pytest.mark.parametrize("gaps", [0.0, 0.2])
def test_a_whole_tree_is_that_of_naive_growth(gaps):
    X, gradient, hessian = noisy(gaps=gaps)
    bins, table = binned(X)
    tree = grower(X, limits=Limits(max_leaves=9)).grow(gradient, hessian)
    ours = [tree.rows[a:b] for a, b in zip(tree.bounds[:-1], tree.bounds[1:], strict=True)]
    naive = grown_naively(table, bins.gap_bin, gradient, hessian, 9)
    assert sorted(tuple(sorted(leaf)) for leaf in ours) == sorted(map(tuple, naive))
    for leaf, rows in zip(tree.leaves, ours, strict=True):
        value = -gradient[rows].sum() / (hessian[rows].sum() + 0.5)
        assert tree.nodes["value"][leaf] == pytest.approx(value)


@pytest.mark.kernel
def test_the_best_subset_of_categories_is_found():
    rng = np.random.default_rng(2)
    X = rng.integers(0, 8, size=(400, 1)).astype(float)
    gradient, hessian = rng.normal(size=400) + rng.normal(size=8)[X[:, 0].astype(int)], np.ones(400)
    tree = grower(X, limits=Limits(max_leaves=2), n_categories=[8]).grow(gradient, hessian)
    best = max(
        score(gradient, hessian, chosen) + score(gradient, hessian, ~chosen)
        for size in range(1, 8)
        for subset in combinations(range(8), size)
        for chosen in [np.isin(X[:, 0], subset)]
    )
    # The order by G / H is exact without the penalty, which is small beside fifty rows each.
    assert tree.nodes["gain"][0] == pytest.approx(
        best - score(gradient, hessian, slice(None)), rel=1e-6
    )


@pytest.mark.kernel
def test_rows_walk_to_the_leaves_that_they_grew():
    X, gradient, hessian = noisy(n=500, gaps=0.1)
    X[:, 3] = np.random.default_rng(1).integers(0, 6, size=500)
    made = grower(X, n_categories=[0, 0, 0, 6])
    tree = made.grow(gradient, hessian)
    assert (tree.nodes["category"][tree.nodes["feature"] != LEAF] >= 0).any()
    raw = np.zeros((500, 1))
    add_answers(join_trees([tree], 1), X, raw)
    expected = np.empty(500)
    expected[tree.rows] = np.repeat(tree.nodes["value"][tree.leaves], np.diff(tree.bounds))
    assert_array_equal(raw[:, 0], expected)


def test_a_tree_on_some_rows_is_that_on_a_table_of_them():
    X, gradient, hessian = noisy()
    X = np.round(X, 1)  # few values, so that both tables have the same bins
    rows = np.flatnonzero(np.random.default_rng(3).random(len(X)) < 0.9)
    part = grower(X, max_bins=255).grow(gradient, hessian, rows)
    alone = grower(X[rows], max_bins=255).grow(gradient[rows], hessian[rows])
    assert_array_equal(rows[alone.rows], part.rows)
    assert_allclose(part.nodes["value"], alone.nodes["value"])


def test_threads_change_no_bit(monkeypatch):
    X, gradient, hessian = noisy(n=2000, d=7)
    trees = []
    for threads, large in ((1, 10**9), (1, 0), (3, 0)):
        monkeypatch.setattr(_histogram_grower, "LARGE", large)
        with limit_threads(threads):
            trees.append(grower(X, max_bins=255).grow(gradient, hessian))
    assert_array_equal(trees[0].nodes, trees[1].nodes)
    assert_array_equal(trees[0].nodes, trees[2].nodes)


def test_without_a_limit_all_splits_are_made_in_any_order():
    X, gradient, hessian = noisy()
    free = grower(X).grow(gradient, hessian)
    limited = grower(X, limits=Limits(max_leaves=10**6)).grow(gradient, hessian)
    assert_array_equal(np.sort(free.nodes["value"]), np.sort(limited.nodes["value"]))
    assert len(free.leaves) > 20


@pytest.mark.kernel
def test_few_values_have_bins_of_their_own():
    X = np.array([[1.0], [2.0], [2.0], [5.0], [np.nan]])
    bins, table = binned(X)
    assert_array_equal(bins.thresholds, [[1.5, 3.5]])
    assert_array_equal(table, [[0, 1, 1, 2, 3]])


@pytest.mark.kernel
def test_many_values_are_cut_at_equal_shares():
    X = np.random.default_rng(0).exponential(size=(5000, 1))
    bins, table = binned(X, max_bins=10)
    assert_array_equal(np.bincount(table[0]), np.full(10, 500))
    # Value by value the bin is where the threshold says.
    assert_array_equal(table[0], np.searchsorted(bins.thresholds[0], X[:, 0]))


def test_weights_cut_as_repeated_rows_do():
    rng = np.random.default_rng(0)
    X, weights = rng.normal(size=(1000, 2)), rng.integers(1, 4, size=1000)
    args = 20, [0, 0], rng
    weighted = learn_bins(X, weights.astype(float), *args)
    repeated = learn_bins(np.repeat(X, weights, axis=0), np.ones(weights.sum()), *args)
    assert_array_equal(weighted.thresholds, repeated.thresholds)


def test_neighbouring_floats_are_told_apart():
    low = np.float64(1.0)
    X = np.array([[low], [np.nextafter(low, 2)]] * 5)
    _, table = binned(X)
    assert_array_equal(np.unique(table), [0, 1])
