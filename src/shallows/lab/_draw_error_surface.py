"""A cost over two weights, and the way down."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shallows._core.showing.figures import Drawing
from shallows._core.showing.figures.chart import assemble, axis, part_layer
from shallows._core.showing.figures.style import INK


def draw_error_surface(
    cost: Callable[[NDArray[np.float64]], Any],
    path: ArrayLike,
    *,
    margin: float = 0.3,
    cells: int = 60,
    title: str = "Cost over two weights",
) -> Drawing:
    """Draw a cost over a plane of weights as colour, with a path of descent on it.

    Parameters
    ----------
    cost : callable
        Cost of weights of shape (n, 2), one number each.
    path : array-like of shape (n_steps, 2)
        Weights at each step, the start first.
    margin : float, default=0.3
        Room around the path, as a share of its extent.
    cells : int, default=60
        Cells along each side.
    title : str
        Words above the figure.

    Returns
    -------
    drawing : Drawing
        Cells and path.

    Examples
    --------
    >>> from shallows.lab import draw_error_surface
    >>> drawing = draw_error_surface(lambda w: (w**2).sum(axis=1), [[1.0, 1.0], [0.0, 0.0]])
    >>> len(drawing.rows)
    3602
    """
    steps = np.asarray(path, dtype=np.float64)
    if steps.ndim != 2 or steps.shape[1] != 2 or not np.isfinite(steps).all():
        raise ValueError(
            f"draw_error_surface: path must hold finite pairs of weights, got shape {steps.shape}."
        )
    low, high = steps.min(axis=0), steps.max(axis=0)
    room = margin * max(float((high - low).max()), 1e-9)
    low, high = low - room, high + room
    edges = np.linspace(low, high, cells + 1)
    across, up = (part.ravel() for part in np.meshgrid(*((edges[:-1] + edges[1:]) / 2).T))
    costs = np.asarray(cost(np.column_stack([across, up])), dtype=np.float64)
    if costs.shape != across.shape:
        raise ValueError(
            f"draw_error_surface: cost must give a number for each of {len(across)} pairs, got "
            f"shape {costs.shape}."
        )
    half = (high - low) / cells / 2
    rows: list[dict[str, Any]] = [
        {
            "part": "cell", "w1": a - half[0], "w2": b - half[1],
            "w1_end": a + half[0], "w2_end": b + half[1], "cost": c, "step": 0,
        }
        for a, b, c in zip(across.tolist(), up.tolist(), costs.tolist(), strict=True)
    ]  # fmt: skip
    values = np.asarray(cost(steps), dtype=np.float64)
    for number, ((a, b), c) in enumerate(zip(steps.tolist(), values.tolist(), strict=True)):
        place = {"w1": a, "w2": b, "w1_end": a, "w2_end": b}
        rows.append({"part": "path", **place, "cost": c, "step": number})
    return _figure(title, low, high).spec(rows)


def _figure(title: str, low: NDArray[np.float64], high: NDArray[np.float64]) -> Any:
    options: Any = {"title": title}
    place = {"x": axis("w1", options, "x"), "y": axis("w2", options, "y")}
    for side, bounds in zip(place.values(), np.transpose([low, high]), strict=True):
        side["scale"] = {"domain": bounds.tolist(), "nice": False}
    ends = {"x2": {"field": "w1_end"}, "y2": {"field": "w2_end"}}
    ramp = {"scheme": {"name": "viridis", "extent": [0.95, 0.25]}}
    shade = {"field": "cost", "type": "quantitative", "title": "cost", "scale": ramp}

    line = {"type": "line", "point": {"filled": True, "size": 30, "color": INK}, "color": INK}
    layers = [
        part_layer("cell", {"type": "rect", "strokeWidth": 0}, {**place, **ends, "color": shade}),
        part_layer("path", line, {**place, "order": {"field": "step"}}),
    ]
    return assemble(["part", "w1", "w2", "w1_end", "w2_end", "cost", "step"], layers, options)
