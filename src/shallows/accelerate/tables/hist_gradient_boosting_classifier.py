"""HistGradientBoostingClassifier."""

from sklearn.preprocessing import LabelEncoder

from shallows.accelerate._boosting import BOOSTING, FITTED, boosted
from shallows.accelerate._table import Table, same


def _restore(table, theirs):
    ours = boosted(table, theirs)
    ours.classes_ = theirs.classes_
    return ours


TABLE = Table(
    theirs="sklearn.ensemble.HistGradientBoostingClassifier",
    ours="shallows.tree.HistGradientBoostingClassifier",
    parameters=BOOSTING | {"class_weight": same()},
    attributes=FITTED
    | {
        "classes_": "classes_",
        "_label_encoder": lambda ours, theirs: LabelEncoder().fit(ours.classes_),
    },
    restore=_restore,
    fits=False,
)
