"""From the parameters of an estimator to the limits of a growing tree."""

from __future__ import annotations

import math
from typing import Annotated, Literal, NamedTuple

import numpy as np

from shallows._core.contract.params import Fraction, PositiveInt, Range
from shallows.tree._monotonic import check_signs
from shallows.tree._purity import LOGARITHMIC

Criterion = Literal["gini", "entropy", "log_loss", "gain-ratio", "misclassification"]
NumberCriterion = Literal["squared_error", "friedman_mse", "absolute_error", "poisson"]
Splitter = Literal["best", "random", "hist", "auto"]
Signs = list | tuple | np.ndarray | None
Missing = Literal["fractional", "majority"]
Many = PositiveInt | Fraction  # a number, or a share of all
SplitSize = Annotated[int, Range(2)] | Fraction
MaxFeatures = (
    PositiveInt | Annotated[float, Range(0, 1, open="low")] | Literal["sqrt", "log2"] | None
)
WeightFraction = Annotated[float, Range(0, 0.5)]
LeafNumber = Annotated[int, Range(2)] | None
ClassWeight = dict | list | Literal["balanced"] | None
Multiway = bool | Literal["subset"]

ROUNDING = 1e-9  # of a weight that parts of rows sum up to
LIGHT = 0.01  # of the mean weight: a lighter part of a sample is not divided further


class Limits(NamedTuple):
    """What the branches of a question must have; `logs` lists x log2 x for whole weights."""

    min_leaf: int
    min_weight: float
    logs: np.ndarray


class Rules(NamedTuple):
    """Which nodes ask, what a question is judged by, and what its branches must have."""

    criterion: str
    splitter: str
    n_outputs: int
    signs: tuple[int, ...]  # of effects that must rise or fall; empty if none must
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


def rules_of(estimator, ranks, targets, weights) -> Rules:
    """Read how a tree grows on samples with these weights, drawn from all of `targets`."""
    n_samples, any_missing, n_outputs = len(targets.y), ranks.any_missing, len(targets.widths)
    _refuse_medians(estimator, ranks)
    mean, total = float(weights.mean()), float(weights.sum())
    divided = any_missing and estimator.missing == "fractional"
    min_split = max(2, _number(estimator.min_samples_split, n_samples))
    min_leaf = _number(estimator.min_samples_leaf, n_samples)
    min_weight = float(estimator.min_weight_fraction_leaf) * total
    if divided and estimator.criterion == "gain-ratio":  # as in C4.5 parts count as parts
        min_weight = max(min_weight, min_leaf * mean * (1 - ROUNDING))
    looked_up = estimator.criterion in LOGARITHMIC and not divided
    logs = log_table(weights) if looked_up else np.empty(0)
    return Rules(
        criterion=estimator.criterion,
        splitter=estimator.splitter,
        n_outputs=n_outputs,
        signs=check_signs(estimator, estimator.categories_, targets.order, any_missing),
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


def _refuse_medians(estimator, ranks) -> None:
    """Raise ValueError where medians are wanted of sums."""
    if estimator.criterion == "absolute_error" and (
        ranks.listed is not None or ranks.is_category.any()
    ):
        raise ValueError(
            f"{type(estimator).__name__}: criterion='absolute_error' takes dense columns of "
            "numbers, got a sparse matrix or categories. Use X.toarray(), encode the categories, "
            "or take HistGradientBoostingRegressor(loss='absolute_error')."
        )


def log_table(weights) -> np.ndarray:
    """Return x log2 x for all whole numbers up to the total weight, if all weights are whole."""
    total = weights.sum()
    if (weights != np.floor(weights)).any() or total >= 4 * len(weights) + 100_000:
        return np.empty(0)
    counts = np.arange(int(total) + 1, dtype=np.float64)
    return counts * np.log2(np.maximum(counts, 1.0))


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
