"""The same decisions in other forms: binary trees and rules."""

import itertools

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

from shallows.data import fruit_table
from shallows.tree import (
    Condition,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    Rule,
    RuleClassifier,
    impurity,
    read_rules,
    to_binary,
)

ATTRIBUTES = (
    ["green", "red", "yellow"],
    ["big", "medium", "small"],
    ["sour", "sweet"],
    ["heavy", "light", "medium"],
    ["round", "thin"],
)
EVERY_FRUIT = np.array(list(itertools.product(*ATTRIBUTES)))


def fruit_tree(**options):
    X, y, _ = fruit_table(150, random_state=0)
    X = X.astype(object)
    X[X == "?"] = None
    return DecisionTreeClassifier(**options).fit(X, y)


@pytest.mark.parametrize("missing", ["fractional", "majority"])
def test_the_binary_form_decides_alike(missing):
    model = fruit_tree(missing=missing)
    binary = to_binary(model)
    gaps = EVERY_FRUIT.astype(object)
    gaps[np.random.default_rng(0).random(gaps.shape) < 0.3] = None
    for X in (EVERY_FRUIT, gaps):
        assert binary.predict_proba(X) == pytest.approx(model.predict_proba(X))
    inner = binary.tree_.branches > 0
    assert (binary.tree_.branches[inner] == 2).all()
    assert model.tree_.branches.max() == 3


def test_nodes_of_the_binary_form_are_described_rightly():
    tree = to_binary(fruit_tree(criterion="entropy", missing="majority")).tree_
    for node in np.flatnonzero(tree.branches > 0):
        below = slice(tree.first[node], tree.first[node] + 2)
        weights = tree.weighted_n_node_samples[below]
        assert weights.sum() == pytest.approx(tree.weighted_n_node_samples[node])
        mixed = np.average(tree.answer[below], axis=0, weights=weights)
        assert tree.answer[node] == pytest.approx(mixed)
        assert tree.impurity[node] == pytest.approx(impurity(mixed), abs=1e-9)
        assert (tree.depth[below] == tree.depth[node] + 1).all()


def test_the_binary_form_of_a_regression_tree():
    X, y, _ = fruit_table(200, missing=0, random_state=0)
    target = np.array([len(name) for name in y], dtype=float)
    model = DecisionTreeRegressor().fit(X, target)
    assert to_binary(model).predict(EVERY_FRUIT) == pytest.approx(model.predict(EVERY_FRUIT))


@pytest.mark.parametrize("multiway", [True, False])
def test_rules_read_off_a_tree_decide_alike(multiway):
    model = fruit_tree(multiway=multiway)
    rules = read_rules(model)
    assert (rules.predict(EVERY_FRUIT) == model.predict(EVERY_FRUIT)).all()
    assert len(rules.rules) == model.get_n_leaves()
    assert (rules.rule_of(EVERY_FRUIT) < len(rules.rules)).all()


def test_rules_about_numbers_keep_the_closest_bounds():
    X, y = load_iris(return_X_y=True, as_frame=True)
    model = DecisionTreeClassifier().fit(X, y)
    rules = read_rules(model)
    assert (rules.predict(X) == model.predict(X)).all()
    for rule in rules.rules:
        kinds = [condition[:2] for condition in rule.conditions]
        assert len(kinds) == len(set(kinds))


def test_rules_by_hand():
    X = pd.DataFrame({"color": ["red", "green", None, "red"], "size": [1.0, 2.0, 3.0, np.nan]})
    rules = [
        Rule((Condition("color", "=", "red"), Condition("size", "<=", 2)), "cherry"),
        Rule((Condition("color", "!=", "red"),), "melon"),
        Rule((Condition("size", ">", 2),), "big"),
    ]
    model = RuleClassifier(rules, "unknown")
    assert model.predict(X).tolist() == ["cherry", "melon", "big", "unknown"]
    assert str(model).splitlines()[1] == "if color != red then melon"
    assert str(Rule((), 1)) == "if anything then 1"


def test_bad_rules_are_refused():
    with pytest.raises(ValueError, match="relation must be"):
        RuleClassifier([([(0, "<", 1)], 1)], 0)
    rule = RuleClassifier([([("hue", "=", 1)], 1)], 0)
    with pytest.raises(ValueError, match="column 'hue'; the columns are a"):
        rule.predict(pd.DataFrame({"a": [1]}))
    with pytest.raises(ValueError, match="without names"):
        rule.predict([[1]])
