"""Breiman's theory: definitions by hand, identities and the bound for any votes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.datasets import load_iris, make_classification
from sklearn.ensemble import RandomForestClassifier as Peer

from shallows.theory import breiman_bound
from shallows.tree import (
    BaggingClassifier,
    RandomForestClassifier,
    correlation,
    forest_margin,
    generalization_error,
    raw_margin,
    strength,
)

tables = st.integers(2, 6).flatmap(
    lambda trees: st.tuples(
        arrays(np.int64, (trees, 9), elements=st.integers(0, 2)),
        arrays(np.int64, 9, elements=st.integers(0, 2)),
    )
)


def margin_by_hand(votes, right):
    shares = {c: np.mean(votes == c) for c in {*votes.tolist(), right}}
    wrong = [share for c, share in shares.items() if c != right]
    return shares[right] - max(wrong, default=0.0)


@given(tables)
def test_margins_equal_their_definition(table):
    votes, y = table
    expected = [margin_by_hand(column, label) for column, label in zip(votes.T, y, strict=True)]
    assert forest_margin(votes, None, y) == pytest.approx(expected)
    assert raw_margin(votes, None, y).mean(axis=0) == pytest.approx(expected)
    assert strength(votes, None, y) == pytest.approx(np.mean(expected))


@given(tables)
def test_a_positive_margin_is_a_right_vote_without_tie(table):
    votes, y = table
    margin = forest_margin(votes, None, y)
    for column, label, value in zip(votes.T, y, margin, strict=True):
        counts = np.bincount(column, minlength=3)
        wins = counts[label] > np.delete(counts, label).max()
        assert (value > 1e-12) == wins
    assert generalization_error(votes, None, y) == np.mean(margin < 0)


@given(tables)
def test_correlation_equals_the_mean_over_pairs(table):
    votes, y = table
    margins = raw_margin(votes, None, y)
    spread = margins.std(axis=1)
    pairs = [(i, j) for i in range(len(votes)) for j in range(len(votes))]
    covariances = np.cov(margins, bias=True)
    weights = sum(spread[i] * spread[j] for i, j in pairs)
    weighted = covariances.sum() / weights if weights > 0 else 0.0
    plain = np.mean(
        [
            covariances[i, j] / (spread[i] * spread[j]) if spread[i] * spread[j] > 0 else 0.0
            for i, j in pairs
        ]
    )
    assert correlation(votes, None, y) == pytest.approx(weighted, abs=1e-9)
    assert correlation(votes, None, y, weighted=False) == pytest.approx(plain, abs=1e-9)


@given(tables)
def test_the_bound_holds_for_any_votes(table):
    votes, y = table
    if strength(votes, None, y) > 1e-12:
        bound = breiman_bound(strength(votes, None, y), correlation(votes, None, y))
        assert generalization_error(votes, None, y) <= bound + 1e-9


def test_known_values():
    perfect = [["a", "a"], ["a", "a"]]
    assert strength(perfect, None, ["a", "a"]) == 1
    assert correlation(perfect, None, ["a", "a"]) == 0


def test_margins_of_forests_of_any_make():
    X, y = make_classification(300, n_classes=3, n_informative=5, random_state=0)
    names = np.array(["x", "y", "z"])[y]
    for forest in (
        RandomForestClassifier(15, voting="hard", random_state=0),
        Peer(15, random_state=0),
        BaggingClassifier(n_estimators=15, random_state=0),
    ):
        fitted = forest.fit(X[:150], names[:150])
        margin = forest_margin(fitted, X[150:], names[150:])
        assert 0.1 < strength(fitted, X[150:], names[150:]) < 0.95
        if isinstance(forest, RandomForestClassifier):
            right = fitted.predict(X[150:]) == names[150:]
            assert right[margin > 0].all() and not right[margin < 0].any()


def test_bad_votes_are_refused():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match="fitted ensemble or an array of votes"):
        forest_margin([1, 2, 3], None, [1, 2, 3])
    with pytest.raises(ValueError, match="votes on 150 samples"):
        forest_margin(RandomForestClassifier(2, random_state=0).fit(X, y), X, y[:9])
