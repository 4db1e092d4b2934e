"""KNeighborsClassifier."""

from shallows.accelerate._nearest import FITTED, NEIGHBORS, differs, fitted_on_rows
from shallows.accelerate._table import Table

TABLE = Table(
    theirs="sklearn.neighbors.KNeighborsClassifier",
    ours="shallows.prototype.KNeighborsClassifier",
    parameters=NEIGHBORS,
    attributes=FITTED | {"classes_": "classes_", "outputs_2d_": "outputs_2d_", "_y": "_labels"},
    restore=fitted_on_rows,
    differs=differs,
    asked={
        "predict": "predict",
        "predict_proba": "predict_proba",
        "kneighbors": "kneighbors",
    },
    fits=False,
)
