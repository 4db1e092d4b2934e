"""Training examples with both labels, which every learner requires."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating[Any]]


def both_labels(X: Floats, y: Floats) -> tuple[Floats, Floats]:
    """Return equivalent examples with both labels, -1 and 1.

    Without a threshold an example is equivalent to its mirror image with the other label. A single
    example is kept together with its mirror image.
    """
    if np.ptp(y) > 0:
        return X, y
    if len(y) == 1:
        return np.vstack([X, -X]), np.append(y, -y)
    turn = np.where(np.arange(len(y)) == 0, -1.0, 1.0)
    return X * turn[:, None], y * turn
