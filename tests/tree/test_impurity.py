"""Impurity and gain: known values, definitions in words, laws for all counts."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import entropy

from shallows.tree import gain, impurity

CRITERIA = ("entropy", "gini", "misclassification")
tables = st.lists(
    st.lists(st.integers(0, 30), min_size=3, max_size=3), min_size=1, max_size=5
).filter(lambda rows: np.sum(rows) > 0)


@pytest.mark.parametrize(
    ("counts", "bits"), [([1, 1], 1.0), ([2, 1, 1], 1.5), ([1] * 10, 3.3219280948873626)]
)
def test_entropy_in_bits(counts, bits):
    assert impurity(counts) == pytest.approx(bits, abs=1e-14)


@given(tables)
def test_entropy_is_that_of_scipy(rows):
    rows = np.array(rows)
    rows = rows[rows.sum(axis=1) > 0]
    assert np.allclose(impurity(rows), entropy(rows, base=2, axis=1), atol=1e-12)


@given(st.lists(st.integers(0, 20), min_size=2, max_size=6).filter(any))
def test_gini_is_the_error_of_random_labels(counts):
    shares = np.array(counts) / sum(counts)
    error = sum(p * (1 - p) for p in shares)
    assert impurity(counts, "gini") == pytest.approx(error, abs=1e-12)


@given(st.lists(st.integers(0, 20), min_size=2, max_size=6).filter(any))
def test_misclassification_is_the_least_error_of_one_label(counts):
    errors = [1 - count / sum(counts) for count in counts]
    assert impurity(counts, "misclassification") == pytest.approx(min(errors), abs=1e-12)


@given(st.lists(st.integers(0, 9), min_size=1, max_size=5).filter(any), st.sampled_from(CRITERIA))
def test_zero_if_and_only_if_pure(counts, criterion):
    assert (impurity(counts, criterion) == 0) == (np.count_nonzero(counts) == 1)


@given(st.lists(st.integers(0, 9), min_size=2, max_size=5).filter(any))
def test_entropy_is_at_most_that_of_equal_classes(counts):
    assert impurity(counts) <= np.log2(len(counts)) + 1e-12


@given(tables, st.sampled_from(CRITERIA))
def test_gain_is_never_negative_and_at_most_the_impurity(rows, criterion):
    parent = np.sum(rows, axis=0)
    value = gain(parent, rows, criterion)
    assert 0 <= value <= impurity(parent, criterion) + 1e-12


def test_pure_branches_gain_all_and_a_single_branch_nothing():
    for criterion in CRITERIA:
        whole = gain([3, 4, 2], np.diag([3, 4, 2]), criterion)
        assert whole == pytest.approx(impurity([3, 4, 2], criterion))
        assert gain([3, 4, 2], [[3, 4, 2]], criterion) == 0
    assert gain([3, 4, 2], [[3, 4, 2], [0, 0, 0]], ratio=True) == 0


def test_ratio_takes_the_lure_from_many_attributes():
    labels = np.array([0, 0, 0, 0, 1, 1, 1, 1])
    unique = np.eye(2)[labels]  # every row an attribute of its own
    binary = [[4, 1], [0, 3]]
    assert gain([4, 4], unique) > gain([4, 4], binary)
    assert gain([4, 4], unique, ratio=True) < gain([4, 4], binary, ratio=True)


def test_missing_rows_lower_the_gain_by_their_share():
    assert gain([2, 2], [[2, 0], [0, 2]]) == 1.0
    assert gain([4, 4], [[2, 0], [0, 2]]) == 0.5  # half of the rows are in no branch
    parts = entropy([2, 2, 4], base=2)
    assert gain([4, 4], [[2, 0], [0, 2]], ratio=True) == pytest.approx(0.5 / parts)


def test_bad_counts_are_refused():
    with pytest.raises(ValueError, match="not negative"):
        impurity([1, -1])
    with pytest.raises(ValueError, match="one number per class"):
        impurity([])
    with pytest.raises(ValueError, match="criterion must be"):
        impurity([1, 1], "variance")
    with pytest.raises(ValueError, match="2 classes like their parent"):
        gain([1, 1], [[1, 0, 0]])
    with pytest.raises(ValueError, match="more samples"):
        gain([1, 1], [[2, 0], [0, 1]])
