"""Criteria, several targets, ordered effects and arrays, against scikit-learn's trees."""

import numpy as np
import pytest
from scipy import sparse
from sklearn import ensemble, tree
from sklearn.base import is_classifier
from sklearn.inspection import partial_dependence

import shallows.tree
from shallows.tree import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreeClassifier,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
    to_binary,
)

RNG = np.random.default_rng(0)
X = RNG.normal(size=(400, 4))
NUMBER = np.round(2 * X[:, 0] + X[:, 1] ** 2 + 0.5 * RNG.normal(size=400), 3)
LABEL = np.digitize(NUMBER, [0, 2])
WEIGHTS = RNG.integers(1, 4, size=400).astype(float)
LIMITS = {"max_depth": 5, "min_samples_leaf": 4}


def assert_equal_trees(ours, peer, y, weights=None):
    ours.fit(X, y, weights)
    peer.set_params(random_state=0).fit(X, y, weights)
    assert ours.tree_.node_count == peer.tree_.node_count > 7
    assert ours.predict(X) == pytest.approx(peer.predict(X))
    assert ours.apply(X).shape == peer.apply(X).shape
    at, peer_at = ours.apply(X), peer.apply(X)
    for name in ("impurity", "n_node_samples", "weighted_n_node_samples", "value"):
        mine, other = getattr(ours.tree_, name)[at], getattr(peer.tree_, name)[peer_at]
        assert mine == pytest.approx(other, abs=1e-9)


@pytest.mark.parametrize("weights", [None, WEIGHTS])
@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error", "poisson"])
def test_trees_for_numbers_equal_scikit_learns(criterion, weights):
    y = np.abs(NUMBER) if criterion == "poisson" else NUMBER
    peer = tree.DecisionTreeRegressor(criterion=criterion, **LIMITS)
    ours = DecisionTreeRegressor(criterion, **LIMITS)
    assert_equal_trees(ours, peer, y, weights)
    # elsewhere equal gains of two features make importances differ
    assert ours.feature_importances_ == pytest.approx(peer.feature_importances_)


@pytest.mark.parametrize("criterion", ["gini", "entropy", "log_loss"])
@pytest.mark.parametrize("several", [False, True])
def test_trees_for_classes_equal_scikit_learns(criterion, several):
    y = np.column_stack([LABEL, NUMBER > 1]) if several else LABEL
    limits = {"max_depth": 5, "min_samples_leaf": 15}  # in small nodes gains are equal by chance
    peer = tree.DecisionTreeClassifier(criterion=criterion, **limits)
    ours = DecisionTreeClassifier(criterion, **limits)
    assert_equal_trees(ours, peer, y, WEIGHTS + X[:, 3] ** 2)
    mine, other = ours.predict_proba(X), peer.predict_proba(X)
    for shares, expected in zip(mine, other, strict=True) if several else [(mine, other)]:
        assert shares == pytest.approx(expected)
    assert ours.n_classes_ == (list(peer.n_classes_) if several else peer.n_classes_)


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error"])
def test_trees_for_several_numbers_equal_scikit_learns(criterion):
    peer = tree.DecisionTreeRegressor(criterion=criterion, **LIMITS)
    y = np.column_stack([NUMBER, NUMBER**2])
    assert_equal_trees(DecisionTreeRegressor(criterion, **LIMITS), peer, y)


@pytest.mark.parametrize("criterion", ["squared_error", "poisson", "gini", "entropy"])
@pytest.mark.parametrize("leaves", [None, 20])
def test_trees_with_ordered_effects_equal_scikit_learns(criterion, leaves):
    options = {"monotonic_cst": [1, 1, -1, 0], "max_leaf_nodes": leaves, "max_depth": 7}
    classes = criterion in ("gini", "entropy")
    kind = "DecisionTreeClassifier" if classes else "DecisionTreeRegressor"
    y = NUMBER > 1 if classes else np.abs(NUMBER) if criterion == "poisson" else NUMBER
    ours = getattr(shallows.tree, kind)(criterion, **options)
    assert_equal_trees(ours, getattr(tree, kind)(criterion=criterion, **options), y)


@pytest.mark.parametrize("Forest", [RandomForestRegressor, ExtraTreesRegressor])
def test_forests_keep_to_ordered_effects(Forest):
    forest = Forest(10, monotonic_cst=[1, -1, 0, 0], random_state=0).fit(X, NUMBER)
    rows = np.repeat(X[:20], 30, axis=0)
    for column, sign in ((0, 1), (1, -1)):
        moved = rows.copy()
        moved[:, column] = np.tile(np.linspace(-3, 3, 30), 20)
        steps = np.diff(forest.predict(moved).reshape(20, 30), axis=1)
        assert (sign * steps >= -1e-9).all() and np.abs(steps).max() > 0


@pytest.mark.parametrize(
    ("options", "y", "message"),
    [
        ({"monotonic_cst": [1, 0]}, NUMBER > 1, "must have 4 entries"),
        ({"monotonic_cst": [1, 0, 0, 0]}, LABEL, "two classes"),
        ({"monotonic_cst": [1, 0, 0, 0], "categorical_features": [0]}, NUMBER > 1, "categories"),
    ],
)
def test_impossible_orders_are_refused(options, y, message):
    table = np.abs(np.round(X))
    with pytest.raises(ValueError, match=message):
        DecisionTreeClassifier(**options).fit(table, y)


