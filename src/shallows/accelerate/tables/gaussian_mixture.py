"""GaussianMixture."""

from shallows.accelerate._table import Table, same

ATTRIBUTES = ("weights_", "means_", "covariances_", "converged_", "n_iter_", "lower_bound_")

TABLE = Table(
    theirs="sklearn.mixture.GaussianMixture",
    ours="shallows.density.GaussianMixture",
    parameters={
        "n_components": same(),
        "covariance_type": same(),
        "tol": same(),
        "reg_covar": same(),
        "max_iter": same(),
        "n_init": same(),
        "init_params": same(),
        "weights_init": same(),
        "means_init": same(),
        "precisions_init": same(),
        "random_state": same(),
    },
    attributes={
        **{name: name for name in ATTRIBUTES},
        "lower_bounds_": "lower_bounds_",
        "precisions_cholesky_": "precisions_cholesky_",
        "precisions_": "precisions_",
    },
    back={name: name for name in (*ATTRIBUTES, "lower_bounds_")},
    asked={
        "predict": "predict",
        "predict_proba": "predict_proba",
        "score_samples": "score_samples",
    },
    differs=lambda ours: None if ours.variance is None else "variance for all",
    then={"fit_predict": "predict"},
    warnings={
        "before it converged": "Best performing initialization did not converge. "
        "Try different init parameters, or increase max_iter, tol, or check for degenerate data."
    },
)
