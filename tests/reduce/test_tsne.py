"""Stochastic neighbour embedding against its definition, a naive gradient and scikit-learn."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.datasets import load_digits, make_blobs
from sklearn.manifold import TSNE as SklearnTSNE
from sklearn.manifold import trustworthiness
from sklearn.neighbors import KNeighborsClassifier
from threadpoolctl import threadpool_limits

from shallows._core.numerics.csr import CsrRows
from shallows.reduce import TSNE
from shallows.reduce._affinities import conditional_probabilities, joint_probabilities
from shallows.reduce._divergence import Divergence, tree_of
from shallows.reduce._fft_repulsion import SPACING, GridRepulsion, gather, spline, spread
from shallows.reduce._forces import (
    GAUSSIAN,
    STUDENT,
    Cells,
    attract_rows,
    build_tree,
    repel_by_tree,
    repel_rows,
    settle_new,
)
from shallows.reduce._neighbor_graph import nearest_others

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
    joint = joint_probabilities(*nearest_others(CLOUD, 39), 5.0)
    assert joint.sum() == pytest.approx(1)
    Y = RNG.normal(size=(40, dims))
    value, gradient = Divergence(joint, method="exact", kernel=kernel)(Y)
    dense = joint.toarray()
    np.testing.assert_allclose(dense, dense.T, atol=1e-15)
    assert value == pytest.approx(divergence(dense, Y, kernel))
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
    tree = tree_of(Y)
    assert tree.counts[0] == 120
    assert repel_by_tree(Y, tree, 0.0, 0, 120, force) == pytest.approx(near, rel=1e-12)
    np.testing.assert_allclose(force, exact, atol=1e-11)
    assert repel_by_tree(Y, tree, 0.5, 0, 120, force) == pytest.approx(near, rel=0.02)
    assert np.linalg.norm(force - exact) < 0.1 * np.linalg.norm(exact)


@pytest.mark.kernel
def test_a_tree_without_room_keeps_several_points_in_a_leaf():
    Y = RNG.normal(size=(30, 2))
    parts = np.empty((9, 2)), np.empty(9, np.int64), np.empty(9), np.empty(9, np.int64)
    used = build_tree(Y, Cells(*parts))
    leaves = parts[3][:used] < 0
    assert used == 9 and parts[1][:used][leaves].sum() == 30


@pytest.mark.kernel
@pytest.mark.parametrize("with_log", [False, True])
@pytest.mark.parametrize("dims", [1, 2, 3])
def test_pulls_along_the_edges(dims, with_log):
    joint = joint_probabilities(*nearest_others(CLOUD, 6), 3.0)
    Y, force = RNG.normal(size=(40, dims)), np.empty((40, dims))
    attract_rows(CsrRows.of(joint), Y, 0, 40, STUDENT, with_log, force)
    pull = joint.toarray() / (1 + cdist(Y, Y, "sqeuclidean"))
    np.testing.assert_allclose(force, pull.sum(axis=1)[:, None] * Y - pull @ Y, atol=1e-14)


@pytest.mark.kernel
def test_splines_sum_to_one_and_carry_the_place_of_a_point():
    for t in (0.0, 0.3, 1.0):
        values = np.array(spline(t))
        assert values.sum() == pytest.approx(1)
        assert values @ [-1, 0, 1, 2] == pytest.approx(t)
    places, mass = 1 + 5 * RNG.random((9, 2)), np.zeros((9, 9))
    spread(places, mass)
    assert mass.sum() == pytest.approx(9)
    nodes = np.arange(9)
    np.testing.assert_allclose([nodes @ mass.sum(axis=1), nodes @ mass.sum(axis=0)], places.sum(0))
    force = np.empty((9, 2))
    gather(places, *np.meshgrid(nodes, nodes, indexing="ij"), force)
    np.testing.assert_allclose(force, places, atol=1e-12)


@pytest.mark.kernel
@pytest.mark.parametrize("width", [1e-4, 1.0, 30.0])
def test_pushes_by_a_grid_are_those_of_all_pairs(width):
    Y = width * RNG.normal(size=(150, 2)) * [1.0, 0.4] + 7.0
    Y[5] = Y[6]
    exact = np.empty_like(Y)
    near = repel_rows(np.ascontiguousarray(Y.T), 1.0, 0, 150, STUDENT, exact)
    found, force = GridRepulsion()(Y)
    # Interpolated are all pairs, each point's own weight of one too.
    assert found == pytest.approx(near, abs=8e-3 * (near + 150))
    assert np.linalg.norm(force - exact) < 0.03 * np.linalg.norm(exact)
    np.testing.assert_allclose(force.sum(axis=0), 0, atol=1e-4 * np.abs(force).sum())


def test_a_finer_grid_errs_with_the_fourth_power_of_its_spacing():
    Y = 10 * RNG.normal(size=(400, 2))
    exact = np.empty_like(Y)
    repel_rows(np.ascontiguousarray(Y.T), 1.0, 0, 400, STUDENT, exact)
    coarse, fine = (np.linalg.norm(GridRepulsion(h)(Y)[1] - exact) for h in (SPACING, SPACING / 2))
    assert fine < coarse / 10


def test_a_grid_serves_pictures_of_changing_size():
    grid = GridRepulsion()
    for width in (1e-3, 3.0, 50.0, 49.9, 2.0):
        Y = width * RNG.normal(size=(80, 2))
        near, force = grid(Y)
        fresh = GridRepulsion()(Y)
        assert near == fresh[0]
        np.testing.assert_array_equal(force, fresh[1])
    assert grid(np.full((5, 2), 3.0))[0] == pytest.approx(20, rel=1e-5)


def test_gradients_of_all_methods_agree():
    joint = joint_probabilities(*nearest_others(DIGITS[:400], 90), 30.0)
    Y = 20 * RNG.normal(size=(400, 2))
    exact = Divergence(joint, method="exact")(Y)
    for method in ("auto", "fft", "barnes_hut"):
        value, gradient = Divergence(joint, method=method)(Y)
        assert value == pytest.approx(exact[0], rel=2e-3)
        assert np.linalg.norm(gradient - exact[1]) < 0.02 * np.linalg.norm(exact[1])
    far = Y.copy()
    far[0] = 1e6  # too wide for a grid
    value, gradient = Divergence(joint, method="fft")(far)
    np.testing.assert_array_equal(gradient, Divergence(joint, method="barnes_hut")(far)[1])


@pytest.mark.parametrize("method", ["auto", "barnes_hut", "fft", "exact"])
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
    X = DIGITS[:150]
    options = {"perplexity": 20, "max_iter": 500, "init": "random", "method": "exact"}
    # The descent is chaotic: rounding decides which of many minima one start ends in.
    ours = [TSNE(**options, random_state=seed).fit(X) for seed in range(3)]
    with threadpool_limits(1):
        theirs = [SklearnTSNE(**options, random_state=seed).fit(X) for seed in range(3)]
    best, other = (min(runs, key=lambda m: m.kl_divergence_) for runs in (ours, theirs))
    assert best.kl_divergence_ < 1.05 * other.kl_divergence_
    mine, other = (trustworthiness(X, m.embedding_) for m in (best, other))
    assert mine > other - 0.005


def test_a_start_of_ones_own():
    start = RNG.normal(size=(40, 2))
    kept = start.copy()
    model = TSNE(perplexity=5, init=start, max_iter=1, learning_rate=1e-9).fit(CLOUD)
    np.testing.assert_allclose(model.embedding_, start, atol=1e-6)
    np.testing.assert_array_equal(start, kept)
    with pytest.raises(ValueError, match=r"init must have shape \(40, 2\), got \(40, 3\)"):
        TSNE(perplexity=5, init=np.zeros((40, 3))).fit(CLOUD)


def test_steps_are_longer_once_exaggeration_has_ended():
    options = {"perplexity": 5, "max_iter": 1}
    assert TSNE(**options).fit(DIGITS[:400]).learning_rate_ == 100
    assert TSNE(**options).fit(CLOUD).learning_rate_ == 50
    assert TSNE(**options, learning_rate=7).fit(CLOUD).learning_rate_ == 7
    gaussian = TSNE(**options, kernel="gaussian").fit(CLOUD)
    assert gaussian.learning_rate_ == pytest.approx(40 / 480)
    options = {"max_iter": 400, "init": "random", "random_state": 0}
    long, short = (TSNE(**options, learning_rate=rate).fit(DIGITS[:600]) for rate in ("auto", 50))
    assert long.kl_divergence_ < short.kl_divergence_


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
    with pytest.raises(ValueError, match=r"perplexity \(50\) must be less than n_samples \(40\)"):
        TSNE(perplexity=50.0).fit(CLOUD)
    with pytest.raises(ValueError, match="has no method='barnes_hut'"):
        TSNE(perplexity=5, kernel="gaussian", method="barnes_hut").fit(CLOUD)
    with pytest.raises(ValueError, match="method='fft' needs n_components=2, got 3"):
        TSNE(3, perplexity=5, method="fft").fit(CLOUD)
    with pytest.raises(ValueError, match=r"n_components must be int in \[1, 3\], got 4"):
        TSNE(4).fit(CLOUD)
    with pytest.raises(FloatingPointError, match=r"points flew apart in step \d+. Lower learning"):
        TSNE(perplexity=5, kernel="gaussian", learning_rate=1e4).fit(CLOUD)
    copies = np.repeat(CLOUD[:10], 4, axis=0)
    assert np.isfinite(TSNE(perplexity=5, max_iter=50).fit(copies).embedding_).all()
