"""Bars, cells and histograms."""

from __future__ import annotations

from typing import Unpack

from shallows._core.showing.figures.chart import (
    Figure,
    Fit,
    Options,
    Row,
    Spec,
    assemble,
    axis,
    category_axis,
    color_by,
    layers_of,
    words,
)
from shallows._core.showing.figures.style import INK

SLANT = -30  # degrees, of words below bars


def bars(
    x: str,
    y: str,
    *,
    theory: str | None = None,
    error: str | None = None,
    color: str | None = None,
    **options: Unpack[Options],
) -> Figure:
    """One bar per category, in the order of the rows.

    Parameters
    ----------
    x : str
        Column with the categories.
    y : str
        Column with the heights.
    theory : str, optional
        Column with the heights that theory predicts, drawn as ticks.
    error : str, optional
        Column with the standard errors of `y`.
    color : str, optional
        Column that sets several bars side by side in each category.
    **options : Options
        See the module.

    Returns
    -------
    Figure
        For `run.figure`.

    Examples
    --------
    >>> bars("method", "accuracy", error="standard_error").columns
    ('method', 'accuracy', 'standard_error')
    """
    place: Spec = {"x": category_axis(x, options, "x") | {"sort": None}}
    if color:
        place["xOffset"] = {"field": color, "type": "nominal"}
    value = axis(y, options, "y")
    mark = {"type": "bar", "tooltip": True, "cornerRadiusEnd": 2}
    if options.get("y_log"):
        value["stack"] = None  # a logarithmic axis has no zero to stack on
    else:
        value["scale"] = {"zero": True}
    layers: list[Spec] = [{"mark": mark, "encoding": {**place, "y": value, **color_by(color)}}]
    if error:
        spread = {**place, "y": value, "yError": {"field": error}, "color": {"value": INK}}
        layers.append({"mark": "errorbar", "encoding": spread})
    if theory:
        tick = {"type": "tick", "color": INK, "thickness": 3, "tooltip": True}
        height = {**value, "field": theory}
        layers.append({"mark": tick, "encoding": {**place, "y": height}})
    subtitle = "bars: measured, ticks: theory" if theory else ""
    return assemble([x, y, color, error, theory], layers, options, subtitle, fits=(_name_bars,))


def _name_bars(layout: Spec, rows: list[Row]) -> None:
    """Slant names that are words, and keep each of them; numbers stand upright."""
    for layer in layers_of(layout):
        across = layer["encoding"].get("x", {})
        names = [row[across["field"]] for row in rows] if "field" in across else []
        if any(isinstance(name, str) for name in names):
            across["axis"] |= {"labelAngle": SLANT, "labelOverlap": False}


def heatmap(
    x: str, y: str, value: str, *, diverging: bool = False, **options: Unpack[Options]
) -> Figure:
    """A coloured cell for every pair of categories or grid values.

    Parameters
    ----------
    x, y : str
        Columns of the cell's place: numbers grow to the right and upwards, words stand in the
        order of the rows from left to right and from top to bottom, as in a matrix.
    value : str
        Column of the number shown as colour.
    diverging : bool
        Two hues that meet at zero and are equally strong at equal distances from it, instead of
        one scale from low to high.
    **options : Options
        See the module.

    Returns
    -------
    Figure
        For `run.figure`.

    Examples
    --------
    >>> heatmap("alpha", "beta", "error").columns
    ('alpha', 'beta', 'error')
    """
    shade: Spec = {"field": value, "type": "quantitative", "title": words(value)}
    fits: list[Fit] = [_order_cells]
    if diverging:
        shade["scale"] = {"scheme": "blueorange"}
        fits.append(_centre_colors)
    place = {"x": category_axis(x, options, "x"), "y": category_axis(y, options, "y")}
    layer = {"mark": {"type": "rect", "tooltip": True}, "encoding": {**place, "color": shade}}
    return assemble([x, y, value], [layer], options, fits=tuple(fits))


def _order_cells(layout: Spec, rows: list[Row]) -> None:
    """Sort numbers upwards, and leave words as they come."""
    encoding = layers_of(layout)[0]["encoding"]
    for side, rising in (("x", "ascending"), ("y", "descending")):
        words_ = any(isinstance(row[encoding[side]["field"]], str) for row in rows)
        encoding[side]["sort"] = None if words_ else rising


def _centre_colors(layout: Spec, rows: list[Row]) -> None:
    """Let the colours reach equally far to both sides of zero."""
    shade = layers_of(layout)[0]["encoding"]["color"]
    far = max(
        (abs(row[shade["field"]]) for row in rows if row[shade["field"]] is not None), default=0
    )
    shade["scale"]["domain"] = [-(far or 1.0), far or 1.0]


def histogram(
    x: str,
    *,
    theory: str | None = None,
    bins: int = 30,
    color: str | None = None,
    **options: Unpack[Options],
) -> Figure:
    """The density of a column's values.

    Parameters
    ----------
    x : str
        Column with one value per row.
    theory : str, optional
        Column with the predicted density at each row's value, drawn as a line.
    bins : int
        About how many bins.
    color : str, optional
        Column that separates several overlapping histograms.
    **options : Options
        See the module.

    Returns
    -------
    Figure
        For `run.figure`.

    Examples
    --------
    >>> histogram("stability", theory="density").columns
    ('stability', 'density')
    """
    groups = [name for name in (color, options.get("facet")) if name]
    transform: list[Spec] = [
        {"bin": {"maxbins": bins}, "field": x, "as": ["low", "high"]},
        {"aggregate": [{"op": "count", "as": "count"}], "groupby": ["low", "high", *groups]},
        {"joinaggregate": [{"op": "sum", "field": "count", "as": "total"}], "groupby": groups},
        {"calculate": "datum.count / datum.total / (datum.high - datum.low)", "as": "density"},
    ]
    place = {
        "x": axis("low", {"x_title": words(x), **options}, "x") | {"bin": "binned"},
        "x2": {"field": "high"},
        "y": axis("density", options, "y") | {"scale": {"zero": True}, "stack": None},
    }
    mark = {"type": "bar", "tooltip": True, "opacity": 0.6}
    layers: list[Spec] = [
        {"transform": transform, "mark": mark, "encoding": {**place, **color_by(color)}}
    ]
    if theory:
        curve = {"x": axis(x, options, "x"), "y": {**place["y"], "field": theory}}
        shade = color_by(color) or {"color": {"value": INK}}
        layers.append({"mark": "line", "encoding": {**curve, **shade}})
    subtitle = "bars: measured, line: theory" if theory else ""
    return assemble([x, theory, color], layers, options, subtitle)
