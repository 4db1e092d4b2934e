"""Counts of dichotomies against exact integers and linear programming."""

from fractions import Fraction
from itertools import product
from math import comb, log

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.optimize import linprog

from shallows.theory import (
    capacity_perceptron,
    count_ambiguous,
    count_dichotomies,
    fraction_separable,
    in_general_position,
    is_separable,
    log_count_dichotomies,
    separable_labelings,
)


def separable_by_programming(X, labels):
    """Look for w with labels * (X @ w) >= 1."""
    folded = np.asarray(labels)[:, None] * X
    answer = linprog(np.zeros(X.shape[1]), A_ub=-folded, b_ub=-np.ones(len(X)), bounds=(None, None))
    assert answer.status in (0, 2)
    return answer.status == 0


def enumerate_by_programming(X):
    return {
        labels for labels in product((-1, 1), repeat=len(X)) if separable_by_programming(X, labels)
    }


def cover_sum(P, N):
    return 2 * sum(comb(P - 1, i) for i in range(N))


@pytest.mark.parametrize(("P", "N"), [(2, 1), (4, 1), (3, 2), (5, 2), (3, 3), (4, 3), (6, 3)])
def test_count_equals_enumeration_by_linear_programming(P, N):
    X = np.random.default_rng(P * N).normal(size=(P, N))
    assert in_general_position(X)
    found = enumerate_by_programming(X)
    assert count_dichotomies(P, N) == len(found)
    assert {tuple(labels) for labels in separable_labelings(X).tolist()} == found


def test_known_counts():
    assert [count_dichotomies(P, 1) for P in (1, 2, 9)] == [2, 2, 2]
    assert count_dichotomies(2, 2) == 4
    assert count_dichotomies(3, 2) == 6
    assert count_dichotomies(4, 3) == 14
    assert count_dichotomies(0, 0) == count_dichotomies(0, 5) == 1
    assert count_dichotomies(3, 0) == 0


@given(P=st.integers(1, 60), N=st.integers(1, 60))
def test_counts_follow_sum_and_recursion(P, N):
    assert count_dichotomies(P, N) == cover_sum(P, N)
    assert count_dichotomies(P + 1, N) == count_dichotomies(P, N) + count_ambiguous(P, N)
    assert count_ambiguous(P, N) == count_dichotomies(P, N - 1)


def test_ambiguous_labelings_are_those_with_both_continuations():
    X = np.random.default_rng(0).normal(size=(6, 3))
    longer = {tuple(labels) for labels in separable_labelings(X).tolist()}
    both = [
        labels
        for labels in separable_labelings(X[:5]).tolist()
        if (*labels, 1) in longer and (*labels, -1) in longer
    ]
    assert len(both) == count_ambiguous(5, 3)


def test_large_counts_are_exact():
    assert count_dichotomies(20_000, 10_000) == 2**19_999
    assert count_dichotomies(3000, 1000) == cover_sum(3000, 1000)
    assert count_dichotomies(3000, 2000) == cover_sum(3000, 2000)


@given(P=st.integers(0, 2000), N=st.integers(0, 2000))
@example(P=1076, N=17)  # near the smallest numbers a float can hold
def test_fraction_is_the_exact_ratio(P, N):
    exact = Fraction(count_dichotomies(P, N), 2**P)
    if exact == 0 or exact > Fraction(1, 10**290):
        assert fraction_separable(P, N) == pytest.approx(float(exact), rel=1e-12, abs=0)


def test_fraction_is_one_up_to_n_and_half_at_twice_n():
    N = np.array([1, 2, 20, 100, 12345, 10**6, 10**9])
    assert (fraction_separable(N, N) == 1).all()
    assert (fraction_separable(2 * N, N) == 0.5).all()
    assert (fraction_separable(N + 1, N)[:3] < 1).all()


def test_printed_fractions():
    N = np.array([5, 5, 20, 20, 100, 100])
    alpha = np.array([1.4, 3, 1.6, 2.4, 1.8, 2.2])
    printed = [0.89062, 0.08978, 0.92519, 0.12148, 0.93264, 0.08820]
    found = fraction_separable(np.round(alpha * N).astype(int), N)
    np.testing.assert_allclose(found, printed, atol=5e-6)


