"""From the parameters of an estimator to the limits of a growing tree."""

from __future__ import annotations

import math
from typing import Annotated, Literal, NamedTuple

import numpy as np
from sklearn.utils.class_weight import compute_sample_weight

from shallows._core.contract.params import Fraction, PositiveInt, Range
from shallows.tree import _questions

Criterion = Literal["gini", "entropy", "gain-ratio", "misclassification"]
Missing = Literal["fractional", "majority"]
Many = PositiveInt | Fraction  # a number, or a share of all
SplitSize = Annotated[int, Range(2)] | Fraction
MaxFeatures = (
    PositiveInt | Annotated[float, Range(0, 1, open="low")] | Literal["sqrt", "log2"] | None
)
WeightFraction = Annotated[float, Range(0, 0.5)]
LeafNumber = Annotated[int, Range(2)] | None
ClassWeight = dict | Literal["balanced"] | None

CRITERIA = {
    "gini": _questions.GINI,
    "entropy": _questions.ENTROPY,
    "gain-ratio": _questions.RATIO,
    "misclassification": _questions.ERROR,
    "squared_error": _questions.SQUARES,
}


LIGHT = 0.01  # of the mean weight: a lighter part of a sample is not divided further


class Growth(NamedTuple):
    """How a tree grows; absolute numbers where an estimator may give shares."""

    criterion: int
    multiway: bool
    fractional: bool
    limits: tuple[int, int, int, int]
    min_weight_fraction: float
    min_impurity_decrease: float
    n_drawn: int


def growth_of(estimator, n_samples: int) -> Growth:
    """Read how a tree of this estimator grows on so many samples."""
    limits = (
        2**31 - 1 if estimator.max_depth is None else int(estimator.max_depth),
        max(2, _number(estimator.min_samples_split, n_samples)),
        _number(estimator.min_samples_leaf, n_samples),
        0 if estimator.max_leaf_nodes is None else int(estimator.max_leaf_nodes),
    )
    return Growth(
        CRITERIA[estimator.criterion],
        bool(estimator.multiway),
        estimator.missing == "fractional",
        limits,
        float(estimator.min_weight_fraction_leaf),
        float(estimator.min_impurity_decrease),
        _drawn(estimator.max_features, estimator.n_features_in_),
    )


def rules_of(
    growth: Growth, total: float, n_samples: int, n_outputs: int, any_missing: bool
) -> _questions.Rules:
    """Return the rules for so many samples with this total weight."""
    mean = total / n_samples
    divided = growth.fractional and any_missing
    max_depth, min_split, min_leaf, max_leaves = growth.limits
    return _questions.Rules(
        growth.criterion,
        growth.multiway,
        max_depth,
        max_leaves,
        min_size=max(min_split, 2 * min_leaf),
        min_leaf=min_leaf,
        least_weight=min_split * mean if divided else 0.0,
        min_weight=growth.min_weight_fraction * total,
        min_gain=growth.min_impurity_decrease * total * n_outputs,
        n_drawn=growth.n_drawn,
        light=LIGHT * mean if divided else np.inf,
    )


def logs_of(rules: _questions.Rules, weights) -> np.ndarray:
    """Return x log2 x for all whole numbers up to the total weight, if all weights stay whole."""
    if rules.criterion not in (_questions.ENTROPY, _questions.RATIO) or rules.light < np.inf:
        return np.empty(0)
    total = weights.sum()  # of which a table of sensible size can be made
    if (weights != np.floor(weights)).any() or total >= 4 * len(weights) + 100_000:
        return np.empty(0)
    counts = np.arange(int(total) + 1, dtype=np.float64)
    return counts * np.log2(np.maximum(counts, 1.0))


def class_weights(class_weight: ClassWeight, y, classes) -> np.ndarray:
    """Return the weight that each sample has by its class; `y` are indices of classes."""
    if class_weight in (None, "balanced_subsample"):
        return np.ones(len(y))
    return compute_sample_weight(class_weight, classes[y])


def balance(y, weights) -> np.ndarray:
    """Return factors by which the weights of all classes that there are become equal."""
    masses = np.bincount(y, weights)
    shares = masses.sum() / (np.count_nonzero(masses) * np.where(masses > 0, masses, 1.0))
    return shares[y]


def _number(many: Many, n_samples: int) -> int:
    return math.ceil(many * n_samples) if isinstance(many, float) else int(many)


def _drawn(max_features: MaxFeatures, n_features: int) -> int:
    if max_features is None:
        return n_features
    if isinstance(max_features, str):
        root = math.sqrt(n_features) if max_features == "sqrt" else math.log2(n_features)
        return max(1, int(root))
    if isinstance(max_features, float):
        return max(1, int(max_features * n_features))
    return min(int(max_features), n_features)
