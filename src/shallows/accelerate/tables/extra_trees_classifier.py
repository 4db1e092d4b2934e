"""ExtraTreesClassifier."""

from shallows.accelerate._forests import CLASSES, FOREST, fitted_forest
from shallows.accelerate._table import Table

TABLE = Table(
    theirs="sklearn.ensemble.ExtraTreesClassifier",
    ours="shallows.tree.ExtraTreesClassifier",
    **FOREST,
    attributes=fitted_forest("ExtraTreeClassifier") | CLASSES,
    asked={"predict": "predict", "predict_proba": "predict_proba"},
    targets="labels",
)
