"""What the forests share: trees on bootstrap samples, grown and asked on threads."""

from __future__ import annotations

import math
import warnings
from itertools import chain
from typing import Annotated

import numpy as np

from shallows._core.params import PositiveInt, Range
from shallows._core.threads import map_blocks
from shallows.tree._growth import growth_of
from shallows.tree._ranks import Ranks
from shallows.tree._rows import Rows
from shallows.tree._tree import Tree

THREADS_PAY_FROM = 2**12  # samples times features drawn; below, threads wait for one another
MaxSamples = PositiveInt | Annotated[float, Range(0, 1, open="low")] | None


def grow_forest(estimator, X, y, n_classes: int, weights, rng):
    """Return the trees, and per tree the rows that it has not seen, as packed bits."""
    ranks, n = Ranks.of(X, estimator.categories_), X.shape[0]
    streams = rng.spawn(estimator.n_estimators)
    size = _sample_size(estimator.max_samples, n)

    def grow(stream):
        own = weights
        if estimator.bootstrap:
            own = weights * np.bincount(stream.integers(n, size=size), minlength=n)
        samples = np.flatnonzero(own > 0).astype(np.int32)
        growth = growth_of(estimator, len(samples))
        tree = Tree.grow(ranks, y, n_classes, samples, own[samples], growth, stream)
        return tree, np.packbits(own == 0)

    alone = n * growth_of(estimator, n).n_drawn < THREADS_PAY_FROM
    trees_per_block = len(streams) if alone else 1
    blocks = map_blocks(
        lambda block: [grow(stream) for stream in streams[block]], len(streams), trees_per_block
    )
    trees, unseen = zip(*chain(*blocks), strict=True)
    return list(trees), list(unseen)


def out_of_bag_answers(trees, unseen, X, fractional: bool, hard: bool = False) -> np.ndarray:
    """Return for each row the mean answer of the trees that have not seen it, NaN if all have."""
    n = X.shape[0]
    answers, asked = np.zeros((n, trees[0].value.shape[1])), np.zeros(n)
    packed = [tree.packed() for tree in trees]

    def add(part):
        gaps = fractional and Rows.of(X[part]).any_missing()
        for tree, nodes, bits in zip(trees, packed, unseen, strict=True):
            new = np.flatnonzero(np.unpackbits(bits, count=n)[part]) + part.start
            if len(new):
                own = np.zeros((len(new), answers.shape[1]))
                tree.add_answers(Rows.of(X[new]), nodes, gaps, own, hard)
                answers[new] += own
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
    common = kind(**{k: v for k, v in forest.get_params().items() if k in kind().get_params()})
    known = ("classes_", "categories_", "n_features_in_", "feature_names_in_", "_one_output")
    fitted = {name: vars(forest)[name] for name in known if name in vars(forest)}
    members = []
    for tree in forest.trees_:
        member = kind(**common.get_params())
        vars(member).update(fitted, tree_=tree)
        members.append(member)
    return members


def _sample_size(max_samples: MaxSamples, n_samples: int) -> int:
    if max_samples is None:
        return n_samples
    if isinstance(max_samples, float):
        return max(1, math.ceil(max_samples * n_samples))
    return min(int(max_samples), n_samples)
