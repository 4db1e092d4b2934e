"""Starting points of a Gaussian mixture."""

from __future__ import annotations

import numpy as np

from shallows._core.numerics.kmeans import kmeans, nearest_centers, place_centers
from shallows._core.numerics.moments import accumulate
from shallows.density._mixture_steps import Mixture, maximise, run_pass


def start_mixture(model, kind, rows, rng):
    """Return the mixture that the parameters of `model` ask to start from."""
    k, d = model.n_components, rows.X.shape[1]
    given = model.weights_init, model.means_init, model.precisions_init
    if any(part is None for part in given):
        X, weights, about = rows.start_rows(k, rng)
        mixture = _from_data(model, kind, X, weights, rng, about.mean, about.scatter)
    else:
        mixture = Mixture(kind, np.full(k, 1 / k), np.zeros((k, d)), unit_covariances(kind, k, d))

    # What is given replaces what the data suggest.
    if given[0] is not None:
        mixture = mixture._replace(weights=_checked_weights(given[0], k))
    if given[1] is not None:
        mixture = mixture._replace(means=_checked(given[1], (k, d), "means_init"))
    if given[2] is not None:
        precisions = _checked(given[2], mixture.covariances.shape, "precisions_init")
        mixture = mixture._replace(covariances=_inverse(precisions, kind))
    if model.variance is not None:
        fixed = 1.0 if model.variance == "fixed" else float(model.variance)
        mixture = mixture._replace(weights=np.full(k, 1 / k), covariances=np.full(k, fixed))
    return mixture


def unit_covariances(kind, n_components, n_features):
    """Return unit covariances in the shape of the kind."""
    if kind == "full":
        return np.tile(np.eye(n_features), (n_components, 1, 1))
    if kind == "tied":
        return np.eye(n_features)
    return np.ones((n_components, n_features) if kind == "diag" else n_components)


def _from_data(model, kind, X, weights, rng, center, scatter):
    k, d = model.n_components, X.shape[1]
    if model.init_params == "random_from_data":
        return _at_rows(kind, k, X, weights, rng, model.reg_covar)
    if model.init_params == "random":
        shares = rng.random((len(X), k))
        shares /= shares.sum(axis=1, keepdims=True)
    elif model.init_params == "k-means++":
        centers = place_centers(X, k, weights, rng, "k-means++")
        shares = nearest_centers(X, centers)
    else:
        shares = kmeans(X, k, rng, sample_weight=weights).labels
    means = np.tile(center, (k, 1)).astype(np.float64)
    mixture = Mixture(kind, np.full(k, 1 / k), means, unit_covariances(kind, k, d))
    _, moments = run_pass(X, weights, mixture, center, shares=shares)
    first = maximise(mixture, moments, center, scatter, 0.0)
    # Again from these means: about the common centre, small covariances would cancel.
    mixture = mixture._replace(means=first.means)
    _, moments = run_pass(X, weights, mixture, center, shares=shares)
    return maximise(mixture, moments, center, scatter, model.reg_covar)


def _at_rows(kind, n_components, X, weights, rng, reg_covar):
    """Means at random rows, covariances those of all data, equal weights."""
    covariance = accumulate(X, weights).covariance() + reg_covar * np.eye(X.shape[1])
    if kind == "full":
        covariances = np.tile(covariance, (n_components, 1, 1))
    elif kind == "tied":
        covariances = covariance
    elif kind == "diag":
        covariances = np.tile(covariance.diagonal(), (n_components, 1))
    else:
        covariances = np.full(n_components, covariance.diagonal().mean())
    means = place_centers(X, n_components, weights, rng, "random").astype(np.float64)
    return Mixture(kind, np.full(n_components, 1 / n_components), means, covariances)


def _checked_weights(values, n_components):
    weights = _checked(values, (n_components,), "weights_init")
    if (weights < 0).any() or not np.isclose(weights.sum(), 1, rtol=0, atol=1e-6):
        raise ValueError(
            "GaussianMixture: weights_init must hold probabilities that sum to one, got "
            f"{weights} with sum {weights.sum()}."
        )
    return weights / weights.sum()


def _checked(values, shape, name):
    values = np.asarray(values, dtype=np.float64)
    if values.shape != shape or not np.isfinite(values).all():
        raise ValueError(
            f"GaussianMixture: {name} must be finite and of shape {shape}, got shape "
            f"{values.shape}. The parameter '{name.removesuffix('_init')}' should have the shape "
            f"of {shape}, but got {values.shape}."
        )
    return values.copy()


def _inverse(precisions, kind):
    positive = (
        (np.linalg.eigvalsh(precisions) > 0).all()
        and np.allclose(precisions, precisions.swapaxes(-1, -2))
        if kind in ("full", "tied")
        else (precisions > 0).all()
    )
    if not positive:
        raise ValueError("GaussianMixture: precisions_init must be symmetric, positive-definite.")
    return np.linalg.inv(precisions) if kind in ("full", "tied") else 1 / precisions
