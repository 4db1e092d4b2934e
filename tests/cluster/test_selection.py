"""How many clusters: elbow curve, gap statistic, silhouette."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.datasets import load_iris, make_blobs
from sklearn.metrics import pairwise_distances, silhouette_samples

from shallows._core.showing.figures import figure_svg
from shallows.cluster import KMeans, elbow_curve, gap_statistic, silhouette

IRIS = load_iris().data


def test_elbow_of_iris():
    elbow = elbow_curve(IRIS, range(1, 6), random_state=0)
    np.testing.assert_allclose(elbow.costs, [4.54, 1.02, 0.53, 0.38, 0.31], atol=0.01)
    assert elbow.bend == 2
    assert elbow.costs[0] == pytest.approx(IRIS.var(axis=0).sum())
    assert figure_svg(elbow.chart()).startswith("<svg")


def test_the_bend_is_farthest_below_the_chord():
    assert elbow_curve(IRIS, random_state=0).bend == 3  # as the notes' figure says, K = 1..10
    numbers = [1, 2, 4, 7, 12]
    elbow = elbow_curve(IRIS, numbers, random_state=0)
    first, last = (np.array([numbers[i], elbow.costs[i]]) for i in (0, -1))
    along = (last - first) / np.linalg.norm(last - first)
    points = np.column_stack([numbers, elbow.costs]) - first
    away = along[0] * points[:, 1] - along[1] * points[:, 0]  # signed, perpendicular to the chord
    assert elbow.bend == numbers[int(np.argmin(away))]
    assert elbow_curve(IRIS, [2, 3], random_state=0).bend is None
    assert elbow_curve(IRIS, [4], random_state=0).bend is None
    assert elbow_curve(np.ones((5, 2)), [1, 2, 3], random_state=0).bend is None


def test_the_elbow_is_drawn_with_its_chord_and_whole_numbers():
    elbow = elbow_curve(IRIS, range(1, 11), n_init=3, random_state=0)
    spec = elbow.chart()
    rows = spec["data"]["values"]
    assert (rows[0]["chord"], rows[9]["chord"]) == pytest.approx((elbow.costs[0], elbow.costs[9]))
    rule = spec["layer"][-1]["encoding"]["x"]["datum"]
    assert rule == elbow.bend
    few = figure_svg(elbow_curve(1000 * IRIS, range(1, 4), n_init=3, random_state=0).chart())
    assert all(f">{k}</text>" in few for k in (1, 2, 3)) and ">1.5</text>" not in few


def test_elbow_bends_at_far_clusters_and_weights_count_as_repeats():
    X, _ = make_blobs(150, centers=[[0, 0], [20, 0], [0, 20], [20, 20]], random_state=0)
    assert elbow_curve(X, random_state=0).bend == 4
    weights = np.arange(150) % 3
    weighted = elbow_curve(X, range(1, 6), sample_weight=weights, random_state=0).costs
    repeated = elbow_curve(np.repeat(X, weights, axis=0), range(1, 6), random_state=0).costs
    np.testing.assert_allclose(weighted, repeated, rtol=1e-9)


@pytest.mark.parametrize("reference", ["box", "principal"])
def test_gap_finds_far_clusters_and_none_in_uniform_data(reference):
    X, _ = make_blobs(150, centers=[[0, 0], [9, 0], [0, 9]], random_state=0)
    options = {"n_references": 10, "reference": reference, "random_state": 0}
    assert gap_statistic(X, range(1, 7), **options).best == 3
    uniform = np.random.default_rng(0).uniform(size=(200, 2))
    assert gap_statistic(uniform, range(1, 7), **options).best == 1


def test_gap_is_the_difference_of_mean_log_costs():
    X, _ = make_blobs(60, centers=2, random_state=0)
    gap = gap_statistic(X, [1], n_references=200, reference="box", random_state=0)
    sides = np.ptp(X, axis=0)
    expected = np.log(60 * (sides**2).sum() / 12) - np.log(60 * X.var(axis=0).sum())
    assert gap.gaps[0] == pytest.approx(expected, abs=0.05)
    assert gap.best == 1


@pytest.mark.kernel
@pytest.mark.parametrize(("n", "d", "k"), [(30, 1, 2), (90, 6, 4), (60, 4, 20)])
def test_silhouette_is_that_of_scikit_learn(n, d, k):
    X = np.random.default_rng(0).normal(size=(n, d)) + 1e4
    labels = np.random.default_rng(1).permutation(np.arange(n) % k)
    labels[labels == 1] = np.where(np.arange((labels == 1).sum()) == 0, 1, 0)  # one alone
    ours = silhouette(X, labels)
    np.testing.assert_allclose(ours.values, silhouette_samples(X - 1e4, labels), atol=1e-7)
    assert ours.score == pytest.approx(ours.values.mean())


@pytest.mark.kernel
@pytest.mark.parametrize("width", [0.0, 1e-9, 1e-4])
def test_silhouette_of_narrow_clusters_keeps_its_digits(width):
    rng = np.random.default_rng(0)
    labels = np.arange(45) % 3
    X = rng.normal(size=(3, 8))[labels] + width * rng.normal(size=(45, 8))
    distances = np.sqrt(((X[:, None] - X) ** 2).sum(axis=2))
    sums = distances @ np.eye(3)[labels]
    own = sums[np.arange(45), labels] / 14
    sums[np.arange(45), labels] = np.inf
    other = sums.min(axis=1) / 15
    values = silhouette(X, labels).values
    np.testing.assert_allclose(1 - values, own / other, rtol=1e-6, atol=1e-15)


@pytest.mark.parametrize("metric", ["l1", "l2", "chebyshev", "cosine", "correlation"])
@pytest.mark.parametrize("form", [np.asarray, csr_array])
def test_silhouettes_by_other_distances_are_those_of_scikit_learn(metric, form):
    rng = np.random.default_rng(0)
    X = np.round(rng.exponential(size=(150, 5)), 1) + np.eye(5)[rng.integers(5, size=150)]
    labels = np.array(list("abcd"))[rng.integers(4, size=150)]
    labels[7] = "e"  # alone
    name = {"l1": "manhattan", "l2": "euclidean"}.get(metric, metric)
    expected = silhouette_samples(X, labels, metric=name)
    if form is csr_array and metric in ("chebyshev", "correlation"):
        with pytest.raises(TypeError, match="sparse samples go with the metrics euclidean"):
            silhouette(form(X), labels, metric)
        return
    np.testing.assert_allclose(silhouette(form(X), labels, metric).values, expected, atol=1e-12)
    distances = pairwise_distances(X, metric=name)
    given = silhouette((distances + distances.T) / 2 * (1 - np.eye(150)), labels, "precomputed")
    np.testing.assert_allclose(given.values, expected, atol=1e-12)
    assert given.values[7] == 0


def test_silhouettes_and_gaps_are_drawn():
    X, labels = make_blobs(5000, centers=4, random_state=1)
    spec = silhouette(X, labels).chart()
    drawn = spec["data"]["values"]
    assert 1000 < len(drawn) <= 2004
    assert {row["cluster"] for row in drawn} == set("0123")
    places = spec["layer"][0]["encoding"]["y"]["axis"]
    for name, middle in zip("0123", places["values"], strict=True):
        assert f'"{middle}": "{name}"' in places["labelExpr"]
        inside = [row["above"] for row in drawn if row["cluster"] == name]
        assert middle == inside[len(inside) // 2]
    gap = gap_statistic(X[:200], range(1, 6), random_state=0)
    spec = gap.chart()
    assert [row["clusters"] for row in spec["data"]["values"]] == [1, 2, 3, 4, 5]
    for picture in (spec, silhouette(X, labels).chart()):
        assert figure_svg(picture).startswith("<svg")


def test_blocks_of_many_silhouettes_keep_room_for_bars():
    drawn = silhouette(np.arange(600.0)[:, None], np.arange(600) // 6).chart()["data"]["values"]
    assert len(drawn) == 600 and drawn[-1]["below"] < 800


def test_the_elbow_is_drawn_from_zero():
    for layer in elbow_curve(IRIS, [3], random_state=0).chart()["layer"]:
        assert layer["encoding"]["y"]["scale"]["zero"]  # else the only tick is a rounded one


def test_silhouette_prefers_the_true_number_and_equal_points_have_none():
    X, _ = make_blobs(200, centers=4, cluster_std=0.5, random_state=1)
    scores = [
        silhouette(X, KMeans(k, n_init=5, random_state=0).fit(X).labels_) for k in range(2, 8)
    ]
    assert 2 + int(np.argmax([part.score for part in scores])) == 4
    assert silhouette(np.ones((4, 2)), [0, 0, 1, 1]).score == 0


@pytest.mark.parametrize("labels", [[0, 0, 0], [0, 1, 2]])
def test_silhouette_needs_more_than_one_cluster_and_fewer_than_samples(labels):
    with pytest.raises(ValueError, match="at least 2 clusters and fewer than n_samples=3"):
        silhouette(np.ones((3, 1)), labels)


@pytest.mark.parametrize("numbers", [[], [0, 1], [3, 2], [1, 200], [1.5]])
@pytest.mark.parametrize("curve", [elbow_curve, gap_statistic])
def test_numbers_of_clusters_are_checked(curve, numbers):
    with pytest.raises(ValueError, match="rising whole numbers from 1 to n_samples=150"):
        curve(IRIS, numbers)


@pytest.mark.parametrize("curve", [elbow_curve, gap_statistic, silhouette])
@pytest.mark.parametrize("unit", [1e160, 1e-170])
def test_samples_whose_squares_do_not_fit_are_refused(curve, unit):
    with pytest.raises(ValueError, match=f"^{curve.__name__}: the largest number in X is"):
        curve(IRIS * unit, [1, 2, 3] if curve is not silhouette else np.arange(150) % 3)


@pytest.mark.parametrize(
    "labels", [None, [0, 1], np.zeros((150, 1))], ids=["none", "few", "column"]
)
def test_a_silhouette_needs_one_label_for_each_sample(labels):
    with pytest.raises(ValueError, match=r"^silhouette: labels must hold one cluster for each of"):
        silhouette(IRIS, labels)


def test_samples_of_weight_zero_are_left_out_of_the_elbow():
    weights = np.r_[np.ones(5), np.zeros(145)]
    elbow = elbow_curve(IRIS, range(1, 6), sample_weight=weights, random_state=0)
    alone = elbow_curve(IRIS[:5], range(1, 6), random_state=0)
    np.testing.assert_array_equal(elbow.costs, alone.costs)
    with pytest.raises(ValueError, match="from 1 to n_samples=5"):
        elbow_curve(IRIS, range(1, 11), sample_weight=weights)


@pytest.mark.parametrize("unit", [1e-140, 1.0, 1e140])
def test_gap_finds_samples_that_come_in_equal_copies(unit):
    copies = unit * np.repeat(IRIS[[0, 60, 120]], 10, axis=0)
    gap = gap_statistic(copies, range(1, 7), random_state=0)
    assert gap.best == 3 and np.isfinite(gap.gaps).all()


def test_gap_of_as_many_clusters_as_samples_is_nothing():
    gap = gap_statistic(IRIS[:6], range(1, 7), random_state=0)
    assert gap.gaps[-1] == pytest.approx(0, abs=1e-9)


def test_gap_of_equal_samples_is_refused():
    with pytest.raises(ValueError, match="all samples are equal"):
        gap_statistic(np.ones((5, 2)), range(1, 3))
