"""ExtraTreesRegressor."""

from shallows.accelerate._forests import FOREST, fitted_forest
from shallows.accelerate._table import Table

TABLE = Table(
    theirs="sklearn.ensemble.ExtraTreesRegressor",
    ours="shallows.tree.ExtraTreesRegressor",
    **FOREST,
    attributes=fitted_forest("ExtraTreeRegressor"),
    asked={"predict": "predict"},
    targets="numbers",
)
