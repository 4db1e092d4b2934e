"""RandomForestClassifier."""

from shallows.accelerate._forests import CLASSES, FOREST, fitted_forest
from shallows.accelerate._table import Table

TABLE = Table(
    theirs="sklearn.ensemble.RandomForestClassifier",
    ours="shallows.tree.RandomForestClassifier",
    **FOREST,
    attributes=fitted_forest("DecisionTreeClassifier") | CLASSES,
    asked={"predict": "predict", "predict_proba": "predict_proba"},
    targets="labels",
)
