"""SVC."""

import numpy as np

from shallows.accelerate._svm import ATTRIBUTES, SVM, doubled, machine, refuse
from shallows.accelerate._table import Table, free, same


def _inner_sign(ours):
    """Return the sign of coefficients inside scikit-learn, which is turned for two classes."""
    return -1.0 if len(ours.classes_) == 2 else 1.0


TABLE = Table(
    theirs="sklearn.svm.SVC",
    ours="shallows.kernel.SVC",
    parameters=SVM
    | {
        "class_weight": same(),
        "decision_function_shape": same(),
        "break_ties": same(),
        "random_state": free(),
        "probability": free("deprecated"),
    },
    attributes=ATTRIBUTES
    | {
        "classes_": "classes_",
        "class_weight_": doubled("class_weight_"),
        "_dual_coef_": lambda ours, theirs: _inner_sign(ours) * ours.dual_coef_.astype(float),
        "_intercept_": lambda ours, theirs: _inner_sign(ours) * ours.intercept_.astype(float),
        "n_iter_": lambda ours, theirs: np.full(len(ours._pairs), ours.n_iter_, dtype=np.int32),
    },
    restore=machine,
    refuse=refuse,
    asked={"predict": "predict", "decision_function": "decision_function"},
    dtype=np.float64,
    targets="labels",
)
