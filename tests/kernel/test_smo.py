"""The compiled loops of the support vector solver, against NumPy."""

import numpy as np
import pytest

from shallows.kernel._class_blocks import ClassBlocks
from shallows.kernel._gram_rows import (
    CachedRows,
    Points,
    add_gathered,
    add_rows,
    keep_columns,
    pick,
    put_rows,
    row_sums,
)
from shallows.kernel._platt import couple, fit_sigmoid
from shallows.kernel._resolve import Kernel
from shallows.kernel._smo import feasible_start, solve_pairs

pytestmark = pytest.mark.kernel
RNG = np.random.default_rng(0)


@pytest.mark.parametrize("n", [1, 2, 7])
def test_row_kernels(n):
    table = RNG.normal(size=(9, n)).astype(np.float32)
    slots, steps = RNG.permutation(9)[:6], RNG.normal(size=6)
    fields = np.zeros(n)
    add_rows(fields, table, slots, steps)
    np.testing.assert_allclose(fields, steps @ table[slots], rtol=1e-6, atol=1e-7)
    columns = RNG.permutation(n)
    gathered = np.zeros(n)
    add_gathered(gathered, table, slots, columns, steps)
    np.testing.assert_allclose(gathered, fields[columns], rtol=1e-6, atol=1e-7)
    np.testing.assert_array_equal(pick(table, slots, columns), table[np.ix_(slots, columns)])
    weights = RNG.normal(size=n)
    np.testing.assert_allclose(row_sums(table, weights), table @ weights, rtol=1e-6, atol=1e-7)
    values = RNG.normal(size=(6, n)).astype(np.float32)
    put_rows(table, slots, values)
    np.testing.assert_array_equal(table[slots], values)
    kept = np.flatnonzero(np.arange(n) % 2 == 0)
    flat = table.ravel().copy()
    keep_columns(flat, 9, n, kept)
    np.testing.assert_array_equal(flat[: 9 * len(kept)].reshape(9, -1), table[:, kept])


def test_cache_returns_true_rows_through_evictions_and_shrinking():
    X = RNG.normal(size=(40, 3))
    kernel = Kernel("rbf", 0.4)
    gram = kernel(X)
    rows = CachedRows(Points("SVC", kernel, X, 0), np.arange(40), 4 * 40 * 8, 5)
    active = np.arange(40)
    for step in range(20):
        if step in (7, 13):
            kept = np.flatnonzero(RNG.random(len(active)) < 0.7)
            rows.retire(kept)
            active = active[kept]
        positions = RNG.permutation(len(active))[:5]
        expected = gram[np.ix_(active[positions], active[positions])]
        np.testing.assert_allclose(rows.square(positions), expected, atol=1e-6)
        fields, steps = np.zeros(len(active)), RNG.normal(size=5)
        rows.add(fields, positions, steps)
        np.testing.assert_allclose(fields, steps @ gram[active[positions]][:, active], atol=1e-5)
    rows.reset()
    np.testing.assert_allclose(rows.square(np.arange(5)), gram[:5, :5], atol=1e-6)


@pytest.mark.parametrize("epsilon", [0.0, 0.2])
def test_pairs_reach_the_optimum_within_the_bounds(epsilon):
    X, targets = RNG.normal(size=(30, 2)), RNG.normal(size=30)
    gram = Kernel("rbf", 0.5)(X)
    coef, fields, bound = np.zeros(30), np.zeros(30), np.full(30, 0.7)
    gain, pairs = solve_pairs(gram, targets, -bound, bound, epsilon, 1e-6, 10**5, coef, fields)
    assert pairs < 10**5 and coef.sum() == pytest.approx(0, abs=1e-10)
    assert np.abs(coef).max() <= 0.7
    np.testing.assert_allclose(fields, gram @ coef, atol=1e-8)
    dual = targets @ coef - epsilon * np.abs(coef).sum() - coef @ gram @ coef / 2
    assert gain == pytest.approx(dual, abs=1e-9)
    errors = targets - fields
    free = (np.abs(coef) < 0.7) & (coef != 0)
    offset = np.mean(errors[free] - epsilon * np.sign(coef[free]))
    rest = np.abs(errors[coef == 0] - offset)
    assert np.all(rest <= epsilon + 1e-5)


def test_start_is_feasible():
    coef = feasible_start(np.array([3.0, 1.0, -1.0, 0.5]), -np.ones(4), np.ones(4))
    assert coef.sum() == pytest.approx(0) and np.abs(coef).max() <= 1
    assert not feasible_start(np.array([1.0, 2.0]), np.zeros(2), np.ones(2)).any()


def test_sigmoid_recovers_its_parameters_and_coupling_its_probabilities():
    decisions = RNG.normal(size=20000) * 2
    positive = RNG.random(20000) < 1 / (1 + np.exp(-1.5 * decisions + 0.4))
    found = fit_sigmoid(decisions, positive, np.ones(20000))
    np.testing.assert_allclose(found, (-1.5, 0.4), atol=0.1)
    true = RNG.dirichlet(np.ones(4), size=10)
    pairs = [(i, j) for i in range(4) for j in range(i + 1, 4)]
    chances = np.column_stack([true[:, i] / (true[:, i] + true[:, j]) for i, j in pairs])
    np.testing.assert_allclose(couple(pairs, chances, 4), true, atol=1e-6)


@pytest.mark.parametrize("cache_bytes", [0, 1e6])
def test_blocks_of_classes_are_those_of_the_gram_matrix(cache_bytes):
    X, sizes = RNG.normal(size=(30, 3)), np.array([12, 7, 11])
    kernel = Kernel("poly", 0.4, 2, 1.0)
    points = Points("SVC", kernel, X, cache_bytes)
    assert (points.gram is None) == (cache_bytes == 0)
    blocks = ClassBlocks(points, sizes)
    for first, second, members in [(0, 2, np.r_[:12, 19:30]), (1, 2, np.r_[12:30])]:
        gram = ((0.4 * X[members] @ X[members].T + 1.0) ** 2).astype(np.float32)
        pair = blocks.pair(first, second)
        for rows in (np.sort(RNG.permutation(len(members))[:6]), np.arange(3), np.array([14, 16])):
            np.testing.assert_allclose(pair.square(rows), gram[np.ix_(rows, rows)], rtol=1e-6)
            fields, steps = np.ones(len(members)), RNG.normal(size=len(rows))
            pair.add(fields, rows, steps)
            np.testing.assert_allclose(fields, 1 + steps @ gram[rows], atol=1e-5)
