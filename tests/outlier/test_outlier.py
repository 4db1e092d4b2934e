import tracemalloc

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from scipy.stats import spearmanr, zscore
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.ensemble import IsolationForest
from sklearn.metrics.pairwise import cosine_distances
from sklearn.neighbors import LocalOutlierFactor, NearestNeighbors
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler, scale
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import parametrize_with_checks

from shallows._core.showing.figures import figure_svg
from shallows.outlier import (
    DeltaIndex,
    DistanceToCenter,
    GammaIndex,
    KappaIndex,
    ZScoreIndex,
    contamination_roc,
    flag,
)

SQUARE = dict.fromkeys(
    ["check_outliers_train", "check_outliers_fit_predict"], "the check's rows are no distances"
)


@parametrize_with_checks(
    [GammaIndex(1, metric="precomputed")], expected_failed_checks=lambda model: SQUARE
)
def test_sklearn_contract_of_distances(estimator, check):
    check(estimator)


def cloud(n=120, d=3, seed=0):
    return np.random.default_rng(seed).normal(size=(n, d))


@pytest.mark.parametrize("k", [1, 4])
@pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
def test_indices_by_their_definitions(k, metric):
    X = cloud()
    distances, index = NearestNeighbors(n_neighbors=k, metric=metric).fit(X).kneighbors()
    vectors = X[:, None] - X[index]
    expected = {
        GammaIndex: distances.mean(axis=1),
        KappaIndex: distances[:, -1],
        DeltaIndex: np.linalg.norm(vectors.mean(axis=1), axis=1),
    }
    for kind, values in expected.items():
        np.testing.assert_allclose(kind(k, metric=metric).fit(X).index_, values)


def test_laws_of_the_indices():
    X, Q = cloud(), cloud(20, seed=1)
    gamma = GammaIndex(5).fit(X)
    np.testing.assert_allclose(GammaIndex(5).fit(3 * X).index_, 3 * gamma.index_)
    assert np.all(DeltaIndex(5).fit(X).index_ <= gamma.index_ + 1e-12)
    assert np.all(KappaIndex(5).fit(X).index_ >= gamma.index_)
    one = GammaIndex(1).fit(X)
    np.testing.assert_allclose(one.index_, KappaIndex(1).fit(X).index_)
    assert one.score_samples(X).max() == 0  # a new sample may be a copy of a training row
    np.testing.assert_array_equal(np.sign(gamma.decision_function(Q)) >= 0, gamma.predict(Q) == 1)


def test_copies_do_not_count_themselves():
    X = np.repeat(cloud(10), 3, axis=0)
    np.testing.assert_allclose(GammaIndex(2).fit(X).index_, 0)


def test_a_row_of_zeros_has_the_cosine_distance_of_scikit_learn():
    X = np.concatenate([cloud(30), np.zeros((2, 3))])
    apart = cosine_distances(X)
    np.fill_diagonal(apart, np.inf)
    expected = np.sort(apart, axis=1)[:, :3].mean(axis=1)
    np.testing.assert_allclose(GammaIndex(3, metric="cosine").fit(X).index_, expected, atol=1e-12)


def test_contamination_sets_the_share():
    X = cloud(200)
    for kind in (GammaIndex, KappaIndex, DeltaIndex, DistanceToCenter):
        for share in (0.01, 0.05, 0.2):
            labels = kind(contamination=share).fit_predict(X)
            assert np.sum(labels == -1) == round(200 * share)


def test_rows_as_strange_as_a_normal_one_are_normal():
    X = np.r_[np.arange(18.0), 40.0, 42.0][:, None]  # the last two are each other's neighbours
    model = GammaIndex(1, contamination=0.05)
    assert (model.fit_predict(X) == 1).all() and model.threshold_ == 2
    assert (model.set_params(contamination=0.1).fit_predict(X) == -1).sum() == 2


def test_a_point_between_two_clusters_is_missed_by_the_centre_only():
    X = np.concatenate([cloud(100, 2) + [8, 0], cloud(100, 2, 1) - [8, 0], [[0, 0]]])
    assert GammaIndex().fit(X).index_.argmax() == 200
    assert DistanceToCenter().fit(X).index_.argmin() == 200


