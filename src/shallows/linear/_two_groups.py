"""Train a model of two groups of classes, and read its score."""

from __future__ import annotations

import numpy as np
from sklearn.base import is_regressor

from shallows._core.contract.tags import inner_tags


def train(model, X, members, weights):
    """Fit to 0 and 1; a regressor learns the numbers, a classifier the classes."""
    target = members.astype(np.float64 if is_regressor(model) else np.int64)
    if weights is None:
        return model.fit(X, target)
    return model.fit(X, target, sample_weight=weights)


def scores_of(model, X):
    """Return values that are positive for members: 1/2 is subtracted from what 0 and 1 taught."""
    if is_regressor(model):
        return model.predict(X) - X.dtype.type(0.5)
    if hasattr(model, "decision_function"):
        return np.array(model.decision_function(X))
    if hasattr(model, "predict_proba"):
        return model.predict_proba(X)[:, 1] - X.dtype.type(0.5)
    raise TypeError(
        "A multi-class scheme needs a regressor or a classifier with decision_function or "
        f"predict_proba, got {type(model).__name__}."
    )


def takes_sparse(estimator):
    """Tell whether a base model, or the one that stands for None, takes CSR input."""
    return estimator is None or bool(inner_tags(estimator).input_tags.sparse)
