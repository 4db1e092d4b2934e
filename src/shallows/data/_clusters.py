"""Clusters in the plane for which clustering methods work, or fail."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from shallows._core.contract.params import PositiveInt, check_arguments
from shallows._core.contract.rng import RandomState, as_generator

Kind = Literal["four", "elongated", "two", "stripes", "far", "three_classes"]

# Per kind: default size; per cluster its share, centre and standard deviation per axis.
CLUSTERS: dict[str, tuple[int, list[tuple[float, tuple, tuple]]]] = {
    "four": (
        1000,
        [
            (0.25, (-3.0, -3.0), (0.7, 0.7)),
            (0.25, (3.0, -2.5), (1.2, 0.5)),
            (0.25, (-2.5, 3.0), (0.5, 1.2)),
            (0.25, (3.0, 3.0), (0.9, 0.9)),
        ],
    ),
    "elongated": (200, [(1.0, (0.0, 0.0), (3.0, 0.4))]),
    "two": (200, [(0.5, (-2.0, 0.0), (0.7, 0.7)), (0.5, (2.0, 0.0), (0.7, 0.7))]),
    "stripes": (200, [(0.5, (0.0, 1.0), (4.0, 0.2)), (0.5, (0.0, -1.0), (4.0, 0.2))]),
    "far": (200, [(0.95, (0.0, 0.0), (2.0, 2.0)), (0.05, (8.0, 0.0), (0.3, 0.3))]),
    "three_classes": (
        150,
        [
            (1 / 3, (-1.5, 0.0), (0.7, 1.1)),
            (1 / 3, (1.5, 0.5), (0.9, 0.7)),
            (1 / 3, (0.0, -2.0), (1.1, 0.6)),
        ],
    ),
}


class Clusters(NamedTuple):
    """Points and the cluster of each."""

    X: np.ndarray
    y: np.ndarray


def make_clusters(
    kind: Kind, n_samples: PositiveInt | None = None, *, random_state: RandomState = None
) -> Clusters:
    """Draw Gaussian clusters in the plane.

    For round blobs of any number use :func:`sklearn.datasets.make_blobs`.

    Parameters
    ----------
    kind : {"four", "elongated", "two", "stripes", "far", "three_classes"}
        ``"four"``: four clusters of different shape (default 1000 points). ``"elongated"``: one
        long cluster, which two prototypes cut in half. ``"two"``: two round clusters.
        ``"stripes"``: two long parallel clusters, which two prototypes cut across. ``"far"``: a
        small cluster far from a large one; two prototypes may ignore it. ``"three_classes"``:
        three overlapping classes (default 150 points).
    n_samples : int or None, default=None
        Number of points; None means the default of the kind, 200 where none is given above.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the points.

    Returns
    -------
    X : ndarray of shape (n_samples, 2)
        Points, in random order.
    y : ndarray of shape (n_samples,)
        Index of the cluster; sizes are the shares, rounded.

    Examples
    --------
    >>> from shallows.data import make_clusters
    >>> X, y = make_clusters("far", random_state=0)
    >>> X.shape, int((y == 1).sum())
    ((200, 2), 10)
    """
    check_arguments(make_clusters, locals())
    usual, clusters = CLUSTERS[kind]
    n_samples = usual if n_samples is None else n_samples
    rng = as_generator(random_state)
    shares, centres, widths = (np.array(part) for part in zip(*clusters, strict=True))
    ends = np.round(np.cumsum(shares) * n_samples)
    y = rng.permutation(np.searchsorted(ends, np.arange(n_samples), side="right"))
    return Clusters(rng.normal(centres[y], widths[y]), y)
