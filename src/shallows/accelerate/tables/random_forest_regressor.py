"""RandomForestRegressor."""

from shallows.accelerate._forests import FOREST, fitted_forest
from shallows.accelerate._table import Table

TABLE = Table(
    theirs="sklearn.ensemble.RandomForestRegressor",
    ours="shallows.tree.RandomForestRegressor",
    **FOREST,
    attributes=fitted_forest("DecisionTreeRegressor"),
    asked={"predict": "predict"},
    targets="numbers",
)
