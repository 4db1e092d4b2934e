"""KernelRidge."""

import numpy as np

from shallows.accelerate._table import Table, same
from shallows.kernel._resolve import Kernel


def _kernel(theirs):
    gamma = 1.0 / theirs.n_features_in_ if theirs.gamma is None else float(theirs.gamma)
    return Kernel(theirs.kernel, gamma, theirs.degree, float(theirs.coef0))


TABLE = Table(
    theirs="sklearn.kernel_ridge.KernelRidge",
    ours="shallows.kernel.KernelRidge",
    parameters={
        "alpha": same(int, float),
        "kernel": same("linear", "rbf", "poly", "sigmoid", "laplacian"),
        "gamma": same(),
        "degree": same(int),
        "coef0": same(),
    },
    attributes={"dual_coef_": "dual_coef_", "X_fit_": "X_fit_"},
    back={
        "dual_coef_": "dual_coef_",
        "X_fit_": "X_fit_",
        "_kernel": _kernel,
        "_columns": lambda theirs: np.arange(len(theirs.X_fit_)),
    },
    asked={"predict": "predict"},
    targets="numbers",
    weights=True,
)
