"""Curves and points."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Unpack

from shallows._core.showing.figures.chart import (
    Figure,
    Options,
    Row,
    Spec,
    assemble,
    axis,
    color_by,
    layers_of,
    words,
)

Columns = str | Sequence[str]
FEW, SHORT = 12, 20  # points on a curve, a way along whole numbers


def line(
    x: str,
    y: Columns,
    *,
    theory: Columns = (),
    error: Columns = (),
    color: str | None = None,
    **options: Unpack[Options],
) -> Figure:
    """Curves, or measured points against theoretical curves.

    Where x holds whole numbers alone, so do its ticks; few values are marked on the curves.

    Parameters
    ----------
    x : str
        Column along the horizontal axis.
    y : str or sequence of str
        Columns of the measurement: lines, or points where `theory` is given.
    theory : str or sequence of str
        Columns drawn as lines.
    error : str or sequence of str
        Columns with the standard errors of `y`: a band around a line, a bar through a point.
    color : str, optional
        Column whose values separate the curves; otherwise each of `y` and `theory` has its own.
    **options : Options
        See the module.

    Returns
    -------
    Figure
        For `run.figure`.

    Examples
    --------
    >>> line(x="ratio", y=["measured", "theory"]).columns
    ('ratio', 'measured', 'theory')
    >>> line("ratio", "measured", theory="theory", error="standard_error", x_rule=2).table
    'rows'
    """
    y, theory, error = _names(y), _names(theory), _names(error)
    across = axis(x, options, "x")
    across["scale"]["nice"] = False
    series = [words(column) for column in (*y, *theory)]
    title = ", ".join(map(words, y)) if len(y) < 3 else " "

    def layer(mark: str | Spec, column: str, **more: Any) -> Spec:
        up = axis(column, options, "y", title)
        look = color_by(color)
        if color is None and len(series) > 1:
            look = {"color": {"datum": words(column), "scale": {"domain": series}}}
        return {"mark": mark, "encoding": {"x": across, "y": up, **look, **more}}

    spread = "errorbar" if theory else {"type": "errorband", "opacity": 0.25}
    drawn = {"type": "point", "tooltip": True} if theory else {"type": "line"}
    layers = [
        {"transform": [{"filter": f"isValid(datum[{json.dumps(column)}])"}]}
        | layer(spread, column, yError={"field": deviation})
        for column, deviation in zip(y, error, strict=bool(error))
    ]
    layers += [layer("line", column) for column in theory]
    layers += [layer(drawn, column) for column in y]
    subtitle = "points: measured, lines: theory" if theory and color else ""
    columns = [x, *y, *theory, *error, color]
    return assemble(columns, layers, options, subtitle, fits=(_mark_steps,))


def _mark_steps(layout: Spec, rows: list[Row]) -> None:
    """Set no tick between whole numbers, and a point at each value where they are few."""
    curves = [layer for layer in layers_of(layout) if "x" in layer.get("encoding", {})]
    across = curves[0]["encoding"]["x"]
    met = {row[across["field"]] for row in rows} - {None}
    whole = met and "type" not in across["scale"] and not any(value % 1 for value in met)
    if whole and max(met) - min(met) <= SHORT:  # farther apart they are set at whole numbers anyway
        ticks = list(range(int(min(met)), int(max(met)) + 1))
        shown = {"values": ticks, "tickCount": len(ticks)}
        across["axis"] = {**shown, "format": "d", "labelOverlap": True}
    for layer in curves:
        mark = layer["mark"]
        if len(met) <= FEW and isinstance(mark, dict) and mark["type"] == "line":
            mark |= {"point": {"size": 55}, "tooltip": True}


def scatter(
    x: str,
    y: str,
    *,
    color: str | None = None,
    shade: str | None = None,
    **options: Unpack[Options],
) -> Figure:
    """Scatter of points in the plane.

    Parameters
    ----------
    x, y : str
        Columns of the coordinates.
    color : str, optional
        Column with groups, such as class labels: one colour and shape each.
    shade : str, optional
        Column with numbers, drawn on a continuous scale instead of groups.
    **options : Options
        See the module.

    Returns
    -------
    Figure
        For `run.figure`.

    Examples
    --------
    >>> scatter("x1", "x2", color="label", facet="method").columns
    ('x1', 'x2', 'label', 'method')
    """
    look = color_by(color)
    if shade:
        ramp = {"name": "viridis", "extent": [0.25, 0.95]}  # seen on light and on dark ground
        look = {"color": {"field": shade, "type": "quantitative", "title": words(shade)}}
        look["color"]["scale"] = {"scheme": ramp}
    elif color:
        look["shape"] = look["color"]
    place = {"x": axis(x, options, "x"), "y": axis(y, options, "y")}
    mark = {"type": "point", "tooltip": True}
    return assemble([x, y, color, shade], [{"mark": mark, "encoding": place | look}], options)


def _names(columns: Columns) -> tuple[str, ...]:
    return (columns,) if isinstance(columns, str) else tuple(columns)
