"""VC dimension, bounds and Rademacher complexity."""

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shallows.theory import (
    cake_number,
    conjunctions,
    count_labelings,
    is_shattered,
    rademacher_complexity,
    rademacher_confidence,
    rademacher_linear,
    sample_size,
    structural_risk,
    vc_confidence,
    vc_dimension,
    vc_dimension_hyperplane,
)


def test_known_point_sets():
    triangle, line = [[0, 0], [1, 0], [0, 1]], [[0, 0], [1, 1], [2, 2]]
    square, inside = [[0, 0], [0, 1], [1, 0], [1, 1]], [[0, 0], [4, 0], [0, 4], [1, 1]]
    assert [count_labelings(X) for X in (triangle, line, square, inside)] == [8, 6, 14, 14]
    assert is_shattered(triangle)
    assert not is_shattered(line)
    assert not is_shattered(square)
    assert is_shattered([[1, 0], [0, 1]], affine=False)
    assert not is_shattered(triangle[1:] + [[1, 1]], affine=False)


@pytest.mark.parametrize("affine", [True, False])
@pytest.mark.parametrize("n", [1, 2, 3])
def test_hyperplanes_shatter_as_many_points_as_their_dimension(n, affine):
    X = np.random.default_rng(n).standard_normal((6, n))
    most = vc_dimension_hyperplane(n, affine)
    assert most == n + affine
    assert is_shattered(X[:most], affine)
    assert not is_shattered(X[: most + 1], affine)


def naive_dimension(table):
    best = 0
    for size in range(1, table.shape[1] + 1):
        for points in combinations(range(table.shape[1]), size):
            if len({tuple(row) for row in table[:, points]}) == 2**size:
                best = size
    return best


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10**6), hypotheses=st.integers(1, 40), points=st.integers(1, 6))
def test_dimension_of_a_table_by_enumeration(seed, hypotheses, points):
    table = np.random.default_rng(seed).integers(0, 2, (hypotheses, points))
    dimension = vc_dimension(table)
    assert dimension == naive_dimension(table)
    assert len(np.unique(table, axis=0)) <= cake_number(points, dimension)  # Sauer's lemma


def test_dimension_of_conjunctions_is_their_number_of_inputs():
    rows = list(product((0, 1), repeat=3))
    table = [[rule(row) for row in rows] for rule in conjunctions(3).values()]
    assert vc_dimension(table) == 3


def test_confidence_in_print():
    vc, n = [3, 3, 3, 10, 10, 50], [100, 1000, 10000, 100, 1000, 1000]
    printed = [0.447, 0.164, 0.0581, 0.666, 0.260, 0.489]
    np.testing.assert_allclose(vc_confidence(vc, n), printed, atol=5.1e-4)
    assert vc_confidence(3, 10000) == pytest.approx(0.0581, abs=5e-5)


def test_confidence_is_monotone():
    assert np.all(np.diff(vc_confidence(np.arange(1, 90), 100)) > 0)
    assert np.all(np.diff(vc_confidence(5, np.arange(6, 500))) < 0)
    assert vc_confidence(5, 100, 0.001) > vc_confidence(5, 100, 0.1)
    with pytest.raises(ValueError, match="0 < vc < n"):
        vc_confidence(100, 100)


@pytest.mark.parametrize(("vc", "epsilon"), [(3, 0.1), (50, 0.05), (1, 0.9), (2.5, 3.0)])
def test_sample_size_is_the_smallest(vc, epsilon):
    n = sample_size(vc, epsilon)
    assert vc_confidence(vc, n) <= epsilon
    assert n - 1 <= vc or vc_confidence(vc, n - 1) > epsilon


def test_sample_size_is_nearly_linear():
    assert sample_size(2000, 0.1) / sample_size(1000, 0.1) == pytest.approx(2, abs=0.01)


def test_structural_risk_has_an_interior_minimum():
    vcs = np.arange(1, 60)
    choice = structural_risk(0.5 * np.exp(-vcs / 4), vcs, n=5000)
    assert 0 < choice.best < len(vcs) - 1
    np.testing.assert_allclose(choice.bounds - choice.confidence, 0.5 * np.exp(-vcs / 4))
    assert structural_risk([0.3, 0.0], [3, 100], n=50).best == 0


@pytest.mark.parametrize(
    ("risks", "vcs", "match"),
    [
        ([0.1], [1, 2], "of one length"),
        ([0.1, 0.2], [3, 2], "must not decrease"),
        ([1.5, 0.2], [2, 3], r"in \[0, 1\]"),
        ([0.1], [50], "every class has vc >= n"),
    ],
)
def test_structural_risk_refuses(risks, vcs, match):
    with pytest.raises(ValueError, match=match):
        structural_risk(risks, vcs, n=50)


def exact_complexity(table):
    n = table.shape[1]
    return np.mean([max(table @ np.array(signs)) / n for signs in product((-1, 1), repeat=n)])


def test_rademacher_estimate_agrees_with_enumeration():
    table = np.random.default_rng(0).choice([-1, 1], (7, 8))
    mean, error = rademacher_complexity(table, n_draws=20_000, random_state=1)
    assert abs(mean - exact_complexity(table)) < 5 * error
    assert mean < np.sqrt(2 * np.log(7) / 8)


def test_rademacher_of_one_hypothesis_and_of_all():
    single = rademacher_complexity([[1, -1, 1]], n_draws=5000, random_state=0)
    assert abs(single.complexity) < 5 * single.standard_error
    everything = list(product((-1, 1), repeat=5))
    assert rademacher_complexity(everything, random_state=0) == (1.0, 0.0)


def test_rademacher_of_linear_functions():
    X = np.random.default_rng(0).standard_normal((9, 3))
    lengths = [np.linalg.norm(np.array(s) @ X) for s in product((-1, 1), repeat=9)]
    mean, error = rademacher_linear(X, radius=2, n_draws=20_000, random_state=0)
    assert abs(mean - 2 / 9 * np.mean(lengths)) < 5 * error
    assert mean < 2 / 9 * np.sqrt((X**2).sum())


def test_rademacher_bound_holds_as_often_as_it_says():
    """Thresholds on a line, labels noisy: the worst gap of any hypothesis against the bound."""
    rng = np.random.default_rng(0)
    cuts, delta, broken = np.linspace(0, 1, 41), 0.2, 0
    for _ in range(60):
        x = rng.random(50)
        y = np.where(x > 0.5, 1, -1) * rng.choice([1, -1], 50, p=[0.8, 0.2])
        answers = np.where(x > cuts[:, None], 1, -1)
        risk = 0.2 + 0.6 * np.abs(cuts - 0.5)
        gap = np.max(risk - (answers != y).mean(axis=1))
        half = rademacher_complexity(answers, n_draws=200, random_state=rng).complexity / 2
        broken += gap > rademacher_confidence(max(half, 0), 50, delta)
    assert broken <= 60 * delta
    assert rademacher_confidence(0, 1000, 0.05) == pytest.approx(3 * np.sqrt(np.log(40) / 2000))


def test_bad_tables_are_refused():
    with pytest.raises(ValueError, match="two axes"):
        rademacher_complexity([1, 2])
    with pytest.raises(ValueError, match="with two values"):
        vc_dimension([[1, 2, 3]])
    with pytest.raises(ValueError, match="finite array of shape"):
        is_shattered([1, 2, 3])
