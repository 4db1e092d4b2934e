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
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, TypedDict

from shallows._core.figures.style import CONFIG, INK

Spec = dict[str, Any]
Row = dict[str, Any]

ROWS = "rows"  # the main table
SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
WIDTH, HEIGHT = 680, 340
FACET_WIDTH, FACET_HEIGHT, FACETS_PER_ROW = 240, 200, 3


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

    Examples
    --------
    >>> Figure("rows", ("x",), {"mark": "point"}).spec([{"x": 1.0, "y": 2.0}])["data"]
    {'values': [{'x': 1.0}]}
    """

    table: str
    columns: tuple[str, ...]
    layout: Spec

    def spec(self, rows: Sequence[Row]) -> Spec:
        """Return the Vega-Lite specification with the rows inside; NaN is left out."""
        known = rows[0] if rows else {}
        if missing := [name for name in self.columns if name not in known]:
            has = f"it has {', '.join(known)}" if known else "it has no rows yet"
            raise ValueError(
                f"A figure needs column {missing[0]!r} of table {self.table!r}; {has}."
            )
        values = [{name: _finite(row[name]) for name in self.columns} for row in rows]
        layout = deepcopy(self.layout)
        if facet := layout.get("facet"):
            facet["sort"] = list(dict.fromkeys(row[facet["field"]] for row in values))
            if len(facet["sort"]) <= FACETS_PER_ROW:
                layout["facet"] = {"column": facet}
                del layout["columns"]
        return {"$schema": SCHEMA, "data": {"values": values}, **layout, "config": CONFIG}


def assemble(
    columns: Sequence[str | None], layers: list[Spec], options: Options, subtitle: str = ""
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
    layout: Spec = {"layer": layers, "width": WIDTH, "height": HEIGHT}
    facet = options.get("facet")
    if facet:
        part = {**layout, "width": FACET_WIDTH, "height": FACET_HEIGHT}
        own_axes = {"scale": {"y": "independent"}, "axis": {"x": "independent"}}
        split = {"field": facet, "type": "nominal", "title": None}
        layout = {"facet": split, "columns": FACETS_PER_ROW, "spec": part}
        layout |= {"resolve": own_axes, "bounds": "flush", "spacing": {"column": 70, "row": 90}}
    used = tuple(dict.fromkeys(name for name in [*columns, facet] if name))
    title = options.get("title") or subtitle
    if title:
        layout["title"] = {"text": title, "subtitle": subtitle if subtitle != title else ""}
    layout["description"] = title or "Chart of " + ", ".join(map(words, used))
    return Figure(options.get("table", ROWS), used, layout)


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


def category_axis(column: str, options: Mapping[str, Any], side: str, angle: float = 0) -> Spec:
    """Return the encoding of categories or grid values along the x or y side."""
    label = "isNumber(datum.value) ? format(datum.value, '.3~g') : datum.value"
    look = {"labelExpr": label, "labelOverlap": True, "labelAngle": angle}
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
