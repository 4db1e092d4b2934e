"""The compiled parts of growth, each against a naive version."""

import numpy as np
import pytest
from scipy import sparse

from shallows.tree import _grow, _questions
from shallows.tree._ranks import FEW, Ranks
from shallows.tree._rows import Rows

pytestmark = pytest.mark.kernel


@pytest.mark.parametrize("n", [1, 2, 40, 49, 333, 2500])
@pytest.mark.parametrize("values", [2, 9, 70_000])
def test_keys_are_sorted_by_rank(n, values):
    rng = np.random.default_rng(n + values)
    ranks = rng.integers(7, 7 + values, size=n)
    keys = (ranks << 32) | np.arange(n)
    expected = np.sort(keys)
    room = np.empty(n, np.int64), np.empty(2048, np.int64)
    by_digits, by_insertion = keys.copy(), keys[: _grow.SHORT].copy()
    _grow._sort(by_digits, *room, n, ranks.min(), ranks.max())
    _grow._sort_few(by_insertion, len(by_insertion))
    assert np.array_equal(by_digits, expected)
    assert np.array_equal(by_insertion, np.sort(keys[: _grow.SHORT]))


def purity(sums, weight, criterion):
    if criterion == _questions.ERROR:
        return max(sums)
    if criterion in (_questions.GINI, _questions.SQUARES):
        return sum(s * s for s in sums) / weight
    return sum(c * np.log2(c / weight) for c in sums if c > 0)


@pytest.mark.parametrize("criterion", range(5))
@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("usual", [-1, 0, 5, 11])
def test_best_cut_equals_its_definition(criterion, whole, usual):
    rng = np.random.default_rng(criterion)
    n, n_values = 60, 12
    x = rng.integers(n_values, size=n)
    x[rng.random(n) < 0.3] = max(usual, 0)
    labels, targets = rng.integers(3, size=n).astype(np.int32), None
    if criterion == _questions.SQUARES:
        labels, targets = None, rng.normal(size=(n, 2))
    weights = rng.integers(1, 4, size=n).astype(float) if whole else rng.uniform(0.5, 2, size=n)
    x[:5] = n_values  # gaps
    known = x < n_values
    counts = np.arange(int(weights.sum()) + 2, dtype=float)
    logs = counts * np.log2(np.maximum(counts, 1)) if whole else np.empty(0)
    logs = None if labels is None else logs
    parts = targets if labels is None else np.eye(3)[labels]
    sums = (weights[:, None] * parts).sum(axis=0)
    rules = _questions.Rules(criterion, True, 9, 0, 2, 3, 0.0, 2.0, 0.0, 1, np.inf)
    gaps = np.count_nonzero(~known)
    keys, n_keys = np.empty(n, np.int64), np.count_nonzero(x != usual)
    keys[:n_keys] = np.sort([(x[i] << 32) | i for i in np.flatnonzero(x != usual)])
    found = np.empty(n), np.empty(n)
    before, n_known, weight, middle = _grow._score_cuts(
        keys, n_keys - gaps, gaps, n, usual, labels, targets, weights, sums[None], 0,
        weights.sum(), criterion, logs, np.empty((3, len(sums))), *found,
    )  # fmt: skip
    place, below = _grow._best_cut(
        keys, n_known, n - gaps, middle, n - n_keys, weight, rules, *found
    )
    chosen, gain = keys[place] >> 32, found[0][place] - before

    scores = {}
    for cut in np.unique(x[known])[:-1]:
        sides = [known & (x <= cut), known & (x > cut)]
        if all(side.sum() >= 3 and weights[side].sum() >= 2.0 for side in sides):
            scores[cut] = sum(
                purity(weights[side] @ parts[side], weights[side].sum(), criterion)
                for side in sides
            )
    assert before == pytest.approx(
        purity(weights[known] @ parts[known], weights[known].sum(), criterion)
    )
    assert gain == pytest.approx(max(scores.values()) - before, abs=1e-9)
    assert scores[chosen] == pytest.approx(max(scores.values()))
    assert keys[place + 1] >> 32 == x[x > chosen].min()
    assert below == pytest.approx(weights[known & (x <= chosen)].sum())


