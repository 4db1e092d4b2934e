"""SVR."""

import numpy as np

from shallows.accelerate._svm import ATTRIBUTES, SVM, doubled, machine, refuse
from shallows.accelerate._table import Table, same

TABLE = Table(
    theirs="sklearn.svm.SVR",
    ours="shallows.kernel.SVR",
    parameters=SVM | {"epsilon": same()},
    attributes=ATTRIBUTES
    | {
        "_n_support": lambda ours, theirs: np.repeat(ours.n_support_, 2),
        "_dual_coef_": doubled("dual_coef_"),
        "_intercept_": doubled("intercept_"),
        "n_iter_": "n_iter_",
    },
    restore=machine,
    refuse=refuse,
    asked={"predict": "predict"},
    dtype=np.float64,
    targets="column",
)
