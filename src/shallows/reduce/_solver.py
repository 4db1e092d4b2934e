"""How PCA finds its components, and how many it keeps."""

from __future__ import annotations

from numbers import Integral

import numpy as np
from scipy.sparse import issparse

from shallows._core.contract.rng import as_generator
from shallows._core.numerics.streams import is_stream
from shallows.reduce._choose_components import choose_components
from shallows.reduce._spectrum import by_covariance, by_gram, by_products, by_svd

DIRECT = {"covariance_eigh": by_covariance, "gram": by_gram, "full": by_svd}


def solve(X, weights, solver, n_components, random_state):
    """Return the spectrum of the data, or its leading part for "randomized"."""
    if solver == "auto":
        n_samples = X.shape[0] if weights is None else weights.sum()
        whole = isinstance(X, np.ndarray) and not is_stream(X)
        solver = _cheapest(n_samples, X.shape[1], n_components, whole)
    if solver in ("randomized", "arpack"):
        wanted = _known_count(n_components, min(X.shape))
        return by_products(X, weights, wanted, as_generator(random_state))
    if issparse(X) and solver != "covariance_eigh":
        raise ValueError(
            f"PCA: svd_solver={solver!r} needs dense data; "
            "use 'covariance_eigh' or 'randomized' for a sparse matrix."
        )
    return DIRECT[solver](X, weights)


def count_components(n_components, spectrum, divisor, limit):
    """Return how many components of a spectrum to keep."""
    values = np.maximum(spectrum.values, 0)
    if n_components == "mle":
        if limit < len(spectrum.mean):
            raise ValueError(
                "PCA: n_components='mle' needs at least as many samples as "
                f"features={len(spectrum.mean)}, got n_samples={spectrum.weight:g}."
            )
        return choose_components(values / divisor, "mle", spectrum.weight)
    if _is_share(n_components):
        shares = np.cumsum(values) / max(spectrum.total, np.finfo(float).tiny)
        return min(int(np.searchsorted(shares, n_components)) + 1, limit)
    return _known_count(n_components, limit)


def _known_count(n_components, limit):
    """Return the number of components where it is known before the spectrum is."""
    if n_components == "mle" or _is_share(n_components):
        raise ValueError(
            f"PCA: n_components={n_components!r} asks for a share of the variance, which "
            "the randomized solver can't judge. Give a number, or take another svd_solver."
        )
    wanted = limit if n_components is None else n_components
    if wanted > limit:
        raise ValueError(
            f"PCA: n_components={wanted} must be at most min(n_samples, n_features)={limit}."
        )
    return wanted


def _is_share(n_components):
    return n_components is not None and not isinstance(n_components, Integral | str)


def _cheapest(n_samples, n_features, n_components, whole):
    smaller = min(n_samples, n_features)
    if smaller > 500 and isinstance(n_components, Integral) and n_components < smaller / 10:
        return "randomized"
    return "gram" if whole and n_samples < n_features else "covariance_eigh"
