"""Version space on the sphere of weights."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shallows._core.showing.figures import Drawing
from shallows._core.showing.figures.chart import assemble, axis, part_layer

Array = NDArray[np.float64]


def draw_version_space(X: ArrayLike, y: ArrayLike, *, cells: int = 120) -> Drawing:
    """Draw weights of three dimensions that agree with labelled inputs, seen from above.

    Each input is a plane that cuts the sphere of weights in a great circle; weights on one side
    give it one label. What is on the right side of all planes is the version space. The sphere is
    turned so that its middle, or the mean of the labelled inputs where there is none, looks
    at the viewer, and the far half is not seen.

    Parameters
    ----------
    X : array-like of shape (n_samples, 3)
        Inputs.
    y : array-like of shape (n_samples,)
        Labels, -1 or 1.
    cells : int, default=120
        Points along the width of the picture for shading.

    Returns
    -------
    drawing : Drawing
        Circles as lines, the version space shaded. The column `cell` tells which labels the
        weights at a point give, so that its different values are the cells of the half that is
        seen.

    Examples
    --------
    >>> from shallows.lab import draw_version_space
    >>> drawing = draw_version_space([[1, 0, 0], [0, 1, 0], [0, 0, 1]], [1, 1, 1])
    >>> len({row["cell"] for row in drawing.rows if row["part"] != "circle"})
    7
    """
    inputs, labels = np.asarray(X, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if inputs.ndim != 2 or inputs.shape[1] != 3 or labels.shape != (len(inputs),):
        raise ValueError(
            "draw_version_space: X must have three columns and y a label per row, got shapes "
            f"{inputs.shape} and {labels.shape}."
        )
    if not np.isin(labels, (-1, 1)).all() or not (lengths := np.linalg.norm(inputs, axis=1)).all():
        raise ValueError("draw_version_space: labels must be -1 and 1, and no input be zero.")
    planes = inputs / lengths[:, None] * labels[:, None]
    frame = _facing(planes)
    rows: list[dict[str, Any]] = []
    ticks = np.linspace(-1, 1, cells)
    u, v = (part.ravel() for part in np.meshgrid(ticks, ticks))
    inside = u**2 + v**2 < 1
    u, v = u[inside], v[inside]
    weights = np.column_stack([u, v, np.sqrt(1 - u**2 - v**2)]) @ frame
    right = weights @ planes.T > 0
    for a, b, agrees in zip(u, v, right, strict=True):
        part = "version space" if agrees.all() else "other"
        cell = "".join("+" if one else "-" for one in agrees == (labels > 0))
        rows.append(
            {"u": float(a), "v": float(b), "part": part, "cell": cell, "input": 0, "order": 0}
        )
    angles = np.linspace(0, 2 * np.pi, 400)
    for number, plane in enumerate(planes):
        first = np.linalg.svd(plane[None])[2][1:]
        circle = (np.column_stack([np.cos(angles), np.sin(angles)]) @ first) @ frame.T
        for order, point in enumerate(_visible_arc(circle)):
            place = {"u": float(point[0]), "v": float(point[1])}
            rows.append(
                {**place, "part": "circle", "cell": "", "input": number + 1, "order": order}
            )
    return _figure().spec(rows)


def _facing(planes: Array) -> Array:
    """Return three axes, the last of which points to the middle of the version space."""
    rng = np.random.default_rng(0)
    weights = rng.standard_normal((20_000, 3))
    members = weights[(weights @ planes.T > 0).all(axis=1)]
    middle = members.mean(axis=0) if len(members) else planes.mean(axis=0)
    if not np.linalg.norm(middle):
        middle = np.array([0.0, 0.0, 1.0])
    axes = np.linalg.qr(np.column_stack([middle, np.eye(3)]))[0].T
    axes[0] *= np.sign(axes[0] @ middle)
    return np.array([axes[1], axes[2], axes[0]])


def _visible_arc(circle: Array) -> Array:
    """Return the half of a great circle that faces the viewer, in the order along it."""
    seen = circle[:, 2] >= 0
    start = int(np.argmax(seen & ~np.roll(seen, 1)))
    return np.roll(circle, -start, axis=0)[: int(seen.sum())]


def _figure() -> Any:
    options: Any = {"title": "Version space on the sphere of weights"}
    place = {"x": axis("u", options, "x"), "y": axis("v", options, "y")}
    for side in place.values():
        side |= {"scale": {"domain": [-1.05, 1.05], "nice": False}, "axis": None}

    square = {"type": "square", "size": 26, "filled": True}
    other = {**place, "color": {"value": "gray"}}
    inside = {**place, "color": {"value": "#e69f00"}}
    number = {"field": "input", "type": "nominal", "title": "input"}
    around = {**place, "color": number, "order": {"field": "order"}}
    layers = [
        part_layer("other", {**square, "opacity": 0.1}, other),
        part_layer("version space", {**square, "opacity": 0.6}, inside),
        part_layer("circle", {"type": "line", "strokeWidth": 2}, around),
    ]
    figure = assemble(["u", "v", "part", "cell", "input", "order"], layers, options)
    figure.layout["width"] = figure.layout["height"]
    return figure