def test_one_round_cloud_is_ranked_alike():
    X = cloud(500, 2)
    found = spearmanr(GammaIndex(10).fit(X).index_, DistanceToCenter().fit(X).index_)
    assert found.statistic > 0.8


def test_flag():
    index = np.random.default_rng(0).permutation(101.0 * np.arange(101))
    assert flag(index, fraction=0.05).sum() == 6  # ceil(5.05)
    assert flag(index, threshold=101 * 90).sum() == 10
    for options, message in [
        ({}, "either a fraction or a threshold"),
        ({"fraction": 0.1, "threshold": 1.0}, "one of the three, got fraction and threshold"),
        ({"threshold": 1.0, "deviations": 3.0}, "exactly one of the three"),
        ({"fraction": 1.5}, r"flag: fraction must be float in \(0, 1\) or None, got 1.5"),
        ({"fraction": "a"}, r"flag: fraction must be float in \(0, 1\) or None, got 'a'"),
        ({"threshold": "a"}, r"flag: threshold must be float in \(-inf, inf\) or None, got 'a'"),
        ({"threshold": np.nan}, "flag: threshold must be float .* got nan"),
        ({"deviations": 0}, "flag: deviations must be float .* got 0"),
    ]:
        with pytest.raises(ValueError, match=message):
            flag(index, **options)
    for bad, came in [
        ([1.0, np.nan], "got NaN at 1"),
        ([[1.0]], r"got shape \(1, 1\) of float64"),
        ([], r"got shape \(0,\)"),
        (["a"], r"got shape \(1,\) of <U1"),
    ]:
        with pytest.raises(ValueError, match=f"without gaps, one per row, .* {came}"):
            flag(bad, threshold=0)


