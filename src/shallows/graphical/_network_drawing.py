"""Drawing of a Bayesian network with causes above effects."""

from __future__ import annotations

from typing import Any

import numpy as np

from shallows._core.showing.figures import Drawing
from shallows._core.showing.figures.chart import Row, Spec, assemble, part_layer
from shallows._core.showing.figures.style import INK

COLUMNS = ["part", "x", "y", "x_end", "y_end", "words"]
LAYER_HEIGHT, LEAST_HEIGHT = 80, 160
ARROW_AT = 0.72  # position of the head along an edge


def draw_network(parents, title: str) -> Drawing:
    """Draw a graph in layers, by the longest path from a root."""
    place = _places(parents)
    height = max(LEAST_HEIGHT, LAYER_HEIGHT * (1 + max(-y for _, y in place.values())))
    rows: list[Row] = []
    for name, (x, y) in place.items():
        rows.append(_row("node", x, y, None, None, str(name)))
        rows += [_row("arc", *place[parent], x, y, "") for parent in parents[name]]
    figure = _figure(title)
    figure.layout["height"] = height
    return figure.spec(rows)


def _places(parents) -> dict[Any, tuple[float, float]]:
    """Return the position of each variable; within a layer sorted by the positions of parents."""
    layer: dict[Any, int] = {}
    for name, above in parents.items():
        layer[name] = 1 + max((layer[parent] for parent in above), default=-1)
    place: dict[Any, tuple[float, float]] = {}
    for depth in range(max(layer.values(), default=-1) + 1):
        names = [name for name in parents if layer[name] == depth]
        if depth:
            names.sort(key=lambda name: np.mean([place[p][0] for p in parents[name]]))
        for number, name in enumerate(names):
            place[name] = number - (len(names) - 1) / 2, -float(depth)
    return place


def _row(*values) -> Row:
    return dict(zip(COLUMNS, values, strict=True))


def _figure(title):
    free = {"zero": False, "padding": 40}
    x: Spec = {"field": "x", "type": "quantitative", "axis": None, "scale": free}
    y: Spec = {"field": "y", "type": "quantitative", "axis": None, "scale": free}

    place = {"x": x, "y": y}
    line = {"type": "rule", "color": INK, "opacity": 0.5, "strokeWidth": 1.4}
    head = {"type": "point", "shape": "triangle-down", "filled": True, "color": INK, "size": 60}
    tips = part_layer("arc", head, dict(place))
    for name in ("x", "y"):
        along = f"datum.{name} + {ARROW_AT} * (datum.{name}_end - datum.{name})"
        tips["transform"].append({"calculate": along, "as": f"{name}_tip"})
    tips["encoding"] |= {"x": {**x, "field": "x_tip"}, "y": {**y, "field": "y_tip"}}
    dot = {"type": "point", "filled": True, "size": 300, "opacity": 1}
    text = {"type": "text", "color": INK, "fontSize": 12, "fontWeight": 600, "dy": 22}
    layers = [
        part_layer("arc", line, {**place, "x2": {"field": "x_end"}, "y2": {"field": "y_end"}}),
        tips,
        part_layer("node", dot, place),
        part_layer("node", text, {**place, "text": {"field": "words"}}),
    ]
    return assemble(COLUMNS, layers, {"title": title})
