"""The house, drawn from the imports of the sources, so that the drawing stays true."""

import ast
from collections import Counter
from html import escape
from pathlib import Path

from docutils import nodes
from docutils.parsers.rst import Directive

import shallows

PACKAGE = Path(shallows.__file__).parent
LAYERS = [
    ("command", ["cli"]),
    ("workbenches", ["study", "lab"]),
    ("validation", ["validate"]),
    ("scikit-learn", ["accelerate"]),
    ("families", sorted(set(shallows.FAMILIES) - {"validate", "descent"})),
    ("descent", ["descent"]),
    ("core", ["_core.contract", "_core.numerics", "_core.showing"]),
]
WIDTH, LEFT, GAP, HEIGHT, PER_ROW = 880, 110, 8, 30, 6


class House(Directive):
    """Draws the layers and says who imports whom how often."""

    def run(self):
        html = f'<div class="house">{drawing()}</div>{table(imports())}'
        return [nodes.raw("", html, format="html")]


def setup(app):
    app.add_directive("house", House)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def imports():
    """Count the imports from each room of the house to each other one."""
    counts = Counter()
    for path in PACKAGE.rglob("*.py"):
        here = room(path.relative_to(PACKAGE).with_suffix("").parts)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("shallows."):
                there = room(node.module.split(".")[1:])
                if here and there and here != there:
                    counts[here, there] += 1
    return counts


def room(parts):
    """Return the room of a module: its folder, below `_core` with the theme."""
    name = ".".join(parts[:2]) if parts[0] == "_core" else parts[0]
    return name if any(name in rooms for _, rooms in LAYERS) else None


def drawing():
    """Return the layers as boxes on top of one another; imports point downwards."""
    boxes, top = [], 0
    for title, rooms in LAYERS:
        rows = [rooms[start : start + PER_ROW] for start in range(0, len(rooms), PER_ROW)]
        boxes.append(f'<text x="0" y="{top + 20}" class="layer">{title}</text>')
        for row in rows:
            width = (WIDTH - LEFT - GAP * (len(row) - 1)) / len(row)
            for place, name in enumerate(row):
                x = LEFT + place * (width + GAP)
                middle = x + width / 2
                boxes.append(
                    f'<rect x="{x:.1f}" y="{top}" width="{width:.1f}" height="{HEIGHT}" rx="4"/>'
                    f'<text x="{middle:.1f}" y="{top + 20}" class="room">{escape(name)}</text>'
                )
            top += HEIGHT + GAP
        top += GAP
    return (
        f'<svg viewBox="-1 -1 {WIDTH + 2} {top}" role="img" aria-label="The layers of the house">'
        f"{''.join(boxes)}</svg>"
    )


def table(counts):
    """Return how often each layer imports each layer below."""
    layers = {name: title for title, rooms in LAYERS for name in rooms}
    between = Counter()
    for (here, there), number in counts.items():
        if layers[here] != layers[there]:
            between[layers[here], layers[there]] += number
    titles = [title for title, _ in LAYERS]
    head = "".join(f"<th>{title}</th>" for title in titles[1:])
    rows = "".join(
        f"<tr><th>{here}</th>"
        + "".join(f"<td>{between[here, there] or ''}</td>" for there in titles[1:])
        + "</tr>"
        for here in titles[:-1]
    )
    return (
        '<table class="table"><caption>Imports from a layer (row) to one below (column).</caption>'
        f"<thead><tr><th></th>{head}</tr></thead><tbody>{rows}</tbody></table>"
    )
