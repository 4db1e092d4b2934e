"""Chart builders: a figure is data, first a description, then a Vega-Lite specification.

All builders take these options beside their own:

table
    Name of the table to draw; the main one unless told.
title, x_title, y_title
    Words above the figure and along its axes; an axis is named after its column.
x_log, y_log
    Logarithmic axes.
x_rule, y_rule
    A dashed line across the figure at this value.
facet
    Column that splits the figure into small ones, each with its own vertical scale.
equal
    One unit is equally long on both axes, so that shapes are kept; the figure is a square.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from typing import Any, TypedDict

from shallows._core.showing.figures.drawing import Drawing
from shallows._core.showing.figures.style import CONFIG, INK

Spec = dict[str, Any]
Row = dict[str, Any]
Fit = Callable[[Spec, list[Row]], None]  # changes a layout, and may add rows, once they are known

ROWS = "rows"  # the main table
SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
WIDTH, HEIGHT = 680, 340
FACET_WIDTH, FACET_HEIGHT, FACETS_PER_ROW = 240, 200, 3
SQUARE, FACET_SQUARE = 420, 240
POINT_MARGIN = 0.06  # around points on equal axes, as a share of their reach
FRAME = "frame"  # marks rows that only set how far the axes reach


class Options(TypedDict, total=False):
    """What every builder takes; the module's docstring explains each."""

    table: str
    title: str
    x_title: str
    y_title: str
    x_log: bool
    y_log: bool
    x_rule: float
    y_rule: float
    facet: str
    equal: bool


@dataclass(frozen=True)
class Figure:
    """A chart without its data.

    Parameters
    ----------
    table : str
        Name of the table that it draws.
    columns : tuple of str
        The columns that it needs.
    layout : dict
        The rest of its Vega-Lite specification.
    fits : tuple of callable
        What the layout owes to the values: each takes it and the rows.

    Examples
    --------
    >>> Figure("rows", ("x",), {"mark": "point"}).spec([{"x": 1.0, "y": 2.0}])["data"]
    {'values': [{'x': 1.0}]}
    """

    table: str
    columns: tuple[str, ...]
    layout: Spec
    fits: tuple[Fit, ...] = ()

    def spec(self, rows: Sequence[Row]) -> Drawing:
        """Return the Vega-Lite specification with the rows inside; NaN is left out."""
        known = rows[0] if rows else {}
        if missing := [name for name in self.columns if name not in known]:
            has = f"it has {', '.join(known)}" if known else "it has no rows yet"
            raise ValueError(
                f"A figure needs column {missing[0]!r} of table {self.table!r}; {has}."
            )
        values = [{name: _finite(row[name]) for name in self.columns} for row in rows]
        layout = deepcopy(self.layout)
        for fit in self.fits:
            fit(layout, values)
        if facet := layout.get("facet"):
            facet["sort"] = list(dict.fromkeys(row[facet["field"]] for row in values))
            if len(facet["sort"]) <= FACETS_PER_ROW:
                layout["facet"] = {"column": facet}
                del layout["columns"]
        found = {"$schema": SCHEMA, "data": {"values": values}, **layout, "config": CONFIG}
        return Drawing(found)


def assemble(
    columns: Sequence[str | None],
    layers: list[Spec],
    options: Options,
    subtitle: str = "",
    fits: tuple[Fit, ...] = (),
) -> Figure:
    """Return the figure of these layers, with rules, facets and title as the options say."""
    if unknown := options.keys() - Options.__annotations__.keys():
        raise TypeError(f"A figure has no option {min(unknown)!r}.")
    rules = {"x": options.get("x_rule"), "y": options.get("y_rule")}
    dashed = {"type": "rule", "strokeDash": [5, 4], "color": INK, "opacity": 0.7}
    layers += [
        {"data": {"values": [{}]}, "mark": dashed, "encoding": {side: {"datum": value}}}
        for side, value in rules.items()
        if value is not None
    ]
    equal = options.get("equal", False)
    layout: Spec = {"layer": layers, "width": WIDTH, "height": HEIGHT}
    if equal:
        layout |= {"width": SQUARE, "height": SQUARE}
    facet = options.get("facet")
    if facet:
        part = {**layout, "width": FACET_WIDTH, "height": FACET_HEIGHT}
        own_axes = {"scale": {"y": "independent"}, "axis": {"x": "independent"}}
        if equal:
            part |= {"width": FACET_SQUARE, "height": FACET_SQUARE}
            own_axes["scale"]["x"] = "independent"
        split = {"field": facet, "type": "nominal", "title": None}
        layout = {"facet": split, "columns": FACETS_PER_ROW, "spec": part}
        layout |= {"resolve": own_axes, "bounds": "flush", "spacing": {"column": 70, "row": 90}}
    used = tuple(dict.fromkeys(name for name in [*columns, facet] if name))
    title = options.get("title") or subtitle
    if title:
        layout["title"] = {"text": title, "subtitle": subtitle if subtitle != title else ""}
    layout["description"] = title or "Chart of " + ", ".join(map(words, used))
    places = [layers[0]["encoding"].get(side, {}) for side in "xy"]
    if equal and all(place.get("type") == "quantitative" for place in places):
        fits = (*fits, partial(_square, facet=facet))
    return Figure(options.get("table", ROWS), used, layout, (_order_groups, *fits))


