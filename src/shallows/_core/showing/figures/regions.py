"""Decision regions in the plane."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from shallows._core.showing.figures.chart import (
    Figure,
    Options,
    Row,
    Spec,
    assemble,
    axis,
    layers_of,
    part_layer,
    words,
)
from shallows._core.showing.figures.style import INK, PALETTE

Array = NDArray[Any]
MARGIN = 0.1


def region_columns(
    decide: Callable[[Array], Array],
    points: Array,
    labels: Array,
    prototypes: Array | None = None,
    prototype_labels: Array | None = None,
    *,
    cells: int = 120,
    square: bool = False,
) -> dict[str, Array]:
    """Return the table that `regions` draws.

    Equal neighbours in a row of the grid become one rectangle, so the table stays short.

    Parameters
    ----------
    decide : callable
        Takes an array of places of shape (n, 2) and returns their labels.
    points : ndarray of shape (n_samples, 2)
        Samples; the regions reach a little beyond them and the prototypes.
    labels : ndarray of shape (n_samples,)
        Their labels.
    prototypes : ndarray of shape (n_prototypes, 2), optional
        Places drawn on top, unless they lie so far off the samples that these would shrink.
    prototype_labels : ndarray of shape (n_prototypes,), optional
        Their labels.
    cells : int
        Cells along each side of the grid.
    square : bool
        Whether the regions reach equally far along both axes, for `regions` with `equal`.

    Returns
    -------
    dict of str to ndarray
        Columns x1, x2 (the place, or the first corner of a rectangle), x1_end, x2_end (its
        other corner), label as text, and part: "region", "sample" or "prototype".

    Examples
    --------
    >>> square = np.array([[0.0, 0.0], [1.0, 1.0]])
    >>> table = region_columns(lambda z: z[:, 0] > 0.5, square, square[:, 0] > 0.5, cells=4)
    >>> table["part"].tolist().count("region")
    8
    """
    seen = points
    if prototypes is not None and prototype_labels is not None:
        near = _close_by(prototypes, points)
        prototypes, prototype_labels = prototypes[near], prototype_labels[near]
        seen = np.concatenate([points, prototypes])
    low, high = seen.min(axis=0), seen.max(axis=0)
    room = np.where(high > low, MARGIN * (high - low), 0.5)  # of a constant feature
    low, high = low - room, high + room
    if square:
        centre, reach = (low + high) / 2, (high - low).max() / 2
        low, high = centre - reach, centre + reach
    edges = np.linspace(low, high, cells + 1)
    across, up = np.meshgrid(*(edges[:-1] + np.diff(edges, axis=0) / 2).T)
    decided = np.asarray(decide(np.column_stack([across.ravel(), up.ravel()])))
    decided = decided.reshape(cells, cells)
    starts = np.ones((cells, cells), dtype=bool)
    starts[:, 1:] = decided[:, 1:] != decided[:, :-1]
    rows, first = np.nonzero(starts)
    last = np.append(first[1:], 0)
    last[last == 0] = cells
    rectangles = np.column_stack(
        [edges[first, 0], edges[rows, 1], edges[last, 0], edges[rows + 1, 1]]
    )
    places = [rectangles, np.hstack([points, points])]
    names, parts = [decided[rows, first], labels], ["region"] * len(rows) + ["sample"] * len(points)
    if prototypes is not None and prototype_labels is not None:
        places.append(np.hstack([prototypes, prototypes]))
        names.append(prototype_labels)
        parts += ["prototype"] * len(prototypes)
    corners = np.concatenate(places).T
    columns = dict(zip(("x1", "x2", "x1_end", "x2_end"), corners, strict=True))
    return columns | {"label": np.concatenate(names).astype(str), "part": np.array(parts)}


def _close_by(prototypes: Array, points: Array) -> Array:
    """Tell which prototypes lie not farther off the samples than these reach."""
    low, high = points.min(axis=0), points.max(axis=0)
    reach = np.where(high > low, high - low, 1.0)
    near: Array = ((prototypes >= low - reach) & (prototypes <= high + reach)).all(axis=1)
    return near


def regions(label: str = "label", **options: Unpack[Options]) -> Figure:
    """Regions of equal decision, the samples in them and the prototypes on top.

    Parameters
    ----------
    label : str
        Column with the classes, one colour each.
    **options : Options
        See the module of charts.

    Returns
    -------
    Figure
        For a table that `region_columns` made.

    Examples
    --------
    >>> regions(facet="method").columns
    ('x1', 'x2', 'x1_end', 'x2_end', 'label', 'part', 'method')
    """
    place = {"x": axis("x1", options, "x"), "y": axis("x2", options, "y")}
    for side in place.values():
        side["scale"] = {"zero": False, "nice": False}
    color = {"field": label, "type": "nominal", "title": words(label)}
    ends = {"x2": {"field": "x1_end"}, "y2": {"field": "x2_end"}}

    look = {**place, "color": color}
    star = {"type": "point", "shape": "diamond", "size": 220, "filled": True, "opacity": 1}
    layers = [
        part_layer("region", {"type": "rect", "opacity": 0.22, "strokeWidth": 0}, look | ends),
        part_layer("sample", {"type": "point", "size": 14, "filled": True, "opacity": 0.8}, look),
        part_layer("prototype", {**star, "stroke": INK, "strokeWidth": 2, "tooltip": True}, look),
    ]
    used = ["x1", "x2", "x1_end", "x2_end", label, "part"]
    return assemble(used, layers, options, fits=(_tell_apart,))


def _tell_apart(layout: Spec, rows: list[Row]) -> None:
    """Choose more colours where the classes are more than those of the palette."""
    for layer in layers_of(layout):
        color = layer["encoding"].get("color", {})
        count = len({row[color["field"]] for row in rows if "field" in color} - {None})
        if count > len(PALETTE):
            color["scale"] = {"scheme": "tableau10" if count <= 10 else "tableau20"}
