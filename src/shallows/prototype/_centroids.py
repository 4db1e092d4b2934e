"""Medians, deviations, shrunken centroids and priors for `NearestPrototype`."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array, issparse
from scipy.spatial.distance import cdist

from shallows._core.numerics.moments import Moments
from shallows._core.numerics.threads import map_blocks
from shallows.prototype._metric_steps import MINKOWSKI, Measure, fill_distances
from shallows.prototype._partial_rows import sparse_scatter
from shallows.prototype._start import variances_of

ROUNDING = 1e-12  # of sums of weights, as a share of all
CELLS = 2**17  # of a block; fewer are sooner done than handed to a thread
MANHATTAN = Measure(MINKOWSKI, np.array([1.0, 0.0, 0.0, 0.0]))


def class_medians(samples, otherwise):
    """Return the medians of each class; features that it lacks are given."""
    X, y, weights = samples
    n_classes = len(otherwise)

    def block(classes):
        return [_median(X[y == k], weights[y == k]) for k in range(classes.start, classes.stop)]

    medians = np.concatenate(map_blocks(block, n_classes, max(1, n_classes * CELLS // X.size)))
    return np.where(np.isnan(medians), otherwise, medians).astype(X.dtype)


def check_priors(given, samples, classes):
    """Return the probabilities of the classes: equal, as in the samples, or as given."""
    n_classes = len(classes)
    if isinstance(given, str):
        counts = np.ones(n_classes)
        if given == "empirical":
            counts = np.bincount(samples.y, samples.weights)
        return counts / counts.sum()
    priors = np.asarray(given, dtype=np.float64)
    good = priors.shape == (n_classes,) and (priors >= 0).all()
    if not good or not np.isclose(priors.sum(), 1, rtol=0, atol=1e-6):
        raise ValueError(
            f"NearestPrototype: priors must be {n_classes} probabilities that sum to one, in the "
            f"order of the classes {classes.tolist()}, got {given!r}."
        )
    return priors


def _median(X, weights):
    """Return the median of each column, counting a row as often as its weight says."""
    if not issparse(X):
        plain = (weights == weights[0]).all() and not np.isnan(X).any()
        if plain:  # along rows in memory, where it takes the least time
            return np.median(X.T.copy(), axis=1, overwrite_input=True)
        return _weighted_median(X, weights)
    owners = np.repeat(weights, np.diff(X.indptr))
    above, below = (
        np.bincount(X.indices, owners * found, X.shape[1]) for found in (X.data > 0, X.data < 0)
    )
    # Only where half of the values are positive, or negative, may the median differ from zero.
    often = np.maximum(above, below) > (0.5 - ROUNDING) * weights.sum()
    medians = np.zeros(X.shape[1])
    if often.any():
        medians[often] = _median(X[:, np.flatnonzero(often)].toarray(), weights)
    return medians


def _weighted_median(X, weights):
    """Return the median of each column, halfway between two values where it lies between them."""
    order = np.argsort(X, axis=0)  # NaN comes last
    ranked = np.take_along_axis(X, order, axis=0)
    mass = np.where(np.isnan(ranked), 0, weights[order]).cumsum(axis=0)
    half, slack = mass[-1] / 2, ROUNDING * mass[-1]
    first = (mass < half - slack).sum(axis=0)
    last = np.minimum((mass <= half + slack).sum(axis=0), len(X) - 1)
    columns = np.arange(X.shape[1])
    return (ranked[first, columns] + ranked[last, columns]) / 2


def _observed_mass(X, owners, weights, n_owners):
    """Return the weight of the values that each owner has, by feature where some are missing."""
    if issparse(X) or not np.isnan(X).any():
        return np.bincount(owners, weights, n_owners)[:, None]
    return _members(owners, weights, n_owners) @ ~np.isnan(X)


def _members(owners, weights, n_owners):
    places = owners, np.arange(len(owners))
    return csr_array((weights, places), shape=(n_owners, len(owners)))


def deviations_within(samples, owners, prototypes):
    """Return the pooled deviation of each feature about the prototypes that own the samples.

    Also returns the weight of the values that each prototype owns. Weights count as repetitions. A
    deviation that is a matter of rounding is zero.
    """
    X, _, weights = samples
    mass = _observed_mass(X, owners, weights, len(prototypes))
    if issparse(X):
        parts = [
            sparse_scatter(X[owners == k], weights[owners == k], prototypes[k])
            for k in range(len(prototypes))
        ]
    else:
        parts = map_blocks(
            lambda rows: weights[rows] @ _squares(X[rows], prototypes[owners[rows]]), len(X)
        )

    # The pooled variance within classes has n - k degrees of freedom, by feature where values miss.
    freedom = mass.sum(axis=0) - len(prototypes)
    variances = sum(parts) / np.where(freedom > 0, freedom, 1)
    largest = np.abs(prototypes).max(axis=0).astype(np.float64)
    return np.sqrt(variances_of(Moments(1.0, largest, variances), X.dtype)), mass


def _squares(X, owners):
    gaps = X - owners
    gaps *= gaps
    return np.nan_to_num(gaps, copy=False)


def shrink(prototypes, mean, mass, within, threshold):
    """Return prototypes nearer to the mean, and their deviations from it in standard errors.

    Each component goes `threshold` standard errors towards the mean and at most there.
    """
    total = mass.sum(axis=0)
    parts = 1 / np.where(mass > 0, mass, 1) - 1 / np.where(total > 0, total, 1)
    unit = np.sqrt(np.maximum(parts, 0)) * (within + np.median(within))
    offsets = prototypes - mean
    offsets = np.sign(offsets) * np.maximum(np.abs(offsets) - threshold * unit, 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        deviations = np.where(offsets == 0, 0, offsets / unit)
    return mean + offsets, deviations


def manhattan_squares(X, prototypes):
    """Return the squared sum of the absolute gaps to each prototype, over the values there are."""
    if issparse(X):
        return _sparse_manhattan(X, prototypes.astype(np.float64)).astype(X.dtype) ** 2
    found = np.empty((len(X), len(prototypes)), X.dtype)

    def block(rows):
        if np.isnan(X[rows]).any():
            fill_distances(X[rows], prototypes, MANHATTAN, found[rows])
        else:
            found[rows] = cdist(X[rows], prototypes, "cityblock") ** 2

    map_blocks(block, len(X))
    return found


def _sparse_manhattan(X, prototypes):
    """Begin with the distance of a row of zeros, and correct it where a row has values."""
    rows = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
    found = [
        np.bincount(rows, np.abs(X.data - at) - np.abs(at), X.shape[0]) + np.abs(place).sum()
        for place in prototypes
        for at in [place[X.indices]]
    ]
    return np.maximum(np.stack(found, axis=1), 0)