@pytest.mark.parametrize("n", [1, 9, 100, 101, 400])
def test_flag_counts_as_decimal_arithmetic_does_and_detectors_agree(n):
    rng = np.random.default_rng(n)
    index = rng.permutation(np.arange(float(n)))
    for percent in range(1, 100):
        expected = -(-percent * n // 100)
        assert flag(index, fraction=percent / 100).sum() == expected
        if n > 1 and percent <= 50:
            model = DistanceToCenter(contamination=percent / 100).fit(rng.normal(size=(n, 1)))
            assert (model.index_ > model.threshold_).sum() == expected


def test_flag_by_the_distribution_of_the_index():
    X = np.concatenate([cloud(300, 2), [[9.0, 9.0], [-30.0, 4.0]]])
    index = GammaIndex().fit(X).index_
    found = flag(index, deviations=5)
    np.testing.assert_array_equal(np.flatnonzero(found), [300, 301])
    np.testing.assert_array_equal(flag(1000 * index, deviations=5), found)  # no unit of length
    assert not flag(GammaIndex().fit(X[:300]).index_, deviations=5).any()
    # by hand: logs 0, 1, 2, 3, 10 have median 2 and median deviation 1
    logs = np.exp([0.0, 1.0, 2.0, 3.0, 10.0])
    assert flag(logs, deviations=8 / 1.4826 - 1e-6).tolist() == [False] * 4 + [True]
    assert not flag(logs, deviations=8 / 1.4826 + 1e-6).any()
    with pytest.raises(ValueError, match="not negative, such as a distance, got -1"):
        flag([-1.0, 1.0, 2.0], deviations=3)
    with pytest.raises(ValueError, match="no width"):
        flag([1.0, 1.0, 1.0, 2.0], deviations=3)


def test_planted_outliers_are_found_and_chance_is_chance():
    X = cloud(400, 2)
    far = np.random.default_rng(2).normal(size=(50, 2)) * 0.1 + [6, 6]
    found = contamination_roc(DistanceToCenter(), X, far, random_state=0)
    assert found.auc.min() > 0.99 and found.tpr[10] > 0.99
    assert 3 < found.threshold < 9
    chance = contamination_roc(DistanceToCenter(), X, X, n_repeats=60, random_state=0)
    # 60 areas with about 10 of 210 rows each: standard error 0.012
    assert abs(chance.auc.mean() - 0.5) < 0.05


def test_outliers_are_planted_once_each():
    X = cloud(400, 2)
    far = 10 * np.arange(1.0, 12.0)[:, None] * [1, 1] + 20  # 11 of them, each far from all others
    assert contamination_roc(GammaIndex(1), X, far, random_state=0).auc.min() > 1 - 1e-12
    with pytest.raises(ValueError, match="needs 11 outliers, but only 10 are given"):
        contamination_roc(GammaIndex(1), X, far[:10], random_state=0)


@pytest.mark.parametrize("rows", [slice(0, 50), slice(50, None)])
def test_the_threshold_is_finite_and_separates_as_the_curve_says(rows):
    X = cloud(200, 2)
    # rows in the very middle are less strange than all others: the detector is worse than chance
    planted = np.r_[0.01 * cloud(50, 2, 1), 6 + cloud(50, 2, 2)][rows]
    found = contamination_roc(DistanceToCenter(), X, planted, n_repeats=1, random_state=3)
    assert np.isfinite(found.threshold)
    rng = np.random.default_rng(3)
    normal = X[rng.permutation(200)[:100]]
    mixture = np.concatenate([normal, planted[rng.choice(50, size=5, replace=False)]])
    index = DistanceToCenter().fit(mixture).index_
    truth = np.arange(105) >= 100
    gains = [
        (index >= cut)[truth].mean() - (index >= cut)[~truth].mean() for cut in np.unique(index)
    ]
    flagged = flag(index, threshold=found.threshold)
    assert flagged[truth].mean() - flagged[~truth].mean() == pytest.approx(max(gains))


def test_the_curve_is_drawn():
    found = contamination_roc(GammaIndex(), cloud(), n_repeats=2, random_state=0)
    spec = found.chart()
    drawn = [row["found"] for row in spec["data"]["values"] if row.get("found") is not None]
    np.testing.assert_allclose(drawn[:102], [0, *found.tpr])  # from the origin on
    assert f"{found.auc.mean():.3f}" in spec["title"]["text"]
    assert figure_svg(spec).startswith("<svg")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"fraction": 1}, r"fraction must be float in \(0, 1\), got 1"),
        ({"fraction": 2.0}, r"fraction must be float in \(0, 1\), got 2.0"),
        ({"n_repeats": 0}, "n_repeats must be int .* got 0"),
        ({"X": np.arange(9.0)}, "Expected 2D array"),
        ({"X": [[0.0, 1.0], [np.nan, 1.0]]}, "Input X contains NaN"),
        ({"X": [[0.0, 1.0]]}, "minimum of 2 is required by contamination_roc"),
        ({"outliers": np.empty((0, 2))}, "minimum of 1 is required by contamination_roc"),
        ({"outliers": [[np.inf, 1.0]]}, "Input outliers contains infinity"),
        ({"outliers": np.ones((20, 3))}, "X has 2 features, but outliers have 3"),
        ({"detector": GammaIndex(metric="precomputed")}, "must take rows, not distances"),
        ({"X": np.ones((40, 2))}, "all rows of X are equal, .* Give outliers to plant"),
    ],
)
def test_the_protocol_refuses_bad_input(changes, message):
    options = {"detector": GammaIndex(2), "X": cloud(40, 2), **changes}
    with pytest.raises(ValueError, match=message):
        contamination_roc(options.pop("detector"), options.pop("X"), **options)


@pytest.mark.parametrize("detector", [KMeans(2), GammaIndex, "gamma", None], ids=str)
def test_the_protocol_refuses_what_is_no_detector(detector):
    with pytest.raises(TypeError, match="contamination_roc: detector must "):
        contamination_roc(detector, cloud(40, 2), random_state=0)


