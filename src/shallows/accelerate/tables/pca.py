"""PCA."""

import numpy as np

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


def _more_than_share(theirs, fitting):
    """Return the smallest share that is more than the one asked for, as scikit-learn wants it."""
    share = theirs.n_components
    return {"n_components": np.nextafter(share, 1)} if isinstance(share, float) else {}


def _their_solver(ours, theirs, X, y):
    """Return the name of the solver that scikit-learn would have chosen."""
    wanted, (n, p) = theirs.n_components, X.shape
    found = theirs.svd_solver
    if found == "auto" and p <= 1000 and n >= 10 * p:
        found = "covariance_eigh"
    elif found == "auto":
        few = not isinstance(wanted, str | None) and 1 <= wanted < 0.8 * min(n, p)
        found = "randomized" if few and max(n, p) > 500 else "full"
    return {"_fit_svd_solver": found}


TABLE = Table(
    theirs="sklearn.decomposition.PCA",
    ours="shallows.reduce.PCA",
    parameters={
        "n_components": same(),
        "copy": free(),
        "whiten": same(),
        "svd_solver": same("auto", "full", "covariance_eigh"),
        "tol": free(),
        "iterated_power": free(),
        "n_oversamples": free(),
        "power_iteration_normalizer": free(),
        "random_state": same(),
    },
    attributes={name: name for name in ATTRIBUTES},
    settings=_more_than_share,
    from_data=_their_solver,
    back={**{name: name for name in ATTRIBUTES}, "total_variance_": _total},
    then={"fit_transform": "transform"},
)
