"""What every learner of the family says to data that it can't learn from."""

import inspect

import numpy as np
import pytest
from sklearn.base import is_classifier
from sklearn.exceptions import ConvergenceWarning

import shallows.perceptron
from shallows.perceptron import (
    Adaline,
    AdaTron,
    BayesPoint,
    MinOver,
    Perceptron,
    Pocket,
    VersionSpace,
    separability,
)

CLASSIFIERS = [
    one
    for name in shallows.perceptron.__all__
    if inspect.isclass(one := getattr(shallows.perceptron, name)) and hasattr(one, "fit")
    if is_classifier(one())
]
X = np.array([[1.0, 2.0], [2.0, 1.0], [-1.0, -1.5], [-2.0, 0.5]])
y = np.array([1, 1, 0, 0])


def test_the_list_is_not_empty():
    assert {Perceptron, AdaTron, Adaline, MinOver, Pocket} <= set(CLASSIFIERS)


@pytest.mark.parametrize("learner", CLASSIFIERS)
def test_one_class_alone_is_refused(learner):
    with pytest.raises(ValueError, match="class"):
        learner().fit(X, np.ones(4))


@pytest.mark.parametrize("learner", CLASSIFIERS)
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_values_that_are_not_finite_are_refused(learner, bad):
    broken = X.copy()
    broken[1, 1] = bad
    with pytest.raises(ValueError, match=r"NaN|infinity"):
        learner().fit(broken, y)


@pytest.mark.parametrize("learner", CLASSIFIERS)
def test_no_samples_are_refused(learner):
    with pytest.raises(ValueError, match="0 sample"):
        learner().fit(np.zeros((0, 2)), [])


@pytest.mark.parametrize("learner", CLASSIFIERS)
def test_labels_that_are_numbers_without_classes_are_refused(learner):
    with pytest.raises(ValueError, match=r"Unknown label type|continuous"):
        learner().fit(X, [0.1, 0.2, 0.3, 0.4])


@pytest.mark.parametrize("learner", CLASSIFIERS)
def test_more_than_two_classes_are_learned_or_refused_by_name(learner):
    corners = 5 * np.array([[1.0, 0.1], [-0.5, 0.9], [-0.5, -0.9]])
    labels = np.array(["a", "b", "c"])
    try:
        model = learner().fit(corners, labels)
    except ValueError as refusal:
        assert "two classes" in str(refusal) or "binary" in str(refusal)
    else:
        assert set(model.predict(corners)) <= set(labels)


def test_a_zero_vector_is_a_mistake_for_ever_without_a_threshold():
    points, labels = np.array([[0.0, 0.0], [1.0, 1.0], [-1.0, -1.0]]), [1, 1, 0]
    assert Perceptron(tol=None).fit(points, labels).score(points, labels) == 1
    with_none = Perceptron(fit_intercept=False, tol=None, max_iter=7).fit(points, labels)
    assert with_none.n_iter_ == 7 and with_none.history_["updates"][-1] >= 1
    found = separability(points, labels, threshold=False)
    assert not found.separable
    np.testing.assert_array_equal(found.null_vector, [1, 0, 0])
    with pytest.raises(ValueError, match="zero vector"):
        VersionSpace(points, [1, 1, -1])


def test_duplicates_with_opposite_labels_contradict_each_other():
    points = np.vstack([X, X[1]])
    labels = np.append(y, 0)
    found = separability(points, labels)
    assert not found.separable
    assert found.duplicates == ((1, 4),)
    assert set(np.flatnonzero(found.null_vector)) == {1, 4}
    with pytest.warns(ConvergenceWarning, match="no hyperplane separates"):
        AdaTron(None, random_state=0).fit(points, labels)
    assert Pocket(max_iter=50, random_state=0).fit(points, labels).score(points, labels) == 0.8
    with pytest.raises(ValueError, match="no hyperplane separates"):
        BayesPoint(random_state=0).fit(points, labels)


def test_a_homogeneous_model_has_no_threshold_and_says_so():
    points, labels = np.array([[1.0], [2.0], [3.0], [4.0]]), [0, 0, 1, 1]
    assert separability(points, labels).separable
    assert not separability(points, labels, threshold=False).separable
    with pytest.warns(ConvergenceWarning, match="no hyperplane separates"):
        model = AdaTron(None, threshold="none", random_state=0).fit(points, labels)
    assert model.intercept_.tolist() == [0.0]
    for homogeneous in (Perceptron(fit_intercept=False), Adaline(fit_intercept=False)):
        assert homogeneous.fit(points, labels).intercept_.tolist() == [0.0]
        assert homogeneous.score(points, labels) < 1
