"""What the tables of support vector machines share."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import issparse

from shallows.accelerate._table import Table, same
from shallows.kernel._class_pairs import class_pairs
from shallows.kernel._resolve import Kernel

SVM = {
    "C": same(),
    "kernel": same("rbf", "linear", "poly"),  # "sigmoid" has no unique solution
    "degree": same(int),
    "gamma": same(),
    "coef0": same(),
    "shrinking": same(),
    "tol": same(),
    "cache_size": same(),
}


def doubled(name: str) -> Any:
    """Return the origin of an array that scikit-learn keeps in double precision."""
    return lambda ours, theirs: np.asarray(getattr(ours, name), dtype=np.float64)


def refuse(theirs: Any, X: Any, y: Any) -> str | None:
    """Return why a request is not served."""
    return "C=inf" if np.isinf(theirs.C) else None


ATTRIBUTES: dict[str, Any] = {
    "support_": "support_",
    "support_vectors_": doubled("support_vectors_"),
    "_n_support": "n_support_",
    "dual_coef_": doubled("dual_coef_"),
    "intercept_": doubled("intercept_"),
    "_probA": lambda ours, theirs: np.empty(0),
    "_probB": lambda ours, theirs: np.empty(0),
    "_effective_probability": lambda ours, theirs: False,
    "_gamma": lambda ours, theirs: float(ours._kernel.gamma),
    "_sparse": lambda ours, theirs: False,
    "fit_status_": lambda ours, theirs: 0,
    "shape_fit_": "shape_fit_",
}


def machine(table: Table, theirs: Any) -> Any:
    """Return a fitted machine of scikit-learn's as ours."""
    if issparse(theirs.support_vectors_):
        raise ValueError("from_sklearn: machines fitted to sparse data are not converted.")
    ours = table.new(theirs, fitting=False)
    for name in ("support_", "support_vectors_", "n_support_", "dual_coef_", "intercept_"):
        setattr(ours, name, getattr(theirs, name))
    options = theirs._gamma, theirs.degree, float(theirs.coef0)
    ours._kernel, ours.shape_fit_ = Kernel(theirs.kernel, *options), theirs.shape_fit_
    ours.probA_ = ours.probB_ = np.empty(0)
    if hasattr(theirs, "classes_"):
        ours.classes_, ours.class_weight_ = theirs.classes_, theirs.class_weight_
        ours._pairs = class_pairs(len(theirs.classes_))
    return ours
