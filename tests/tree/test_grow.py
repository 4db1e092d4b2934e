"""The stages of growth, each against a naive version."""

import numpy as np
import pytest
from scipy import sparse
from scipy.stats import chi2

from shallows.tree import _partition, _questions, _walk
from shallows.tree._ask_numbers import Found
from shallows.tree._draw_features import draw_features, turns_of
from shallows.tree._growth import Limits
from shallows.tree._keys import Fields, Items, Pairs, gather_keys
from shallows.tree._purity import split_entropy
from shallows.tree._ranks import Ranks
from shallows.tree._rows import Rows
from shallows.tree._scan_classes import scan_entropy, scan_gini
from shallows.tree._scan_numbers import scan_many_squares, scan_squares
from shallows.tree._scan_tables import scan_tables

pytestmark = pytest.mark.kernel


def test_keys_lead_to_the_samples_in_the_order_of_their_values():
    rng = np.random.default_rng(0)
    X = rng.integers(9, size=(40, 3)).astype(float)
    X[rng.random(X.shape) < 0.2] = np.nan
    X[:, 2] = 5.0
    ranks, samples = Ranks.of(X, [None] * 3), rng.permutation(40).astype(np.int32)
    starts = np.array([0, 25, 40])
    pairs = Pairs.of(np.array([0, 1, 0, 1]), np.array([0, 0, 1, 2]))
    fields, keys = Fields.of(40, ranks.n_values.max()), np.empty(161, np.int64)
    gather_keys(ranks.table, ranks.n_values, samples, starts, pairs, fields, keys)
    keys = np.sort(keys[: pairs.end[-1]])
    for p in range(3):
        own = samples[starts[pairs.node[p]] : starts[pairs.node[p] + 1]]
        values = X[own, pairs.feature[p]]
        found = samples[keys[pairs.begin[p] : pairs.end[p]] & fields.mask]
        assert sorted(found) == sorted(own[~np.isnan(values)])
        assert (np.diff(X[found, pairs.feature[p]]) >= 0).all()
    assert pairs.begin[3] == pairs.end[3]  # one value only


def purity(criterion, sums, weight):
    if criterion == "misclassification":
        return max(sums)
    if criterion == "entropy":
        return sum(c * np.log2(c / weight) for c in sums if c > 0)
    return sum(s * s for s in sums) / weight


def scan(criterion, whole, *rest):
    """Return the best cut that a scan finds for one pair."""
    keys, mask, pairs, items, limits = rest
    found = Found(np.full(1, -1), np.full(1, -np.inf), *np.zeros((3, 1)))
    if criterion == "misclassification":
        items = items._replace(own=np.eye(3)[items.own])
        scan_tables(criterion, keys, mask, pairs, items, limits, found)
    elif items.own.ndim == 2:
        kernel = scan_squares if items.own.shape[1] == 1 else scan_many_squares
        kernel(keys, mask, pairs, items, limits, found)
    else:
        kernel = scan_gini if criterion == "gini" else scan_entropy
        kernel(keys, mask, pairs, items, 3, limits, found)
    return Found(*(array[0] for array in found))


@pytest.mark.parametrize("criterion", ["gini", "entropy", "misclassification", "one", "several"])
@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("min_leaf", [1, 9])
def test_the_best_cut_equals_its_definition(criterion, whole, min_leaf):
    rng = np.random.default_rng(min_leaf)
    n, n_values = 60, 12
    x, labels = rng.integers(n_values, size=n), rng.integers(3, size=n).astype(np.int32)
    targets = rng.normal(size=(n, 1 if criterion == "one" else 2))
    classes = criterion not in ("one", "several")
    own, parts = (labels, np.eye(3)[labels]) if classes else (targets, targets)
    weights = rng.integers(1, 4, size=n).astype(float) if whole else rng.uniform(0.5, 2, size=n)
    sizes = rng.integers(1, 3, size=n)
    counts = np.arange(int(weights.sum()) + 2, dtype=float)
    logs = counts * np.log2(np.maximum(counts, 1)) if whole else np.empty(0)
    fields, limits = Fields.of(n, n_values), Limits(min_leaf, 9.0, logs)
    keys = np.sort((x << fields.place) | np.arange(n))
    pairs = Pairs(*np.zeros((3, 1), np.int64), np.array([n]))
    items = Items(own, weights, sizes)
    found = scan(criterion, whole, keys, fields.mask, pairs, items, limits)

    scores = {}
    for cut in np.unique(x)[:-1]:
        sides = [x <= cut, x > cut]
        if all(sizes[side].sum() >= min_leaf and weights[side].sum() >= 9 for side in sides):
            scores[cut] = sum(
                purity(criterion, weights[side] @ parts[side], weights[side].sum())
                for side in sides
            )
    chosen = fields.rank_of(keys[found.place])
    assert found.before == pytest.approx(purity(criterion, weights @ parts, weights.sum()))
    assert found.score == pytest.approx(max(scores.values()))
    assert scores[chosen] == pytest.approx(found.score)
    assert fields.rank_of(keys[found.place + 1]) == x[x > chosen].min()
    assert found.below == pytest.approx(weights[x <= chosen].sum())
    assert found.known == pytest.approx(weights.sum())


