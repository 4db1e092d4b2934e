"""MLPRegressor."""

from shallows.accelerate._networks import FITTED, NETWORK, WARNINGS, network, steps
from shallows.accelerate._table import Table


def _restore(table, theirs):
    ours = network(table, theirs)
    ours._one_column = theirs.n_outputs_ == 1
    return ours


TABLE = Table(
    theirs="sklearn.neural_network.MLPRegressor",
    ours="shallows.network.MLPRegressor",
    parameters=NETWORK,
    attributes=FITTED,
    restore=_restore,
    from_data=steps,
    targets="column",
    weights=True,
    warnings=WARNINGS,
)
