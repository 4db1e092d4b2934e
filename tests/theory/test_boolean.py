"""The finite Boolean world."""

from itertools import product

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier

from shallows.theory import (
    FiniteVersionSpace,
    conjunctions,
    count_boolean,
    count_conjunctions,
    count_consistent,
    no_free_lunch,
    unbiased_votes,
)

PRINTED = ["0010", "0100", "0011", "1001", "0110", "1100", "0101"]
ROWS = [[int(digit) for digit in row] for row in PRINTED]
LABELS = [0, 0, 1, 1, 0, 0, 0]


def test_counts():
    assert [count_boolean(n) for n in range(4)] == [2, 4, 16, 256]
    assert count_consistent(4, 7) == 512
    assert count_consistent(4, 0) == count_boolean(4) == 65536
    assert count_consistent(2, 4) == 1
    with pytest.raises(ValueError, match=r"m must be int in \[0, 16\]"):
        count_consistent(4, 17)


@pytest.mark.parametrize("n", [0, 1, 2, 3, 4])
def test_conjunctions_are_all_different_functions(n):
    rows = list(product((0, 1), repeat=n))
    tables = {tuple(rule(row) for row in rows) for rule in conjunctions(n).values()}
    assert len(tables) == len(conjunctions(n)) == count_conjunctions(n) == 3**n + 1


def test_a_disjunction_is_no_conjunction():
    rows = list(product((0, 1), repeat=2))
    tables = [[rule(row) for row in rows] for rule in conjunctions(2).values()]
    assert [False, True, True, True] not in tables


def test_seven_rows_leave_one_conjunction():
    space = FiniteVersionSpace(conjunctions(4))
    assert len(space) == 82
    for row, label in zip(ROWS, LABELS, strict=True):
        smaller = space.update(row, label)
        assert set(smaller.names) <= set(space.names)
        assert (len(smaller) < len(space)) <= space.is_informative(row)
        space = smaller
    assert space.names == ("not x2 and x4",)
    assert space.votes([0, 0, 0, 1]) == {True: 1}
    assert not space.is_informative([0, 0, 0, 1])


def test_integer_toy():
    prime = {2, 3, 5, 7, 11, 13, 17, 19}
    seen = {4: "A", 13: "B", 6: "A", 8: "A", 11: "B"}
    space = FiniteVersionSpace(
        {
            "parity": lambda i: "A" if i % 2 == 0 else "B",
            "i < 11": lambda i: "A" if i < 11 else "B",
            "prime": lambda i: "B" if i in prime else "A",
        }
    )
    for number, label in seen.items():
        space = space.update(number, label)
    assert space.names == ("parity", "i < 11", "prime")
    assert space.update(2, "B").names == space.update(15, "A").names == ("prime",)
    assert len(space.update(2, "C")) == 0


def test_unseen_rows_get_as_many_votes_for_as_against():
    votes = unbiased_votes(4, ROWS, LABELS)
    assert votes.total == 512
    assert votes.positive.tolist() == [256] * 9
    together = {tuple(row) for row in votes.rows.tolist()} | {tuple(row) for row in ROWS}
    assert len(votes.rows) == 9
    assert len(together) == 16


def nearest(rows, labels, unseen):
    return KNeighborsClassifier(1).fit(rows, labels).predict(unseen)


def stubborn(rows, labels, unseen):
    return (unseen.sum(axis=1) + labels.sum()) % 2


@pytest.mark.parametrize("learner", [nearest, stubborn])
def test_no_learner_is_better_on_average(learner):
    rows = [[0, 0, 0], [0, 1, 1], [1, 0, 1], [1, 1, 1]]
    accuracies = no_free_lunch(learner, 3, rows)
    assert len(accuracies) == 256
    assert accuracies.mean() == 0.5
    assert accuracies.max() == 1
    assert np.sum(accuracies == 1) == 256 / 2**4


def test_bad_rows_are_refused():
    with pytest.raises(ValueError, match="a row occurs twice"):
        unbiased_votes(2, [[0, 1], [0, 1]], [0, 1])
    with pytest.raises(ValueError, match="only 0 and 1"):
        unbiased_votes(2, [[0, 2]], [0])
    with pytest.raises(ValueError, match="labels must be 1 values"):
        unbiased_votes(2, [[0, 1]], [0, 1])
    with pytest.raises(ValueError, match="enumerates the functions of 31 unseen rows"):
        unbiased_votes(5, [[0] * 5], [1])
    with pytest.raises(ValueError, match="leave one"):
        no_free_lunch(stubborn, 1, [[0], [1]])
    with pytest.raises(ValueError, match="must return 2 labels"):
        no_free_lunch(lambda rows, labels, unseen: [0], 2, [[0, 0], [1, 1]])
