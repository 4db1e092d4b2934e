"""Nearest neighbours against scikit-learn, SciPy and plain loops."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn import neighbors
from sklearn.datasets import load_iris

from shallows.prototype import KNeighborsClassifier, KNeighborsRegressor, NearestNeighbors

X, Y = load_iris(return_X_y=True)
QUERIES = np.random.default_rng(0).uniform(X.min(axis=0), X.max(axis=0), (30, 4))
METRICS = [
    {"metric": "canberra"},
    {"metric": "correlation"},
    {"metric": "braycurtis"},
    {"metric": "sqeuclidean"},
    {"metric": "seuclidean", "metric_params": {"V": [1.0, 2.0, 0.5, 3.0]}},
    {"metric": "mahalanobis", "metric_params": {"VI": np.diag([1.0, 2.0, 0.5, 3.0])}},
    {"p": 3},
    {"p": 1, "metric_params": {"w": [1.0, 0.0, 2.0, 3.0]}},
    {"metric_params": {"w": [1.0, 0.1, 2.0, 3.0]}},
]


@pytest.mark.parametrize("options", METRICS, ids=str)
def test_distances_are_those_of_scikit_learn(options):
    ours = NearestNeighbors(**options).fit(X)
    theirs = neighbors.NearestNeighbors(algorithm="brute", **options).fit(X)
    found, wanted = ours.kneighbors(QUERIES)[0], theirs.kneighbors(QUERIES)[0]
    np.testing.assert_allclose(found, wanted, rtol=1e-7, atol=1e-7)


def test_points_on_a_sphere():
    places = np.radians(np.random.default_rng(0).uniform(-80, 80, (50, 2)))
    ours = NearestNeighbors(metric="haversine").fit(places)
    theirs = neighbors.NearestNeighbors(metric="haversine").fit(places)
    np.testing.assert_allclose(ours.kneighbors()[0], theirs.kneighbors()[0], rtol=1e-9)
    with pytest.raises(ValueError, match="2 features"):
        NearestNeighbors(metric="haversine").fit(X).kneighbors()


def test_truth_values():
    rows = X.mean(axis=0) < X
    model = NearestNeighbors(metric="jaccard").fit(rows.astype(float))
    found = model.kneighbors(rows[:5].astype(float))[0]
    wanted = np.sort(cdist(rows[:5], rows, "jaccard"), axis=1)[:, :5]
    np.testing.assert_allclose(found, wanted)


def test_parameters_of_a_function_and_of_no_metric():
    def power(a, b, q):
        return (np.abs(a - b) ** q).sum()

    model = NearestNeighbors(metric=power, metric_params={"q": 1}).fit(X)
    plain = NearestNeighbors(metric="manhattan").fit(X)
    np.testing.assert_allclose(model.kneighbors()[0], plain.kneighbors()[0])
    with pytest.raises(ValueError, match="has no 'q'"):
        NearestNeighbors(metric_params={"q": 1}).fit(X)
    with pytest.raises(ValueError, match="4 numbers"):
        NearestNeighbors(metric_params={"w": [1.0]}).fit(X)
    with pytest.warns(SyntaxWarning, match="p is found in metric_params"):
        model = NearestNeighbors(metric_params={"p": 1}).fit(X)
    np.testing.assert_allclose(model.kneighbors()[0], plain.kneighbors()[0])


def test_the_metric_in_use_is_told():
    model = NearestNeighbors(p=1).fit(X)
    assert (model.effective_metric_, model.effective_metric_params_) == ("manhattan", {})
    model = NearestNeighbors(p=3).fit(X)
    assert (model.effective_metric_, model.effective_metric_params_) == ("minkowski", {"p": 3.0})


@pytest.mark.parametrize("radius", [0.3, 1.0])
def test_neighbours_within_a_radius(radius):
    rows = X + np.random.default_rng(1).normal(scale=0.01, size=X.shape)  # none at the radius
    ours = NearestNeighbors(radius=radius, n_jobs=2).fit(rows)
    theirs = neighbors.NearestNeighbors(radius=radius).fit(rows)
    for data in (QUERIES, None):
        lengths, places = ours.radius_neighbors(data, sort_results=True)
        wanted, there = theirs.radius_neighbors(data, sort_results=True)
        for mine, other in zip(lengths, wanted, strict=True):
            np.testing.assert_allclose(mine, other, atol=1e-7)
        assert [set(row) for row in places] == [set(row) for row in there]
        for mode in ("connectivity", "distance"):
            graph = ours.radius_neighbors_graph(data, mode=mode)
            other = theirs.radius_neighbors_graph(data, mode=mode)
            np.testing.assert_allclose(graph.toarray(), other.toarray(), atol=1e-7)
    index = ours.radius_neighbors(QUERIES, return_distance=False)
    assert [set(row) for row in index] == [
        set(row) for row in theirs.radius_neighbors(QUERIES, return_distance=False)
    ]
    with pytest.raises(ValueError, match="return_distance must be True"):
        ours.radius_neighbors(return_distance=False, sort_results=True)


def test_predictions_take_metric_parameters_and_threads():
    options = {"p": 1, "metric_params": {"w": [1.0, 0.1, 2.0, 3.0]}, "n_jobs": -1}
    for ours, theirs in (
        (KNeighborsClassifier, neighbors.KNeighborsClassifier),
        (KNeighborsRegressor, neighbors.KNeighborsRegressor),
    ):
        found = ours(7, **options).fit(X, Y).predict(QUERIES)
        np.testing.assert_allclose(found, theirs(7, **options).fit(X, Y).predict(QUERIES))
