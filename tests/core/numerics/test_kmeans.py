"""K-means against a naive Lloyd, and its bounds where rounding and ties would show."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from shallows._core.numerics.kmeans import DenseRows, bounds, dense, kmeans, nearest_centers, starts
from shallows._core.numerics.kmeans import exhaustive as exhaustive_search
from shallows._core.numerics.kmeans.starts import plus_plus

pytestmark = pytest.mark.kernel

SHAPES = [
    (40, 3, 1),
    (60, 1, 7),
    (300, 2, 5),
    (300, 10, 60),
    (260, 7, 100),
    (200, 40, 10),
    (150, 33, 30),
    (30, 2, 30),
    (600, 2, 5),
]


@pytest.fixture(params=["all distances", "one group", "groups"])
def way(request, monkeypatch):
    """Run by all distances, with all centres in one group of bounds, and with small groups."""
    monkeypatch.setattr(bounds, "GROUP_SIZE", 7 if request.param == "groups" else 200)
    most = np.inf if request.param == "all distances" else 0
    for name in ("MOST_FEATURES", "NUMBERS", "NUMBERS_IN_ONE_PASS"):
        monkeypatch.setattr(dense, name, most)


every_way = pytest.mark.usefixtures("way")


def exhaustive(X, centers):
    return ((X[:, None] - centers) ** 2).sum(axis=2).argmin(axis=1)


def naive_lloyd(X, centers, weights):
    """Lloyd's algorithm as the textbook has it, to the very end."""
    for _ in range(1000):
        labels = exhaustive(X, centers)
        moved = [
            np.average(X[labels == k], axis=0, weights=weights[labels == k])
            for k in range(len(centers))
        ]
        if np.allclose(moved, centers, rtol=0, atol=1e-14):
            return np.array(moved), labels
        centers = np.array(moved)
    raise AssertionError("the oracle did not converge")


@every_way
@pytest.mark.parametrize(("n", "d", "k"), SHAPES)
@pytest.mark.parametrize("offset", [0.0, 1e4])
def test_lloyd_equals_the_naive_one(n, d, k, offset):
    rng = np.random.default_rng(n + d + k)
    X = rng.normal(size=(n, d)) + offset
    weights = rng.uniform(0.5, 2.0, size=n)
    start = X[rng.choice(n, k, replace=False)]
    result = kmeans(X, k, rng, sample_weight=weights, init=start, tol=0.0)
    centers, labels = naive_lloyd(X, start, weights)
    np.testing.assert_array_equal(result.labels, labels)
    np.testing.assert_allclose(result.centers, centers, rtol=1e-12, atol=1e-10)
    cost = (weights * ((X - centers[labels]) ** 2).sum(axis=1)).sum()
    assert result.inertia == pytest.approx(cost, rel=1e-9, abs=1e-12)
    assert result.converged


@every_way
@pytest.mark.parametrize(("n", "d", "k"), SHAPES)
def test_float32_finds_the_labels_of_its_own_centres(n, d, k):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(n, d)).astype(np.float32)
    result = kmeans(X, k, rng)
    assert result.centers.dtype == np.float32
    found = np.linalg.norm(X - result.centers[result.labels].astype(float), axis=1)
    least = np.linalg.norm(X[:, None] - result.centers.astype(float), axis=2).min(axis=1)
    np.testing.assert_allclose(found, least, rtol=1e-5)


@every_way
@pytest.mark.parametrize("d", [1, 2, 5, 40])
@pytest.mark.parametrize("k", [2, 9, 60])
def test_ties_go_to_the_first_centre(d, k):
    rng = np.random.default_rng(d * k)
    X = rng.integers(-3, 4, size=(600, d)).astype(float)
    centers = rng.integers(-3, 4, size=(k, d)).astype(float)
    np.testing.assert_array_equal(nearest_centers(X, centers), exhaustive(X, centers))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("d", [1, 3, 10, 40])
def test_all_distances_and_bounds_agree_on_every_row(d, dtype):
    """Rows halfway between centres, where the last bit decides."""
    rng = np.random.default_rng(d)
    centers = (rng.integers(-9, 10, size=(30, d)) / 10).astype(dtype)
    pairs = rng.integers(30, size=(3000, 2))
    X = ((centers[pairs[:, 0]] + centers[pairs[:, 1]]) / 2).astype(dtype)
    ways = exhaustive_search.Exhaustive(X), bounds.Bounded(X, X.mean(axis=0))
    for way in ways:
        way.update(centers)
    np.testing.assert_array_equal(*(way.labels for way in ways))


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("k", [1, 2, 9, 500])
def test_rows_at_no_finite_distance_are_counted(k, dtype, value):
    rng = np.random.default_rng(k)
    X, centers = rng.normal(size=(700, 5)).astype(dtype), rng.normal(size=(k, 5)).astype(dtype)
    expected = exhaustive(X.astype(float), centers.astype(float))
    lost = [3, 600]
    X[lost, 2] = value
    kept = np.setdiff1d(np.arange(700), lost)
    for way in exhaustive_search.Exhaustive(X), bounds.Bounded(X, centers.mean(axis=0)):
        with np.errstate(invalid="ignore"):  # of which only kernels that are not compiled warn
            way.update(centers)
        assert way.n_lost == 2
        np.testing.assert_array_equal(way.labels[kept], expected[kept])


