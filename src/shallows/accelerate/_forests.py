"""What the tables of forests share."""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from shallows.accelerate._table import NOTHING, Table, free, same
from shallows.accelerate._trees import as_our_tree, as_their_tree, their_estimator
from shallows.tree._growth import _drawn

TREE_PARAMETERS = {
    "criterion": same("gini", "entropy", "log_loss", "squared_error"),
    "max_depth": same(),
    "min_samples_split": same(),
    "min_samples_leaf": same(),
    "min_weight_fraction_leaf": same(),
    "max_features": same(),
    "max_leaf_nodes": same(),
    "min_impurity_decrease": same(),
    "ccp_alpha": same(),
    "random_state": same(),
}
FOREST_PARAMETERS = TREE_PARAMETERS | {
    "n_estimators": same(),
    "max_samples": same(None, 1.0),
    "bootstrap": same(),
    "n_jobs": same(),
    "verbose": free(0, False),
}
NUMBERS_ONLY = {"multiway": False, "categorical_features": None, "missing": "majority"}


class Bootstraps(np.random.Generator):
    """Gives each tree the draws that scikit-learn makes from the seed of that tree."""

    def __init__(self, seeds):
        super().__init__(np.random.PCG64(0))
        self.seeds = seeds

    def spawn(self, n_children):
        """Return the streams of the trees."""
        return [TreeDraws(seed) for seed in self.seeds[:n_children]]


class TreeDraws:
    """The random numbers of one tree: first its rows, then its seed."""

    def __init__(self, seed):
        self.draws = np.random.RandomState(seed)

    def integers(self, high, size=None):
        """Return whole numbers below `high`."""
        return self.draws.randint(0, high, size)


def forest_settings(theirs: Any, fitting: bool) -> dict[str, Any]:
    """Return the parameters of a forest of ours that scikit-learn has not."""
    if not fitting:
        return NUMBERS_ONLY
    draws = check_random_state(theirs.random_state)
    seeds = [draws.randint(np.iinfo(np.int32).max) for _ in range(theirs.n_estimators)]
    return NUMBERS_ONLY | {"random_state": Bootstraps(seeds)}


def tree_settings(theirs: Any, fitting: bool) -> dict[str, Any]:
    """Return the parameters of a tree of ours that scikit-learn has not."""
    return NUMBERS_ONLY


def fitted_forest(kind: str) -> dict[str, Any]:
    """Return the origins of a forest's attributes, whose trees are of this kind."""

    def estimators(ours, theirs):
        _refuse_several_outputs(ours)
        fitted, n_classes = _fitted_tree(ours, theirs), len(getattr(ours, "classes_", ()))
        pattern = their_estimator(kind, theirs.get_params(deep=False), fitted)
        seeds = getattr(ours.random_state, "seeds", [0] * len(ours.trees_))
        found = []
        for tree, seed in zip(ours.trees_, seeds, strict=True):
            member = copy(pattern)
            member.random_state = seed
            member.tree_ = as_their_tree(tree, ours.n_features_in_, n_classes)
            found.append(member)
        return found

    def rows(ours, theirs):
        """Return how many rows there were, if it is known which of them each tree drew."""
        drawn = isinstance(ours.random_state, Bootstraps)
        return round(ours.trees_[0].weighted_n_node_samples[0]) if drawn else NOTHING

    return {
        "estimators_": estimators,
        "estimator_": lambda ours, theirs: their_estimator(kind, {}, {}),
        "n_outputs_": lambda ours, theirs: ours.trees_[0].answer.shape[1] if _numbers(ours) else 1,
        "_n_samples": rows,
        "_n_samples_bootstrap": lambda *both: rows(*both) if both[1].bootstrap else None,
        "_sample_weight": lambda ours, theirs: None,
    }


def fitted_tree(ours: Any, theirs: Any) -> Any:
    """Return the nodes of a tree of ours as scikit-learn's."""
    _refuse_several_outputs(ours)
    n_classes = len(getattr(ours, "classes_", ()))
    return as_their_tree(ours.tree_, ours.n_features_in_, n_classes)


def _refuse_several_outputs(ours: Any) -> None:
    if isinstance(getattr(ours, "classes_", None), list):
        raise ValueError(
            f"to_sklearn: {type(ours).__name__} has several columns of class labels, which are not "
            "converted. Fit one model per column."
        )


def drawn_features(ours: Any, theirs: Any) -> int:
    """Return how many features a node looks at."""
    return int(_drawn(theirs.max_features, ours.n_features_in_))


def grown_forest(table: Table, theirs: Any) -> Any:
    """Return a fitted forest of scikit-learn's as ours."""
    ours = table.new(theirs, fitting=False)
    ours.trees_ = [as_our_tree(each.tree_) for each in theirs.estimators_]
    return _with_columns(ours, theirs)


def grown_tree(table: Table, theirs: Any) -> Any:
    """Return a fitted tree of scikit-learn's as ours."""
    ours = table.new(theirs, fitting=False)
    ours.tree_ = as_our_tree(theirs.tree_)
    return _with_columns(ours, theirs)


def _with_columns(ours: Any, theirs: Any) -> Any:
    if theirs.n_outputs_ > 1 and hasattr(theirs, "classes_"):
        raise ValueError("from_sklearn: a tree of ours has one column of class labels.")
    ours.categories_ = [None] * theirs.n_features_in_
    ours._one_output = theirs.n_outputs_ == 1
    if hasattr(theirs, "classes_"):
        ours.classes_ = theirs.classes_
    return ours


def _fitted_tree(ours: Any, theirs: Any) -> dict[str, Any]:
    found = {
        "n_features_in_": ours.n_features_in_,
        "n_outputs_": ours.trees_[0].answer.shape[1] if _numbers(ours) else 1,
        "max_features_": drawn_features(ours, theirs),
    }
    if not _numbers(ours):
        n_classes = len(ours.classes_)
        found |= {"classes_": np.arange(n_classes), "n_classes_": n_classes}
    return found


def _numbers(ours: Any) -> bool:
    return not hasattr(ours, "classes_")


CLASSES: dict[str, Any] = {
    "classes_": "classes_",
    "n_classes_": lambda ours, theirs: len(ours.classes_),
}


def differs(ours: Any) -> str | None:
    """Return why no forest of scikit-learn's predicts the same."""
    return "vote of the majority" if getattr(ours, "voting", "soft") == "hard" else None


FOREST: dict[str, Any] = {
    "differs": differs,
    "parameters": FOREST_PARAMETERS,
    "settings": forest_settings,
    "restore": grown_forest,
    "dtype": np.float32,
}
TREE: dict[str, Any] = FOREST | {
    "parameters": TREE_PARAMETERS,
    "settings": tree_settings,
    "restore": grown_tree,
}
