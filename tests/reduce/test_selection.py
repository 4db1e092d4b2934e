"""Selection of features, random projection and the local dimension."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.feature_selection import (
    SelectKBest,
    SequentialFeatureSelector,
    f_regression,
    mutual_info_regression,
)
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.random_projection import GaussianRandomProjection, SparseRandomProjection

from shallows.data import make_manifold
from shallows.reduce import FilterSelector, local_dimension

RNG = np.random.default_rng(0)
X, Y = load_iris(return_X_y=True)


def test_correlation_ranks_as_scikit_learn_does():
    data = RNG.normal(size=(200, 6))
    y = data @ [3.0, 0, 1, 0, -2, 0] + 0.5 * RNG.normal(size=200)
    ours = FilterSelector(3).fit(data, y)
    theirs = SelectKBest(f_regression, k=3).fit(data, y)
    np.testing.assert_array_equal(ours.get_support(), theirs.get_support())
    expected = [abs(np.corrcoef(column, y)[0, 1]) for column in data.T]
    np.testing.assert_allclose(ours.scores_, expected, atol=1e-12)
    assert list(ours.ranking_) == [0, 4, 2]


def test_information_about_numbers_is_that_of_scikit_learn():
    data = RNG.normal(size=(400, 5))
    data[:, 3] = np.round(data[:, 3])  # with ties
    data[:, 4] = 7.0
    y = data[:, 0] ** 2 + data[:, 3] + 0.1 * RNG.normal(size=400)
    ours = FilterSelector(criterion="mutual_information", random_state=0).fit(data, y).scores_
    seed = int(np.random.default_rng(0).integers(2**31))
    theirs = mutual_info_regression(data, y, random_state=seed)
    np.testing.assert_allclose(ours[:4], theirs[:4], atol=1e-12)
    assert ours[4] == 0


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_moments_far_from_zero_over_several_blocks(dtype):
    data = (1000 + RNG.normal(size=(1500, 3)) * [1, 2, 3]).astype(dtype)
    y = data[:, 1] - 1000.0 + RNG.normal(size=1500)
    spread = FilterSelector(criterion="variance").fit(data).scores_
    wide = data.astype(np.float64)
    np.testing.assert_allclose(spread, wide.var(axis=0), rtol=1e-6)
    expected = np.abs(np.corrcoef(wide.T, y)[-1, :-1])
    np.testing.assert_allclose(FilterSelector().fit(data, y).scores_, expected, atol=1e-7)


def test_columns_that_drift_and_constant_ones_of_several_blocks():
    rng = np.random.default_rng(0)
    drift = np.linspace(-1e3, 1e3, 10_000)
    y = rng.normal(size=10_000)
    data = np.column_stack(
        [drift + y, 1e8 + 3 * y, np.full(10_000, 1e8 / 3), rng.normal(size=10_000)]
    )
    expected = np.abs(np.corrcoef(data[:, [0, 1, 3]], y, rowvar=False)[-1, :-1])
    found = FilterSelector().fit(data, y).scores_
    np.testing.assert_allclose(found[[0, 1, 3]], expected, rtol=1e-7)
    assert found[2] == 0


def test_redundant_features_are_dropped_and_constant_ones_come_last():
    base = RNG.normal(size=(100, 2))
    data = np.column_stack([base[:, 0], base[:, 0] + 0.01 * base[:, 1], base[:, 1], np.ones(100)])
    y = base[:, 0] + 0.1 * base[:, 1]
    kept = FilterSelector(max_correlation=0.95).fit(data, y)
    assert kept.ranking_[-1] == 3 and len({0, 1} & set(kept.ranking_)) == 1
    assert kept.scores_[3] == 0
    varied = FilterSelector(2, criterion="variance", max_correlation=0.95).fit(data)
    assert set(varied.ranking_) in ({0, 2}, {1, 2})


def test_information_sees_what_correlation_does_not():
    data = RNG.uniform(-1, 1, size=(500, 3))
    y = data[:, 1] ** 2 + 0.01 * RNG.normal(size=500)
    found = FilterSelector(1, criterion="mutual_information", random_state=0).fit(data, y)
    assert list(found.ranking_) == [1] and abs(np.corrcoef(data[:, 1], y)[0, 1]) < 0.15


def xor(n=300):
    data = RNG.choice([-1.0, 1.0], size=(n, 6)) + 0.1 * RNG.normal(size=(n, 6))
    return data, (data[:, 0] * data[:, 1] > 0).astype(int)


@pytest.mark.parametrize("criterion", ["correlation", "mutual_information"])
def test_a_filter_misses_the_pair_of_xor_which_a_wrapper_finds(criterion):
    data, y = xor()
    scores = FilterSelector(criterion=criterion, random_state=0).fit(data, y).scores_
    assert scores[:2].max() < 0.2
    wrapper = SequentialFeatureSelector(
        KNeighborsClassifier(5), n_features_to_select=2, direction="backward", cv=3
    )
    assert list(np.flatnonzero(wrapper.fit(data, y).get_support())) == [0, 1]


def test_selection_must_sit_inside_the_cross_validation():
    data, y = RNG.normal(size=(50, 1000)), np.tile([0, 1], 25)
    chosen = FilterSelector(10).fit_transform(data, y)
    outside = cross_val_score(LogisticRegression(), chosen, y, cv=5).mean()
    inside = make_pipeline(FilterSelector(10), LogisticRegression())
    assert outside > 0.75 > 0.68 > cross_val_score(inside, data, y, cv=5).mean()


def test_bad_requests_for_features_are_explained():
    with pytest.raises(ValueError, match="criterion='correlation' needs it"):
        FilterSelector().fit(X)
    with pytest.raises(ValueError, match="n_features_to_select=5 must be at most n_features = 4"):
        FilterSelector(5).fit(X, Y)


@pytest.mark.parametrize("projection", [GaussianRandomProjection, SparseRandomProjection])
def test_random_projections_keep_distances(projection):
    data = RNG.normal(size=(40, 5000))
    low = projection(eps=0.4, random_state=0).fit_transform(data)
    pairs = np.triu_indices(40, 1)
    ratio = np.sum((low[pairs[0]] - low[pairs[1]]) ** 2, axis=1)
    ratio /= np.sum((data[pairs[0]] - data[pairs[1]]) ** 2, axis=1)
    assert low.shape[1] < 300 and ratio.min() > 0.6 and ratio.max() < 1.4


def test_a_plane_has_two_dimensions_above_the_noise():
    data = make_manifold("plane", 600, noise=0.01, random_state=0).X
    inner = data[np.abs(data - data.mean(axis=0)).max(axis=1) < 0.5][:20]
    assert (local_dimension(data, inner, k=40) == 2).all()
    assert local_dimension(data, inner[0], k=40, threshold=1e-6) == 3
    assert local_dimension(RNG.normal(size=(500, 3)), np.zeros(3), k=100) == 3
    circle = make_manifold("circle", 500, random_state=0).X
    assert local_dimension(circle, circle[0], k=10) == 1
    assert local_dimension(np.ones((30, 2)), np.ones(2)) == 0
    with pytest.raises(ValueError, match="point must have 3 features and k lie between 2 and"):
        local_dimension(data, np.zeros(2))