@every_way
@pytest.mark.parametrize("scale", [1e-30, 1e30])
def test_single_precision_of_any_scale(scale):
    rng = np.random.default_rng(0)
    X, centers = rng.normal(size=(300, 4)), rng.normal(size=(9, 4))
    X, centers = (X * scale).astype(np.float32), (centers * scale).astype(np.float32)
    expected = exhaustive(X.astype(float), centers.astype(float))
    np.testing.assert_array_equal(nearest_centers(X, centers), expected)


@every_way
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("d", [3, 10, 40])
def test_of_equal_centres_the_first_counts(d, dtype):
    rng = np.random.default_rng(d)
    distinct = rng.normal(size=(20, d)).astype(dtype)
    centers = np.concatenate([distinct, distinct, distinct])
    X = rng.normal(size=(300, d)).astype(dtype)
    assert nearest_centers(X, centers).max() < 20


@every_way
def test_centres_that_jump_are_followed():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 4))
    assignment = bounds.Bounded(X, X.mean(axis=0))
    for scale in (1.0, 1e-3, 1e3, 1e-6, 1.0, 0.0, 1e8, 1.0):
        centers = rng.normal(size=(70, 4)) * scale
        assignment.update(centers)
        np.testing.assert_array_equal(assignment.labels, exhaustive(X, centers))


@every_way
@pytest.mark.parametrize("d", [1, 4, 40])
def test_rows_that_float32_cannot_tell_apart(d):
    rng = np.random.default_rng(d)
    far = np.where(rng.random((600, 1)) < 0.5, -1e6, 1e6)
    X = far + rng.normal(size=(600, d))
    start, origin = X[rng.choice(600, 16, replace=False)], X.mean(axis=0)
    coarse = exhaustive((X - origin).astype(np.float32), (start - origin).astype(np.float32))
    assert (coarse != exhaustive(X, start)).any()
    assignment = bounds.Bounded(X, origin)
    for step in (0.0, 0.5, 1e-3, 1e-3, 1e-6, 0.0):
        start = start + step * rng.normal(size=start.shape)
        assignment.update(start)
        np.testing.assert_array_equal(assignment.labels, exhaustive(X, start))


@every_way
@pytest.mark.parametrize("size", [1e10, 1e60])
@pytest.mark.parametrize("chosen", [True, False], ids=["a centre", "no centre"])
def test_a_row_far_from_all_others(size, chosen):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    X[7] *= size
    centers = X[np.r_[10:20, 7]] if chosen else X[10:20]
    assignment = bounds.Bounded(X, np.zeros(3))
    with np.errstate(over="ignore", invalid="ignore"):
        for step in (0.0, 1e-2, 1e-3, 1.0):
            centers = centers + step * rng.normal(size=centers.shape)
            assignment.update(centers)
            np.testing.assert_array_equal(assignment.labels, exhaustive(X, centers))


def test_sums_of_blocks_are_those_of_all_rows(monkeypatch):
    monkeypatch.setattr(dense, "BLOCK_NUMBERS", 60)
    rng = np.random.default_rng(0)
    X, weights = rng.normal(size=(700, 3)), rng.uniform(0.5, 2.0, size=700)
    rows = DenseRows(X, weights)
    assert rows.scatter == pytest.approx((weights[:, None] * (X - rows.origin) ** 2).sum())
    centers = X[:6]
    for step in (0.0, 1.0, 1e-2, 1e-2, 0.0):  # all rows change, some change, none change
        centers = centers + step * rng.normal(size=centers.shape)
        tally = rows.tally(centers)
        member = exhaustive(X, centers)[:, None] == np.arange(6)
        sums = (weights[:, None] * member).T @ (X - rows.origin)
        np.testing.assert_allclose(tally.sums, sums, atol=1e-12)
        np.testing.assert_allclose(tally.mass, weights @ member, atol=1e-12)
        np.testing.assert_array_equal(tally.counts, member.sum(axis=0))