@pytest.mark.parametrize("gaps", [0.0, 30.0])
def test_parts_are_the_entropy_of_both_sides_and_the_gaps(gaps):
    sizes = np.array([12.0, 30.0, gaps])
    shares = sizes[sizes > 0] / sizes.sum()
    expected = -sizes.sum() * (shares * np.log2(shares)).sum()
    assert _grow._parts(sizes.sum(), 42.0, 12.0) == pytest.approx(expected)


def looked_up(ranks, n):
    """Return all ranks as an array of shape (n_features, n_samples)."""
    table, listed = ranks.table, ranks.listed
    if listed is None:
        rows = [table.few[p] if p >= 0 else table.many[-1 - p] for p in table.place]
        return np.array([row.astype(int) for row in rows])
    result = np.repeat(table.usual[:, None], n, axis=1)
    for i in range(n):
        own = slice(listed.starts[i], listed.starts[i + 1])
        result[listed.columns[own], i] = listed.ranks[own]
    return result


def test_ranks_of_numbers_gaps_and_categories():
    X = np.array([[3.0, np.nan, 1.0], [np.nan, np.nan, 0.0], [-0.0, np.nan, np.nan], [0.0, 5.0, 1]])
    ranks = Ranks.of(X, [None, None, ["a", "b"]])
    assert looked_up(ranks, 4).tolist() == [[1, 2, 0, 0], [1, 1, 1, 0], [1, 0, 2, 1]]
    assert ranks.table.n_values.tolist() == [2, 1, 2]
    assert ranks.values.tolist() == [0.0, 3.0, 5.0, 0.0, 1.0]
    assert ranks.any_missing


@pytest.mark.parametrize("n_values", [2, FEW - 1, FEW, FEW + 1, 300])
@pytest.mark.parametrize("gaps", [False, True])
def test_ranks_equal_the_places_among_distinct_values(n_values, gaps):
    rng = np.random.default_rng(n_values)
    X = rng.normal(size=n_values)[rng.integers(n_values, size=(1000, 1))]
    X[:n_values, 0] = X[0, 0] + np.arange(n_values)
    if gaps:
        X[::7] = np.nan
    ranks = Ranks.of(X, [None])
    distinct = np.unique(X[~np.isnan(X)])
    assert ranks.table.n_values[0] == len(distinct)
    assert np.array_equal(looked_up(ranks, 1000)[0], np.searchsorted(distinct, X[:, 0]))
    assert ranks.any_missing == gaps


@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.csc_matrix, sparse.csr_matrix])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_ranks_of_a_sparse_matrix_equal_those_of_the_dense_one(kind, dtype):
    rng = np.random.default_rng(0)
    X = np.round(rng.normal(size=(80, 7)), 1) * (rng.random((80, 7)) < 0.3)
    X[:, 1] = np.abs(X[:, 1]) + 1  # no zero
    X[:, 2], X[3, 3], X[5, 4] = 0, np.nan, -0.0
    X = X.astype(dtype)
    one, other = Ranks.of(kind(X), [None] * 7), Ranks.of(X, [None] * 7)
    assert np.array_equal(looked_up(one, 80), looked_up(other, 80))
    assert np.array_equal(one.table.n_values, other.table.n_values)
    assert np.array_equal(one.values[one.starts[0] :], other.values)
    assert one.any_missing and other.any_missing


def test_rows_without_order_or_with_repeats_are_put_in_order():
    X = sparse.csr_matrix(([1.0, 2.0, 3.0], [2, 0, 2], [0, 3, 3]), shape=(2, 3))
    rows = Rows.of(X)
    assert rows.columns.tolist() == [0, 2] and rows.values.tolist() == [2.0, 4.0]
    assert X.indices.tolist() == [2, 0, 2]  # as it was


def test_a_column_without_values_is_never_asked():
    X = np.array([[np.nan, 0.0], [np.nan, 1.0]])
    ranks = Ranks.of(X, [None, None])
    assert ranks.table.n_values.tolist() == [0, 2]
    assert looked_up(ranks, 2)[0].tolist() == [0, 0]
