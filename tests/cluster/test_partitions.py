"""Step-wise merging, splitting, medoids, mini-batches and soft clusters."""

import numpy as np
import pytest
from scipy.cluster import hierarchy
from scipy.sparse import csr_array
from scipy.spatial.distance import cdist
from sklearn.cluster import MiniBatchKMeans as Peer
from sklearn.datasets import load_iris, make_blobs
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

from shallows._core.numerics.csr import CsrRows
from shallows.cluster import (
    DivisiveClustering,
    KMeans,
    KMedoids,
    MiniBatchKMeans,
    SoftKMeans,
    linkage,
    merge_stepwise,
    quantization_error,
)
from shallows.cluster._halving import moments, sparse_moments, sparse_two_means, two_means

IRIS = load_iris().data


def blobs(n=300, k=5, d=2, seed=0):
    return make_blobs(n, d, centers=k, random_state=seed)


def squares(X, labels):
    return sum(((X[labels == k] - X[labels == k].mean(axis=0)) ** 2).sum() for k in set(labels))


def test_metrics_with_two_names():
    X = blobs(60, 3, 4)[0]
    for short, name in (("l1", "manhattan"), ("l2", "euclidean")):
        np.testing.assert_array_equal(linkage(X, "average", short), linkage(X, "average", name))
        one, other = (KMedoids(3, metric=m, random_state=0).fit(X) for m in (short, name))
        np.testing.assert_array_equal(one.medoid_indices_, other.medoid_indices_)
        np.testing.assert_array_equal(one.transform(X), other.transform(X))
    np.testing.assert_array_equal(linkage(X, "ward", "l2"), linkage(X, "ward"))


def test_merging_from_singletons_is_wards_linkage():
    X = blobs(120, 3, 4)[0]
    merges = merge_stepwise(X, np.arange(120))
    ward = linkage(X, "ward")
    np.testing.assert_allclose(merges.tree[:, 2], ward[:, 2] ** 2 / 2, rtol=1e-9)
    np.testing.assert_array_equal(merges.tree[:, [0, 1, 3]], ward[:, [0, 1, 3]])
    assert merges.costs[0] == 0
    assert merges.costs[-1] == pytest.approx(((X - X.mean(axis=0)) ** 2).sum())


def test_merging_a_partition_matches_a_search_over_all_pairs():
    X = blobs(200, 4, 3)[0]
    labels = KMeans(8, random_state=0).fit(X).labels_
    quick, slow = merge_stepwise(X, labels), merge_stepwise(X, labels, squares)
    np.testing.assert_allclose(quick.costs, slow.costs, rtol=1e-9)
    np.testing.assert_allclose(quick.tree, slow.tree, rtol=1e-7)
    assert len(quick.tree) == 7
    assert (np.diff(quick.costs) >= 0).all()
    for k in (1, 3, 8):
        assert squares(X, quick.cut(k)) == pytest.approx(quick.costs[8 - k])
        assert adjusted_rand_score(quick.cut(k), slow.cut(k)) == 1
    assert hierarchy.is_valid_linkage(quick.tree)


def test_a_merge_adds_what_the_formula_says_and_weights_count_as_repeats():
    X = np.array([[0.0, 0], [2, 0], [7, 1], [9, 3], [8, 2]])
    labels = np.array([0, 0, 1, 1, 1])
    merges = merge_stepwise(X, labels)
    gap = X[:2].mean(axis=0) - X[2:].mean(axis=0)
    assert merges.tree[0, 2] == pytest.approx(2 * 3 / 5 * gap @ gap)
    weights = np.array([1, 3, 2, 1, 2])
    repeated = merge_stepwise(np.repeat(X, weights, axis=0), np.repeat(labels, weights))
    weighted = merge_stepwise(X, labels, sample_weight=weights)
    np.testing.assert_allclose(weighted.costs, repeated.costs)


def test_merging_refuses_bad_input():
    merges = merge_stepwise([[0.0], [1.0]], [0, 1])
    for number in (3, 0, 1.5, "a"):
        with pytest.raises(ValueError, match=f"n_clusters must be from 1 to 2.* got {number!r}"):
            merges.cut(number)
    with pytest.raises(ValueError, match="all samples of cluster 7 have weight zero"):
        merge_stepwise([[0.0], [1.0]], [0, 7], sample_weight=[1, 0])
    with pytest.raises(ValueError, match="cost must be 'squares' or a function"):
        merge_stepwise([[0.0], [1.0]], [0, 1], "cubes")
    for labels in ([0, 1, 2], [[0], [1]], None):
        with pytest.raises(ValueError, match="labels must hold one cluster for each of the 2"):
            merge_stepwise([[0.0], [1.0]], labels)
    with pytest.raises(ValueError, match=r"^merge_stepwise: the largest number in X"):
        merge_stepwise([[0.0], [1e200]], [0, 1])


