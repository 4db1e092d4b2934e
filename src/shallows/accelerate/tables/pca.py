"""PCA."""

from shallows.accelerate._table import Table, free, same

ATTRIBUTES = (
    "components_",
    "explained_variance_",
    "explained_variance_ratio_",
    "singular_values_",
    "mean_",
    "n_components_",
    "n_samples_",
    "noise_variance_",
)


def _total(theirs):
    """Return the sum of all variances, which scikit-learn's model does not keep."""
    kept, share = theirs.explained_variance_.sum(), theirs.explained_variance_ratio_.sum()
    return float(kept / share) if share else 0.0


TABLE = Table(
    theirs="sklearn.decomposition.PCA",
    ours="shallows.reduce.PCA",
    parameters={
        "n_components": same(),
        "copy": free(),
        "whiten": same(),
        "svd_solver": same("auto", "full", "covariance_eigh", "randomized"),
        "tol": free(),
        "iterated_power": free(),
        "n_oversamples": free(),
        "power_iteration_normalizer": free(),
        "random_state": same(),
    },
    attributes={
        **{name: name for name in ATTRIBUTES},
        "_fit_svd_solver": lambda ours, theirs: theirs.svd_solver,
    },
    back={**{name: name for name in ATTRIBUTES}, "total_variance_": _total},
    then={"fit_transform": "transform"},
)