@every_way
def test_data_of_any_scale():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    start = X[:6]
    plain = kmeans(X, 6, rng, init=start)
    for scale in (2.0**-300, 2.0**300):
        scaled = kmeans(X * scale, 6, rng, init=start * scale)
        np.testing.assert_array_equal(scaled.labels, plain.labels)
        np.testing.assert_allclose(scaled.centers, plain.centers * scale, rtol=1e-12)


def test_heavy_rows_leave_no_trace_in_the_clusters_they_left():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(300, 2))
    weights = 10.0 ** rng.uniform(-8, 8, size=300)
    result = kmeans(X, 12, rng, sample_weight=weights, tol=0.0)
    for k in range(12):
        own = result.labels == k
        mean = np.average(X[own], axis=0, weights=weights[own])
        np.testing.assert_allclose(result.centers[k], mean, atol=1e-12)


def test_the_best_of_several_starts_is_kept():
    X = np.random.default_rng(0).normal(size=(200, 2))
    options = {"init": "random", "n_init": 8}
    best = kmeans(X, 8, np.random.default_rng(5), **options)
    streams = np.random.default_rng(5).spawn(8)
    single = [X[s.choice(200, 8, replace=False, p=np.full(200, 1 / 200))] for s in streams]
    alone = [kmeans(X, 8, streams[0], init=start).inertia for start in single]
    assert best.inertia == min(alone) < max(alone)


def test_plus_plus_draws_by_weighted_squared_distance():
    """With one trial left to chance, the second centre follows the law of D² sampling."""
    X = np.array([[0.0], [1.0], [3.0]])
    weights = np.array([1.0, 4.0, 1.0])
    rng = np.random.default_rng(0)
    chosen = np.array([plus_plus(X, 2, weights, rng) for _ in range(4000)])
    first = np.bincount(chosen[:, 0], minlength=3) / 4000
    np.testing.assert_allclose(first, [1 / 6, 4 / 6, 1 / 6], atol=0.04)  # five deviations
    # Of two draws from rows 0 and 2 with chances 1/5 and 4/5, the better one stays: row 2.
    after_one = chosen[chosen[:, 0] == 1, 1]
    assert (after_one == 0).mean() == pytest.approx((1 / 5) ** 2, abs=0.025)
    assert not (after_one == 1).any()


@pytest.mark.parametrize("offset", [0.0, 100.0])
@pytest.mark.parametrize("scale", [1e-25, 1.0, 1e25])
@pytest.mark.parametrize("d", [2, 40], ids=["differences", "products"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_trials_are_judged_by_the_cost_they_leave(dtype, d, scale, offset, monkeypatch):
    for name in ("LITTLE_WORK", "WORK_PER_BLOCK"):  # several blocks
        monkeypatch.setattr(starts, name, 1)
    rng = np.random.default_rng(0)
    X = (scale * (offset + rng.normal(size=(600, d)))).astype(dtype)
    weights = rng.uniform(0.5, 2, size=600)
    kind = starts._FewFeatures if d == 2 else starts._ManyFeatures
    distances = kind(X, weights, 3)
    least = np.full(600, np.inf)
    for trials in rng.choice(600, size=(4, 3), replace=False):
        squared = cdist(X[trials].astype(float) / scale, X / scale, "sqeuclidean")
        costs = np.minimum(squared, least) @ weights
        assert distances.take_best(trials) == trials[costs.argmin()]
        least = np.minimum(squared[costs.argmin()], least)
        unit = (float(distances._scale) * scale) ** 2
        np.testing.assert_allclose(distances.least / unit, least, rtol=1e-3, atol=1e-4)
        block_costs = [weights[part] @ least[part] for part in distances.blocks]
        np.testing.assert_allclose(distances.block_costs / unit, block_costs, rtol=1e-4)


@pytest.mark.parametrize("d", [2, 40], ids=["differences", "products"])
def test_plus_plus_near_the_end_of_single_precision(d):
    rng = np.random.default_rng(0)
    X = (1e36 * (2 + rng.random((1000, d)))).astype(np.float32)  # whose sum is beyond it
    assert len(set(plus_plus(X, 5, np.ones(1000), rng))) == 5


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_plus_plus_finds_every_far_blob(dtype):
    rng = np.random.default_rng(0)
    blob = rng.integers(10, size=1000)
    X = (100.0 * np.eye(10)[blob] + rng.normal(size=(1000, 10))).astype(dtype)
    assert len(set(blob[plus_plus(X, 10, np.ones(1000), rng)])) == 10


def test_rows_that_may_be_written_to_are_handled_like_those_that_may_not():
    X = np.random.default_rng(0).normal(size=(30, 2))
    for data in (DenseRows(X, np.ones(30)).X, bounds.Bounded(X, X[0]).X):
        assert np.shares_memory(data, X)
        assert not data.flags.writeable
    assert X.flags.writeable
