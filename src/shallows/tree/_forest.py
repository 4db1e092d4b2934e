"""What the forests share: trees on bootstrap samples, grown and asked on threads."""

from __future__ import annotations

import math
import warnings
from itertools import chain, groupby
from typing import Annotated

import numpy as np

from shallows._core.contract.params import PositiveInt, Range
from shallows._core.numerics.threads import map_blocks
from shallows.tree._growth import balance, rules_of
from shallows.tree._plant import SEEDS, plant
from shallows.tree._prune import prune_by_cost
from shallows.tree._ranks import Ranks
from shallows.tree._tree import mean_answers

SAMPLES_AT_ONCE = 2**17  # of trees that grow together
MaxSamples = PositiveInt | Annotated[float, Range(0, 1, open="low")] | None


def grow_forest(forest, X, y, n_classes: int, weights, rng):
    """Set the trees of a forest, and per tree the rows that it has not seen, as packed bits."""
    n, n_outputs = X.shape[0], n_classes or y.shape[1]
    trees, unseen = _earlier_trees(forest, n, n_outputs) if forest.warm_start else ([], [])
    streams = rng.spawn(forest.n_estimators)[len(trees) :]
    if streams:
        grown = _grow_trees(forest, X, y, n_classes, weights, streams)
        trees, unseen = trees + [tree for tree, _ in grown], unseen + [rows for _, rows in grown]
    forest.trees_, forest._unseen = trees, unseen


def _grow_trees(forest, X, y, n_classes, weights, streams):
    """Return for each stream of random numbers a tree and the rows that it has not seen."""
    ranks, n = Ranks.of(X, forest.categories_), X.shape[0]
    n_outputs = 1 if n_classes else y.shape[1]
    size = _sample_size(forest.max_samples, n)

    def grow(block):
        roots = [_root(forest, y, weights, size, stream) for stream in streams[block]]
        rules = [rules_of(forest, n, root[1], n_outputs, ranks.any_missing) for root in roots]
        grown = []
        for _, group in groupby(range(len(roots)), key=lambda k: rules[k].numbers):
            own = list(group)
            grown += plant(ranks, y, n_classes, rules[own[0]], [roots[k] for k in own])
        if forest.ccp_alpha > 0:
            grown = [prune_by_cost(tree, forest.ccp_alpha) for tree in grown]
        return [
            (tree, _unseen(n, samples)) for tree, (samples, *_) in zip(grown, roots, strict=True)
        ]

    blocks = map_blocks(grow, len(streams), max(1, SAMPLES_AT_ONCE // n))
    return list(chain(*blocks))


def _root(forest, y, weights, size, stream):
    """Return the samples that a tree grows on, with weights and a seed."""
    n, own = len(weights), weights
    if forest.bootstrap:
        own = weights * np.bincount(stream.integers(n, size=size), minlength=n)
    samples = np.flatnonzero(own > 0).astype(np.int32)
    own = own[samples]
    if getattr(forest, "class_weight", None) == "balanced_subsample":
        own = own * balance(y[samples], own)
    return samples, own, stream.integers(SEEDS)


def _unseen(n, samples):
    """Return the rows that are not among some samples, as packed bits."""
    unseen = np.ones(n, dtype=bool)
    unseen[samples] = False
    return np.packbits(unseen)


def out_of_bag_answers(forest, X, fractional: bool, hard: bool = False) -> np.ndarray:
    """Return for each row the mean answer of the trees that have not seen it, NaN if all have."""
    n, trees = X.shape[0], forest.trees_
    answers, asked = np.zeros((n, trees[0].answer.shape[1])), np.zeros(n)
    unseen = [np.flatnonzero(np.unpackbits(bits, count=n)) for bits in forest._unseen]

    def add(part):
        for tree, rows in zip(trees, unseen, strict=True):
            new = rows[slice(*np.searchsorted(rows, (part.start, part.stop)))]
            if len(new):
                answers[new] += mean_answers([tree], X[new], fractional, hard)
                asked[new] += 1

    map_blocks(add, n)
    return answers / np.where(asked > 0, asked, np.nan)[:, None]


def refuse_oob_without_bootstrap(forest) -> None:
    """Raise ValueError for `oob_score` where every tree sees every row."""
    if forest.oob_score and not forest.bootstrap:
        raise ValueError(
            f"{type(forest).__name__}: oob_score needs rows that a tree has not seen. "
            "Set bootstrap=True, or judge the forest on other data."
        )


def warn_of_few_trees(forest, judged) -> None:
    """Warn where some rows have been seen by all trees."""
    if not judged.all():
        warnings.warn(
            f"{type(forest).__name__}: all trees have seen {np.count_nonzero(~judged)} of "
            f"{len(judged)} rows, which the out-of-bag score leaves out. Raise n_estimators.",
            UserWarning,
            stacklevel=3,
        )


def as_estimators(forest, kind) -> list:
    """Return each tree of a forest as a fitted estimator."""
    params = {k: v for k, v in forest.get_params().items() if k in kind().get_params()}
    if params.get("class_weight") == "balanced_subsample":
        params["class_weight"] = "balanced"
    known = ("classes_", "categories_", "n_features_in_", "feature_names_in_", "_one_output")
    fitted = {name: vars(forest)[name] for name in known if name in vars(forest)}
    members = []
    for tree in forest.trees_:
        member = kind(**params)
        vars(member).update(fitted, tree_=tree)
        members.append(member)
    return members


def _earlier_trees(forest, n_samples: int, n_outputs: int):
    """Return the trees of the last fit, and the rows that they have not seen."""
    trees, unseen = getattr(forest, "trees_", []), getattr(forest, "_unseen", [])
    if not trees:
        return [], []
    name, wanted = type(forest).__name__, forest.n_estimators
    same_rows = len(unseen[0]) == len(np.packbits(np.empty(n_samples, dtype=bool)))
    if not same_rows or trees[0].answer.shape[1] != n_outputs:
        raise ValueError(
            f"{name}: warm_start adds trees for the data of the last fit, but other data came. "
            "Set warm_start=False to start anew."
        )
    if wanted < len(trees):
        raise ValueError(
            f"{name}: with warm_start, n_estimators must be at least the {len(trees)} trees that "
            f"are there, got {wanted}. Set warm_start=False to start anew."
        )
    if wanted == len(trees):
        warnings.warn(
            f"{name}: warm_start grows no tree, since n_estimators is still {wanted}.",
            UserWarning,
            stacklevel=4,
        )
    return trees, unseen


def _sample_size(max_samples: MaxSamples, n_samples: int) -> int:
    if max_samples is None:
        return n_samples
    if isinstance(max_samples, float):
        return max(1, math.ceil(max_samples * n_samples))
    return min(int(max_samples), n_samples)
