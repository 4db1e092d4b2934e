"""Playground: a self-organising map that unfolds."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray

from shallows.lab._play_parameters import Points, Slider
from shallows.lab._playground import Exercise, Lesson, Scene, claim, playground
from shallows.prototype import SelfOrganizingMap
from shallows.prototype._som_steps import batch_rows, batch_step
from shallows.prototype._unit_grid import grid_distances, influence

Floats = NDArray[np.float64]
Shape = Literal["drawn", "square", "ring", "two islands", "cross"]
SAMPLES = 300

LESSONS = [
    Lesson(
        "A net that unfolds",
        "Press Play.",
        "A crumpled net opens and covers the square, without a knot.",
        "Each sample pulls its nearest unit and, less strongly, the unit's neighbours in the net. "
        "The neighbourhood is wide at first, which orders the net, then narrow, which fits it.",
        "play=yes",
    ),
    Lesson(
        "Frozen too early",
        "Set the first width as low as the last one.",
        "The net stays crumpled: neighbours in the net are no neighbours in the plane, and the "
        "topographic error is large.",
        "Without a wide neighbourhood units hardly know each other, and each one goes to the "
        "nearest "
        "samples as in k-means. The quantization error may even be lower: order has its price.",
        "width=0.5&final_width=0.5&play=yes",
    ),
    Lesson(
        "Borders in the map",
        "Choose the two islands and look at the U-matrix.",
        "A dark ridge crosses the map, where neighbouring units are far apart.",
        "Units between the islands win no samples. Distances between neighbours, the U-matrix, "
        "show "
        "clusters although the map knows no labels, also where data have too many dimensions to "
        "be drawn.",
        "shape=two islands",
    ),
]
EXERCISE = Exercise(
    "Lay a chain of 1 x 30 units over the square. What does it look like, and why?",
    "A curve that fills the square, like Hilbert's. A chain has one dimension, and to be near to "
    "every sample it must fold; neighbours in the chain stay neighbours, but not the reverse.",
    "rows=1&columns=30&width=8",
)


@playground(
    lessons=LESSONS,
    exercise=EXERCISE,
    experiments=["som_iris", "som_digits", "neural_gas_kmeans"],
    sources="the course on unsupervised learning: Kohonen's self-organising maps",
)
def maps(
    points: Annotated[list, Points(most=100, classes=1)] = [],  # type: ignore[type-arg]  # noqa: B006
    shape: Shape = "square",
    rows: Annotated[int, Slider(1, 14)] = 9,
    columns: Annotated[int, Slider(2, 30)] = 9,
    width: Annotated[float, Slider(0.25, 12, step=0.25)] = 4.0,
    final_width: Annotated[float, Slider(0.1, 4, step=0.1)] = 0.5,
    passes: Annotated[int, Slider(2, 60)] = 40,
    seed: Annotated[int, Slider(0, 50)] = 0,
) -> Scene:
    """Maps: a net of units that learns the shape of its data.

    Draw samples or choose a shape. The units of a self-organising map are joined in a net; they
    move to the samples and keep the net in order. The U-matrix on the right is the map itself,
    dark where neighbouring units are far from each other.

    Parameters
    ----------
    points : list of (x, y, 0)
        Samples that you draw, each as a little cloud; they are added to the shape.
    shape : str
        Where the other samples lie.
    rows : int
        Rows of the net.
    columns : int
        Columns of the net.
    width : float
        Width of the neighbourhood at first.
    final_width : float
        Width in the end.
    passes : int
        Passes over the samples.
    seed : int
        Which samples are drawn, and the crumpled start.
    """
    rng = np.random.default_rng(seed)
    X = samples_of(shape, np.array(points).reshape(-1, 3)[:, :2], rng)
    if len(X) < 2:
        return Scene(
            [{"units": np.zeros((rows * columns, 2))}], {"samples": X}, code="# Draw samples."
        )
    start = X.mean(axis=0) + 0.3 * rng.standard_normal((rows * columns, 2))
    widths = width * (final_width / width) ** (np.arange(passes) / max(passes - 1, 1))
    units, frames = start, [{"units": start, "width": float(widths[0])}]
    rows_of, grid = (
        batch_rows(X, np.ones(len(X)), "distance"),
        grid_distances((rows, columns), "rect", False),
    )
    errors: list[float] = []  # the mean squared distance before each step
    for now in widths[:-1]:
        units, loss = batch_step(rows_of, units, influence(grid, now, "gaussian", X.dtype))
        errors.append(float(loss))
        frames.append({"units": units, "width": float(now)})
    last = float(widths[-1])
    model = SelfOrganizingMap(
        (rows, columns), init=units, width=last, final_width=last, max_iter=1
    ).fit(X)
    units = np.array(model.prototypes_)
    frames.append({"units": units, "width": last})
    distances = model.u_matrix().reshape(rows, columns)
    errors += [_quantization(X, frame["units"]) for frame in frames[-2:]]
    step = _batch_step(X, frames[-2]["units"], rows, columns, last)
    gap = float(np.abs(step - units).max())
    inside = (units >= X.min(axis=0) - 1e-9) & (units <= X.max(axis=0) + 1e-9)
    claims = [
        claim("the last pass takes Kohonen's weighted means, gap", gap, at_most=1e-6),
        claim("units outside the box of the samples", int((~inside).any(axis=1).sum()), at_most=0),
    ]
    common: dict[str, Any] = {
        "samples": X.round(3),
        "rows": rows,
        "columns": columns,
        "u_matrix": distances,
        "errors": errors,
        "topographic": float(model.topographic_error(X)) if rows * columns > 1 else 0.0,
    }
    return Scene(frames, common, claims, _code(X, rows, columns, width, final_width, passes))


def samples_of(shape: str, drawn: Floats, rng: np.random.Generator) -> Floats:
    """Return samples of a shape and a little cloud for each drawn point."""
    if shape == "square":
        X = rng.uniform(-1.5, 1.5, (SAMPLES, 2))
    elif shape == "ring":
        angle, radius = rng.uniform(0, 2 * np.pi, SAMPLES), rng.uniform(0.9, 1.6, SAMPLES)
        X = radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    elif shape == "two islands":
        X = rng.normal(0, 0.3, (SAMPLES, 2)) + np.where(np.arange(SAMPLES)[:, None] % 2, 0.9, -0.9)
    elif shape == "cross":
        X = rng.uniform(-1.6, 1.6, (SAMPLES, 2)) * np.where(
            rng.random(SAMPLES)[:, None] < 0.5, [1, 0.25], [0.25, 1]
        )
    else:
        X = np.empty((0, 2))
    clouds = np.repeat(drawn, 6, axis=0)
    return np.vstack([X, clouds + rng.normal(0, 0.08, clouds.shape)]).clip(-2, 2)


def _quantization(X: Floats, units: Floats) -> float:
    return float(((X[:, None] - units) ** 2).sum(axis=2).min(axis=1).mean())


def _batch_step(X: Floats, units: Floats, rows: int, columns: int, width: float) -> Floats:
    """Return the means of the samples, weighted by the neighbourhood of their winners."""
    winners = ((X[:, None] - units) ** 2).sum(axis=2).argmin(axis=1)
    places = np.argwhere(np.ones((rows, columns)))
    square = ((places[:, None] - places[winners]) ** 2).sum(axis=2)
    nearness = np.exp(-square / width**2)
    nearness[nearness < np.finfo(float).eps] = 0
    total = nearness.sum(axis=1, keepdims=True)
    means = nearness @ X / np.maximum(total, 1e-300)
    return np.where(total > 1e-300, means, units)


def _code(X, rows, columns, width, final_width, passes):  # type: ignore[no-untyped-def]
    return f"""import numpy as np
from shallows.prototype import SelfOrganizingMap

X = np.random.default_rng(0).uniform(-1.5, 1.5, ({len(X)}, 2))  # your data here
model = SelfOrganizingMap(
    ({rows}, {columns}),
    init="random",
    width={width:g},
    final_width={final_width:g},
    max_iter={passes},
).fit(X)
print("topographic error:", model.topographic_error(X))
print(model.u_matrix().round(2))
"""
