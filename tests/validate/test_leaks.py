"""Leaks and duplicates."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.datasets import load_breast_cancer, load_iris

from shallows.validate import find_duplicates, find_leaks


def kinds(table):
    frame = pd.DataFrame(table, columns=[f"f{j}" for j in range(table.shape[1])])
    return {"array": table, "list": table.tolist(), "frame": frame, "sparse": csr_array(table)}


@pytest.mark.parametrize("kind", ["array", "list", "frame", "sparse"])
def test_rows_in_both_parts_are_found(kind):
    rng = np.random.default_rng(0)
    train, test = rng.normal(size=(40, 3)), rng.normal(size=(10, 3))
    test[[2, 7]] = train[[5, 30]]
    found = find_leaks(kinds(train)[kind], kinds(test)[kind])
    assert found.duplicates == ((2, 5), (7, 30))
    assert found
    assert "2 of 10 test rows (20.0%)" in found.summary()


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=20))
def test_duplicates_equal_pairwise_comparison(rows):
    expected = {(i, j) for i, a in enumerate(rows) for j, b in enumerate(rows) if i < j and a == b}
    groups = find_duplicates(np.array(rows))
    assert {(i, j) for group in groups for i in group for j in group if i < j} == expected


def test_words_missing_values_and_negative_zeros():
    frame = pd.DataFrame({"city": ["Oslo", None, "Rome", None], "n": [1, 2, 1, 2]})
    assert find_duplicates(frame) == [[1, 3]]
    assert find_duplicates([[0.0, np.nan], [-0.0, np.nan], [1.0, 2.0]]) == [[0, 1]]
    assert find_leaks(np.array([[1, 2]]), np.array([[1.0, 2.0]])).duplicates == ((0, 0),)


def test_contradictions_and_groups():
    found = find_leaks(
        [[1], [2], [3]],
        [[3], [1]],
        ["a", "b", "a"],
        ["a", "b"],
        groups_train=["p", "q", "r"],
        groups_test=["r", "s"],
    )
    assert found.duplicates == ((0, 2), (1, 0))
    assert found.contradictions == ((1, 0),)
    assert found.shared_groups == ("r",)
    assert "1 groups are in both parts: r" in found.summary()


@pytest.mark.parametrize("disguise", ["code", "shuffled code", "noisy", "words"])
def test_copies_of_a_class_are_found(disguise):
    X, y = load_iris(return_X_y=True)
    rng = np.random.default_rng(0)
    copy = {
        "code": y,
        "shuffled code": np.array([7, -1, 3])[y],
        "noisy": 3.0 * y + rng.normal(scale=0.1, size=len(y)),
        "words": np.array(["cat", "ant", "bee"])[y],
    }[disguise]
    frame = pd.DataFrame(X).assign(copy=copy)
    frame.columns = frame.columns.astype(str)
    found = find_leaks(frame, frame.iloc[:0], y)
    assert [name for name, _ in found.copies] == ["copy"]
    assert "give the target away: copy" in found.summary()


def test_copies_of_a_number_are_found_in_any_monotone_disguise():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(80, 4)), rng.normal(size=80)
    X[:, 2] = -np.exp(y)
    found = find_leaks(X, X[:0], y)
    assert [name for name, _ in found.copies] == [2]
    assert not find_leaks(X[:, [0, 1, 3]], X[:0, [0, 1, 3]], y)


def test_honest_data_pass():
    X, y = load_breast_cancer(return_X_y=True)
    found = find_leaks(X[:400], X[400:], y[:400], y[400:])
    assert not found
    assert found.summary() == "No leak was found."
    with pytest.raises(ValueError, match="threshold must be"):
        find_leaks(X, X, threshold=2)
