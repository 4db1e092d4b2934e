"""Trees on bootstrap samples, grown and asked on threads."""

from __future__ import annotations

import math
import warnings
from itertools import chain, groupby
from typing import Annotated

import numpy as np
from sklearn.base import is_classifier
from sklearn.metrics import r2_score

from shallows._core.contract.params import PositiveInt, Range
from shallows._core.contract.training import report
from shallows._core.numerics.threads import map_blocks
from shallows.tree._growth import rules_of
from shallows.tree._plant import SEEDS, plant
from shallows.tree._prune import prune_by_cost
from shallows.tree._ranks import Ranks
from shallows.tree._targets import Data, balance
from shallows.tree._tree import Tree, mean_answers

SAMPLES_AT_ONCE = 2**17  # of trees that grow together
MaxSamples = PositiveInt | Annotated[float, Range(0, 1, open="low")] | None


def grow_forest(forest, data: Data, rng) -> tuple[list[Tree], list[np.ndarray]]:
    """Return the trees of a forest, and per tree the rows that it has not seen, as packed bits."""
    trees, unseen = _earlier_trees(forest, data) if forest.warm_start else ([], [])
    streams = rng.spawn(forest.n_estimators)[len(trees) :]
    if streams:
        grown = _grow_trees(forest, data, streams)
        trees, unseen = trees + [tree for tree, _ in grown], unseen + [rows for _, rows in grown]
    return trees, unseen


def _grow_trees(forest, data: Data, streams):
    """Return for each stream of random numbers a tree and the rows that it has not seen."""
    X, targets, weights = data
    ranks, n = Ranks.of(X, forest.categories_, forest.splitter), X.shape[0]
    size = _sample_size(forest.max_samples, n)

    def grow(block):
        roots = [_root(forest, targets, weights, size, stream) for stream in streams[block]]
        rules = [rules_of(forest, ranks, targets, root[1]) for root in roots]
        grown = []
        for _, group in groupby(range(len(roots)), key=lambda k: rules[k].numbers):
            own = list(group)
            grown += plant(ranks, targets, rules[own[0]], [roots[k] for k in own])
        if forest.ccp_alpha > 0:
            grown = [prune_by_cost(tree, forest.ccp_alpha) for tree in grown]
        report(forest, "%d of %d trees", block.stop, len(streams))
        return [
            (tree, _unseen(n, samples)) for tree, (samples, *_) in zip(grown, roots, strict=True)
        ]

    blocks = map_blocks(grow, len(streams), max(1, SAMPLES_AT_ONCE // n))
    return list(chain(*blocks))


def _root(forest, targets, weights, size, stream):
    """Return the samples that a tree grows on, with weights and a seed."""
    n, own = len(weights), weights
    if forest.bootstrap:
        own = weights * np.bincount(stream.integers(n, size=size), minlength=n)
    samples = np.flatnonzero(own > 0).astype(np.int32)
    own = own[samples]
    if getattr(forest, "class_weight", None) == "balanced_subsample":
        own = own * balance(targets, samples, own)
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
    """Raise ValueError for what needs drawn rows where every tree sees every row."""
    if not forest.bootstrap and (forest.oob_score or forest.max_samples is not None):
        name = "oob_score" if forest.oob_score else "max_samples"
        raise ValueError(
            f"{type(forest).__name__}: {name} needs trees that see drawn rows. Set bootstrap=True."
        )


def score_out_of_bag(forest, y, answers, predicted) -> float:
    """Return the score of out-of-bag answers, by `oob_score` where that is a function.

    Rows that all trees have seen are left out, with a warning.
    """
    judged = ~np.isnan(answers[:, 0])
    if not judged.all():
        warnings.warn(
            f"{type(forest).__name__}: all trees have seen {np.count_nonzero(~judged)} of "
            f"{len(judged)} rows, which the out-of-bag score leaves out. Raise n_estimators.",
            UserWarning,
            stacklevel=3,
        )
    if np.count_nonzero(judged) < 2:
        return float("nan")
    y, predicted = np.asarray(y)[judged], predicted[judged]
    if predicted.ndim == 2 and predicted.shape[1] == 1:
        y, predicted = y.ravel(), predicted.ravel()
    if callable(forest.oob_score):
        return float(forest.oob_score(y, predicted))
    return float(accuracy(y, predicted) if is_classifier(forest) else r2_score(y, predicted))


def accuracy(y, predicted) -> float:
    """Return the share of right labels, of several targets the mean."""
    return (np.asarray(y).reshape(predicted.shape) == predicted).mean()


def as_estimators(forest, kind) -> list:
    """Return each tree of a forest as a fitted estimator."""
    params = {k: v for k, v in forest.get_params().items() if k in kind().get_params()}
    if params.get("class_weight") == "balanced_subsample":
        params["class_weight"] = "balanced"
    known = (
        "classes_",
        "categories_",
        "n_features_in_",
        "feature_names_in_",
        "n_outputs_",
        "max_features_",
        "_one_output",
    )
    fitted = {name: vars(forest)[name] for name in known if name in vars(forest)}
    members = []
    for tree in forest.trees_:
        member = kind(**params)
        vars(member).update(fitted, tree_=tree)
        members.append(member)
    return members


def _earlier_trees(forest, data: Data):
    """Return the trees of the last fit, and the rows that they have not seen."""
    trees, unseen = getattr(forest, "trees_", []), getattr(forest, "_unseen", [])
    if not trees:
        return [], []
    name, wanted = type(forest).__name__, forest.n_estimators
    same_rows = len(unseen[0]) == len(np.packbits(np.empty(len(data.weights), dtype=bool)))
    if not same_rows or not np.array_equal(trees[0].n_classes, data.targets.widths):
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
