"""FastICA."""

from shallows.accelerate._table import Table, free, same

TABLE = Table(
    theirs="sklearn.decomposition.FastICA",
    ours="shallows.reduce.FastICA",
    parameters={
        "n_components": same(),
        "algorithm": same("parallel", "deflation"),
        "whiten": same("unit-variance"),
        "fun": same("logcosh", "exp", "cube"),
        "max_iter": same(),
        "tol": same(),
        "w_init": same(),
        "whiten_solver": free("svd"),
        "random_state": same(),
    },
    attributes={
        "components_": "components_",
        "mixing_": "mixing_",
        "mean_": "mean_",
        "whitening_": "whitening_",
        "n_iter_": "n_iter_",
    },
    back={
        "components_": "components_",
        "mixing_": "mixing_",
        "mean_": "mean_",
        "whitening_": "whitening_",
        "n_iter_": "n_iter_",
    },
    then={"fit_transform": "transform"},
    warnings={
        "before it converged": "FastICA did not converge. Consider increasing tolerance or the "
        "maximum number of iterations."
    },
)
