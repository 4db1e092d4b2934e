"""LinearRegression."""

import numpy as np
from scipy.linalg import eigvalsh

from shallows.accelerate._table import Table, free, same


def _singular_values(ours, theirs, X, y):
    """Return the singular values of the centred data, which ours does without."""
    centred = X - X.mean(axis=0) if theirs.fit_intercept else X
    products = centred.T @ centred if len(X) > X.shape[1] else centred @ centred.T
    return {"singular_": np.sqrt(np.maximum(eigvalsh(products)[::-1], 0))}


def _refuse(theirs, X, y):
    return None if X.shape[0] > X.shape[1] else "there are no more rows than columns"


TABLE = Table(
    theirs="sklearn.linear_model.LinearRegression",
    ours="shallows.linear.LinearRegression",
    parameters={
        "fit_intercept": same(),
        "copy_X": free(),
        "tol": free(),
        "n_jobs": free(),
    },
    attributes={
        "coef_": "coef_",
        "intercept_": lambda ours, theirs: ours.intercept_ if theirs.fit_intercept else 0.0,
        "rank_": lambda ours, theirs: ours.n_features_in_ if ours.rank_ is None else ours.rank_,
    },
    back={"coef_": "coef_", "intercept_": lambda theirs: np.asarray(theirs.intercept_)},
    from_data=_singular_values,
    targets="numbers",
    refuse=_refuse,
)
