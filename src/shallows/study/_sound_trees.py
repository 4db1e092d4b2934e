"""Trees in a model file: every node must lead to later nodes, inside the arrays.

A compiled walk down a tree checks no index. A tree from a stranger's file could send it round in a
circle, or out of the arrays.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
OWN, OWN_BOOSTED = "shallows.tree._tree.Tree", "shallows.tree._histogram_tree.Trees"
PREDICTOR = "sklearn.ensemble._hist_gradient_boosting.predictor.TreePredictor"
MOST_FEATURES = 2**31


def is_sound(name: str, value: Any) -> bool:
    """Return whether an object of this class can be walked; other classes have no trees."""
    try:
        if name == OWN:
            return _own_is_sound(value)
        if name == OWN_BOOSTED:
            return _own_boosted_is_sound(value)
        return name != PREDICTOR or _predictor_is_sound(value)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError):
        return False  # an array is missing, or is something else


def fits_its_features(state: dict[str, Any]) -> bool:
    """Return whether the trees among an estimator's attributes ask only for columns it has."""
    n_features = state.get("n_features_in_")
    trees = [tree for value in state.values() for tree in _trees_in(value)]
    if not trees or n_features is None:
        return True
    return type(n_features) is int and all(_last_feature(tree) < n_features for tree in trees)


def _own_is_sound(tree: Any) -> bool:
    columns = (tree.feature, tree.question, tree.first, tree.branches, tree.heaviest)
    n_nodes = len(tree.feature)
    if not all(column.shape == (n_nodes,) and column.dtype.kind == "i" for column in columns):
        return False
    if not all(len(tree.__dict__[name]) == n_nodes for name in ("threshold", "share", "answer")):
        return False
    asks = tree.question != 0
    first, branches = tree.first[asks].astype(np.int64), tree.branches[asks].astype(np.int64)
    there = (branches > 0) & (tree.heaviest[asks] >= 0) & (tree.heaviest[asks] < branches)
    return bool(there.all()) and _lead_on(asks, first, first + branches - 1, tree.feature)


def _own_boosted_is_sound(trees: Any) -> bool:
    nodes, roots = trees.nodes, trees.roots
    asks = nodes["left"] != -1
    left = nodes["left"][asks].astype(np.int64)
    lines = nodes["category"][asks]
    inside = (roots >= 0) & (roots < len(nodes)) if len(nodes) else roots != roots
    listed = trees.left_categories.dtype == bool and trees.left_categories.ndim == 2
    known = (lines >= -1) & (lines < len(trees.left_categories))
    return bool(
        listed
        and type(trees.n_outputs) is int
        and trees.n_outputs > 0
        and roots.ndim == 1
        and inside.all()
        and known.all()
        and _lead_on(asks, left, left + 1, nodes["feature"])
    )


def _predictor_is_sound(tree: Any) -> bool:
    nodes = tree.nodes
    asks = nodes["is_leaf"] == 0
    left, right = (nodes[side][asks].astype(np.int64) for side in ("left", "right"))
    lines = nodes["bitset_idx"][asks & (nodes["is_categorical"] != 0)]
    maps = (tree.binned_left_cat_bitsets, tree.raw_left_cat_bitsets)
    if not all(each.shape[1:] == (8,) and each.dtype == np.uint32 for each in maps):
        return False
    known = lines < min(map(len, maps))
    return bool(known.all()) and all(
        _lead_on(asks, end, end, nodes["feature_idx"]) for end in (left, right)
    )


def _lead_on(asks: Array, first: Array, last: Array, feature: Array) -> bool:
    """Return whether nodes that ask lead to later ones and name a column; a leaf is there."""
    if asks.ndim != 1 or not len(asks):
        return False
    places = np.flatnonzero(asks)
    columns = feature[asks].astype(np.int64)
    named = (columns >= 0) & (columns < MOST_FEATURES)
    return bool(((first > places) & (last < len(asks)) & named).all())


def _trees_in(value: Any, depth: int = 3) -> Iterator[Any]:
    """Yield the trees of an attribute, also of a list of lists."""
    kind = type(value)
    if f"{kind.__module__}.{kind.__qualname__}" in (OWN, OWN_BOOSTED, PREDICTOR):
        yield value
    elif depth and isinstance(value, list | tuple):
        for part in value:
            yield from _trees_in(part, depth - 1)


def _last_feature(tree: Any) -> int:
    """Return the last column that a tree asks for, -1 if it asks for none."""
    kind = type(tree).__qualname__
    if kind == "Tree":
        feature, asks = tree.feature, tree.question != 0
    elif kind == "Trees":
        feature, asks = tree.nodes["feature"], tree.nodes["left"] != -1
    else:
        feature, asks = tree.nodes["feature_idx"], tree.nodes["is_leaf"] == 0
    return int(feature[asks].max(initial=-1))