def layers_of(layout: Spec) -> list[Spec]:
    """Return the layers of a figure, or those of each of its small ones."""
    layers: list[Spec] = layout["spec"]["layer"] if "spec" in layout else layout["layer"]
    return layers


def beside(left: Spec, right: Spec) -> Drawing:
    """Return one specification that shows two of them side by side."""
    parts = [{k: v for k, v in s.items() if k not in ("$schema", "config")} for s in (left, right)]
    own = {"legend": {"color": "independent"}, "scale": {"color": "independent"}}
    return Drawing({"$schema": SCHEMA, "hconcat": parts, "resolve": own, "config": CONFIG})


def _order_groups(layout: Spec, rows: list[Row]) -> None:
    """Name groups in the order of the rows, but numbered ones by their numbers."""
    for layer in layers_of(layout):
        look = layer["encoding"].get("color", {})
        met = {row[look["field"]] for row in rows if look.get("sort", "") is None} - {None}
        if met and all(isinstance(value, str) and value.isdecimal() for value in met):
            look["scale"] = {"domain": sorted(met, key=int)}


def _square(layout: Spec, rows: list[Row], facet: str | None) -> None:
    """Let both axes of each small figure reach equally far, by corners that can't be seen."""
    layers = layers_of(layout)
    encoding = layers[0]["encoding"]
    ends = {
        side: [encoding[part]["field"] for part in (side, f"{side}2") if part in encoding]
        for side in "xy"
    }
    groups: dict[Any, list[Row]] = {}
    for row in rows:
        groups.setdefault(row[facet] if facet else None, []).append(row)
    for name, members in groups.items():
        spans = {}
        for side, fields in ends.items():
            found = [row[field] for row in members for field in fields if row[field] is not None]
            spans[side] = (min(found), max(found)) if found else (0.0, 1.0)
        reach = max(high - low for low, high in spans.values()) or 1.0
        if "x2" not in encoding:
            reach *= 1 + POINT_MARGIN
        for sign in (-1, 1):
            corner = {
                field: sum(spans[side]) / 2 + sign * reach / 2
                for side, fields in ends.items()
                for field in fields
            }
            rows.append({**corner, **({facet: name} if facet else {}), FRAME: True})
    seen = {"filter": f"!datum.{FRAME}"}
    for layer in layers:
        for side in ends.keys() & layer["encoding"].keys():
            layer["encoding"][side].setdefault("scale", {})["nice"] = False
        if "data" not in layer:
            layer["transform"] = [seen, *layer.get("transform", [])]
    place = {side: {**encoding[side]} for side in "xy"}
    mark = {"type": "point", "opacity": 0}
    layers.append({"transform": [{"filter": f"datum.{FRAME}"}], "mark": mark, "encoding": place})


def part_layer(part: str | Sequence[str], mark: Spec, encoding: Spec) -> Spec:
    """Return the layer that draws the rows whose column "part" is this one, or one of these."""
    parts = [part] if isinstance(part, str) else list(part)
    chosen = {"filter": {"field": "part", "oneOf": parts}}
    return {"transform": [chosen], "mark": mark, "encoding": encoding}


def axis(column: str, options: Mapping[str, Any], side: str, title: str = "") -> Spec:
    """Return the encoding of a number along the x or y side."""
    scale = {"type": "log"} if options.get(f"{side}_log") else {"zero": False}
    title = options.get(f"{side}_title") or title or words(column)
    return {"field": column, "type": "quantitative", "title": title, "scale": scale}


def category_axis(column: str, options: Mapping[str, Any], side: str) -> Spec:
    """Return the encoding of categories or grid values along the x or y side."""
    label = "isNumber(datum.value) ? format(datum.value, '.3~g') : datum.value"
    look = {"labelExpr": label, "labelOverlap": True, "labelAngle": 0}
    title = options.get(f"{side}_title") or words(column)
    return {"field": column, "type": "ordinal", "title": title, "axis": look}


def color_by(column: str | None) -> Spec:
    """Return the encoding that gives each group its colour, or none."""
    if column is None:
        return {}
    return {"color": {"field": column, "type": "nominal", "title": words(column), "sort": None}}


def words(column: str) -> str:
    """Return a column's name as words."""
    return column.replace("_", " ")


def _finite(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value
