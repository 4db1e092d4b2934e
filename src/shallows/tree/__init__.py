"""Decision trees, random forests and other ensembles."""

from shallows.tree._attribute_table import AttributeTable
from shallows.tree._bagging_classifier import BaggingClassifier
from shallows.tree._bagging_regressor import BaggingRegressor
from shallows.tree._binary_form import to_binary
from shallows.tree._decision_tree_classifier import DecisionTreeClassifier
from shallows.tree._decision_tree_regressor import DecisionTreeRegressor
from shallows.tree._ensemble import Ensemble
from shallows.tree._extra_tree_classifier import ExtraTreeClassifier
from shallows.tree._extra_tree_regressor import ExtraTreeRegressor
from shallows.tree._extra_trees_classifier import ExtraTreesClassifier
from shallows.tree._extra_trees_regressor import ExtraTreesRegressor
from shallows.tree._gain import gain
from shallows.tree._hist_gradient_boosting_classifier import HistGradientBoostingClassifier
from shallows.tree._hist_gradient_boosting_regressor import HistGradientBoostingRegressor
from shallows.tree._impurity import impurity
from shallows.tree._margins import (
    correlation,
    forest_margin,
    generalization_error,
    raw_margin,
    strength,
)
from shallows.tree._members import Member, stochastic_learner
from shallows.tree._presets import c45, id3
from shallows.tree._prune import prune
from shallows.tree._random_forest_classifier import RandomForestClassifier
from shallows.tree._random_forest_regressor import RandomForestRegressor
from shallows.tree._rules import Condition, Rule, RuleClassifier, read_rules

__all__ = [
    "AttributeTable",
    "BaggingClassifier",
    "BaggingRegressor",
    "Condition",
    "DecisionTreeClassifier",
    "DecisionTreeRegressor",
    "Ensemble",
    "ExtraTreeClassifier",
    "ExtraTreeRegressor",
    "ExtraTreesClassifier",
    "ExtraTreesRegressor",
    "HistGradientBoostingClassifier",
    "HistGradientBoostingRegressor",
    "Member",
    "RandomForestClassifier",
    "RandomForestRegressor",
    "Rule",
    "RuleClassifier",
    "c45",
    "correlation",
    "forest_margin",
    "gain",
    "generalization_error",
    "id3",
    "impurity",
    "prune",
    "raw_margin",
    "read_rules",
    "stochastic_learner",
    "strength",
    "to_binary",
]
