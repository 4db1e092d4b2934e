"""Hubble's nebulae of 1929."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

# Name, distance in Mpc, velocity in km/s.
NEBULAE = (
    ("S. Mag.", 0.032, 170),
    ("L. Mag.", 0.034, 290),
    ("NGC 6822", 0.214, -130),
    ("NGC 598", 0.263, -70),
    ("NGC 221", 0.275, -185),
    ("NGC 224", 0.275, -220),
    ("NGC 5457", 0.45, 200),
    ("NGC 4736", 0.5, 290),
    ("NGC 5194", 0.5, 270),
    ("NGC 4449", 0.63, 200),
    ("NGC 4214", 0.8, 300),
    ("NGC 3031", 0.9, -30),
    ("NGC 3627", 0.9, 650),
    ("NGC 4826", 0.9, 150),
    ("NGC 5236", 0.9, 500),
    ("NGC 1068", 1.0, 920),
    ("NGC 5055", 1.1, 450),
    ("NGC 7331", 1.1, 500),
    ("NGC 4258", 1.4, 500),
    ("NGC 4151", 1.7, 960),
    ("NGC 4382", 2.0, 500),
    ("NGC 4472", 2.0, 850),
    ("NGC 4486", 2.0, 800),
    ("NGC 4649", 2.0, 1090),
)


class Nebulae(NamedTuple):
    """Distances in Mpc, velocities in km/s, names."""

    distance: np.ndarray
    velocity: np.ndarray
    name: np.ndarray


def hubble() -> Nebulae:
    r"""Return distances and velocities of the 24 nebulae in Hubble's first table.

    The line through the origin, :math:`H_0 = \sum v d / \sum d^2`, has slope 423.9 km/s/Mpc. With
    corrections for the motion of the sun, Hubble found about 500 [1]_. Today's value is near 70:
    the distances of 1929 were too small.

    Returns
    -------
    distance : ndarray of shape (24,)
        In Mpc.
    velocity : ndarray of shape (24,)
        In km/s, positive away from us.
    name : ndarray of shape (24,)
        Names of the nebulae.

    References
    ----------
    .. [1] E. Hubble, "A relation between distance and radial velocity among extra-galactic
       nebulae", PNAS 15, 168-173, 1929, Table 1.

    Examples
    --------
    >>> from shallows.data import hubble
    >>> d, v, _ = hubble()
    >>> round(float(v @ d / (d @ d)), 1)
    423.9
    """
    name, distance, velocity = zip(*NEBULAE, strict=True)
    return Nebulae(np.array(distance), np.array(velocity, dtype=np.float64), np.array(name))
