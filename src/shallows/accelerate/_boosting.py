"""What the tables of histogram boosting share; their fits stay with scikit-learn."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from sklearn.ensemble._hist_gradient_boosting.binning import _BinMapper
from sklearn.ensemble._hist_gradient_boosting.common import PREDICTOR_RECORD_DTYPE
from sklearn.ensemble._hist_gradient_boosting.predictor import TreePredictor

from shallows.accelerate._table import Table, free, same
from shallows.tree._boosting_fit import Boosted
from shallows.tree._histogram_tree import LEAF, STORED, GrownTree, Trees, join_trees

SAME: tuple[str, ...] = (
    "loss",
    "learning_rate",
    "max_iter",
    "max_leaf_nodes",
    "max_depth",
    "min_samples_leaf",
)
SAME += ("l2_regularization", "max_features", "max_bins", "early_stopping", "scoring", "tol")
BOOSTING: dict[str, Any] = {
    **{name: same() for name in (*SAME, "validation_fraction", "n_iter_no_change", "random_state")},
    "categorical_features": free("from_dtype", None),
    "monotonic_cst": free(None),
    "interaction_cst": free(None),
}
NO_BITSETS = np.zeros((0, 8), dtype=np.uint32)


def _predictors(ours: Any, theirs: Any) -> list[list[TreePredictor]]:
    trees, width = ours._boosted.trees, ours._boosted.trees.n_outputs
    bounds = [*trees.roots, len(trees.nodes)]
    found = [_predictor(trees.nodes[a:b], a) for a, b in pairwise(bounds)]
    return [found[k : k + width] for k in range(0, len(found), width)]


def _predictor(nodes: np.ndarray, start: int) -> TreePredictor:
    """Return one tree as scikit-learn's."""
    leaf = nodes["feature"] == LEAF
    if (nodes["category"][~leaf] != LEAF).any():
        raise ValueError("to_sklearn: boosted trees that ask for categories are not converted.")
    found = np.zeros(len(nodes), dtype=PREDICTOR_RECORD_DTYPE)
    found["is_leaf"], found["value"], found["count"] = leaf, nodes["value"], nodes["count"]
    found["feature_idx"] = np.where(leaf, 0, nodes["feature"])
    found["num_threshold"] = np.where(leaf, 0.0, nodes["threshold"])
    found["missing_go_to_left"] = np.where(leaf, 0, nodes["gap_left"])
    found["left"] = np.where(leaf, 0, nodes["left"] - start)
    found["right"] = np.where(leaf, 0, nodes["left"] - start + 1)
    found["gain"] = np.where(leaf, -1.0, nodes["gain"])
    for node in np.flatnonzero(~leaf):  # a branch comes after the node above
        for branch in (found["left"][node], found["right"][node]):
            found["depth"][branch] = found["depth"][node] + 1
    return TreePredictor(found, NO_BITSETS, NO_BITSETS)


def _bins(ours: Any, theirs: Any) -> _BinMapper:
    """Return what tells scikit-learn that no column has categories."""
    found = _BinMapper(n_bins=theirs.max_bins + 1)
    found.is_categorical_ = np.zeros(ours.n_features_in_, dtype=np.uint8)
    found.bin_thresholds_ = [np.zeros(0)] * ours.n_features_in_
    return found


def _loss(ours: Any, theirs: Any) -> Any:
    theirs.n_trees_per_iteration_ = ours._boosted.trees.n_outputs
    return theirs._get_loss(sample_weight=None)


FITTED: dict[str, Any] = {
    "_predictors": _predictors,
    "_bin_mapper": _bins,
    "_baseline_prediction": lambda ours, theirs: np.atleast_2d(ours._boosted.start).astype(float),
    "_preprocessor": lambda ours, theirs: None,
    "_is_categorical_remapped": lambda ours, theirs: None,
    "_n_features": "n_features_in_",
    "_loss": _loss,
    "_scorer": lambda ours, theirs: None,
    "n_trees_per_iteration_": lambda ours, theirs: ours._boosted.trees.n_outputs,
    "is_categorical_": lambda ours, theirs: None,
    "do_early_stopping_": "do_early_stopping_",
    "train_score_": "train_score_",
    "validation_score_": "validation_score_",
}


def boosted(table: Table, theirs: Any) -> Any:
    """Return a fitted boosting of scikit-learn's as ours."""
    ours = table.new(theirs, fitting=False)
    trees = [_tree(each.nodes) for some in theirs._predictors for each in some]
    joined: Trees = join_trees(trees, theirs.n_trees_per_iteration_)
    ours._boosted = Boosted(theirs._baseline_prediction.ravel(), joined)
    ours.categories_ = [None] * theirs.n_features_in_
    ours.n_iter_, ours.history_ = theirs.n_iter_, {"loss": []}
    for name in ("n_trees_per_iteration_", "do_early_stopping_", "train_score_"):
        setattr(ours, name, getattr(theirs, name))
    ours.validation_score_, ours.is_categorical_ = theirs.validation_score_, None
    return ours


def _tree(nodes: np.ndarray) -> GrownTree:
    """Return one tree of scikit-learn's, whose branches come to lie side by side."""
    if nodes["is_categorical"].any():
        raise ValueError("from_sklearn: boosted trees that ask for categories are not converted.")
    order = [0]
    for node in order:  # grows while it is gone through
        if not nodes["is_leaf"][node]:
            order += [int(nodes["left"][node]), int(nodes["right"][node])]
    place = np.empty(len(nodes), dtype=np.int32)
    place[order] = np.arange(len(order))
    kept, found = nodes[order], np.zeros(len(order), dtype=STORED)
    leaf = kept["is_leaf"] != 0
    found["threshold"], found["value"] = kept["num_threshold"], kept["value"]
    found["feature"] = np.where(leaf, LEAF, kept["feature_idx"])
    found["left"] = np.where(leaf, LEAF, place[np.where(leaf, 0, kept["left"])])
    found["category"], found["gap_left"] = LEAF, kept["missing_go_to_left"]
    found["gain"], found["count"] = kept["gain"], kept["count"]
    none = np.zeros(0, dtype=np.int64)
    return GrownTree(found, np.zeros((0, 0), dtype=bool), none, none, none)