@pytest.mark.parametrize("scaled", [False, True])
def test_the_protocol_takes_detectors_of_scikit_learn(scaled):
    X, far = cloud(200, 2), cloud(40, 2, 3) + 4
    kinds = {
        IsolationForest(random_state=0): lambda model, rows: -model.score_samples(rows),
        LocalOutlierFactor(): lambda model, rows: -model.negative_outlier_factor_,
    }
    for detector, index_of in kinds.items():
        used = make_pipeline(StandardScaler(), detector) if scaled else detector
        found = contamination_roc(used, X, far, n_repeats=3, random_state=0)
        rng, areas = np.random.default_rng(0), []
        for _ in range(3):
            rows = rng.permutation(200)[:100]
            mixture = np.concatenate([X[rows], far[rng.choice(40, size=5, replace=False)]])
            mixture = scale(mixture) if scaled else mixture
            index = index_of(clone(detector).fit(mixture), mixture)
            areas.append(np.mean(0.5 + 0.5 * np.sign(index[100:, None] - index[:100])))
        np.testing.assert_allclose(found.auc, areas)
        assert found.auc.mean() > 0.9


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("kind", [GammaIndex, KappaIndex])
def test_given_distances_are_those_of_the_rows(kind, dtype):
    X, Q = cloud(80), cloud(15, seed=4)
    square, across = cdist(X, X, "cityblock").astype(dtype), cdist(Q, X, "cityblock").astype(dtype)
    given = kind(3, metric="precomputed").fit(square)
    near = np.sort(np.where(np.eye(80, dtype=bool), np.inf, square), axis=1)[:, :3]
    expected = near.mean(axis=1) if kind is GammaIndex else near[:, -1]
    np.testing.assert_allclose(given.index_, expected, rtol=1e-6)
    assert given.index_.dtype == dtype
    near = np.sort(across, axis=1)[:, :3]
    expected = near.mean(axis=1) if kind is GammaIndex else near[:, -1]
    np.testing.assert_allclose(-given.score_samples(across), expected, rtol=1e-6)
    assert get_tags(given).input_tags.pairwise


@pytest.mark.parametrize(
    ("distances", "message"),
    [
        (np.ones((5, 2)), "must be square"),
        (np.triu(np.ones((5, 5)), 1), "must be symmetric"),
        (np.ones((5, 5)), "0 from a sample to itself"),
        (np.eye(5) - 1, "must not be negative and not missing, got -1"),
    ],
)
@pytest.mark.parametrize("kind", [GammaIndex, KappaIndex])
def test_bad_distances_are_refused(kind, distances, message):
    with pytest.raises(ValueError, match=f"{kind.__name__}: (.*){message}"):
        kind(1, metric="precomputed").fit(distances)


def test_distances_of_new_rows_are_checked_and_delta_needs_vectors():
    model = GammaIndex(1, metric="precomputed").fit(1 - np.eye(5))
    with pytest.raises(ValueError, match="must not be negative and not missing, got -1"):
        model.predict(-np.ones((2, 5)))
    with pytest.raises(ValueError, match="4 features"):
        model.predict(np.ones((2, 4)))
    with pytest.raises(ValueError, match="DeltaIndex needs vectors"):
        DeltaIndex(1, metric="precomputed").fit(1 - np.eye(5))


def test_z_scores_by_their_definition():
    X = cloud(50, 4) * [1, 10, 0.1, 0] + 7
    expected = np.abs(zscore(X[:, :3], axis=0)).max(axis=1)
    model = ZScoreIndex().fit(X)
    np.testing.assert_allclose(model.index_, expected)
    np.testing.assert_allclose(-model.score_samples(X[:9]), expected[:9])
    assert model.scale_[3] == 1


def test_a_point_off_the_line_of_two_features_is_missed_by_z_scores_only():
    rng = np.random.default_rng(0)
    along = rng.normal(size=300)
    X = np.c_[along, along + 0.05 * rng.normal(size=300)]
    X = np.concatenate([X, [[1.0, -1.0]]])  # one deviation from the mean in either feature
    z, gamma = ZScoreIndex().fit(X), GammaIndex().fit(X)
    assert gamma.index_.argmax() == 300
    assert (z.index_ > z.index_[300]).sum() > 60  # a third of a normal sample lies beyond one
    assert gamma.fit_predict(X)[300] == -1 and z.fit_predict(X)[300] == 1
    assert flag(gamma.index_, deviations=5)[300] and not flag(z.index_, deviations=5)[300]
    planted = np.c_[along, -along][(np.abs(along) > 0.7) & (np.abs(along) < 1.3)]
    areas = [
        contamination_roc(model, X[:300], planted, fraction=0.02, random_state=0).auc.mean()
        for model in (ZScoreIndex(), GammaIndex())
    ]
    assert areas[0] < 0.75 and areas[1] > 0.99