@pytest.mark.parametrize("value", [np.nan, np.inf, None, np.ones(2)], ids=str)
def test_merging_refuses_costs_that_are_no_numbers(value):
    with pytest.raises(ValueError, match=r"cost must return a finite number .* for 2 clusters"):
        merge_stepwise([[0.0], [1.0]], [0, 1], lambda X, labels: value)


@pytest.mark.parametrize("split", ["kmeans", "principal"])
def test_every_split_lowers_the_cost_down_to_single_samples(split):
    X = blobs(80, 4, 3)[0]
    whole = DivisiveClustering(None, split=split, random_state=0).fit(X)
    assert whole.n_clusters_ == 80
    assert (np.diff(whole.costs_) < 0).all()
    assert whole.costs_[0] == pytest.approx(((X - X.mean(axis=0)) ** 2).sum())
    assert whole.inertia_ == pytest.approx(0, abs=1e-20)
    assert hierarchy.is_valid_linkage(whole.linkage_matrix_)
    assert hierarchy.is_monotonic(whole.linkage_matrix_)
    four = DivisiveClustering(4, split=split, random_state=0).fit(X)
    assert four.inertia_ == pytest.approx(squares(X, four.labels_))
    assert four.linkage_matrix_[-1, 3] == 4
    np.testing.assert_allclose(four.costs_, whole.costs_[:4])


@pytest.mark.parametrize("split", ["kmeans", "principal"])
def test_splitting_finds_far_clusters(split):
    X, y = make_blobs(200, centers=[[0, 0], [30, 1], [2, 70], [31, 72]], random_state=0)
    assert adjusted_rand_score(DivisiveClustering(4, split=split).fit_predict(X), y) == 1


@pytest.mark.parametrize("split", ["kmeans", "principal"])
def test_splits_by_integer_weights_are_those_of_repeated_samples(split):
    X = make_blobs(90, centers=[[0, 0], [9, 1], [2, 20], [10, 23]], random_state=0)[0]
    weights = np.random.default_rng(0).integers(0, 4, size=90)
    repeated = np.repeat(X, weights, axis=0)
    one = DivisiveClustering(4, split=split, random_state=0).fit(X, sample_weight=weights)
    other = DivisiveClustering(4, split=split, random_state=0).fit(repeated)
    np.testing.assert_allclose(one.costs_, other.costs_)
    assert adjusted_rand_score(np.repeat(one.labels_, weights), other.labels_) == 1
    unused = weights == 0
    np.testing.assert_array_equal(one.labels_[unused], one.predict(X)[unused])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("offset", [0.0, 3e3])
def test_halving_is_lloyds_algorithm_with_two_centres(dtype, offset):
    rng = np.random.default_rng(3)
    X = (offset + rng.normal(size=(400, 5)) * [3, 2, 1, 1, 1]).astype(dtype)
    weights = rng.uniform(0.2, 3, size=400)
    known = mass, mean, cost = moments(X, weights)
    assert mass == pytest.approx(weights.sum())
    np.testing.assert_allclose(mean, np.average(X.astype(float), axis=0, weights=weights))
    assert cost == pytest.approx(weights @ ((X - mean) ** 2).sum(axis=1))
    for uniform in rng.random((10, 2)):
        right = np.zeros(400, bool)
        left_over = two_means(X, weights, known, uniform, right)
        first = np.searchsorted(np.cumsum(weights), uniform[0] * mass, side="right")
        chances = np.cumsum(weights * ((X - X[first].astype(float)) ** 2).sum(axis=1))
        second = np.searchsorted(chances, uniform[1] * chances[-1], side="right")
        expected, inertia = lloyd(X.astype(float), weights, X[[first, second]].astype(float))
        np.testing.assert_array_equal(right, expected)
        assert left_over == pytest.approx(inertia)
        rows, also_right = csr_array(X), np.zeros(400, bool)
        sums = sparse_moments(CsrRows.of(rows), 5, weights)
        np.testing.assert_allclose(sums.mean, mean)
        assert sums.cost == pytest.approx(cost)
        left_over = sparse_two_means(CsrRows.of(rows), weights, sums, uniform, also_right)
        np.testing.assert_array_equal(also_right, expected)
        assert left_over == pytest.approx(inertia)


