"""LeaveOnePerClass, Bootstrap and the check of splits."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import KFold, LeaveOneOut, TimeSeriesSplit, cross_val_score

from shallows.validate import Bootstrap, LeaveOnePerClass, check_splits


@given(st.lists(st.integers(2, 6), min_size=2, max_size=4), st.integers(0, 5))
def test_each_test_part_holds_one_row_of_every_class(sizes, seed):
    y = np.random.default_rng(seed).permutation(np.repeat(np.arange(len(sizes)), sizes))
    splitter = LeaveOnePerClass(random_state=seed)
    splits = list(splitter.split(y, y))
    assert len(splits) == splitter.get_n_splits(y=y) == min(sizes)
    tested = np.concatenate([test for _, test in splits])
    assert len(np.unique(tested)) == len(tested)
    for train, test in splits:
        assert sorted(y[test]) == list(range(len(sizes)))
        assert np.array_equal(np.sort(np.concatenate([train, test])), np.arange(len(y)))


def test_leaving_one_row_out_fools_the_majority_vote_and_one_per_class_does_not():
    y = np.repeat([0, 1], 10)
    X = np.zeros((20, 1))
    vote = DummyClassifier(strategy="most_frequent")
    assert cross_val_score(vote, X, y, cv=LeaveOneOut()).mean() == 0
    assert cross_val_score(vote, X, y, cv=LeaveOnePerClass()).mean() == 0.5


@pytest.mark.parametrize("y", [["a", "a"], ["a", "a", "b"]])
def test_one_per_class_needs_two_rows_of_two_classes(y):
    with pytest.raises(ValueError, match="at least 2 classes with at least 2 rows"):
        list(LeaveOnePerClass().split(y, y))
    with pytest.raises(ValueError, match="needs the class labels"):
        list(LeaveOnePerClass().split(y))


def test_bootstrap_draws_n_rows_and_tests_the_others():
    n = 200
    shares = []
    for train, test in Bootstrap(300, random_state=0).split(np.zeros(n)):
        assert len(train) == n
        assert set(test) == set(range(n)) - set(train)
        shares.append(len(test) / n)
    expected = (1 - 1 / n) ** n
    deviation = np.std(shares, ddof=1) / np.sqrt(len(shares))
    assert abs(np.mean(shares) - expected) < 4 * deviation  # fails once in 15,000


def test_bootstrap_within_classes_keeps_their_shares():
    y = np.repeat([0, 1, 2], [5, 10, 30])
    for train, _ in Bootstrap(20, stratify=True, random_state=0).split(y, y):
        assert np.array_equal(np.bincount(y[train]), [5, 10, 30])


def test_bootstrap_draws_whole_groups():
    groups = np.repeat(np.arange(8), 3)
    splits = list(Bootstrap(20, random_state=0).split(groups, groups=groups))
    check_splits([(train, test) for train, test in splits], groups=groups)
    for train, _ in splits:
        assert len(train) == 24
        counts = np.bincount(train, minlength=24).reshape(8, 3)
        assert (counts == counts[:, :1]).all()


def test_bootstrap_is_a_splitter_for_scikit_learn_and_repeats_with_its_seed():
    y = np.tile([0, 1], 15)
    scores = cross_val_score(DummyClassifier(), np.zeros((30, 1)), y, cv=Bootstrap(7))
    assert len(scores) == 7
    first, second = (list(Bootstrap(3, random_state=5).split(y)) for _ in range(2))
    assert all(np.array_equal(a[0], b[0]) for a, b in zip(first, second, strict=True))


def test_bootstrap_refuses_what_it_cannot_draw():
    with pytest.raises(ValueError, match="n_splits must be int"):
        list(Bootstrap(0).split([1, 2]))
    with pytest.raises(ValueError, match="at least 2 rows"):
        list(Bootstrap().split([1]))
    with pytest.raises(ValueError, match="needs the class labels"):
        list(Bootstrap(stratify=True).split([1, 2]))
    with pytest.raises(ValueError, match="not both"):
        list(Bootstrap(stratify=True).split([1, 2], [0, 1], [0, 1]))


def test_check_splits_names_the_fold_and_what_is_shared():
    assert len(check_splits(KFold(3).split(range(6)))) == 3
    with pytest.raises(ValueError, match="Fold 1: row 2 is in both parts"):
        check_splits([([0], [1]), ([1, 2], [2, 3])])
    with pytest.raises(ValueError, match="Fold 0: group 'p' is in both parts"):
        check_splits([([0], [1])], groups=["p", "p"])
    with pytest.raises(ValueError, match="Fold 0: class 'b' is in the test part only"):
        check_splits([([0, 1], [2])], y=["a", "a", "b"])
    with pytest.raises(ValueError, match="Fold 0: both parts need rows"):
        check_splits([([0, 1], [])])


def test_check_splits_warns_of_a_shuffled_time_series():
    times = pd.date_range("2020-01-01", periods=30)
    check_splits(TimeSeriesSplit(4).split(times), times=times)
    with pytest.warns(UserWarning, match=r"in 5 of 5 folds, first in fold 0"):
        check_splits(KFold(5, shuffle=True, random_state=0).split(times), times=times)
