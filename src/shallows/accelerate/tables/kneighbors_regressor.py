"""KNeighborsRegressor."""

from shallows.accelerate._nearest import FITTED, NEIGHBORS, differs, fitted_on_rows
from shallows.accelerate._table import Table

TABLE = Table(
    theirs="sklearn.neighbors.KNeighborsRegressor",
    ours="shallows.prototype.KNeighborsRegressor",
    parameters=NEIGHBORS,
    attributes=FITTED | {"_y": "_targets"},
    restore=fitted_on_rows,
    differs=differs,
    asked={"predict": "predict", "kneighbors": "kneighbors"},
    fits=False,
)
