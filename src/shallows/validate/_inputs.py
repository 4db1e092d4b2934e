"""Checks of inputs, used by measures and tests."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


def finite_column(owner: str, name: str, values: ArrayLike, least: int = 1) -> Floats:
    """Return finite numbers in one dimension."""
    numbers = np.asarray(values, dtype=np.float64)
    if numbers.ndim != 1 or len(numbers) < least:
        raise ValueError(
            f"{owner}: {name} must be one column of at least {least} numbers, "
            f"got shape {numbers.shape}."
        )
    if not np.isfinite(numbers).all():
        raise ValueError(
            f"{owner}: {name} must be finite, got NaN or infinity; drop or repair those entries."
        )
    return numbers


def finite_pair(
    owner: str, scores_a: ArrayLike, scores_b: ArrayLike, least: int = 2
) -> tuple[Floats, Floats]:
    """Return two columns of finite scores of equal length."""
    a = finite_column(owner, "scores_a", scores_a, least)
    b = finite_column(owner, "scores_b", scores_b, least)
    if len(a) != len(b):
        raise ValueError(
            f"{owner}: scores_a and scores_b must come in pairs, got lengths {len(a)} and {len(b)}."
        )
    return a, b


def positives(owner: str, y_true: ArrayLike) -> Bools:
    """Return which labels are the greater one of two classes."""
    labels = np.asarray(y_true)
    if labels.ndim != 1 or len(labels) == 0:
        raise ValueError(f"{owner}: y_true must be one column of labels, got shape {labels.shape}.")
    numeric = labels.dtype.kind in "biuf"
    if numeric and labels.dtype.kind == "f" and np.isnan(labels).any():
        raise ValueError(f"{owner}: y_true must not contain NaN; drop those rows.")
    found: Any = [labels.min(), labels.max()] if numeric else np.unique(labels)
    positive: Bools = labels == found[-1]
    if found[0] == found[-1]:
        raise ValueError(f"{owner} needs both classes in y_true, got only {found[0]!s}.")
    if len(found) > 2 or not (positive | (labels == found[0])).all():
        several = np.unique(labels)
        raise ValueError(
            f"{owner} needs two classes, but y_true has {len(several)}; "
            "compare one class with the rest instead."
        )
    return positive


def binary_scores(owner: str, y_true: ArrayLike, scores: ArrayLike) -> tuple[Bools, Floats]:
    """Return two-class labels as booleans, and one score for each; infinite scores are fine."""
    positive, numbers = positives(owner, y_true), np.asarray(scores, dtype=np.float64)
    if numbers.shape != positive.shape:
        raise ValueError(
            f"{owner}: scores must be one number per label, shape {positive.shape}, "
            f"got shape {numbers.shape}."
        )
    if np.isnan(numbers).any():
        raise ValueError(f"{owner}: scores must not be NaN; drop or repair those rows.")
    return positive, numbers


def threshold_counts(positive: Bools, scores: Floats) -> tuple[Floats, Floats, Floats]:
    """Return the distinct scores, falling, with true and false positives at or above each."""
    order = np.argsort(-scores)
    ranked = scores[order]
    # Ends of runs of equal scores: a threshold can't separate ties.
    ends = np.append(np.flatnonzero(ranked[1:] != ranked[:-1]), len(ranked) - 1)
    tp = np.cumsum(positive[order])[ends]
    return ranked[ends], tp.astype(float), (ends + 1 - tp).astype(float)
