"""KernelPCA."""

import numpy as np
from sklearn.preprocessing import KernelCenterer

from shallows.accelerate._table import Table, free, same


def _centerer(ours, theirs):
    """Return what scikit-learn centres kernel values with."""
    found = KernelCenterer()
    found.K_fit_rows_, found.K_fit_all_ = ours._gram_means, ours._gram_means.mean()
    found.n_features_in_ = len(ours._gram_means)
    return found


TABLE = Table(
    theirs="sklearn.decomposition.KernelPCA",
    ours="shallows.kernel.KernelPCA",
    parameters={
        "n_components": same(int),  # with None scikit-learn drops those that are zero
        "kernel": same("linear", "poly", "rbf", "sigmoid"),
        "gamma": same(),
        "degree": same(int),
        "coef0": same(),
        "eigen_solver": same("auto", "dense", "arpack"),
        "tol": free(),
        "max_iter": free(),
        "iterated_power": free(),
        "random_state": same(),
        "copy_X": free(),
        "n_jobs": free(),
    },
    attributes={
        "eigenvalues_": "eigenvalues_",
        "eigenvectors_": "eigenvectors_",
        "X_fit_": "X_fit_",
        "gamma_": "gamma_",
        "_centerer": _centerer,
    },
    then={
        "fit_transform": lambda theirs, X: theirs.eigenvectors_ * np.sqrt(theirs.eigenvalues_),
    },
)
