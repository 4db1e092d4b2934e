"""Labels that the user has given."""

from __future__ import annotations

import numpy as np


def check_labels(owner, labels, n_samples):
    """Return the labels as an array, or raise unless there is one for each sample."""
    labels = np.asarray(labels)
    if labels.shape != (n_samples,):
        raise ValueError(
            f"{owner}: labels must hold one cluster for each of the {n_samples} samples, got shape "
            f"{labels.shape}. Take them from a clustering of the same X."
        )
    return labels
