"""Drawings of relevances and of self-organizing maps."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Unpack

import numpy as np
from sklearn.utils.validation import check_is_fitted

from shallows._core.showing.figures import Drawing, Figure, bars, heatmap
from shallows._core.showing.figures.chart import Options, Spec, assemble, beside, layers_of, words
from shallows.prototype._unit_grid import ROW_HEIGHT, check_shape

HALF = 0.5
MANY_NAMES = 30  # beyond which the names of features do not fit side by side
LETTER_WIDTH, SMALLEST_WORD = 0.62, 7  # of a bold letter per font size; pixels
ROOM, FACET_ROOM, LARGEST_UNIT = (640, 440), (240, 220), 60  # pixels for a map
LIGHT_GREYS = {"name": "greys", "extent": [0.05, 0.6]}  # black words stay readable on them
# A hexagon that stands on its tip, in a box from -1 to 1
CORNERS = [(np.sin(a), -np.cos(a)) for a in np.arange(6) * np.pi / 3]
HEXAGON = "M" + "L".join(f"{x:.4f},{y:.4f}" for x, y in CORNERS) + "Z"


class RelevanceChartMixin:
    """Draws the relevances of an estimator that has learned some."""

    relevances_: Any

    def chart(self, *, title: str = "") -> Drawing:
        """Draw the relevances of the features, and the matrix of pairs where one is learned.

        Parameters
        ----------
        title : str, default=""
            Words above the drawing.

        Returns
        -------
        drawing : Drawing
            Displays itself in a notebook; `save` writes it as PNG, SVG or HTML.
        """
        check_is_fitted(self)
        if not hasattr(self, "relevances_"):
            raise ValueError(
                f"{type(self).__name__}.chart draws relevances, and relevance=None learns none. "
                "Fit with relevance='diagonal' or 'matrix'."
            )
        matrix = getattr(self, "relevance_matrix_", None)
        if matrix is not None and np.array_equal(matrix, np.diag(matrix.diagonal())):
            matrix = None  # tells nothing of pairs
        return relevance_chart(names_of(self), self.relevances_, matrix, title)


def names_of(model) -> list[str]:
    """Return the names of the features seen during fit, else x0, x1 and so on."""
    known = getattr(model, "feature_names_in_", None)
    return [f"x{j}" for j in range(model.n_features_in_)] if known is None else list(known)


def matrix_figure(**options: Unpack[Options]) -> Figure:
    """Return the figure of `matrix_columns`."""
    look: Options = {"x_title": "feature", "y_title": "feature", "equal": True}
    look.update(options)
    return _with_names(heatmap("column", "row", "relevance", diverging=True, **look))


def matrix_columns(names, matrix) -> dict[str, np.ndarray]:
    """Return a row for each pair of features, for `matrix_figure`."""
    names = np.asarray(names, dtype=str)
    columns = {"row": np.repeat(names, len(names)), "column": np.tile(names, len(names))}
    return columns | {"relevance": np.asarray(matrix, dtype=float).ravel()}


def relevance_chart(names, relevances, matrix=None, title="") -> Drawing:
    """Draw the relevances, with the matrix next to them if there is one."""
    profile = _with_names(bars("feature", "relevance", title=title or "Relevance of each feature"))
    spec = profile.spec(rows_of({"feature": np.asarray(names, dtype=str), "relevance": relevances}))
    if matrix is None:
        return spec
    pairs = matrix_figure(title="and of each pair")
    right = pairs.spec(rows_of(matrix_columns(names, matrix)))
    return beside(spec | {"width": 380, "height": right["height"]}, right)


def unit_columns(som, **values) -> dict[str, np.ndarray]:
    """Return one row per unit of a map in the plane, for `unit_figure`.

    Parameters
    ----------
    som : SelfOrganizingMap
        Fitted, with a grid of one or two axes.
    **values : ndarray
        A number or word for each unit, in the shape of the grid or flat.

    Returns
    -------
    dict of str to ndarray
        Columns row, column (the corner of a unit), their ends, and the values.
    """
    places = som.positions_.astype(np.float64)
    rows, columns = places.T if places.shape[1] == 2 else (np.zeros(len(places)), places[:, 0])
    height = (ROW_HEIGHT if som.grid == "hex" else 1.0) / 2
    place = {"row": rows - height, "row_end": rows + height}
    place |= {"column": columns - HALF, "column_end": columns + HALF}
    return place | {name: np.ravel(value) for name, value in values.items()}


def unit_figure(
    som,
    value: str,
    text: str | None = None,
    *,
    grey: bool = False,
    own_colors: bool = False,
    **options: Unpack[Options],
) -> Figure:
    """Draw a value of each unit as colour, such as the U-matrix or one component plane.

    Parameters
    ----------
    som : SelfOrganizingMap
        The map, whose units are drawn as squares or hexagons.
    value : str
        Column with the numbers.
    text : str, optional
        Column with a word to write on each unit.
    grey : bool
        Whether to draw small numbers white and large ones black.
    own_colors : bool
        Whether each of several small figures has a scale of its own.
    **options : Options
        See the module of charts.

    Returns
    -------
    Figure
        For a table of `unit_columns`.
    """
    shade: Spec = {"field": value, "type": "quantitative", "title": words(value)}
    shade["scale"] = {"scheme": LIGHT_GREYS if text else "greys" if grey else "viridis"}
    facet = bool(options.get("facet"))
    spans, unit = _extent(som, *(FACET_ROOM if facet else ROOM))
    bare: Spec = {"type": "quantitative", "title": None, "axis": None}
    across, up = ({**bare, "scale": {"domain": span, "nice": False}} for span in spans)
    middle = [
        {"calculate": f"(datum.{side} + datum.{side}_end) / 2", "as": f"{side}_middle"}
        for side in ("row", "column")
    ]
    spot = {"x": {"field": "column_middle", **across}, "y": {"field": "row_middle", **up}}
    corners = {"x": {"field": "column", **across}, "x2": {"field": "column_end"}}
    corners |= {"y": {"field": "row", **up}, "y2": {"field": "row_end"}}
    mark: Spec = {"type": "rect", "tooltip": True}
    if som.grid == "hex":
        mark = {"type": "point", "shape": HEXAGON, "filled": True, "opacity": 1, "tooltip": True}
        mark["size"] = 4 / 3 * unit**2
    cell = {"mark": mark, "encoding": {**(spot if som.grid == "hex" else corners), "color": shade}}
    layers: list[Spec] = [{"transform": middle, **cell}]
    if text:
        word = {"type": "text", "fontWeight": "bold", "color": "black", "limit": unit}
        name = {"text": {"field": text, "type": "nominal"}}
        layers.append({"transform": middle, "mark": word, "encoding": spot | name})
    used = ["row", "row_end", "column", "column_end", value, text]
    figure = assemble(used, layers, options, fits=(_fit_words(text, unit),) if text else ())
    panel = figure.layout["spec"] if facet else figure.layout
    panel |= {
        side: unit * (high - low)
        for side, (low, high) in zip(("width", "height"), spans, strict=True)
    }
    if facet:
        figure.layout["spacing"] = {"column": 100 if own_colors else 40, "row": 50}
    if own_colors:
        shade["legend"] = {"title": None, "gradientLength": panel["height"], "tickCount": 4}
        figure.layout["resolve"]["scale"]["color"] = "independent"
    return figure


def map_chart(som, values, labels, title) -> Drawing:
    """Return a drawing of the U-matrix, of the component planes, or of one value per unit."""
    shape = check_shape(som)
    if len(shape) > 2:
        raise ValueError(
            f"SelfOrganizingMap.chart draws grids of one or two axes, got shape={som.shape!r}."
        )
    if isinstance(values, str) and values == "component_planes":
        if labels is not None:
            raise ValueError(
                "SelfOrganizingMap.chart: labels belong to one map, got values='component_planes'."
            )
        planes = zip(names_of(som), som.component_planes(), strict=True)
        rows = [
            row
            for name, plane in planes
            for row in rows_of(unit_columns(som, value=plane, feature=np.full(plane.size, name)))
        ]
        titles: Options = {"facet": "feature", "title": title or "Component planes"}
        return unit_figure(som, "value", own_colors=True, **titles).spec(rows)
    heights = isinstance(values, str)
    column = "distance" if heights else "value"
    drawn = {column: som.u_matrix() if heights else _on_units(values, shape, "values")}
    if labels is not None:
        found = np.ma.masked_array(_on_units(labels, shape, "labels"))
        drawn["label"] = np.where(np.ma.getmaskarray(found), "", found.data.astype(str))
    if not title and heights:
        title = "U-matrix: how far each unit is from its neighbours"
    text = None if labels is None else "label"
    return unit_figure(som, column, text, title=title).spec(rows_of(unit_columns(som, **drawn)))


def _with_names(figure):
    """Turn the names of features so far that none is left out, or of many every few."""

    def turn(layout, rows):
        across = layers_of(layout)[0]["encoding"]["x"]
        many = len({row[across["field"]] for row in rows}) > MANY_NAMES
        across["axis"] |= {"labelAngle": -90 if many else -60, "labelLimit": 140}
        across["axis"]["labelOverlap"] = "greedy" if many else False

    return replace(figure, fits=(*figure.fits, turn))


def _fit_words(text, unit):
    """Return what makes the words so small that the longest has room on its unit."""

    def shrink(layout, rows):
        longest = max((len(str(row[text])) for row in rows), default=1)
        size = min(15, 0.55 * unit, unit / (LETTER_WIDTH * max(longest, 1)))
        for layer in layers_of(layout):
            if layer["mark"]["type"] == "text":
                layer["mark"]["fontSize"] = max(SMALLEST_WORD, size)

    return shrink


def _on_units(values, shape, name):
    values = values if isinstance(values, np.ma.MaskedArray) else np.asarray(values)
    if values.shape != shape:
        raise ValueError(
            f"SelfOrganizingMap.chart: {name} must have the shape of the grid, {shape}, got "
            f"{values.shape}."
        )
    return values


def _extent(som, width, height):
    """Return how far the map reaches along both sides, and the pixels of one unit."""
    shape = check_shape(som)
    rows, columns = shape if len(shape) == 2 else (1, shape[0])
    across, up = (-HALF, columns - HALF), (-HALF, rows - HALF)
    if som.grid == "hex":
        tip = 1 / np.sqrt(3)
        across = (-HALF, columns - HALF + (HALF if rows > 1 else 0.0))
        up = (-tip, (rows - 1) * ROW_HEIGHT + tip)
    unit = min(width / (across[1] - across[0]), height / (up[1] - up[0]), LARGEST_UNIT)
    return (across, up), float(unit)


def rows_of(columns) -> list[dict[str, Any]]:
    """Return columns as rows of plain values."""
    lists = [np.asarray(column).tolist() for column in columns.values()]
    return [dict(zip(columns, row, strict=True)) for row in zip(*lists, strict=True)]
