"""HistGradientBoostingRegressor."""

from shallows.accelerate._boosting import BOOSTING, FITTED, boosted
from shallows.accelerate._table import Table, same

TABLE = Table(
    theirs="sklearn.ensemble.HistGradientBoostingRegressor",
    ours="shallows.tree.HistGradientBoostingRegressor",
    parameters=BOOSTING | {"quantile": same()},
    attributes=FITTED,
    restore=boosted,
    fits=False,
)
