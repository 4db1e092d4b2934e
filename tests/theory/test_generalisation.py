"""Generalisation by angle and by counting; capacities."""

from fractions import Fraction
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import binomtest, norm

from shallows.theory import (
    cake_number,
    capacity_perceptron,
    count_dichotomies,
    counting_error,
    counting_error_limit,
    gardner_capacity,
    generalization_error,
    machine_capacity,
)


@given(K=st.integers(0, 60), N=st.integers(1, 60))
def test_cake_numbers_follow_sum_recursion_and_dichotomies(K, N):
    assert cake_number(K, N) == sum(comb(K, i) for i in range(N + 1))
    assert cake_number(K + 1, N) == cake_number(K, N) + cake_number(K, N - 1)
    assert count_dichotomies(K + 1, N + 1) == 2 * cake_number(K, N)


def test_known_cake_numbers():
    assert [cake_number(K, 2) for K in range(6)] == [1, 2, 4, 7, 11, 16]
    assert [cake_number(K, 3) for K in range(6)] == [1, 2, 4, 8, 15, 26]
    assert all(cake_number(K, 2) == (2 + K + K**2) // 2 for K in range(30))
    assert all(cake_number(K, 3) == (6 + 5 * K + K**3) // 6 for K in range(30))


def test_angle_error_of_known_directions():
    students = [[2.0, 0, 0], [0, 3, 0], [-1, 0, 0], [1, 1, 0]]
    np.testing.assert_array_equal(generalization_error(students, [5, 0, 0]), [0, 0.5, 1, 0.25])
    assert generalization_error([1.0, 1e-9], [1.0, 0.0]) == pytest.approx(1e-9 / np.pi)


def test_angle_error_is_the_rate_of_disagreement():
    rng = np.random.default_rng(0)
    w, teacher = rng.standard_normal((2, 8))
    X = rng.standard_normal((20_000, 8))
    wrong = int(np.sum((X @ w > 0) != (X @ teacher > 0)))
    assert binomtest(wrong, len(X), generalization_error(w, teacher)).pvalue > 1e-4


@pytest.mark.parametrize("w", [[0.0, 0.0], [np.nan, 1.0]])
def test_angle_error_refuses_vectors_without_direction(w):
    with pytest.raises(ValueError, match="w must be finite and not zero"):
        generalization_error(w, [1, 0])
    with pytest.raises(ValueError, match="w_star must have shape"):
        generalization_error([1.0, 0], [1, 0, 0])


@pytest.mark.parametrize(
    ("N", "printed"),
    [
        (5, [0.46875, 0.25391, 0.15976, 0.11517, 0.08976]),
        (20, [0.50000, 0.37463, 0.21951, 0.15137, 0.11510]),
        (100, [0.50000, 0.44365, 0.24290, 0.16340, 0.12294]),
    ],
)
def test_counting_error_in_print(N, printed):
    np.testing.assert_array_equal(counting_error(np.arange(1, 6) * N, N).round(5), printed)


@given(P=st.integers(0, 120), N=st.integers(1, 60))
def test_counting_error_is_half_the_share_of_ambiguous_labelings(P, N):
    exact = Fraction(count_dichotomies(P, N - 1), 2 * count_dichotomies(P, N))
    assert counting_error(P, N) == pytest.approx(float(exact), rel=1e-11)


def test_counting_error_is_a_half_below_n_and_not_at_n():
    assert counting_error(9, 10) == 0.5
    assert counting_error(10, 10) == pytest.approx(0.5 * (1 - 2.0**-9), rel=1e-14)


def test_counting_error_tends_to_its_limit():
    alpha = np.array([1.0, 1.5, 3.0, 5.0, 10.0])
    N = 10**6
    np.testing.assert_allclose(
        counting_error((alpha * N).astype(int), N), counting_error_limit(alpha), rtol=1e-5
    )
    assert counting_error_limit(2) == 0.5


def test_gardner_capacity_is_the_integral():
    for kappa in (0.0, 0.3, 2.0):
        integral = quad(lambda t, k=kappa: norm.pdf(t) * (t + k) ** 2, -kappa, 40)[0]
        assert gardner_capacity(kappa) == pytest.approx(1 / integral, rel=1e-8)
    assert gardner_capacity(0.0) == 2 == capacity_perceptron()


def test_machine_capacity_in_print():
    assert [machine_capacity(K, 1000) for K in (1, 2, 6, 10)] == [2.0, 9.065, 40.531, 76.859]
    curve = [machine_capacity(K, 100) for K in (1, 2, 3, 5, 10, 20)]
    np.testing.assert_array_equal(np.round(curve, 2), [2.0, 8.90, 15.96, 31.58, 75.79, 175.70])
    limits = [machine_capacity(K) for K in (1, 2, 6, 10)]
    np.testing.assert_allclose(limits, [2, 9.089, 40.61, 77.00], atol=5e-3)


@pytest.mark.parametrize(("K", "N"), [(2, 3), (3, 7), (4, 20)])
def test_machine_capacity_is_the_last_number_of_labels_with_room(K, N):
    P = round(machine_capacity(K, N) * N)
    assert 2 * count_dichotomies(P, N) ** K >= 2**P
    assert 2 * count_dichotomies(P + 1, N) ** K < 2 ** (P + 1)


def test_machine_capacity_exceeds_that_of_its_units_and_nears_its_leading_order():
    for K in range(2, 21):
        assert machine_capacity(K, 100) > 2 * K
    ratio = [machine_capacity(K) / (K * np.log2(K)) for K in (10, 100, 10**6)]
    np.testing.assert_allclose(ratio, [2.3, 1.75, 1.31], atol=0.02)


def test_bad_sizes_are_refused():
    with pytest.raises(ValueError, match="machine_capacity: K must be int"):
        machine_capacity(0)
    with pytest.raises(ValueError, match="counting_error: N must be whole"):
        counting_error(3, 0)
    with pytest.raises(ValueError, match="alpha must be 0 or more"):
        counting_error_limit(-1)


def test_machine_capacity_is_exact_where_counts_are_equal():
    """C(16, 2)^3 = 32^3 = 2^15: room for exactly half of the labelings of 16 points."""
    assert machine_capacity(3, 2) == 8.0
    for K in range(2, 12):
        for N in range(1, 12):
            P = N
            while (2 * sum(comb(P, i) for i in range(N))) ** K >= 2**P:  # room for P + 1
                P += 1
            assert machine_capacity(K, N) == P / N


@pytest.mark.parametrize(("P", "N"), [(-1, 5), (2.5, 3), (3, 0), ("a", 2)])
def test_counting_error_names_itself(P, N):
    with pytest.raises(ValueError, match=r"^counting_error: [PN] must be whole numbers"):
        counting_error(P, N)
