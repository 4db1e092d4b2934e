"""The tree of boxes against all distances, also where many of them are equal."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial import cKDTree

from shallows._core.numerics.box_tree import LEAF_ROWS, BoxTree, plant
from shallows._core.numerics.threads import limit_threads

POWERS = (1, 2, np.inf)


def by_hand(Q, X, k, power):
    distances = np.linalg.norm(Q[:, None] - X, ord=power, axis=2)
    index = np.argsort(distances, axis=1, kind="stable")[:, :k]
    return index, np.take_along_axis(distances, index, 1)


@pytest.mark.kernel
@given(
    n=st.integers(1, 150),
    d=st.integers(1, 5),
    k=st.integers(1, 12),
    values=st.integers(1, 4),
    power=st.sampled_from(POWERS),
    seed=st.integers(0, 99),
)
def test_of_equally_near_rows_the_first_are_found(n, d, k, values, power, seed):
    # squares of whole numbers are exact, so that all ties are ties
    rng = np.random.default_rng(seed)
    X, Q = (rng.integers(values, size=(size, d)).astype(float) for size in (n, 9))
    index, distances = BoxTree.of(X, power).query(Q, min(k, n))
    expected = by_hand(Q, X, min(k, n), power)
    np.testing.assert_array_equal(index, expected[0])
    np.testing.assert_array_equal(distances, expected[1])


@pytest.mark.parametrize("power", POWERS)
@pytest.mark.parametrize(("n", "d", "k"), [(3000, 2, 1), (3000, 7, 200), (800, 20, 800)])
def test_neighbours_are_those_of_scipy(n, d, k, power):
    rng = np.random.default_rng(0)
    X, Q = rng.normal(size=(n, d)) + 1e6, rng.normal(size=(40, d)) + 1e6
    index, distances = BoxTree.of(X, power).query(Q, k)
    expected, places = cKDTree(X).query(Q, k=np.arange(1, k + 1), p=power)
    np.testing.assert_allclose(distances, expected, rtol=1e-12)
    np.testing.assert_array_equal(index, places)
    assert not BoxTree.of(X, power).query(X, 1)[1].any()


@pytest.mark.kernel
def test_every_row_lies_in_a_leaf_and_every_box_is_the_smallest():
    X = np.random.default_rng(0).normal(size=(401, 3))
    tree = BoxTree.of(X)
    n_leaves = len(tree.leaves)
    np.testing.assert_array_equal(np.sort(tree.order), np.arange(401))
    bounds = [401 * leaf // n_leaves for leaf in range(n_leaves + 1)]
    for node in range(1, 2 * n_leaves):
        first = last = node
        while first < n_leaves:
            first, last = 2 * first, 2 * last + 1
        own = tree.order[bounds[first - n_leaves] : bounds[last - n_leaves + 1]]
        np.testing.assert_array_equal(tree.boxes[node], [X[own].min(axis=0), X[own].max(axis=0)])
        assert tree.firsts[node] == own.min()
        if node >= n_leaves:
            assert len(own) <= LEAF_ROWS
            np.testing.assert_array_equal(tree.leaves[node - n_leaves, :, : len(own)], X[own].T)


def test_copies_of_one_row_do_not_make_a_search_go_through_all_of_them():
    tree = BoxTree.of(np.zeros((50_000, 2)))
    np.testing.assert_array_equal(tree.query(np.zeros((3, 2)), 4)[0], [np.arange(4)] * 3)
    assert tree.share_visited(np.zeros((3, 2)), 4) < 0.01


def test_a_tree_is_planted_where_it_spares_distances():
    rng = np.random.default_rng(0)
    assert plant(rng.normal(size=(6000, 30))) is None
    sheet = rng.normal(size=(6000, 3)) @ rng.normal(size=(3, 30))
    tree = plant(sheet)
    assert tree.is_worth_it(sheet, 5) and not tree.is_worth_it(sheet, 3000)
    few = plant(rng.normal(size=(100, 2)))
    assert few.query(np.zeros((0, 2)), 3)[0].shape == (0, 3)
    assert few.query(np.zeros((2, 2)), 101)[0].shape == (2, 100)


def test_bits_do_not_depend_on_threads():
    X = np.random.default_rng(0).normal(size=(5000, 5))
    found = []
    for threads in (1, 3):
        with limit_threads(threads):
            found.append(BoxTree.of(X).query(X, 4))
    assert all(np.array_equal(*parts) for parts in zip(*found, strict=True))
