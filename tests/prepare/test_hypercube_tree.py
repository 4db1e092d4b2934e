"""Boxes that get smaller where points are dense."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shallows.data import uniform_ball
from shallows.prepare import HypercubeTree

pytestmark = pytest.mark.kernel


def leaf_by_search(tree, point):
    """Look at every leaf; the lower border belongs to it, the upper to the next."""
    inside = (tree.low_ <= point) & ((point < tree.high_) | (tree.high_ == tree.high_.max(axis=0)))
    return np.flatnonzero((inside & (point <= tree.high_)).all(axis=1))


@pytest.mark.parametrize("d", [1, 2, 3, 5])
def test_leaves_partition_the_box(d):
    X = uniform_ball(400, d, random_state=0)
    tree = HypercubeTree(max_points=7).fit(X)
    sides = tree.high_ - tree.low_
    box = X.max(axis=0) - X.min(axis=0)
    assert sides.prod(axis=1).sum() == pytest.approx(box.prod())
    assert tree.counts_.sum() == 400 and tree.counts_.max() <= 7
    assert np.allclose(sides, box / 2.0 ** tree.depths_[:, None])
    assert len(tree.counts_) % (2**d - 1) == 1 % (2**d - 1)


def test_every_point_is_in_the_one_leaf_that_search_finds():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 2))
    tree = HypercubeTree(max_points=4).fit(X)
    assert np.array_equal(tree.transform(X)[:, 0], tree.labels_)
    assert np.array_equal(np.bincount(tree.labels_, minlength=len(tree.counts_)), tree.counts_)
    for point in rng.uniform(X.min(axis=0), X.max(axis=0), size=(100, 2)):
        assert leaf_by_search(tree, point).tolist() == tree.transform([point])[0].tolist()


def test_dense_regions_get_small_boxes():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.uniform(size=(50, 2)), 0.02 * rng.uniform(size=(200, 2))])
    tree = HypercubeTree(max_points=5).fit(X)
    assert (
        tree.depths_[tree.transform([[0.01, 0.01]])[0, 0]]
        > tree.depths_[tree.transform([[0.9, 0.9]])[0, 0]]
    )


def test_known_quadtree():
    X = np.array([[0, 0], [1, 1], [0.1, 0.1], [0.6, 0.2]], dtype=float)
    tree = HypercubeTree(max_points=2).fit(X)
    assert tree.counts_.tolist() == [2, 1, 0, 1]
    assert tree.low_.tolist() == [[0, 0], [0.5, 0], [0, 0.5], [0.5, 0.5]]
    assert tree.labels_.tolist() == [0, 3, 0, 1]


def test_points_outside_count_as_on_the_border():
    tree = HypercubeTree(max_points=1).fit([[0.0, 0.0], [1.0, 1.0], [1.0, 0.0]])
    assert tree.transform([[9.0, 9.0]])[0] == tree.labels_[1]
    assert tree.transform([[-9.0, -1.0]])[0] == tree.labels_[0]


def test_equal_points_and_depth_end_the_cutting():
    same = HypercubeTree(max_points=1).fit(np.ones((20, 3)))
    assert same.counts_.tolist() == [20]
    close = np.array([[0.0], [1e-9], [1.0]])
    assert HypercubeTree(1, max_depth=4).fit(close).counts_.max() == 2
    assert HypercubeTree(1, max_depth=40).fit(close).counts_.max() == 1
    assert HypercubeTree(1, max_depth=0).fit(close).counts_.tolist() == [3]


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.tuples(*[st.floats(-1e6, 1e6)] * 2), min_size=1, max_size=40),
    st.integers(1, 5),
)
def test_counts_and_volume_hold_for_any_points(points, max_points):
    X = np.array(points)
    tree = HypercubeTree(max_points, max_depth=60).fit(X)
    assert tree.counts_.sum() == len(X)
    assert (2.0 ** (-2 * tree.depths_)).sum() == pytest.approx(1)
    assert np.array_equal(tree.transform(X)[:, 0], tree.labels_)
    distinct = [len(np.unique(X[tree.labels_ == leaf], axis=0)) for leaf in set(tree.labels_)]
    crowded = [n for n, leaf in zip(distinct, set(tree.labels_), strict=True) if n > max_points]
    assert not crowded or tree.depths_.max() == 60


def test_too_many_features_are_refused():
    with pytest.raises(ValueError, match="at most 16 features, got 17"):
        HypercubeTree().fit(np.zeros((3, 17)))


def test_feature_name():
    tree = HypercubeTree().fit([[0.0], [1.0]])
    assert tree.get_feature_names_out().tolist() == ["hypercubetree0"]
