"""From the parameters of an estimator to the limits of a growing tree."""

from __future__ import annotations

import math
from typing import Annotated, Literal, NamedTuple

import numpy as np
from sklearn.utils.class_weight import compute_sample_weight

from shallows._core.params import Fraction, PositiveInt, Range
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


def class_weights(class_weight: ClassWeight, y, classes) -> np.ndarray:
    """Return the weight that each sample has by its class; `y` are indices of classes."""
    if class_weight is None:
        return np.ones(len(y))
    return compute_sample_weight(class_weight, classes[y])


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