def test_bad_input():
    with pytest.raises(ValueError, match="k=5 needs more training rows"):
        GammaIndex().fit(cloud(4))
    with pytest.raises(ValueError, match="contamination"):
        GammaIndex(contamination=0.9).fit(cloud())


EVERY_KIND = [GammaIndex, KappaIndex, DeltaIndex, DistanceToCenter, ZScoreIndex]


@pytest.mark.parametrize("kind", EVERY_KIND)
@pytest.mark.parametrize("unit", [1e25, 1e-25])
def test_units_of_float32_do_not_matter(kind, unit):
    X = cloud(60, 8)
    expected = kind().fit(X).index_ * (1 if kind is ZScoreIndex else unit)
    found = kind().fit((unit * X).astype(np.float32)).index_
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, expected, rtol=1e-4)


@pytest.mark.parametrize("unit", [1e200, 1e-200])
def test_extreme_units_are_borne_or_refused(unit):
    X = cloud()
    for kind in (DistanceToCenter, ZScoreIndex):
        expected = kind().fit(X).index_ * (1 if kind is ZScoreIndex else unit)
        np.testing.assert_allclose(kind().fit(unit * X).index_, expected, rtol=1e-12)
    for kind in (GammaIndex, KappaIndex, DeltaIndex):
        with pytest.raises(ValueError, match=f"{kind.__name__}: the largest number in X is"):
            kind().fit(unit * X)
    if unit > 1:
        with pytest.raises(ValueError, match="Divide X by"):
            GammaIndex().fit(X).predict(unit * X)


@pytest.mark.parametrize("kind", EVERY_KIND)
def test_a_row_alone_is_judged_as_among_others(kind):
    X, Q = cloud(100, 3), cloud(30, 3, 5)
    model = kind().fit(X)
    alone = [model.score_samples(row[None])[0] for row in Q]
    np.testing.assert_allclose(alone, model.score_samples(Q), rtol=1e-14)
    if kind in (DistanceToCenter, ZScoreIndex):  # a row at the threshold stays inside it
        alone = [model.predict(row[None])[0] for row in X]
        np.testing.assert_array_equal(alone, model.fit_predict(X))


def test_vectors_to_many_neighbours_do_not_fill_the_memory():
    X = cloud(1000, 200)
    DeltaIndex(3).fit(X[:100])
    tracemalloc.start()
    DeltaIndex(30).fit(X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 0.5 * 30 * X.nbytes  # all vectors at once are 30 times the data


def test_the_protocol_takes_a_pipeline_and_gives_what_its_last_step_gives():
    X = cloud(200, 2) * [1, 1000]
    far = cloud(40, 2, 3) * [1, 1000] + [9, 0]  # seen only where both features count alike
    detector = make_pipeline(StandardScaler(), GammaIndex())
    found = contamination_roc(detector, X, far, n_repeats=5, random_state=0)
    plain = contamination_roc(GammaIndex(), X, far, n_repeats=5, random_state=0)
    assert found.auc.mean() > 0.95 > 0.9 > plain.auc.mean()
    rng, areas = np.random.default_rng(0), []
    for _ in range(5):
        rows = rng.permutation(200)[:100]
        mixture = np.concatenate([X[rows], far[rng.choice(40, size=5, replace=False)]])
        index = GammaIndex().fit(scale(mixture)).index_
        areas.append(np.mean(index[100:, None] > index[:100]))
    np.testing.assert_allclose(found.auc, areas)
    with pytest.raises(TypeError, match="must have index_ after fit"):
        contamination_roc(make_pipeline(StandardScaler(), KMeans(2)), X)
