"""ExtraTreeRegressor."""

from shallows.accelerate._forests import TREE, drawn_features, fitted_tree
from shallows.accelerate._table import Table

TABLE = Table(
    theirs="sklearn.tree.ExtraTreeRegressor",
    ours="shallows.tree.ExtraTreeRegressor",
    **TREE,
    attributes={
        "tree_": fitted_tree,
        "max_features_": drawn_features,
        "n_outputs_": lambda ours, theirs: ours.tree_.answer.shape[1],
    },
    targets="numbers",
    weights=True,
)
