import numpy as np
import pytest
from scipy.stats import spearmanr
from sklearn.neighbors import NearestNeighbors

from shallows.outlier import (
    DeltaIndex,
    DistanceToCenter,
    GammaIndex,
    KappaIndex,
    contamination_roc,
    flag,
)


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


def test_contamination_sets_the_share():
    X = cloud(200)
    for kind in (GammaIndex, KappaIndex, DeltaIndex, DistanceToCenter):
        for share in (0.01, 0.05, 0.2):
            labels = kind(contamination=share).fit_predict(X)
            assert np.sum(labels == -1) == round(200 * share)


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
        ({"fraction": 0.1, "threshold": 1.0}, "either a fraction or a threshold"),
        ({"fraction": 1.5}, "between 0 and 1"),
    ]:
        with pytest.raises(ValueError, match=message):
            flag(index, **options)
    with pytest.raises(ValueError, match="without gaps"):
        flag([1.0, np.nan], threshold=0)


def test_planted_outliers_are_found_and_chance_is_chance():
    X = cloud(400, 2)
    far = np.random.default_rng(2).normal(size=(50, 2)) * 0.1 + [6, 6]
    found = contamination_roc(DistanceToCenter(), X, far, random_state=0)
    assert found.auc.min() > 0.99 and found.tpr[10] > 0.99
    assert 3 < found.threshold < 9
    chance = contamination_roc(DistanceToCenter(), X, X, n_repeats=60, random_state=0)
    # 60 areas with about 10 of 210 rows each: standard error 0.012
    assert abs(chance.auc.mean() - 0.5) < 0.05


def test_bad_input():
    with pytest.raises(ValueError, match="k=5 needs more training rows"):
        GammaIndex().fit(cloud(4))
    with pytest.raises(ValueError, match="contamination"):
        GammaIndex(contamination=0.9).fit(cloud())
