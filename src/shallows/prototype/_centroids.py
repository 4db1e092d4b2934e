"""What `NearestPrototype` learns beside means: medians, deviations, shrunken centroids, priors."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array, issparse
from scipy.spatial.distance import cdist

from shallows._core.numerics.moments import Moments
from shallows._core.numerics.threads import map_blocks
from shallows.prototype._metric_steps import MINKOWSKI, fill_distances
from shallows.prototype._nearest import variances_of
from shallows.prototype._partial_rows import sparse_scatter

ROUNDING = 1e-12  # of sums of weights, as a share of all
CELLS = 2**17  # of a block; fewer are sooner done than handed to a thread
NO_ROOT = np.array([1.0, 0.0, 0.0, 0.0])  # Minkowski's power


def place_medians(model, X, y, weights):
    """Put the prototype of a class at its medians; features that it lacks stay where they are."""
    n_classes = len(model.classes_)

    def block(classes):
        return [_median(X[y == k], weights[y == k]) for k in range(classes.start, classes.stop)]

    medians = np.concatenate(map_blocks(block, n_classes, max(1, n_classes * CELLS // X.size)))
    medians = np.where(np.isnan(medians), model.prototypes_, medians)
    model.prototypes_ = medians.astype(X.dtype)


def fit_deviations(model, X, y, weights):
    """Set what follows from the deviations within classes, where it is asked for."""
    for name in ("within_class_std_dev_", "deviations_"):
        vars(model).pop(name, None)
    threshold, prototypes, mean = model.shrink_threshold, model.prototypes_, model._seen[2]
    if threshold is None and model.priors is None:
        return
    if not weights.sum() > len(prototypes):
        raise ValueError(
            f"{type(model).__name__}: a deviation about prototypes needs more samples than "
            f"prototypes, or a larger sum of sample_weight, got {weights.sum():g} and "
            f"{len(prototypes)}. Leave out shrink_threshold and priors."
        )
    owners = y
    if len(prototypes) > len(model.classes_):
        own = model.prototype_labels_ == y[:, None]
        owners = np.where(own, model._distances(X), np.inf).argmin(axis=1)
    mass = _observed_mass(X, owners, weights, len(prototypes))
    within = _deviations_within(X, owners, weights, prototypes, mass)
    model.within_class_std_dev_ = within.astype(X.dtype)
    if threshold is not None:
        shrunken, deviations = _shrink(prototypes, mean, mass, within, threshold)
        model.prototypes_, model.deviations_ = shrunken.astype(X.dtype), deviations.astype(X.dtype)


def fit_priors(model, y, weights):
    """Set the probabilities of the classes, where they are asked for."""
    vars(model).pop("class_prior_", None)
    given, n_classes = model.priors, len(model.classes_)
    if given is None:
        return
    if isinstance(given, str):
        counts = np.bincount(y, weights) if given == "empirical" else np.ones(n_classes)
        priors = counts / counts.sum()
    else:
        priors = np.asarray(given, dtype=np.float64)
        good = priors.shape == (n_classes,) and (priors >= 0).all()
        if not good or not np.isclose(priors.sum(), 1, rtol=0, atol=1e-6):
            raise ValueError(
                f"{type(model).__name__}: priors must be {n_classes} probabilities that sum to "
                f"one, in the order of the classes {model.classes_.tolist()}, got {given!r}."
            )
    model.class_prior_ = priors.astype(model.prototypes_.dtype)


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


def _deviations_within(X, owners, weights, prototypes, mass):
    """Return the pooled standard deviation of each feature about the owners of the samples.

    Weights count as repetitions. One that is a matter of rounding is zero.
    """
    if issparse(X):
        parts = [
            sparse_scatter(X[owners == k], weights[owners == k], prototypes[k])
            for k in range(len(prototypes))
        ]
    else:
        parts = map_blocks(
            lambda rows: weights[rows] @ _squares(X[rows], prototypes[owners[rows]]), len(X)
        )
    freedom = mass.sum(axis=0) - len(prototypes)
    variances = sum(parts) / np.where(freedom > 0, freedom, 1)
    largest = np.abs(prototypes).max(axis=0).astype(np.float64)
    return np.sqrt(variances_of(Moments(1.0, largest, variances), X.dtype))


def _squares(X, owners):
    gaps = X - owners
    gaps *= gaps
    return np.nan_to_num(gaps, copy=False)


def _shrink(prototypes, mean, mass, within, threshold):
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
            fill_distances(X[rows], prototypes, MINKOWSKI, NO_ROOT, found[rows])
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
