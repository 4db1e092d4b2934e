"""From y to the targets of outputs, and from outputs back to answers."""

from __future__ import annotations

import numpy as np
from scipy.sparse import issparse
from sklearn.metrics import r2_score
from sklearn.utils.multiclass import type_of_target

from shallows._core.contract.data import check_labelled, check_regression


def check_labels(model, X, y, sample_weight, classes=None, multilabel=None):
    """Return X, class indices (or columns of zeros and ones), weights, and which of both they are.

    Sets ``classes_``. `multilabel` says whether every column of y was a label of its own in the
    first call; None makes this the first.
    """
    reset = multilabel is None
    shape = y.shape if issparse(y) else np.asarray(y).shape
    several = len(shape) == 2 and shape[1] > 1 and type_of_target(y) == "multilabel-indicator"
    if not reset and several != multilabel:
        raise ValueError(
            f"{type(model).__name__}: y must go on as in the first call, with "
            f"{'several columns of labels' if multilabel else 'one label per sample'}."
        )
    if not several:
        options = {"sparse": True, "classes": classes, "reset": reset}
        return *check_labelled(model, X, y, sample_weight, **options), False
    y = y.toarray() if issparse(y) else y
    X, y, weights = check_regression(model, X, y, sample_weight, sparse=True, reset=reset)
    if reset:
        model.classes_ = np.arange(y.shape[1])
    return X, y, weights, True


def check_numbers(model, X, y, sample_weight, sparse=False, reset=True):
    """Return X, targets as columns, weights, and whether y was flat."""
    X, y, weights = check_regression(model, X, y, sample_weight, sparse=sparse, reset=reset)
    return X, y.reshape(len(y), -1), weights, y.ndim == 1


def in_shape_of_y(output, flat):
    """Return columns as y came."""
    return output.ravel() if flat else output


def class_columns(y, n_classes):
    """Return zeros and ones, a column per class; for two classes only that of the second."""
    if n_classes == 2:
        return y[:, None].astype(float)
    return np.eye(n_classes)[y]


def signed_columns(y, n_classes):
    """Return `class_columns` with -1 in place of 0."""
    return 2 * class_columns(y, n_classes) - 1


def winners(output):
    """Return the index of the class of each row; one column is positive for the second."""
    if output.shape[1] == 1:
        return (output[:, 0] > 0).astype(int)
    return output.argmax(axis=1)


def accuracy(answers, y, weights):
    """Return the weighted share of rows that are right in every column."""
    right = answers == y
    return float(np.average(right if right.ndim == 1 else right.all(axis=1), weights=weights))


def r_squared(model, answers, y, weights):
    """Return R² on held-out samples."""
    if len(y) < 2:
        raise ValueError(
            f"{type(model).__name__}: R² needs at least 2 held-out samples, got {len(y)}; raise "
            "validation_fraction."
        )
    return float(r2_score(y, answers, sample_weight=weights))


def class_weights(model, y, weights, multilabel):
    """Return the weight that ``class_weight`` gives to each sample."""
    given = model.class_weight
    if given is None:
        return 1.0
    owner = type(model).__name__
    if multilabel:
        raise ValueError(
            f"{owner}: class_weight needs one class per sample, but y has several columns of "
            "labels; use sample_weight."
        )
    if given == "balanced":
        mass = np.bincount(y, weights, minlength=len(model.classes_))
        return (mass.sum() / (len(mass) * np.maximum(mass, 1e-300)))[y]
    if not all(np.isfinite(value) and value > 0 for value in given.values()):
        raise ValueError(f"{owner}: class_weight must hold finite weights > 0, got {given!r}.")
    labels = model.classes_.tolist()
    unknown = set(given) - set(labels)
    if unknown:
        raise ValueError(
            f"{owner}: class_weight names {sorted(map(str, unknown))}, which are not among the "
            f"classes {labels}."
        )
    return np.array([given.get(label, 1.0) for label in labels])[y]
