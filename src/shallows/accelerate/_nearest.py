"""What the tables of nearest-neighbour classes share."""

from __future__ import annotations

from typing import Any

import numpy as np

from shallows.accelerate._table import Table, free, same

NEIGHBORS = {
    "n_neighbors": same(),
    "weights": same("uniform", "distance", None),
    "algorithm": free("auto", "ball_tree", "kd_tree", "brute"),
    "leaf_size": free(),
    "p": same(),
    "metric": same("minkowski", "euclidean", "l2", "manhattan", "cityblock", "l1", "cosine"),
    "n_jobs": free(),
}


def differs(ours: Any) -> str | None:
    """Return why no nearest-neighbour class of scikit-learn's predicts the same."""
    if ours.metric not in NEIGHBORS["metric"]:
        return f"metric={ours.metric!r}"
    if ours.weights not in NEIGHBORS["weights"]:
        return f"weights={ours.weights!r}"
    return None if ours.feature_weights is None else "feature_weights"


FITTED: dict[str, Any] = {
    "n_samples_fit_": "n_samples_fit_",
    "_fit_X": "_training_rows",
    "_tree": lambda ours, theirs: None,
    "_fit_method": lambda ours, theirs: "brute",
    "effective_metric_": lambda ours, theirs: ours.metric,
    "effective_metric_params_": lambda ours, theirs: {"p": ours.p},
}


def fitted_on_rows(table: Table, theirs: Any) -> Any:
    """Return a model of ours fitted on the rows and targets that scikit-learn's keeps."""
    ours = table.new(theirs, fitting=False)
    y = theirs._y
    if hasattr(theirs, "classes_"):
        if theirs.outputs_2d_:
            y = np.column_stack([c[y[:, k]] for k, c in enumerate(theirs.classes_)])
        else:
            y = theirs.classes_[y.ravel()]
    return ours.fit(theirs._fit_X, y)
