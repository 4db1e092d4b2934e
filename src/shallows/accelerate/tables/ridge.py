"""Ridge."""

import numpy as np

from shallows.accelerate._table import Table, free, same

TABLE = Table(
    theirs="sklearn.linear_model.Ridge",
    ours="shallows.linear.Ridge",
    parameters={
        "alpha": same(int, float),
        "fit_intercept": same(),
        "copy_X": free(),
        "max_iter": free(),
        "tol": free(),
        "solver": free("auto", "svd", "cholesky"),
        "random_state": free(),
    },
    attributes={
        "coef_": "coef_",
        "intercept_": lambda ours, theirs: ours.intercept_ if theirs.fit_intercept else 0.0,
        "n_iter_": lambda ours, theirs: None,
        "solver_": lambda ours, theirs: "svd" if theirs.solver == "svd" else "cholesky",
    },
    back={"coef_": "coef_", "intercept_": lambda theirs: np.asarray(theirs.intercept_)},
    targets="numbers",
    weights=True,
)
