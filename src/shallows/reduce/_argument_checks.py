"""Checks of parameters against the data, and of coordinates against a fitted model."""

from __future__ import annotations

from sklearn.utils.validation import check_array, check_is_fitted

from shallows._core.contract.data import FLOATS


def at_most(estimator, name, limit, meaning):
    """Raise ValueError where the parameter of an estimator is above what the data allow."""
    value = getattr(estimator, name)
    if value > limit:
        raise ValueError(
            f"{type(estimator).__name__}: {name}={value} must be at most {meaning} {limit}."
        )


def neighbors_or_radius(estimator):
    """Raise ValueError unless just one of the two says who the neighbours are."""
    if (estimator.n_neighbors is None) == (estimator.radius is None):
        which = "Neither of" if estimator.radius is None else "Both"
        raise ValueError(
            f"{type(estimator).__name__} takes n_neighbors or radius. {which} n_neighbors and "
            f"radius are provided, got n_neighbors={estimator.n_neighbors} and "
            f"radius={estimator.radius}. Set one of them to None."
        )


def check_coordinates(estimator, X):
    """Return X as floats, with one column for each output of a fitted estimator."""
    check_is_fitted(estimator)
    X = check_array(X, dtype=FLOATS)
    if X.shape[1] != estimator._n_features_out:
        raise ValueError(
            f"{type(estimator).__name__}.inverse_transform expects "
            f"{estimator._n_features_out} columns, got {X.shape[1]}."
        )
    return X
