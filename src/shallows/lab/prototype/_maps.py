"""Drawings of self-organizing maps: a coloured cell and a word for each unit."""

from __future__ import annotations

from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from shallows._core.figures.chart import Figure, Options, Spec, assemble, words
from shallows.prototype import SelfOrganizingMap

Array = NDArray[Any]
HALF = 0.5
LIGHT_GREYS = {"name": "greys", "extent": [0.05, 0.6]}  # black words stay readable on them


def unit_columns(som: SelfOrganizingMap, **values: Array) -> dict[str, Array]:
    """Return one row per unit of a map in the plane, for `unit_map`.

    Parameters
    ----------
    som : SelfOrganizingMap
        Fitted, with a grid of two axes.
    **values : ndarray
        A number or word for each unit, in the shape of the grid or flat.

    Returns
    -------
    dict of str to ndarray
        Columns row, column (the place of a unit), their ends, and the values.
    """
    rows, columns = som.positions_.astype(np.float64).T
    height = np.diff(np.unique(rows)).min(initial=1.0)
    place = {"row": rows - height / 2, "row_end": rows + height / 2}
    place |= {"column": columns - HALF, "column_end": columns + HALF}
    return place | {name: np.ravel(value) for name, value in values.items()}


def unit_map(value: str, text: str | None = None, **options: Unpack[Options]) -> Figure:
    """Draw a value of each unit as colour, such as the U-matrix or one component plane.

    Parameters
    ----------
    value : str
        Column with the numbers.
    text : str, optional
        Column with a word to write on each unit.
    **options : Options
        See the module of charts.

    Returns
    -------
    Figure
        For a table of `unit_columns`.
    """
    shade: Spec = {"field": value, "type": "quantitative", "title": words(value)}
    shade["scale"] = {"scheme": LIGHT_GREYS if text else "viridis"}
    bare: Spec = {"type": "quantitative", "title": None, "axis": None}
    bare["scale"] = {"zero": False, "nice": False}
    place = {"x": {"field": "column", **bare}, "x2": {"field": "column_end"}}
    place |= {"y": {"field": "row", **bare}, "y2": {"field": "row_end"}}
    layers: list[Spec] = [
        {"mark": {"type": "rect", "tooltip": True}, "encoding": {**place, "color": shade}}
    ]
    if text:
        middle = [
            {"calculate": f"(datum.{side} + datum.{side}_end) / 2", "as": f"{side}_middle"}
            for side in ("row", "column")
        ]
        spot = {"x": {"field": "column_middle", **bare}, "y": {"field": "row_middle", **bare}}
        word = {"type": "text", "fontSize": 15, "fontWeight": "bold", "color": "black"}
        name = {"text": {"field": text, "type": "nominal"}}
        layers.append({"transform": middle, "mark": word, "encoding": spot | name})
    return assemble(["row", "row_end", "column", "column_end", value, text], layers, options)


def mosaic_columns(som: SelfOrganizingMap, image_shape: tuple[int, int]) -> dict[str, Array]:
    """Return the prototypes as images that stand at the places of their units.

    Parameters
    ----------
    som : SelfOrganizingMap
        Fitted to images, with a rectangular grid of two axes.
    image_shape : tuple of int
        Rows and columns of an image.

    Returns
    -------
    dict of str to ndarray
        A row per pixel for `unit_map`, its value in the column grey.
    """
    height, width = image_shape
    rows, columns = som.positions_.astype(np.float64).T[:, :, None, None]
    down = rows + HALF - (np.arange(height)[:, None] + 1) / (height + 1)
    right = columns - HALF + np.arange(width) / (width + 1)
    down, right, grey = np.broadcast_arrays(down, right, som.prototypes_.reshape(-1, height, width))
    place = {"row": down, "row_end": down + 1 / (height + 1)}
    place |= {"column": right, "column_end": right + 1 / (width + 1), "grey": grey}
    return {name: values.ravel() for name, values in place.items()}
