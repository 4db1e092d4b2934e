"""From the parameters of an estimator to the limits of a growing tree."""

from __future__ import annotations

import math
from typing import Annotated, Literal, NamedTuple

import numpy as np
from sklearn.utils.class_weight import compute_sample_weight

from shallows._core.contract.params import Fraction, PositiveInt, Range
from shallows.tree._purity import LOGARITHMIC

Criterion = Literal["gini", "entropy", "log_loss", "gain-ratio", "misclassification"]
Missing = Literal["fractional", "majority"]
Many = PositiveInt | Fraction  # a number, or a share of all
SplitSize = Annotated[int, Range(2)] | Fraction
MaxFeatures = (
    PositiveInt | Annotated[float, Range(0, 1, open="low")] | Literal["sqrt", "log2"] | None
)
WeightFraction = Annotated[float, Range(0, 0.5)]
LeafNumber = Annotated[int, Range(2)] | None
ClassWeight = dict | Literal["balanced"] | None
Multiway = bool | Literal["subset"]

LIGHT = 0.01  # of the mean weight: a lighter part of a sample is not divided further


class Limits(NamedTuple):
    """What the branches of a question must have; `logs` lists x log2 x for whole weights."""

    min_leaf: int
    min_weight: float
    logs: np.ndarray


class Rules(NamedTuple):
    """Which nodes ask, what a question is judged by, and what its branches must have."""

    criterion: str
    multiway: Multiway
    max_depth: int
    max_leaves: int  # 0 for any number
    min_size: int
    least_weight: float
    min_gain: float
    n_drawn: int
    light: float  # a part of a sample that weighs less is not divided further
    limits: Limits

    @property
    def numbers(self) -> tuple:
        """Everything but the table of logarithms: trees with equal rules can grow together."""
        return (*self[:-1], *self.limits[:-1])


def rules_of(estimator, n_samples: int, weights, n_outputs: int, any_missing: bool) -> Rules:
    """Read how a tree grows on samples with these weights, drawn from `n_samples`."""
    mean, total = float(weights.mean()), float(weights.sum())
    divided = any_missing and estimator.missing == "fractional"
    min_split = max(2, _number(estimator.min_samples_split, n_samples))
    min_leaf = _number(estimator.min_samples_leaf, n_samples)
    min_weight = float(estimator.min_weight_fraction_leaf) * total
    looked_up = estimator.criterion in LOGARITHMIC and not divided
    logs = log_table(weights) if looked_up else np.empty(0)
    return Rules(
        criterion=estimator.criterion,
        multiway=estimator.multiway,
        max_depth=2**31 - 1 if estimator.max_depth is None else int(estimator.max_depth),
        max_leaves=0 if estimator.max_leaf_nodes is None else int(estimator.max_leaf_nodes),
        min_size=max(min_split, 2 * min_leaf),
        least_weight=min_split * mean if divided else 0.0,
        min_gain=float(estimator.min_impurity_decrease) * total * n_outputs,
        n_drawn=_drawn(estimator.max_features, estimator.n_features_in_),
        light=LIGHT * mean if divided else np.inf,
        limits=Limits(min_leaf, min_weight, logs),
    )


def log_table(weights) -> np.ndarray:
    """Return x log2 x for all whole numbers up to the total weight, if all weights are whole."""
    total = weights.sum()
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
