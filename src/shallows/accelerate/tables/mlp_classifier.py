"""MLPClassifier."""

from sklearn.preprocessing import LabelBinarizer

from shallows.accelerate._networks import FITTED, NETWORK, WARNINGS, network, steps
from shallows.accelerate._table import Table


def _restore(table, theirs):
    ours = network(table, theirs)
    if theirs._label_binarizer.y_type_.startswith("multilabel"):
        raise ValueError("from_sklearn: networks for several labels at once are not converted.")
    ours.classes_, ours._multilabel = theirs.classes_, False
    return ours


TABLE = Table(
    theirs="sklearn.neural_network.MLPClassifier",
    ours="shallows.network.MLPClassifier",
    parameters=NETWORK,
    attributes=FITTED
    | {
        "classes_": "classes_",
        "_label_binarizer": lambda ours, theirs: LabelBinarizer().fit(ours.classes_),
    },
    restore=_restore,
    from_data=steps,
    targets="labels",
    weights=True,
    warnings=WARNINGS,
)
