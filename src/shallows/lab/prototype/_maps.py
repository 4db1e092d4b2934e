"""Prototypes shown as images, each at the position of its unit on a map."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shallows.prototype import SelfOrganizingMap

Array = NDArray[Any]
HALF = 0.5


def mosaic_columns(som: SelfOrganizingMap, image_shape: tuple[int, int]) -> dict[str, Array]:
    """Return the prototypes as images at the positions of their units.

    Parameters
    ----------
    som : SelfOrganizingMap
        Fitted to images, with a rectangular grid of two axes.
    image_shape : tuple of int
        Rows and columns of an image.

    Returns
    -------
    dict of str to ndarray
        A row per pixel for `unit_figure`, its value in the column grey.
    """
    height, width = image_shape
    rows, columns = som.positions_.astype(np.float64).T[:, :, None, None]
    down = rows + HALF - (np.arange(height)[:, None] + 1) / (height + 1)
    right = columns - HALF + np.arange(width) / (width + 1)
    down, right, grey = np.broadcast_arrays(down, right, som.prototypes_.reshape(-1, height, width))
    place = {"row": down, "row_end": down + 1 / (height + 1)}
    place |= {"column": right, "column_end": right + 1 / (width + 1), "grey": grey}
    return {name: values.ravel() for name, values in place.items()}