@pytest.mark.parametrize("gaps", [0.0, 30.0])
def test_split_entropy_is_that_of_both_sides_and_the_gaps(gaps):
    sizes = np.array([12.0, 30.0, gaps])
    shares = sizes[sizes > 0] / sizes.sum()
    expected = -sizes.sum() * (shares * np.log2(shares)).sum()
    assert split_entropy(sizes[None], sizes.sum())[0] == pytest.approx(expected)


def test_features_are_drawn_without_replacement_and_equally_often():
    seeds = np.random.default_rng(0).integers(1, 2**32, size=6000)
    drawn, again = np.empty((6000, 3), np.int64), np.empty((100, 3), np.int64)
    draw_features(seeds, 7, drawn)
    draw_features(seeds[5900:], 7, again)
    assert np.array_equal(drawn[5900:], again)  # a node draws the same after others
    assert (np.diff(np.sort(drawn, axis=1), axis=1) > 0).all()
    for turn in range(3):
        counts = np.bincount(drawn[:, turn], minlength=7)
        statistic = ((counts - 6000 / 7) ** 2 / (6000 / 7)).sum()
        assert chi2.sf(statistic, 6) > 1e-4  # fails by chance once in 3,000 seeds
    turns = turns_of(
        np.repeat(seeds.astype(np.uint64) << np.uint64(31), 7), np.tile(np.arange(7), 6000)
    )
    counts = np.bincount(turns.reshape(-1, 7).argmin(axis=1), minlength=7)
    assert chi2.sf(((counts - 6000 / 7) ** 2 / (6000 / 7)).sum(), 6) > 1e-4


def looked_up(ranks, n):
    """Return all ranks as an array of shape (n_features, n_samples)."""
    listed = ranks.listed
    if listed is None:
        return ranks.table
    result = np.repeat(listed.zero[:, None], n, axis=1)
    for i in range(n):
        own = slice(listed.starts[i], listed.starts[i + 1])
        result[listed.columns[own], i] = listed.ranks[own]
    return result


def test_ranks_of_numbers_gaps_and_categories():
    X = np.array([[3.0, np.nan, 1.0], [np.nan, np.nan, 0.0], [-0.0, np.nan, np.nan], [0.0, 5.0, 1]])
    ranks = Ranks.of(X, [None, None, ["a", "b"]])
    assert looked_up(ranks, 4).tolist() == [[1, 2, 0, 0], [1, 1, 1, 0], [1, 0, 2, 1]]
    assert ranks.n_values.tolist() == [2, 1, 2]
    assert ranks.values_at(np.array([0, 3, -1]), np.array([0, 1, 1])).tolist() == [3.0, 5.0, 0.0]
    assert ranks.any_missing


@pytest.mark.parametrize("n_values", [2, 47, 255, 256, 257, 300])
@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("gaps", [False, True])
def test_ranks_equal_the_places_among_distinct_values(n_values, whole, gaps):
    rng = np.random.default_rng(n_values)
    values = rng.permutation(n_values) + 0.0 if whole else rng.normal(size=n_values)
    X = values[rng.integers(n_values, size=(1000, 1))]
    X[:n_values, 0] = values
    if gaps:
        X[::7] = np.nan
    ranks = Ranks.of(X, [None])
    distinct = np.unique(X[~np.isnan(X)])
    assert ranks.n_values[0] == len(distinct)
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
    assert np.array_equal(one.n_values, other.n_values)
    assert one.any_missing and other.any_missing


def test_rows_without_order_or_with_repeats_are_put_in_order():
    X = sparse.csr_matrix(([1.0, 2.0, 3.0], [2, 0, 2], [0, 3, 3]), shape=(2, 3))
    rows = Rows.of(X)
    assert rows.columns.tolist() == [0, 2] and rows.values.tolist() == [2.0, 4.0]
    assert X.indices.tolist() == [2, 0, 2]  # as it was


def test_a_column_without_values_is_never_asked():
    X = np.array([[np.nan, 0.0], [np.nan, 1.0]])
    ranks = Ranks.of(X, [None, None])
    assert ranks.n_values.tolist() == [0, 2]
    assert looked_up(ranks, 2)[0].tolist() == [0, 0]


def test_kernels_in_three_files_mean_the_same_questions():
    for name in ("LEAF", "BELOW", "EACH", "EQUALS", "SUBSET"):
        number = getattr(_questions, name)
        assert getattr(_walk, name) == number == getattr(_partition, name, number)
