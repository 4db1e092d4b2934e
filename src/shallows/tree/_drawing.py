"""A drawing of a tree from left to right: questions as nodes, answers along the branches."""

from __future__ import annotations

from typing import Unpack

import numpy as np
from sklearn.base import is_classifier

from shallows._core.showing.figures import Drawing, Figure
from shallows._core.showing.figures.chart import Options, Row, Spec, assemble, part_layer
from shallows._core.showing.figures.style import INK
from shallows.tree._text import answer_words, branch_words, feature_names

COLUMNS = ["part", "x", "y", "x_end", "y_end", "words", "answer", "purity", "weight"]
LEAF_HEIGHT, LEAST_HEIGHT = 30, 180


def draw(model, max_depth: int | None, title: str) -> Drawing:
    """Return the drawing of a tree down to a depth."""
    figure, rows = drawing(model, max_depth, title=title)
    return figure.spec(rows)


def drawing(model, max_depth: int | None = None, **options: Unpack[Options]):
    """Return the figure of a tree and the rows that it draws."""
    tree = model.tree_
    deepest = int(tree.depth.max())
    deepest = deepest if max_depth is None else min(max_depth, deepest)
    place = _places(tree, deepest)
    rows: list[Row] = []
    for node in sorted(place):
        asks = bool(tree.branches[node]) and tree.depth[node] < deepest
        row = _node_row(model, node, place[node], asks)
        rows.append(row)
        if asks:
            rows += _branch_rows(model, node, row, place)
    leaves = sum(row["part"] == "leaf" for row in rows)
    figure = _figure(is_classifier(model), deepest, options)
    figure.layout["height"] = max(LEAST_HEIGHT, LEAF_HEIGHT * leaves)
    return figure, rows


def _places(tree, deepest) -> dict[int, float]:
    """Return where each shown node stands from top to bottom, leaves one below the other."""
    place: dict[int, float] = {}
    free, stack = 0, [(0, False)]
    while stack:
        node, branches_stand = stack.pop()
        first = int(tree.first[node])
        shown = [
            child
            for child in range(first, first + tree.branches[node])
            if tree.n_node_samples[child] > 0 and tree.depth[node] < deepest
        ]
        if branches_stand:
            place[node] = float(np.mean([place[child] for child in shown]))
        elif shown:
            stack += [(node, True), *((child, False) for child in reversed(shown))]
        else:
            place[node], free = -float(free), free + 1
    return place


def _node_row(model, node, y, asks) -> Row:
    tree, answer = model.tree_, answer_words(model, node)
    name = feature_names(model)[tree.feature[node]] if asks else ""
    unseen = " …" if tree.branches[node] else ""
    return {
        "part": "question" if asks else "leaf",
        "x": float(tree.depth[node]),
        "y": y,
        "x_end": None,
        "y_end": None,
        "words": f"{name}?" if asks else answer + unseen,
        "answer": answer,
        "purity": float(tree.answer[node].max()) if is_classifier(model) else None,
        "weight": float(tree.weighted_n_node_samples[node]),
    }


def _branch_rows(model, node, row, place) -> list[Row]:
    tree, rows = model.tree_, []
    for branch, (_, relation, value) in enumerate(branch_words(model, node)):
        child = int(tree.first[node]) + branch
        if child in place:
            words = value if relation == "=" else f"{relation} {value}"
            end = {"x_end": row["x"] + 1, "y_end": place[child], "words": words}
            rows.append({**row, "part": "branch", **end})
    return rows


def _figure(classes, deepest, options) -> Figure:
    span = {"domain": [-0.15, deepest + 0.6], "nice": False, "zero": False}
    x: Spec = {"field": "x", "type": "quantitative", "axis": None, "scale": span}
    free = {"zero": False, "padding": 24}
    y: Spec = {"field": "y", "type": "quantitative", "axis": None, "scale": free}
    color: Spec = {"field": "answer", "type": "nominal", "legend": None}
    tips = [{"field": name} for name in ("words", "answer", "purity", "weight")]

    place = {"x": x, "y": y}
    told = {**place, "text": {"field": "words"}}
    line = {"type": "rule", "opacity": 0.35, "color": INK, "strokeWidth": 1.4}
    size: Spec = {"field": "weight", "type": "quantitative", "legend": None}
    size["scale"] = {"range": [30, 500]}
    text = {"type": "text", "color": INK, "fontSize": 12}
    near = {"calculate": "0.25 * datum.y + 0.75 * datum.y_end", "as": "y_words"}
    along = part_layer("branch", {**text, "dy": -7, "opacity": 0.85}, dict(told))
    along["transform"] += [near, {"calculate": "datum.x + 0.75", "as": "x_words"}]
    along["encoding"] |= {"x": {**x, "field": "x_words"}, "y": {**y, "field": "y_words"}}
    dot = {"type": "point", "filled": True, "opacity": 0.85}
    look = {"size": size, "tooltip": tips} | ({"color": color} if classes else {})
    bold = {**text, "fontWeight": 600, "dy": -18}
    right = {**text, "align": "left", "dx": 13}
    layers = [
        part_layer("branch", line, {**place, "x2": {"field": "x_end"}, "y2": {"field": "y_end"}}),
        part_layer(["question", "leaf"], dot, place | look),
        along,
        part_layer("question", bold, told),
        part_layer("leaf", right, told),
    ]
    return assemble(COLUMNS, layers, options)
