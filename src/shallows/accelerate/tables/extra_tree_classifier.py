"""ExtraTreeClassifier."""

from shallows.accelerate._forests import CLASSES, TREE, drawn_features, fitted_tree
from shallows.accelerate._table import Table

TABLE = Table(
    theirs="sklearn.tree.ExtraTreeClassifier",
    ours="shallows.tree.ExtraTreeClassifier",
    **TREE,
    attributes=CLASSES
    | {
        "tree_": fitted_tree,
        "max_features_": drawn_features,
        "n_outputs_": lambda ours, theirs: 1,
    },
    targets="labels",
    weights=True,
)
