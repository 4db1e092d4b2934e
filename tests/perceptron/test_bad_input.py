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
    DualityGap,
    HebbianPerceptron,
    LinearThreshold,
    MinOver,
    Perceptron,
    Pocket,
    ThresholdUnit,
    VersionSpace,
    augment,
    boolean_network,
    duality_gap,
    grandmother_unit,
    kuhn_tucker_residuals,
    local_potentials,
    machine_output,
    power_cost,
    separability,
    solves_storage,
    split_bias,
    stability,
    strict_separation,
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


NAN = float("nan")
SPACE = VersionSpace([[1.0, 0.0], [0.0, 1.0]], [1, 1])
WRONG_ARRAYS = {
    "local_potentials: coef": lambda: local_potentials([1, 2, 3], X, y),
    "stability: coef": lambda: stability([NAN, 2], X, y),
    "stability: intercept": lambda: stability([1, 2], X, y, NAN),
    "solves_storage: coef": lambda: solves_storage([1], X, y),
    "power_cost: coef": lambda: power_cost("ab", X, y),
    "kuhn_tucker_residuals: coef": lambda: kuhn_tucker_residuals(np.ones(4), X, y, coef=[1]),
    "kuhn_tucker_residuals: strengths": lambda: kuhn_tucker_residuals([1, NAN, 1, 1], X, y),
    "kuhn_tucker_residuals: intercept": lambda: kuhn_tucker_residuals(
        np.ones(4), X, y, intercept=NAN
    ),
    "duality_gap: strengths": lambda: duality_gap([NAN] * 4, X, y),
    "duality_gap: coef": lambda: duality_gap(np.ones(4), X, y, coef=[np.inf, 1]),
    "strict_separation: coef": lambda: strict_separation([1, 2, 3], X, y),
    "strict_separation needs samples of two": lambda: strict_separation([1, 2], X, [1] * 4),
    "LinearThreshold: X": lambda: LinearThreshold([1, 2]).distance([[1, 2, 3]]),
    "LinearThreshold: coef of a line": lambda: LinearThreshold([1, 2, 3]).boundary([0]),
    "LinearThreshold: coef must not be zero": lambda: LinearThreshold([0, 0]).distance(X),
    "VersionSpace: w": lambda: SPACE.contains([1, 2, 3]),
    "VersionSpace: X": lambda: SPACE.ambiguity([1, 2]),
    "VersionSpace: X must be a finite": lambda: SPACE.ambiguity([[NAN, 2]]),
    "VersionSpace: y must be 2 labels": lambda: VersionSpace(X[:2], ["a", "b"]),
    "machine_output: X": lambda: machine_output(X, [[1, 2, 3]], [0]),
    "machine_output: X must be a finite": lambda: machine_output([[NAN, 1]], [[1, 2]], [0]),
    "machine_output: thresholds": lambda: machine_output(X, [[1, 2]], [0, 1]),
    "ThresholdUnit: X": lambda: ThresholdUnit([1, 1], 0).fires([[1, 2, 3]]),
    "BooleanNetwork: X": lambda: boolean_network([0, 1, 1, 0]).predict([[1]]),
    "augment: clamp": lambda: augment(X, clamp="a"),
    "split_bias: clamp": lambda: split_bias([1, 2], clamp=0),
    "split_bias: weights": lambda: split_bias([[1, 2]]),
    "grandmother_unit: X": lambda: grandmother_unit([[1, NAN], [1, 0]], 0),
}


@pytest.mark.parametrize("message", WRONG_ARRAYS)
def test_wrong_shapes_and_values_are_refused_by_name(message):
    with pytest.raises(ValueError, match=f"^{message}"):
        WRONG_ARRAYS[message]()


def test_a_gap_of_nothing_is_nothing():
    assert DualityGap(0.0, 0.0).relative == 0
    assert DualityGap(0.0, -1.0).relative == np.inf
    assert DualityGap(np.inf, 0.0).relative == np.inf


