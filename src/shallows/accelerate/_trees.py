"""Trees as scikit-learn's arrays, and back."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.tree._tree import Tree as TheirTree

from shallows.tree._questions import BELOW, LEAF
from shallows.tree._tree import Tree

NO_NODE, NO_FEATURE = -1, -2


def as_their_tree(tree: Tree, n_features: int, n_classes: int) -> TheirTree:
    """Return a tree of ours as scikit-learn's; `n_classes` is 0 for numbers."""
    leaf, n_nodes = tree.question == LEAF, len(tree.first)
    if not np.isin(tree.question, (LEAF, BELOW)).all():
        raise ValueError(
            "to_sklearn: scikit-learn's trees ask for numbers alone, but this one asks for "
            "categories. Encode them before the fit."
        )
    n_outputs = 1 if n_classes else tree.answer.shape[1]
    counts = np.full(n_outputs, n_classes or 1, dtype=np.intp)
    found = TheirTree(n_features, counts, n_outputs)
    nodes = np.zeros(n_nodes, dtype=_node_type())
    nodes["left_child"] = np.where(leaf, NO_NODE, tree.first)
    nodes["right_child"] = np.where(leaf, NO_NODE, tree.first + 1)
    nodes["feature"] = np.where(leaf, NO_FEATURE, tree.feature)
    nodes["threshold"][leaf] = NO_FEATURE
    nodes["threshold"][~leaf] = _for_rounded_rows(tree.threshold[~leaf])
    nodes["impurity"] = tree.impurity
    nodes["n_node_samples"] = tree.n_node_samples
    nodes["weighted_n_node_samples"] = tree.weighted_n_node_samples
    nodes["missing_go_to_left"] = ~leaf & (tree.heaviest == 0)
    values = np.ascontiguousarray(tree.answer, dtype=np.float64)
    shape = (n_nodes, 1, n_classes) if n_classes else (n_nodes, n_outputs, 1)
    state = {"nodes": nodes, "values": values.reshape(shape)}
    found.__setstate__(state | {"max_depth": int(tree.depth.max()), "node_count": n_nodes})
    return found


def _for_rounded_rows(thresholds: np.ndarray) -> np.ndarray:
    """Return thresholds that part rows in single precision, to which scikit-learn rounds them.

    Rounding keeps the order: x <= t if and only if round(x) <= round(t), unless x lies above t by
    less than the rounding. Midpoints of values in single precision stay: they have at most one
    digit more, and only a wide gap in the data needs more.
    """
    more_digits = thresholds.view(np.int64) & (2**27 - 1) != 0
    if 2 * np.count_nonzero(more_digits) <= len(thresholds):
        return thresholds
    return thresholds.astype(np.float32).astype(np.float64)


def as_our_tree(theirs: TheirTree) -> Tree:
    """Return a tree of scikit-learn's as ours, whose branches lie side by side."""
    nodes, values = theirs.__getstate__()["nodes"], theirs.__getstate__()["values"]
    left, right = nodes["left_child"], nodes["right_child"]

    # Level by level: the two branches of each inner node, in the order of the nodes above.
    level, levels = np.zeros(1, dtype=np.intp), []
    while len(level):
        levels.append(level)
        inner = level[left[level] != NO_NODE]
        level = np.column_stack([left[inner], right[inner]]).ravel()
    order = np.concatenate(levels)
    place = np.empty(len(nodes), dtype=np.int32)
    place[order] = np.arange(len(order))

    kept, leaf = nodes[order], left[order] == NO_NODE
    weight, parent = kept["weighted_n_node_samples"], np.zeros(len(order), dtype=np.intp)
    parent[1:] = np.repeat(np.flatnonzero(~leaf), 2)
    fall = weight * kept["impurity"]
    below = np.bincount(parent[1:], fall[1:], minlength=len(order))
    return Tree(
        feature=np.where(leaf, NO_FEATURE, kept["feature"]).astype(np.int32),
        question=np.where(leaf, LEAF, BELOW).astype(np.int8),
        threshold=np.where(leaf, NO_FEATURE, kept["threshold"]),
        first=np.where(leaf, 0, place[left[order]]).astype(np.int32),
        branches=np.where(leaf, 0, 2).astype(np.int32),
        heaviest=np.where(leaf | (kept["missing_go_to_left"] != 0), 0, 1).astype(np.int32),
        share=weight / weight[parent],
        depth=np.repeat(np.arange(len(levels)), [len(each) for each in levels]).astype(np.int32),
        n_node_samples=kept["n_node_samples"],
        weighted_n_node_samples=weight,
        impurity=kept["impurity"],
        gain=np.where(leaf, 0.0, (fall - below) / weight[0]),
        answer=values[order].reshape(len(order), -1),
        side=np.zeros((len(order), 1), dtype=np.uint8),
        n_classes=np.asarray(theirs.n_classes),
        n_features=theirs.n_features,
    )


def their_estimator(kind: str, parameters: dict[str, Any], fitted: dict[str, Any]) -> Any:
    """Return one of scikit-learn's own tree estimators with parameters and attributes."""
    from shallows.accelerate._patching import plain  # noqa: PLC0415  imports the tables

    own = plain(f"sklearn.tree.{kind}")
    names = own().get_params(deep=False).keys()
    found = own(**{name: value for name, value in parameters.items() if name in names})
    vars(found).update(fitted)
    return found


def _node_type() -> np.dtype[Any]:
    empty = TheirTree(1, np.ones(1, dtype=np.intp), 1)
    return empty.__getstate__()["nodes"].dtype
