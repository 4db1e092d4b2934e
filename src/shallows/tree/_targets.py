"""What trees learn: classes or numbers, of one target or of several."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.class_weight import compute_sample_weight

from shallows._core.contract.data import (
    check_labelled,
    check_outputs,
    check_regression,
    check_weights,
)
from shallows._core.contract.targets import check_target


class Targets(NamedTuple):
    """Targets of all samples.

    For one target of classes `y` has class indices. Else it has columns: numbers, or the classes of
    several targets side by side as ones and zeros, and `n_classes` is 0. `widths` says how many
    columns, or classes, belong to each target.
    """

    y: np.ndarray
    n_classes: int
    widths: np.ndarray
    n_features: int

    @property
    def order(self) -> int:
        """1 where answers have an order: one number, or the share of one of two classes."""
        return int(self.widths[0]) - bool(self.n_classes) if len(self.widths) == 1 else 2


class Data(NamedTuple):
    """Checked columns, targets and weights."""

    X: Any
    targets: Targets
    weights: np.ndarray


def check_classes(estimator, X, y, sample_weight) -> Data:
    """Return data for classes; sets `classes_`, a list for several targets."""
    check_target(type(estimator).__name__, y)
    shape = np.asarray(y).shape
    if len(shape) < 2 or shape[1] == 1:
        X, y, weights = check_labelled(estimator, X, y, sample_weight, sparse=True, allow_nan=True)
        weights = weights * _class_weights(estimator.class_weight, estimator.classes_[y])
        widths = np.array([len(estimator.classes_)])
        targets = Targets(y.astype(np.int32), len(estimator.classes_), widths, X.shape[1])
        return Data(X, targets, weights)
    if estimator.criterion == "misclassification":
        raise ValueError(
            f"{type(estimator).__name__}: criterion='misclassification' is for one target, got "
            f"{shape[1]}. Take 'gini' or 'entropy'."
        )
    X, codes = check_outputs(estimator, X, y, sparse=True, allow_nan=True)
    weights = check_weights(sample_weight, X.shape[0], type(estimator).__name__)
    labels = [classes[own] for classes, own in zip(estimator.classes_, codes.T, strict=True)]
    weights = weights * _class_weights(estimator.class_weight, np.column_stack(labels))
    widths = np.array([len(classes) for classes in estimator.classes_])
    shares = [np.eye(width)[own] for width, own in zip(widths, codes.T, strict=True)]
    return Data(X, Targets(np.concatenate(shares, axis=1), 0, widths, X.shape[1]), weights)


def check_numbers(estimator, X, y, sample_weight) -> Data:
    """Return data for numbers."""
    X, y, weights = check_regression(estimator, X, y, sample_weight, sparse=True, allow_nan=True)
    y = y.reshape(len(y), -1).astype(np.float64)
    if estimator.criterion == "poisson" and (y.min() < 0 or (weights @ y <= 0).any()):
        raise ValueError(
            f"{type(estimator).__name__}: criterion='poisson' needs targets that are not negative "
            f"and not all 0, got {y.min():g} as the smallest. Take 'squared_error'."
        )
    return Data(X, Targets(y, 0, np.ones(y.shape[1], dtype=int), X.shape[1]), weights)


def balance(targets: Targets, samples, weights) -> np.ndarray:
    """Return factors by which the weights of all classes of some samples become equal."""
    if targets.n_classes:
        return _equal_masses(targets.y[samples], weights)
    factors, ends = np.ones(len(samples)), np.cumsum(targets.widths)
    for width, end in zip(targets.widths, ends, strict=True):
        own = targets.y[samples, end - width : end].argmax(axis=1)
        factors *= _equal_masses(own, weights)
    return factors


def _equal_masses(y, weights):
    masses = np.bincount(y, weights)
    shares = masses.sum() / (np.count_nonzero(masses) * np.where(masses > 0, masses, 1.0))
    return shares[y]


def _class_weights(class_weight, labels):
    """Return the weight that each sample has by its class."""
    if class_weight is None or (isinstance(class_weight, str) and class_weight != "balanced"):
        return np.ones(len(labels))  # "balanced_subsample" weighs the rows of each tree
    return compute_sample_weight(class_weight, labels)
