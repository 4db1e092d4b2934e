"""The compiled parts of growth, each against a naive version."""

import numpy as np
import pytest

from shallows.tree import _grow
from shallows.tree._ranks import Ranks

pytestmark = pytest.mark.kernel


@pytest.mark.parametrize("n", [1, 2, 40, 49, 333, 2500])
@pytest.mark.parametrize("values", [2, 9, 70_000])
def test_keys_are_sorted_by_rank(n, values):
    rng = np.random.default_rng(n + values)
    ranks = rng.integers(7, 7 + values, size=n)
    keys = (ranks << 32) | np.arange(n)
    expected = np.sort(keys)
    room = np.empty(n, np.int64), np.empty(2048, np.int64)
    ordered = _grow._sort(keys.copy(), *room, n, ranks.min(), ranks.max())
    assert np.array_equal(ordered, expected)


def purity(sums, weight, criterion):
    if criterion == _grow.ERROR:
        return max(sums)
    if criterion in (_grow.GINI, _grow.SQUARES):
        return sum(s * s for s in sums) / weight
    return sum(c * np.log2(c / weight) for c in sums if c > 0)


@pytest.mark.parametrize("criterion", range(5))
@pytest.mark.parametrize("whole", [True, False])
def test_scores_of_all_cuts_equal_their_definition(criterion, whole):
    rng = np.random.default_rng(criterion)
    n = 50
    x = rng.integers(12, size=n)
    labels = rng.integers(3, size=n).astype(np.int32)
    targets = rng.normal(size=(n, 2))
    weights = rng.integers(1, 4, size=n).astype(float) if whole else rng.uniform(0.5, 2, size=n)
    counts = np.arange(int(weights.sum()) + 2, dtype=float)
    logs = counts * np.log2(np.maximum(counts, 1)) if whole else np.empty(0)
    parts = targets if criterion == _grow.SQUARES else np.eye(3)[labels]
    sums = (weights[:, None] * parts).sum(axis=0)
    keys = np.sort((x << 32) | np.arange(n))
    branch_sums, scores = np.empty((2, len(sums))), np.empty(n)
    place, gain, ratio = _grow._split_numbers(
        keys, n, labels, targets, weights, weights.sum(), sums, criterion, 1, 0.0, logs,
        branch_sums, scores,
    )  # fmt: skip

    best = -np.inf
    for cut in np.unique(x)[:-1]:
        score = 0.0
        for rows in (x <= cut, x > cut):
            own = weights[rows]
            score += purity((own[:, None] * parts[rows]).sum(axis=0), own.sum(), criterion)
        best = max(best, score)
    assert gain == pytest.approx(best - purity(sums, weights.sum(), criterion), abs=1e-9)
    assert keys[place] >> 32 != keys[place + 1] >> 32
    if criterion == _grow.RATIO:
        below = weights[x <= keys[place] >> 32].sum() / weights.sum()
        split = -(below * np.log2(below) + (1 - below) * np.log2(1 - below))
        assert ratio == pytest.approx(gain / (split * weights.sum()))


def test_ranks_of_numbers_gaps_and_categories():
    X = np.array([[3.0, np.nan, 1.0], [np.nan, np.nan, 0.0], [-0.0, np.nan, np.nan], [0.0, 5.0, 1]])
    table = Ranks.of(X, [None, None, ["a", "b"]])
    assert table.ranks.tolist() == [[1, 2, 0, 0], [1, 1, 1, 0], [1, 0, 2, 1]]
    assert table.n_values.tolist() == [2, 1, 2]
    assert table.values.tolist() == [0.0, 3.0, 5.0, 0.0, 1.0]
    assert table.any_missing


def test_a_column_without_values_is_never_asked():
    X = np.array([[np.nan, 0.0], [np.nan, 1.0]])
    table = Ranks.of(X, [None, None])
    assert table.n_values.tolist() == [0, 2]
    assert table.ranks[0].tolist() == [0, 0]
