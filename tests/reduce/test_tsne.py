"""Stochastic neighbour embedding against its definition, a naive gradient and scikit-learn."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.datasets import load_digits, make_blobs
from sklearn.manifold import TSNE as SklearnTSNE
from sklearn.manifold import trustworthiness
from sklearn.neighbors import KNeighborsClassifier
from threadpoolctl import threadpool_limits

from shallows.reduce import TSNE
from shallows.reduce._affinities import conditional_probabilities, joint_probabilities
from shallows.reduce._forces import (
    GAUSSIAN,
    STUDENT,
    attract_rows,
    build_tree,
    repel_by_tree,
    repel_rows,
    settle_new,
)
from shallows.reduce._neighbor_graph import nearest_others
from shallows.reduce._tsne import _tree_of

RNG = np.random.default_rng(0)
DIGITS, LABELS = load_digits(return_X_y=True)
CLOUD = RNG.normal(size=(40, 5))


def divergence(joint, Y, kernel):
    squared = cdist(Y, Y, "sqeuclidean")
    q = 1 / (1 + squared) if kernel == "student" else np.exp(-squared)
    np.fill_diagonal(q, 0)
    q /= q.sum()
    used = joint > 0
    return np.sum(joint[used] * np.log(joint[used] / q[used]))


@pytest.mark.kernel
@pytest.mark.parametrize("perplexity", [2.0, 5.5, 20.0])
def test_every_row_has_the_perplexity_asked_for(perplexity):
    distances, _ = nearest_others(CLOUD, 39)
    rows = conditional_probabilities(distances**2, perplexity)
    np.testing.assert_allclose(rows.sum(axis=1), 1, atol=1e-12)
    entropy = -np.sum(rows * np.log(np.maximum(rows, 1e-300)), axis=1)
    np.testing.assert_allclose(np.exp(entropy), perplexity, rtol=1e-4)
    # Each row is Gaussian: the log ratio is proportional to the squared distance.
    slopes = np.log(rows[:, 0] / rows[:, 1]) / (distances[:, 1] ** 2 - distances[:, 0] ** 2)
    again = np.log(rows[:, 0] / rows[:, 2]) / (distances[:, 2] ** 2 - distances[:, 0] ** 2)
    np.testing.assert_allclose(slopes, again, rtol=1e-6)


@pytest.mark.parametrize("kernel", ["student", "gaussian"])
@pytest.mark.parametrize("dims", [1, 2, 3])
def test_the_gradient_is_that_of_the_divergence(kernel, dims):
    model = TSNE(dims, perplexity=5, method="exact", kernel=kernel)
    joint = joint_probabilities(*nearest_others(CLOUD, 39), 5.0)
    assert joint.sum() == pytest.approx(1)
    Y = RNG.normal(size=(40, dims))
    gradient = model._gradient(joint, Y, 1.0, True)[1]
    dense = joint.toarray()
    np.testing.assert_allclose(dense, dense.T, atol=1e-15)
    assert model._gradient(joint, Y, 1.0, True)[0] == pytest.approx(divergence(dense, Y, kernel))
    for i, m in ((0, 0), (7, dims - 1), (39, 0)):
        step = np.zeros_like(Y)
        step[i, m] = 1e-6
        change = divergence(dense, Y + step, kernel) - divergence(dense, Y - step, kernel)
        assert gradient[i, m] == pytest.approx(change / 2e-6, abs=1e-7)


@pytest.mark.kernel
@pytest.mark.parametrize("kernel", [STUDENT, GAUSSIAN])
@pytest.mark.parametrize("dims", [1, 2, 3])
def test_pushes_of_all_pairs(kernel, dims):
    Y = RNG.normal(size=(17, dims))
    w = 1 / (1 + cdist(Y, Y, "sqeuclidean")) if kernel == STUDENT else None
    w = np.exp(-cdist(Y, Y, "sqeuclidean")) if w is None else w
    strength = w**2 if kernel == STUDENT else w
    force = np.empty_like(Y)
    near = repel_rows(np.ascontiguousarray(Y.T), 1.0, 0, 17, kernel, force)
    assert near == pytest.approx(w.sum() - 17)
    expected = strength.sum(axis=1)[:, None] * Y - strength @ Y
    np.testing.assert_allclose(force, expected, atol=1e-12)
    columns, one = np.ascontiguousarray(Y.T, dtype=np.float32), np.float32(1)
    repel_rows(columns, one, 0, 17, kernel, force)
    np.testing.assert_allclose(force, expected, atol=1e-5)


@pytest.mark.kernel
@pytest.mark.parametrize("dims", [1, 2, 3])
def test_a_tree_opened_to_the_leaves_is_exact_and_a_closed_one_close(dims):
    Y = np.vstack([RNG.normal(size=(60, dims)), RNG.normal(size=(60, dims)) + 4])
    Y[5] = Y[6]  # two points at one place share a leaf
    exact, force = np.empty_like(Y), np.empty_like(Y)
    near = repel_rows(np.ascontiguousarray(Y.T), 1.0, 0, 120, STUDENT, exact)
    tree = _tree_of(Y)
    assert tree[1][0] == 120
    assert repel_by_tree(Y, *tree, 0.0, 0, 120, force) == pytest.approx(near, rel=1e-12)
    np.testing.assert_allclose(force, exact, atol=1e-11)
    assert repel_by_tree(Y, *tree, 0.5, 0, 120, force) == pytest.approx(near, rel=0.02)
    assert np.linalg.norm(force - exact) < 0.1 * np.linalg.norm(exact)


@pytest.mark.kernel
def test_a_tree_without_room_keeps_several_points_in_a_leaf():
    Y = RNG.normal(size=(30, 2))
    parts = np.empty((9, 2)), np.empty(9, np.int64), np.empty(9), np.empty(9, np.int64)
    used = build_tree(Y, *parts)
    leaves = parts[3][:used] < 0
    assert used == 9 and parts[1][:used][leaves].sum() == 30


@pytest.mark.kernel
def test_pulls_along_the_edges():
    joint = joint_probabilities(*nearest_others(CLOUD, 6), 3.0)
    Y, force = RNG.normal(size=(40, 2)), np.empty((40, 2))
    attract_rows(joint.indptr, joint.indices, joint.data, Y, 0, 40, STUDENT, False, force)
    pull = joint.toarray() / (1 + cdist(Y, Y, "sqeuclidean"))
    np.testing.assert_allclose(force, pull.sum(axis=1)[:, None] * Y - pull @ Y, atol=1e-14)


@pytest.mark.parametrize("method", ["auto", "barnes_hut", "exact"])
def test_groups_stay_together(method):
    X, y = make_blobs(120, n_features=10, centers=4, random_state=0)
    model = TSNE(perplexity=10, method=method, max_iter=400).fit(X)
    assert trustworthiness(X, model.embedding_) > 0.95
    assert KNeighborsClassifier(5).fit(model.embedding_, y).score(model.embedding_, y) == 1
    assert model.kl_divergence_ < model.history_["loss"][255]
    assert model.n_iter_ == 400


@pytest.mark.parametrize("kernel", ["student", "gaussian"])
def test_the_divergence_falls(kernel):
    X, _ = make_blobs(60, n_features=5, centers=3, random_state=0)
    model = TSNE(perplexity=8, kernel=kernel, max_iter=500).fit(X)
    measured = np.array(model.history_["loss"])[260::10]
    assert measured[-1] <= measured[0] and np.isfinite(measured).all()
    assert trustworthiness(X, model.embedding_) > 0.8


def test_as_good_as_scikit_learn_on_digits():
    X = DIGITS[:250]
    ours = TSNE(max_iter=300).fit(X)
    with threadpool_limits(1):
        theirs = SklearnTSNE(max_iter=300, init="pca", random_state=0).fit(X)
    assert ours.kl_divergence_ < 1.05 * theirs.kl_divergence_
    mine, other = (trustworthiness(X, m.embedding_) for m in (ours, theirs))
    assert mine > other - 0.005


def test_new_digits_fall_among_their_own():
    model = TSNE(max_iter=400).fit(DIGITS[:700])
    placed = model.transform(DIGITS[700:900])
    vote = KNeighborsClassifier(5).fit(model.embedding_, LABELS[:700])
    assert vote.score(placed, LABELS[700:900]) > 0.9
    np.testing.assert_array_equal(model.transform(DIGITS[:50]), model.embedding_[:50])
    distances = cdist(DIGITS[:300], DIGITS[:300])
    by_distance = TSNE(metric="precomputed", max_iter=300, random_state=0).fit(distances)
    new = by_distance.transform(cdist(DIGITS[300:310], DIGITS[:300]))
    assert new.shape == (10, 2) and np.isfinite(new).all()


@pytest.mark.kernel
def test_settling_lowers_the_divergence_of_a_point():
    Y, index = RNG.normal(size=(30, 2)), np.tile(np.arange(5), (3, 1))
    weights = np.full((3, 5), 0.2)
    placed = RNG.normal(size=(3, 2)) + 3

    def loss(points):
        w = 1 / (1 + cdist(points, Y, "sqeuclidean"))
        return np.log(w.sum(axis=1)) - (weights * np.log(w[:, :5])).sum(axis=1)

    before = loss(placed)
    settle_new(weights, index, Y, placed, 40)
    assert (loss(placed) < before).all()


def test_bad_requests_for_pictures_are_explained():
    with pytest.raises(ValueError, match=r"perplexity=50.0 must be less than n_samples=40"):
        TSNE(perplexity=50.0).fit(CLOUD)
    with pytest.raises(ValueError, match="has no method='barnes_hut'"):
        TSNE(perplexity=5, kernel="gaussian", method="barnes_hut").fit(CLOUD)
    with pytest.raises(ValueError, match=r"n_components must be int in \[1, 3\], got 4"):
        TSNE(4).fit(CLOUD)
    with pytest.raises(FloatingPointError, match=r"points flew apart in step \d+. Lower learning"):
        TSNE(perplexity=5, kernel="gaussian", learning_rate=1e4).fit(CLOUD)
    copies = np.repeat(CLOUD[:10], 4, axis=0)
    assert np.isfinite(TSNE(perplexity=5, max_iter=50).fit(copies).embedding_).all()