@given(P=st.integers(0, 3000), N=st.integers(0, 3000))
def test_log_count_is_the_log_of_the_count(P, N):
    count = count_dichotomies(P, N)
    if count == 0:
        assert log_count_dichotomies(P, N) == -np.inf
    else:
        assert log_count_dichotomies(P, N) == pytest.approx(log(count), rel=1e-12, abs=0)


@pytest.mark.parametrize(("P", "N"), [(10**6, 2), (10**6, 30), (10**6, 2000), (40_000, 19_000)])
def test_log_count_of_many_points(P, N):
    assert log_count_dichotomies(P, N) == pytest.approx(log(count_dichotomies(P, N)), rel=1e-12)


def test_log_count_takes_arrays_and_millions():
    found = log_count_dichotomies([10, 10**6, 10**6], [[20], [500_000]])
    assert found.shape == (2, 3)
    assert found[1, 1] == pytest.approx((10**6 - 1) * np.log(2), rel=1e-14)


def test_capacity_is_where_the_fraction_falls_below_the_probability():
    for N, probability in [(1, 0.5), (5, 0.1), (20, 0.5), (20, 0.99), (300, 0.5)]:
        P = round(capacity_perceptron(N, probability) * N)
        assert fraction_separable(P, N) >= probability > fraction_separable(P + 1, N)
    assert capacity_perceptron(37) == capacity_perceptron() == 2
    assert abs(capacity_perceptron(10**6, 0.999) - 2) < 0.01


def test_degenerate_points_have_fewer_labelings():
    collinear = np.array([[1.0, 0.0], [1.0, 2.0], [-2.0, -4.0]])
    assert not in_general_position(collinear)
    assert len(separable_labelings(collinear)) == len(enumerate_by_programming(collinear)) == 4


def test_general_position_looks_at_every_subset():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(7, 3))
    assert in_general_position(X)
    X[6] = 0.3 * X[1] - 2 * X[4]
    assert not in_general_position(X)
    assert in_general_position(rng.normal(size=(3, 5)))
    assert in_general_position(np.zeros((0, 2)))
    assert not in_general_position([[0.0, 0.0], [1.0, 0.0]])


@pytest.mark.parametrize(("N", "P"), [(2, 4), (5, 10), (20, 40), (20, 44)])
def test_separability_agrees_with_linear_programming(N, P):
    rng = np.random.default_rng(N + P)
    verdicts = set()
    for _ in range(40):
        X, labels = rng.normal(size=(P, N)), rng.choice([-1, 1], size=P)
        verdicts.add(is_separable(X, labels))
        assert is_separable(X, labels) == separable_by_programming(X, labels)
    assert verdicts == {True, False}


def test_contradicting_or_zero_points_are_not_separable():
    assert not is_separable([[1.0, 2.0], [1.0, 2.0]], [1, -1])
    assert not is_separable([[0.0, 0.0], [1.0, 2.0]], [1, 1])
    assert is_separable(np.zeros((0, 2)), [])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: count_dichotomies(-1, 2), r"count_dichotomies: P must be int in \[0, inf\)"),
        (lambda: count_dichotomies(3, 1.5), "count_dichotomies: N must be int"),
        (lambda: count_ambiguous(3, 0), r"count_ambiguous: N must be int in \[1, inf\)"),
        (lambda: count_ambiguous(-3, 2), r"count_ambiguous: P must be int in \[0, inf\)"),
        (lambda: fraction_separable("a", 2), "fraction_separable: P must be whole numbers"),
        (lambda: in_general_position([[1, 2], [3]]), "in_general_position: X must be a finite"),
        (lambda: fraction_separable([3, -2], 4), "fraction_separable: P must be whole numbers"),
        (lambda: log_count_dichotomies(3, 0.5), "log_count_dichotomies: N must be whole numbers"),
        (lambda: capacity_perceptron(0), "capacity_perceptron: N must be int"),
        (lambda: is_separable([[1.0]], [0]), "is_separable: labels must be 1 values"),
        (lambda: is_separable([1.0], [1]), "is_separable: X must be a finite array"),
        (lambda: in_general_position(np.ones((100, 50))), "Give fewer points"),
    ],
)
def test_bad_input_is_refused_by_name(call, message):
    with pytest.raises(ValueError, match=message):
        call()
