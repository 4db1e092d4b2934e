"""Random points in a ball."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def nearest_to_centre(
    trials: int, points: int, d: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Return the distance of the nearest of uniform points in the unit ball, for each trial.

    The first d coordinates of a point on the sphere in d + 2 dimensions are uniform in the ball.
    """
    nearest = np.empty(trials)
    for trial in range(trials):
        squares = rng.standard_normal((points, d + 2)) ** 2
        nearest[trial] = np.min(squares[:, :d].sum(axis=1) / squares.sum(axis=1)) ** 0.5
    return nearest
