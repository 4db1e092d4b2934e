"""Starting points of the units of a map, and the classes they represent."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shallows._core.contract.data import check_weights
from shallows._core.numerics.k_nearest import k_nearest
from shallows.prototype._codebook import principal_axes
from shallows.prototype._partial_rows import is_partial, partial_squares


class LabelMap(NamedTuple):
    """How the classes spread over a map.

    Parameters
    ----------
    labels : masked array of the shape of the grid
        The most frequent class among the samples that a unit wins; masked where it wins none.
    posterior : ndarray of the shape of the grid, then n_classes
        Share of each class among them; NaN where there are none.
    counts : ndarray of the shape of the grid
        Their weight.
    classes : ndarray of shape (n_classes,)
        The classes, in the order of `posterior`.
    """

    labels: np.ma.MaskedArray
    posterior: np.ndarray
    counts: np.ndarray
    classes: np.ndarray


def spread_over_plane(places, shape, X, weights):
    """Return prototypes spread over the principal plane, 1.5 standard deviations to each side."""
    mean, axes = principal_axes(X, weights, len(shape))
    middle = places.max(axis=0) / 2
    spread = (places - middle) / np.where(middle > 0, middle, 1)
    order = np.argsort(-np.array(shape), kind="stable")  # longest side, longest axis
    return (mean + 1.5 * spread[:, order] @ axes).astype(X.dtype)


def two_nearest_units(X, units):
    """Return the two nearest units of each sample, or the only one."""
    units = units.astype(X.dtype, copy=False)
    if is_partial(X):
        return np.argsort(partial_squares(X, units), axis=1, kind="stable")[:, :2]
    return k_nearest(X, units, 2)[0]


def map_labels(units, y, sample_weight, shape):
    """Return the map of the classes `y` of samples that won `units` of a grid of some shape."""
    y = np.asarray(y)
    if y.shape != units.shape:
        raise ValueError(
            f"SelfOrganizingMap.label_map: y must hold one class for each of the "
            f"{len(units)} samples, got shape {y.shape}."
        )
    classes, own = np.unique(y, return_inverse=True)
    weights = check_weights(sample_weight, len(units), "SelfOrganizingMap")

    # Weights by unit and class; rows over their sums are posteriors.
    table = np.zeros((np.prod(shape), len(classes)))
    np.add.at(table, (units, own), weights)
    counts = table.sum(axis=1)
    posterior = np.full_like(table, np.nan)
    np.divide(table, counts[:, None], out=posterior, where=counts[:, None] > 0)
    labels = np.ma.masked_array(classes[table.argmax(axis=1)], mask=counts == 0)
    return LabelMap(
        labels.reshape(shape), posterior.reshape(*shape, -1), counts.reshape(shape), classes
    )