@pytest.mark.parametrize(
    "name",
    [
        "ExtraTreesClassifier",
        "ExtraTreesRegressor",
        "RandomForestClassifier",
        "RandomForestRegressor",
    ],
)
def test_forests_are_as_good_as_scikit_learns(name):
    ours = getattr(shallows.tree, name)(60, random_state=0)
    peer = getattr(ensemble, name)(60, random_state=0)
    y = LABEL if is_classifier(ours) else NUMBER
    scores = [model.fit(X[:200], y[:200]).score(X[200:], y[200:]) for model in (ours, peer)]
    assert scores[0] > scores[1] - 0.04  # from seed to seed both move by about 0.015


def test_drawn_cuts_are_spread_evenly_between_the_ends():
    x = np.array([[0.0], [0.25], [1.0]])
    cuts = [
        ExtraTreeClassifier(max_depth=1, random_state=seed).fit(x, [0, 1, 1]).tree_.threshold[0]
        for seed in range(400)
    ]
    assert 0 <= min(cuts) < 0.02 and 0.98 < max(cuts) < 1
    assert np.mean(np.less(cuts, 0.25)) == pytest.approx(0.25, abs=0.1)


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_random_trees_on_sparse_rows_learn_as_on_dense_ones(kind):
    rows = np.where(X > 0.3, X, 0.0)
    forest = ExtraTreesClassifier(20, random_state=0).fit(kind(rows), LABEL)
    best = tree.DecisionTreeClassifier(random_state=0).fit(rows, LABEL).score(rows, LABEL)
    assert forest.score(kind(rows), LABEL) == pytest.approx(best, abs=0.03)


def test_bins_of_few_values_change_nothing():
    few = np.round(X, 1)
    one, other = (
        DecisionTreeRegressor(splitter=splitter, **LIMITS).fit(few, NUMBER)
        for splitter in ("best", "hist")
    )
    assert np.array_equal(one.predict(few), other.predict(few))


def test_bins_of_many_values_cut_between_quantiles():
    rng = np.random.default_rng(1)
    x = rng.normal(size=(3000, 1))
    x[::50] = np.nan
    y = np.where(np.isnan(x[:, 0]), 0, x[:, 0] > 0.5)
    model = DecisionTreeClassifier(splitter="hist", max_depth=1, missing="majority").fit(x, y)
    known = x[~np.isnan(x)]
    assert np.mean(np.sort(known) <= model.tree_.threshold[0]) == pytest.approx(
        np.mean(known <= 0.5), abs=1 / 255
    )


def test_scikit_learns_tools_read_our_trees():
    ours = DecisionTreeRegressor(max_depth=3).fit(X, NUMBER)
    peer = tree.DecisionTreeRegressor(max_depth=3, random_state=0).fit(X, NUMBER)
    assert tree.export_text(ours) == tree.export_text(peer)
    assert tree.export_graphviz(ours).count("->") == tree.export_graphviz(peer).count("->")
    means = [
        partial_dependence(model, X, [0, 1], grid_resolution=5, method="recursion")["average"]
        for model in (ours, peer)
    ]
    assert means[0] == pytest.approx(means[1])
    assert ours.tree_.predict(X) == pytest.approx(peer.tree_.predict(X.astype(np.float32)))


def test_arrays_of_a_tree_with_many_branches_name_to_binary():
    x = [["green"], ["yellow"], ["red"]]
    model = DecisionTreeClassifier().fit(x, [0, 1, 2])
    with pytest.raises(ValueError, match="to_binary"):
        _ = model.tree_.children_left
    assert to_binary(model).tree_.children_left.tolist() == [1, -1, 3, -1, -1]


def test_one_question_parts_eight_categories_by_the_best_subset():
    rng = np.random.default_rng(0)
    x = rng.integers(8, size=(500, 1))
    y = np.isin(x[:, 0], [1, 4, 6, 7])
    model = DecisionTreeClassifier(multiway="subset", max_depth=1, categorical_features=[0])
    assert model.fit(x, y).score(x, y) == 1.0


def test_out_of_bag_score_by_any_function():
    def largest_error(y, predicted):
        return -np.abs(y - predicted).max()

    model = RandomForestRegressor(60, oob_score=largest_error, random_state=0).fit(X, NUMBER)
    assert model.oob_score_ == pytest.approx(largest_error(NUMBER, model.oob_prediction_))
    pair = np.column_stack([LABEL, NUMBER > 1])
    forest = RandomForestClassifier(60, oob_score=True, random_state=0).fit(X, pair)
    assert forest.oob_decision_function_.shape == (400, 3, 2)
    found = forest.oob_decision_function_.argmax(axis=1)
    assert forest.oob_score_ == pytest.approx((found == pair).mean())


def test_threads_and_messages_change_no_bit(capsys):
    one, other = (
        RandomForestClassifier(6, n_jobs=jobs, verbose=jobs - 1, random_state=0).fit(X, LABEL)
        for jobs in (1, 2)
    )
    assert np.array_equal(one.predict_proba(X), other.predict_proba(X))
    assert "6 of 6 trees" in capsys.readouterr().out


def test_the_absolute_error_needs_numbers_in_dense_columns():
    with pytest.raises(ValueError, match="toarray"):
        DecisionTreeRegressor("absolute_error").fit(sparse.csr_array(X), NUMBER)
    with pytest.raises(ValueError, match="not negative"):
        DecisionTreeRegressor("poisson").fit(X, NUMBER)
