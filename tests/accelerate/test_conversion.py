"""Models of ours in scikit-learn's tools."""

import numpy as np
import pytest

from accelerate.cases import data
from shallows.accelerate import from_sklearn, to_sklearn
from shallows.cluster import KMedoids
from shallows.density import GaussianMixture
from shallows.prototype import GLVQ, KNeighborsClassifier
from shallows.tree import DecisionTreeClassifier, RandomForestClassifier


def test_classes_without_counterpart_are_refused_by_name():
    X, _ = data()
    with pytest.raises(TypeError, match="no counterpart of KMedoids"):
        to_sklearn(KMedoids(2, random_state=0).fit(X))
    from sklearn.linear_model import Lasso

    with pytest.raises(TypeError, match="no counterpart of Lasso"):
        from_sklearn(Lasso().fit(X, X[:, 0]))


@pytest.mark.parametrize(
    ("model", "why"),
    [
        (GLVQ(2, random_state=0), "several prototypes per class"),
        (GLVQ(metric="rbf", random_state=0), "metric='rbf'"),
        (RandomForestClassifier(3, voting="hard"), "vote of the majority"),
        (KNeighborsClassifier(weights="inverse-square"), "weights='inverse-square'"),
        (KNeighborsClassifier(feature_weights=np.ones(6)), "feature_weights"),
        (GaussianMixture(2, variance=1.0), "variance for all"),
    ],
)
def test_models_that_predict_otherwise_are_refused(model, why):
    with pytest.raises(ValueError, match=f"of scikit-learn has no {why}"):
        to_sklearn(model.fit(*data()))


def test_trees_over_categories_are_refused():
    model = DecisionTreeClassifier().fit([["a"], ["b"], ["c"]], [0, 1, 1])
    with pytest.raises(ValueError, match="asks for categories"):
        to_sklearn(model)


def test_parameters_without_counterpart_are_refused():
    from sklearn.svm import SVC

    X, y = data()
    with pytest.raises(ValueError, match="kernel='precomputed'"):
        from_sklearn(SVC(kernel="precomputed").fit(X @ X.T, y))


def test_a_tree_keeps_what_scikit_learn_computes_of_one():
    X, y = data()
    ours = DecisionTreeClassifier(max_depth=4).fit(X, y)
    theirs = to_sklearn(ours)
    importances = np.zeros(X.shape[1])
    nodes = theirs.tree_
    for node in np.flatnonzero(nodes.children_left >= 0):  # the definition, node by node
        below = [nodes.children_left[node], nodes.children_right[node]]
        fall = nodes.weighted_n_node_samples[node] * nodes.impurity[node]
        fall -= nodes.weighted_n_node_samples[below] @ nodes.impurity[below]
        importances[nodes.feature[node]] += fall
    np.testing.assert_allclose(theirs.feature_importances_, importances / importances.sum())
    np.testing.assert_allclose(theirs.feature_importances_, ours.feature_importances_)
    assert theirs.get_depth() == ours.get_depth()
    assert theirs.get_n_leaves() == ours.get_n_leaves()
    shares = np.bincount(y) / len(y)
    assert nodes.impurity[0] == pytest.approx(1 - shares @ shares)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_rows_on_a_threshold_stay_on_their_side(dtype):
    rng = np.random.default_rng(0)
    X = (rng.integers(0, 40, size=(300, 3)) / 10).astype(dtype)  # midpoints are values, too
    ours = DecisionTreeClassifier().fit(X[::2], rng.integers(0, 2, size=150))
    np.testing.assert_array_equal(to_sklearn(ours).apply(X), ours.apply(X))


def test_a_missing_value_goes_where_ours_sends_it():
    X, y = data()
    X = X.astype(np.float32)
    X[::7, 2] = np.nan
    ours = DecisionTreeClassifier(max_depth=5, missing="majority").fit(X, y)
    theirs = to_sklearn(ours)
    np.testing.assert_array_equal(theirs.predict(X), ours.predict(X))
    np.testing.assert_array_equal(from_sklearn(theirs).predict(X), ours.predict(X))


def test_plot_tree_draws_a_tree_of_ours():
    from sklearn.tree import export_text

    X, y = data()
    forest = to_sklearn(RandomForestClassifier(3, max_depth=2, random_state=0).fit(X, y))
    text = export_text(forest.estimators_[0])
    assert text.count("class:") == forest.estimators_[0].get_n_leaves()
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from sklearn.tree import plot_tree

    assert len(plot_tree(forest.estimators_[0])) >= forest.estimators_[0].tree_.node_count