WEIGHTED = [one for one in CLASSIFIERS if "class_weight" in one().get_params()]
CLOUDS = np.random.default_rng(8).normal(size=(45, 3)) + np.repeat(np.eye(3), 15, axis=0) * 6
KINDS = np.repeat([0, 1, 2], 15)


@pytest.mark.parametrize("learner", WEIGHTED)
@pytest.mark.parametrize("weight", [{0: -1.0}, {1: np.nan}, {2: np.inf}, {0: 0, 1: 0, 2: 0}])
def test_class_weights_that_mean_nothing_are_refused(learner, weight):
    with pytest.raises(ValueError, match=f"^{learner.__name__}: class_weight must be finite"):
        learner(class_weight=weight).fit(CLOUDS, KINDS)


@pytest.mark.parametrize("learner", WEIGHTED)
def test_a_single_class_that_is_left_is_refused(learner):
    with pytest.raises(ValueError, match="must leave at least 2 classes a weight above 0"):
        learner(class_weight={0: 0, 1: 0}).fit(CLOUDS, KINDS)


@pytest.mark.parametrize(
    "make",
    [
        *(one for one in WEIGHTED),
        lambda **options: AdaTron(None, **options),
        lambda **options: AdaTron(None, threshold="none", max_iter=20, tol=None, **options),
    ],
)
def test_a_class_of_weight_zero_takes_no_part(make):
    """The models of the others are those without its samples, which have no strengths."""
    order = {"random_state": 0} if "random_state" in make().get_params() else {}
    model = make(class_weight={0: 2.0, 1: 0.0}, **order).fit(CLOUDS, KINDS)
    kept = KINDS != 1
    others = make(class_weight={0: 2.0}, **order).fit(CLOUDS[kept], KINDS[kept])
    np.testing.assert_array_equal(model.classes_, [0, 1, 2])
    np.testing.assert_array_equal(others.classes_, [0, 2])
    if make in (Adaline, HebbianPerceptron):  # no random order
        np.testing.assert_allclose(model.coef_[2], others.coef_[0], atol=1e-9)
    np.testing.assert_array_equal(model.predict(CLOUDS[kept]) == 1, False)
    if hasattr(model, "embedding_strengths_"):
        assert model.embedding_strengths_.shape == (3, 45)
        assert not model.embedding_strengths_[:, ~kept].any()
        assert model.embedding_strengths_[2, kept].any()


@pytest.mark.parametrize("learner", [Adaline, HebbianPerceptron])
def test_a_stream_that_overflows_ends_with_an_error(learner):
    options = {} if learner is Adaline else {"modulation": "delta", "margin": 1.0}
    model = learner(**options).partial_fit(X, y, classes=[0, 1])
    with pytest.raises(FloatingPointError, match=f"{learner.__name__}: the loss became .* in call"):
        for _ in range(100):
            model.partial_fit(1000 * X, y)


def test_a_perceptron_that_overflows_ends_with_an_error():
    with pytest.raises(FloatingPointError, match="Perceptron: the loss became nan in call 1"):
        Perceptron(eta0=1e300).partial_fit([[1e10], [2e10]], [0, 1])


def test_minover_names_what_it_could_not_separate():
    xor = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    with pytest.warns(ConvergenceWarning, match=r"separates the classes; ask .*separability"):
        MinOver(max_iter=10).fit(xor, [0, 1, 1, 0])
    line = np.array([[0.0], [1.0], [10.0], [11.0], [20.0], [21.0]])
    with pytest.warns(ConvergenceWarning, match="No hyperplane found separates 'b' from the rest"):
        MinOver(max_iter=200).fit(line, list("aabbcc"))
    with pytest.warns(ConvergenceWarning, match="Raise max_iter"):
        MinOver(max_iter=1, tol=1e-9).fit([[2.0, 0], [0, 1], [-1, -1]], [1, 1, 0])