def lloyd(X, weights, centers):
    """Two centres; ends when they move little, with the sides of the step before."""
    mean = np.average(X, axis=0, weights=weights)
    limit = 1e-4 * np.average((X - mean) ** 2, axis=0, weights=weights).mean()
    for step in range(300):
        right = np.diff(((X[:, None] - centers) ** 2).sum(axis=2), axis=1)[:, 0] < 0
        moved = [np.average(X[side], axis=0, weights=weights[side]) for side in (~right, right)]
        centers, way = np.array(moved), ((centers - moved) ** 2).sum()
        if step > 0 and way <= limit:
            break
    return right, weights @ ((X - centers[right.astype(int)]) ** 2).sum(axis=1)


def test_splitting_survives_numbers_and_weights_of_any_size():
    X, y = make_blobs(200, centers=[[0, 0], [30, 1], [2, 70]], random_state=0)
    for scale in (1e-100, 1e100):
        model = DivisiveClustering(3, random_state=0)
        model.fit(X * scale, sample_weight=np.full(200, 1e-9))
        assert adjusted_rand_score(model.labels_, y) == 1
        assert model.inertia_ == pytest.approx(1e-9 * scale**2 * squares(X, y))


@pytest.mark.parametrize("split", ["kmeans", "principal"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_splits_of_sparse_samples_are_those_of_dense_ones(split, dtype):
    rng = np.random.default_rng(5)
    X = rng.poisson(0.3, size=(240, 30)).astype(dtype)
    X[:, :4] += np.repeat(np.diag([6, 12, 24, 48]), 60, axis=0)
    weights = rng.integers(1, 4, size=240)
    dense = DivisiveClustering(4, split=split, n_init=5, random_state=0)
    dense.fit(X, sample_weight=weights)
    model = DivisiveClustering(4, split=split, n_init=5, random_state=0)
    model.fit(csr_array(X), sample_weight=weights)
    assert adjusted_rand_score(model.labels_, dense.labels_) == 1
    np.testing.assert_allclose(model.costs_, dense.costs_, rtol=1e-5)
    np.testing.assert_array_equal(model.predict(csr_array(X)), model.predict(X))
    np.testing.assert_allclose(model.transform(csr_array(X)), model.transform(X), rtol=1e-4)
    assert model.cluster_centers_.dtype == dtype
    assert model.transform(X).shape == (240, 4)


@pytest.mark.parametrize("split", ["kmeans", "principal"])
def test_splits_of_samples_that_differ_by_rounding_are_a_tree(split):
    rng = np.random.default_rng(0)
    for seed in range(20):
        X = 1e7 + 1e-8 * rng.normal(size=(40, 2))
        weights = 10.0 ** rng.integers(-12, 12, 40)
        for given in (None, weights):
            model = DivisiveClustering(None, split=split, random_state=seed)
            tree = model.fit(X, sample_weight=given).linkage_matrix_
            assert hierarchy.is_valid_linkage(tree) and hierarchy.is_monotonic(tree)


def test_splitting_of_sparse_samples_stops_at_equal_ones():
    X = csr_array(np.repeat([[0.0, 0, 0], [0, 2, 1], [5, 0, 0]], 4, axis=0))
    stored = csr_array(
        (
            np.append(X.data, 0.0),
            np.append(X.indices, 1),
            np.append(X.indptr[:-1], len(X.data) + 1),
        ),
        shape=X.shape,
    )  # a zero that is stored
    for rows in (X, stored):
        model = DivisiveClustering(None, random_state=0).fit(rows)
        assert model.n_clusters_ == 3
        assert model.inertia_ == 0


def test_splitting_stops_at_equal_samples():
    X = np.repeat([[0.0], [1.0], [5.0]], 4, axis=0)
    assert DivisiveClustering(None).fit(X).n_clusters_ == 3
    with pytest.warns(ConvergenceWarning, match="found 3 distinct samples"):
        DivisiveClustering(6).fit(X)
    with pytest.raises(ValueError, match="n_samples=12 should be >= n_clusters=13"):
        DivisiveClustering(13).fit(X)


def cost_of(distances, medoids, weights):
    return weights @ distances[:, medoids].min(axis=1)


@pytest.mark.kernel
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("init", ["random", "build"])
def test_no_swap_of_medoids_lowers_the_cost(init, weighted):
    X = blobs(60, 4, 3, seed=2)[0]
    weights = np.random.default_rng(0).uniform(0, 3, 60) if weighted else np.ones(60)
    model = KMedoids(5, init=init, random_state=0).fit(X, sample_weight=weights)
    distances = cdist(X, X)
    best = cost_of(distances, model.medoid_indices_, weights)
    assert model.inertia_ == pytest.approx(best)
    for place in range(5):
        for other in range(60):
            trial = model.medoid_indices_.copy()
            trial[place] = other
            assert cost_of(distances, trial, weights) >= best * (1 - 1e-9)
    assert (np.diff(model.history_["loss"]) <= 1e-9).all()
    np.testing.assert_array_equal(model.labels_, model.predict(X))


def test_medoids_of_few_samples_are_the_best_of_all():
    from itertools import combinations

    X = blobs(14, 3, 2, seed=4)[0]
    distances = cdist(X, X, "cityblock")
    best = min(cost_of(distances, list(c), np.ones(14)) for c in combinations(range(14), 3))
    found = [
        KMedoids(3, metric="manhattan", random_state=seed).fit(X).inertia_ for seed in range(5)
    ]
    assert min(found) == pytest.approx(best)
    one = KMedoids(1, metric="precomputed").fit(distances)
    assert one.medoid_indices_[0] == distances.sum(axis=0).argmin()


def test_alternating_ends_where_medoids_are_in_the_middle_and_no_better():
    X = blobs(200, 6, 2, seed=1)[0]
    start = np.arange(6)
    moved = KMedoids(6, method="alternate", init=start).fit(X)
    swapped = KMedoids(6, init=start).fit(X)
    distances = cdist(X, X)
    for k, medoid in enumerate(moved.medoid_indices_):
        members = np.flatnonzero(moved.labels_ == k)
        sums = distances[np.ix_(members, members)].sum(axis=1)
        assert sums.min() == pytest.approx(distances[medoid, members].sum())
    assert swapped.inertia_ <= moved.inertia_ * (1 + 1e-12)
    given = KMedoids(6, init=start, metric="precomputed").fit(distances)
    np.testing.assert_array_equal(np.sort(given.medoid_indices_), np.sort(swapped.medoid_indices_))
    np.testing.assert_array_equal(given.predict(distances), given.labels_)


@pytest.mark.parametrize("metric", ["manhattan", "precomputed"])
def test_the_score_of_medoids_is_minus_their_cost(metric):
    X, Q = blobs(60, 4)[0], blobs(25, 4, seed=9)[0]
    weights = np.random.default_rng(0).uniform(0, 3, 25)
    forms = {"manhattan": (X, Q), "precomputed": (cdist(X, X), cdist(Q, X))}[metric]
    model = KMedoids(4, metric=metric, random_state=0).fit(forms[0])
    assert model.score(forms[0]) == pytest.approx(-model.inertia_)
    distances = cdist(Q, X, "cityblock" if metric == "manhattan" else "euclidean")
    expected = cost_of(distances, model.medoid_indices_, weights)
    assert model.score(forms[1], sample_weight=weights) == pytest.approx(-expected)


def test_a_far_sample_moves_a_mean_and_not_a_medoid():
    X = np.concatenate([np.linspace(0, 1, 11), [1000.0]])[:, None]
    assert KMedoids(1).fit(X).cluster_centers_[0, 0] == pytest.approx(0.5, abs=0.11)
    assert KMeans(1).fit(X).cluster_centers_[0, 0] > 80


def test_medoids_refuse_bad_input_and_take_equal_points():
    X = np.ones((6, 2))
    model = KMedoids(3, random_state=0).fit(X)
    assert model.inertia_ == 0
    assert len(np.unique(model.medoid_indices_)) == 3
    assert len(np.unique(KMedoids(3, init="build").fit(X).medoid_indices_)) == 3
    with pytest.raises(ValueError, match="n_samples=6 should be >= n_clusters=7"):
        KMedoids(7).fit(X)
    with pytest.raises(ValueError, match="must be square"):
        KMedoids(2, metric="precomputed").fit(X)
    with pytest.raises(ValueError, match="must be symmetric"):
        KMedoids(2, metric="precomputed").fit(np.triu(np.ones((6, 6)), 1))
    given = KMedoids(2, metric="precomputed", init=[0, 1]).fit(1 - np.eye(6))
    with pytest.raises(ValueError, match="passed to KMedoids: precomputed distances must not be"):
        given.predict(np.eye(6) - 1)
    with pytest.raises(ValueError, match="2 different indices"):
        KMedoids(2, init=[1, 1]).fit(X)
    with pytest.warns(ConvergenceWarning, match="max_iter=1"):
        KMedoids(5, max_iter=1, init=[0, 1, 2, 3, 4]).fit(blobs(300)[0])


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_mini_batches_come_close_to_k_means_as_scikit_learns_do(dtype):
    X = make_blobs(5000, 6, centers=10, cluster_std=2.0, random_state=0)[0].astype(dtype)
    full = KMeans(10, n_init=5, random_state=0).fit(X).inertia_
    options = {"batch_size": 500, "n_init": 3}
    ours = min(MiniBatchKMeans(10, random_state=s, **options).fit(X).inertia_ for s in range(5))
    peer = min(Peer(10, random_state=s, **options).fit(X).inertia_ for s in range(5))
    assert full * (1 - 1e-6) <= ours <= 1.02 * full
    assert ours <= 1.01 * peer


def test_a_centre_is_the_mean_of_all_samples_it_was_given():
    X = np.random.default_rng(0).normal(size=(90, 3))
    model = MiniBatchKMeans(1, reassignment_ratio=0.0)
    for part in np.split(X, 3):
        model.partial_fit(part)
    np.testing.assert_allclose(model.cluster_centers_[0], X.mean(axis=0), atol=1e-12)
    assert model.n_iter_ == model.n_steps_ == 3
    assert model.inertia_ == pytest.approx(-model.score(X[60:]))


def test_partial_fit_labels_rows_of_weight_zero_too():
    X, weights = np.random.default_rng(0).normal(size=(30, 2)), np.r_[np.zeros(4), np.ones(26)]
    model = MiniBatchKMeans(3, random_state=0).partial_fit(X, sample_weight=weights)
    np.testing.assert_array_equal(model.labels_, model.predict(X))
    assert model.inertia_ == pytest.approx(-model.score(X[4:]))


def test_a_step_is_the_formula_written_out_dense_and_sparse():
    X = np.random.default_rng(1).poisson(1.0, size=(60, 4)).astype(float)
    start = X[:3].copy() + 0.1
    expected, counts = start.copy(), np.zeros(3)
    for part in np.split(X, 3):
        labels = cdist(part, expected).argmin(axis=1)
        for k in range(3):
            for row in part[labels == k]:
                counts[k] += 1
                expected[k] += (row - expected[k]) / counts[k]
    for form in (np.asarray, csr_array):
        model = MiniBatchKMeans(3, init=start, reassignment_ratio=0.0)
        for part in np.split(X, 3):
            model.partial_fit(form(part))
        np.testing.assert_allclose(model.cluster_centers_, expected, atol=1e-12)


def test_steps_are_batches_as_in_scikit_learn():
    X = blobs(500, 5)[0]
    options = {"batch_size": 100, "max_no_improvement": None, "max_iter": 7, "random_state": 0}
    ours, peer = MiniBatchKMeans(5, **options).fit(X), Peer(5, **options).fit(X)
    assert ours.n_steps_ == peer.n_steps_ == 35
    assert ours.n_iter_ == len(ours.history_["loss"]) == 35


def test_mini_batches_refuse_bad_input():
    with pytest.raises(ValueError, match="n_samples=3 should be >= n_clusters=8"):
        MiniBatchKMeans().fit(np.ones((3, 2)))
    with pytest.raises(ValueError, match="init must be of shape"):
        MiniBatchKMeans(2, init=np.ones((3, 2))).fit(np.ones((5, 2)))


@pytest.mark.parametrize("unit", [1e160, 1e-160])
@pytest.mark.parametrize(
    "model",
    [KMeans(2), MiniBatchKMeans(2), SoftKMeans(2), KMedoids(2), DivisiveClustering(2)],
    ids=lambda model: type(model).__name__,
)
def test_samples_whose_squares_do_not_fit_are_refused(model, unit):
    X = unit * np.random.default_rng(0).normal(size=(30, 2))
    with pytest.raises(ValueError, match=f"^{type(model).__name__}: the largest number in X is"):
        model.fit(X)


@pytest.mark.parametrize("unit", [1e-30, 1e30])
@pytest.mark.parametrize("method", [KMeans, MiniBatchKMeans])
def test_single_precision_beyond_its_squares(method, unit):
    X = blobs(300)[0]
    expected = method(5, random_state=0).fit(X).labels_
    scaled = (unit * X).astype(np.float32)
    assert adjusted_rand_score(expected, method(5, random_state=0).fit(scaled).labels_) > 0.99
    with pytest.raises(ValueError, match=f"^{method.__name__}: the largest number in X is"):
        method(5).fit(csr_array(scaled))


def test_rare_centres_are_moved_to_samples():
    X = blobs(500, 5)[0]
    start = np.concatenate([X[:4], [[1e3, 1e3]]])
    kept = MiniBatchKMeans(5, init=start, batch_size=100, reassignment_ratio=0.0, random_state=0)
    moved = MiniBatchKMeans(5, init=start, batch_size=100, random_state=0)
    assert kept.fit(X).cluster_centers_.max() > 900
    assert moved.fit(X).cluster_centers_.max() < 100


def test_soft_k_means_never_raises_the_free_energy_and_ends_at_a_fixed_point():
    model = SoftKMeans(3, beta=4.0, tol=0.0, max_iter=2000, random_state=0)
    model.fit(IRIS)
    assert (np.diff(model.history_["loss"]) <= 1e-12).all()
    shares = model.predict_proba(IRIS)
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    means = shares.T @ IRIS / shares.sum(axis=0)[:, None]
    np.testing.assert_allclose(means, model.cluster_centers_, atol=1e-5)
    np.testing.assert_array_equal(shares.argmax(axis=1), model.labels_)


def test_stiff_clusters_are_k_means_and_loose_ones_fall_together():
    start = IRIS[[0, 60, 120]]
    hard = KMeans(3, init=start, tol=0.0).fit(IRIS)
    stiff = SoftKMeans(3, beta=1e5, init=start).fit(IRIS)
    np.testing.assert_allclose(stiff.cluster_centers_, hard.cluster_centers_, atol=1e-3)
    largest = np.linalg.eigvalsh(np.cov(IRIS.T, ddof=0))[-1]
    loose = SoftKMeans(3, beta=0.8 / largest, init=start, tol=1e-14, max_iter=5000).fit(IRIS)
    split = SoftKMeans(3, beta=1.2 / largest, init=start, tol=1e-14, max_iter=5000).fit(IRIS)
    assert np.ptp(loose.cluster_centers_, axis=0).max() < 1e-3
    assert np.ptp(split.cluster_centers_, axis=0).max() > 0.1


def test_the_score_of_soft_clusters_is_minus_their_free_energy():
    start = IRIS[[0, 60, 120]]
    model = SoftKMeans(3, beta=2.0, init=start, tol=0.0, max_iter=500).fit(IRIS)
    assert model.score(IRIS) == pytest.approx(-150 * model.history_["loss"][-1], rel=1e-9)
    weights = np.random.default_rng(0).uniform(0, 3, 150)
    half = cdist(IRIS, model.cluster_centers_, "sqeuclidean") / 2
    energy = -(weights @ np.log(np.exp(-2.0 * half).mean(axis=1))) / 2.0
    assert model.score(IRIS, sample_weight=weights) == pytest.approx(-energy)
    hard = KMeans(3, init=start, tol=0.0).fit(IRIS)
    stiff = SoftKMeans(3, beta=1e5, init=start).fit(IRIS)
    assert stiff.score(IRIS) == pytest.approx(hard.score(IRIS) / 2, rel=1e-3)


def test_weights_of_soft_clusters_count_as_repeats():
    weights = np.arange(150) % 3
    start = IRIS[[1, 61, 121]]
    weighted = SoftKMeans(3, init=start).fit(IRIS, sample_weight=weights)
    repeated = SoftKMeans(3, init=start).fit(np.repeat(IRIS, weights, axis=0))
    np.testing.assert_allclose(weighted.cluster_centers_, repeated.cluster_centers_, atol=1e-8)
    with pytest.raises(ValueError, match="n_samples=2 should be >= n_clusters=8"):
        SoftKMeans().fit(IRIS[:2])


def test_quantisation_error_is_the_cost_of_k_means():
    model = KMeans(4, random_state=0).fit(IRIS)
    assert quantization_error(IRIS, model.cluster_centers_) == pytest.approx(model.inertia_)
    half = quantization_error(IRIS, model.cluster_centers_, half=True)
    assert half == pytest.approx(model.inertia_ / 2)
    assert quantization_error(IRIS, IRIS) == 0
    with pytest.raises(ValueError, match="X has 4 features and centers have 2"):
        quantization_error(IRIS, IRIS[:, :2])
