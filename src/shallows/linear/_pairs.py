"""What the multi-class schemes share: train a model of two groups and read its score."""

from __future__ import annotations

import numpy as np
from sklearn.base import is_regressor


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
    if not hasattr(model, "decision_function"):
        raise TypeError(
            f"A multi-class scheme needs a regressor or a classifier with decision_function, "
            f"got {type(model).__name__}."
        )
    return np.array(model.decision_function(X))
