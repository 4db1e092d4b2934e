"""Which calls come to us, and what is said about the others."""

import logging
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from scipy.sparse import csr_array

from accelerate.cases import data
from shallows.accelerate import _expected, _served, report
from shallows.accelerate._expected import PAYS, Grid, expected, grids
from shallows.accelerate._table import load

pytestmark = pytest.mark.usefixtures("always")


def reasons():
    return {line.why for line in report().lines if line.where == "scikit-learn"}


def model(path="sklearn.svm.SVC", **given):
    return load(path)(**given)


def test_small_data_stay_with_scikit_learn(monkeypatch):
    monkeypatch.setattr(_served, "expected", lambda call, shape: np.log(PAYS) - 0.01)
    model("sklearn.cluster.KMeans").fit(data()[0])
    assert reasons() == {"its size"}
    monkeypatch.setattr(_served, "expected", expected)
    monkeypatch.setattr(_expected, "grids", dict)
    model("sklearn.cluster.KMeans").fit(data()[0])
    assert reasons() == {"its size", "it was not measured"}


@pytest.mark.parametrize(
    ("X", "why"),
    [
        (data()[0].tolist(), "X is a list"),
        (data()[0].astype(object), "X has dtype object"),
        (data()[0].astype(np.float16), "X has dtype float16"),
        (csr_array(data()[0]), "X is a csr_array"),
        (data()[0].view(np.matrix), None),
    ],
)
def test_unusual_data_stay_with_scikit_learn(X, why):
    if why is None:
        with pytest.raises(TypeError, match=r"np\.matrix is not supported"):
            model().fit(X, data()[1])
        return
    model().fit(X, data()[1])
    assert reasons() == {why}


def test_unserved_parameters_and_arguments_stay_with_scikit_learn():
    X, y = data()
    model(kernel="precomputed").fit(X @ X.T, y)
    model().fit(X, y, sample_weight=np.ones(len(X)))
    assert reasons() == {"kernel='precomputed'", "sample_weight"}


def test_subclasses_stay_with_scikit_learn():
    class Mine(load("sklearn.svm.SVC")):
        pass

    X, y = data()
    Mine().fit(X, y)
    assert reasons() == {"a subclass"}


def test_a_warning_without_counterpart_leaves_the_call_to_scikit_learn():
    X, _ = data()
    with pytest.warns(UserWarning, match="Number of distinct clusters"):
        model("sklearn.cluster.KMeans", n_clusters=5, n_init=1).fit(np.repeat(X[:3], 50, axis=0))
    assert any(why.startswith("a warning") for why in reasons())


def test_a_warning_that_scikit_learn_does_not_give_is_not_given():
    X, _ = data()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model("sklearn.cluster.KMeans", n_clusters=5, max_iter=1, n_init=1).fit(X)
    assert not reasons()


def test_threads_leave_the_filters_of_warnings_alone():
    X, y = data()
    before = list(warnings.filters)
    with ThreadPoolExecutor(4) as pool:
        scores = list(pool.map(lambda _: model().fit(X, y).score(X, y), range(12)))
    assert len(set(scores)) == 1
    assert warnings.filters == before


def test_the_global_seed_decides_without_a_random_state():
    X, _ = data()
    found = []
    for _ in range(2):
        np.random.seed(3)  # noqa: NPY002  what users of the global seed do
        kmeans = model("sklearn.cluster.KMeans", n_clusters=5, init="random", n_init=1)
        found.append(kmeans.fit(X).cluster_centers_)
    np.testing.assert_array_equal(*found)


def test_a_changed_attribute_is_seen_by_the_next_answer():
    X, _ = data()
    kmeans = model("sklearn.cluster.KMeans", n_clusters=2, n_init=1).fit(X)
    before = kmeans.predict(X)
    kmeans.cluster_centers_ = kmeans.cluster_centers_[::-1]
    np.testing.assert_array_equal(kmeans.predict(X), 1 - before)


def test_bootstrap_samples_are_those_that_scikit_learn_reports():
    X, y = data()
    forest = model("sklearn.ensemble.RandomForestClassifier", n_estimators=4, random_state=0)
    forest.fit(X, y)
    for rows, tree in zip(forest.estimators_samples_, forest.estimators_, strict=True):
        assert len(np.unique(rows)) == tree.tree_.n_node_samples[0]
        shares = np.bincount(y[rows], minlength=3) / len(rows)
        np.testing.assert_allclose(tree.tree_.value[0, 0], shares)


def test_calls_are_counted_and_logged(caplog):
    X, y = data()
    with caplog.at_level(logging.INFO, logger="shallows"):
        model().fit(X, y).predict(X.tolist())
    ours, theirs = report().lines[0], report().lines[1]
    assert (ours.call, ours.where, ours.why, ours.calls) == ("SVC.fit", "shallows", "", 1)
    assert (theirs.call, theirs.where) == ("SVC.predict", "scikit-learn")
    assert ours.saved == pytest.approx(ours.seconds * (np.e - 1))
    assert report().saved == pytest.approx(ours.saved)
    said = [text for text in caplog.messages if " ran in " in text]
    assert "SVC.fit ran in shallows" in said[0]
    assert "(X is a list)" in said[1]
    assert "SVC.predict" in str(report())


def test_ratios_are_interpolated_between_measured_sizes():
    grid = Grid([100, 10000], [10, 1000], [[0.5, 1.0], [2.0, 4.0]])
    assert grid.at(100, 10) == pytest.approx(np.log(0.5))
    assert grid.at(1000, 10) == pytest.approx(0.0)
    assert grid.at(10**6, 100) == pytest.approx(np.log(2 * np.sqrt(2)))
    assert grid.at(1, 1) == pytest.approx(np.log(0.5))


def test_measured_grids_are_whole():
    assert grids()
    for call, grid in grids().items():
        assert len(grid.ratios) == len(grid.rows), call
        assert {len(line) for line in grid.ratios} == {len(grid.columns)}, call
        assert grid.rows == sorted(grid.rows)
    assert PAYS > 1
