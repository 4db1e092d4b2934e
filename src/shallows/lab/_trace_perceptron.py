"""Perceptron learning in the plane, step by step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shallows._core.showing.figures import Drawing
from shallows._core.showing.figures.chart import assemble, axis, part_layer

Array = NDArray[np.float64]
FRAMES = 9


class TraceStep(NamedTuple):
    """One update: which sample caused it, its field before and after, and the weights after."""

    sample: int
    field: float
    field_after: float
    weights: Array


@dataclass(frozen=True)
class PerceptronTrace:
    """Updates of a perceptron, and the data they came from.

    Parameters
    ----------
    X : ndarray of shape (n_samples, 2)
        Points.
    y : ndarray of shape (n_samples,)
        Labels, -1 or 1.
    steps : list of TraceStep
        Updates; weights are those of both coordinates and of a constant input 1.
    separated : bool
        Whether a pass without an update ended it.

    Examples
    --------
    >>> from shallows.lab import trace_perceptron
    >>> trace_perceptron([[1.0, 1.0], [-1.0, -1.0]], [1, -1]).separated
    True
    """

    X: Array
    y: Array
    steps: list[TraceStep]
    separated: bool

    def drawing(self) -> Drawing:
        """Draw the line between the classes after each of the first updates and the last.

        Returns
        -------
        drawing : Drawing
            One small figure per update.
        """
        shown = [*range(min(len(self.steps), FRAMES - 1))]
        if len(self.steps) >= FRAMES:
            shown.append(len(self.steps) - 1)
        low, high = self.X.min(axis=0) - 0.5, self.X.max(axis=0) + 0.5
        rows: list[dict[str, Any]] = []
        for number in shown:
            step, frame = self.steps[number], f"update {number + 1}"
            for i, (point, label) in enumerate(zip(self.X, self.y, strict=True)):
                kind = "cause" if i == step.sample else "sample"
                rows.append(_row(frame, kind, point, point, f"{label:+.0f}"))
            ends = _line_in_box(step.weights, low, high)
            if ends is not None:
                rows.append(_row(frame, "line", *ends, "boundary"))
        options: Any = {"facet": "frame", "title": "Perceptron learning"}
        place = {"x": axis("x1", options, "x"), "y": axis("x2", options, "y")}
        for side, bounds in zip(place.values(), np.transpose([low, high]), strict=True):
            side["scale"] = {"domain": bounds.tolist(), "nice": False}
        color = {"field": "label", "type": "nominal", "title": "label"}
        ends_of = {"x2": {"field": "x1_end"}, "y2": {"field": "x2_end"}}

        look = {**place, "color": color}
        dot = {"type": "point", "filled": True, "size": 40}
        layers = [
            part_layer("sample", dot, look),
            part_layer("cause", {**dot, "size": 160}, look),
            part_layer("line", {"type": "rule", "strokeWidth": 2}, look | ends_of),
        ]
        columns = ["x1", "x2", "x1_end", "x2_end", "label", "part"]
        return assemble(columns, layers, options).spec(rows)


def trace_perceptron(
    X: ArrayLike, y: ArrayLike, *, eta: float = 1.0, max_steps: int = 1000
) -> PerceptronTrace:
    """Learn points in the plane by Rosenblatt's rule, and keep every update.

    Samples are visited in their order, again and again. Where the label times the field is not
    positive the weights move by `eta` times label times input, which raises the label times the
    field by `eta` times the squared length of the input.

    Parameters
    ----------
    X : array-like of shape (n_samples, 2)
        Points.
    y : array-like of shape (n_samples,)
        Labels, -1 or 1.
    eta : float, default=1.0
        Learning rate.
    max_steps : int, default=1000
        Largest number of updates.

    Returns
    -------
    trace : PerceptronTrace
        All updates; `trace.drawing()` shows them.

    Examples
    --------
    >>> from shallows.lab import trace_perceptron
    >>> trace = trace_perceptron([[0, 0], [0, 1], [1, 0], [1, 1]], [-1, -1, -1, 1])
    >>> trace.separated, len(trace.steps)
    (True, 18)
    """
    points, labels = np.asarray(X, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if points.ndim != 2 or points.shape[1] != 2 or labels.shape != (len(points),):
        raise ValueError(
            "trace_perceptron: X must hold points in the plane and y a label for each, got shapes "
            f"{points.shape} and {labels.shape}."
        )
    if not np.isin(labels, (-1, 1)).all():
        raise ValueError("trace_perceptron: labels must be -1 and 1.")
    inputs = np.column_stack([points, np.ones(len(points))])
    weights, rests = np.zeros(3), 0
    steps: list[TraceStep] = []
    while rests < len(inputs) and len(steps) < max_steps:
        for i, (x, label) in enumerate(zip(inputs, labels, strict=True)):
            field = float(label * weights @ x)
            rests += 1
            if field <= 0 and len(steps) < max_steps:
                weights = weights + eta * label * x
                steps.append(TraceStep(i, field, float(label * weights @ x), weights))
                rests = 0
    return PerceptronTrace(points, labels, steps, rests >= len(inputs))


def _row(frame: str, part: str, start: Array, end: Array, label: str) -> dict[str, Any]:
    begin = {"x1": float(start[0]), "x2": float(start[1])}
    ends = {"x1_end": float(end[0]), "x2_end": float(end[1])}
    return {"frame": frame, "part": part, **begin, **ends, "label": label}


def _line_in_box(weights: Array, low: Array, high: Array) -> tuple[Array, Array] | None:
    """Return the two points at which the line of zero field meets the box, if it does."""
    found: list[Array] = []
    for along, across in ((0, 1), (1, 0)):
        if weights[across]:
            for edge in (low[along], high[along]):
                point = np.empty(2)
                point[along] = edge
                point[across] = -(weights[along] * edge + weights[2]) / weights[across]
                if low[across] - 1e-9 <= point[across] <= high[across] + 1e-9:
                    found.append(point)
    if len(found) < 2:
        return None
    gaps = [np.linalg.norm(point - found[0]) for point in found]
    return found[0], found[int(np.argmax(gaps))]
