"""Points on manifolds of fewer dimensions than coordinates."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from shallows._core.contract.params import NonNegativeFloat, PositiveInt, check_arguments
from shallows._core.contract.rng import RandomState, as_generator


class Manifold(NamedTuple):
    """Points and their coordinates on the manifold."""

    X: np.ndarray
    latent: np.ndarray


def make_manifold(
    kind: Literal["plane", "bent", "cloud", "circle", "subspace"],
    n_samples: PositiveInt = 200,
    *,
    noise: NonNegativeFloat = 0.0,
    n_features: PositiveInt = 3,
    n_latent: PositiveInt = 2,
    random_state: RandomState = None,
) -> Manifold:
    """Draw points of a plane, a curved sheet, a flat cloud, a circle or a subspace.

    For the Swiss roll and the S-curve use :func:`sklearn.datasets.make_swiss_roll` and
    :func:`sklearn.datasets.make_s_curve`.

    Parameters
    ----------
    kind : {"plane", "bent", "cloud", "circle", "subspace"}
        ``"plane"``: a square in a tilted plane in space. ``"bent"``: the same square on a
        paraboloid. ``"cloud"``: Gaussian in space with variances 4, 1 and 0.01. ``"circle"``: the
        unit circle in the plane. ``"subspace"``: Gaussian on a random affine subspace with
        `n_latent` dimensions in `n_features` dimensions.
    n_samples : int, default=200
        Number of points.
    noise : float, default=0.0
        Standard deviation of Gaussian noise on every coordinate.
    n_features : int, default=3
        Number of coordinates of a ``"subspace"``; other kinds have 3, the circle 2.
    n_latent : int, default=2
        Dimension of a ``"subspace"``, at most `n_features`.
    random_state : int, RandomState, Generator or None, default=None
        Seeds points and noise.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
        Points.
    latent : ndarray of shape (n_samples, n_latent)
        Coordinates on the manifold; the angle for a circle.

    Examples
    --------
    >>> import numpy as np
    >>> from shallows.data import make_manifold
    >>> X = make_manifold("subspace", n_features=10, n_latent=4, random_state=0).X
    >>> int(np.linalg.matrix_rank(X - X.mean(axis=0)))
    4
    """
    check_arguments(make_manifold, locals())
    rng = as_generator(random_state)
    if kind == "circle":
        latent = rng.uniform(0, 2 * np.pi, size=(n_samples, 1))
        X = np.hstack([np.cos(latent), np.sin(latent)])
    elif kind == "subspace":
        if n_latent > n_features:
            raise ValueError(
                f"make_manifold: n_latent must be at most n_features={n_features}, got {n_latent}."
            )
        latent = rng.standard_normal((n_samples, n_latent))
        basis = np.linalg.qr(rng.standard_normal((n_features, n_latent)))[0]
        X = latent @ basis.T + rng.standard_normal(n_features)
    elif kind == "cloud":
        X = rng.standard_normal((n_samples, 3)) * [2.0, 1.0, 0.1]
        latent = X[:, :2].copy()
    else:
        latent = rng.uniform(-1, 1, size=(n_samples, 2))
        first, second = latent.T
        height = (first + second) / 2 if kind == "plane" else first**2 + second**2
        X = np.column_stack([latent, height])
    return Manifold(X + noise * rng.standard_normal(X.shape), latent)
