"""Experiment: four criteria of interpolation between the same two points."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import CubicSpline

from shallows._core.contract.params import Range
from shallows.lab import Run, bars, experiment, line
from shallows.prototype import InterpolationRegressor, InverseDistanceRegressor

Array = NDArray[Any]
POINTS = np.array([[0.2, 0.3], [0.7, 0.6]])
TARGETS = np.array([0.9, 0.2])


@experiment(chapter="prototype", sources="notes-004a 1-4, Fig. 5", quick={"steps": 41})
def four_criteria(
    u1: Annotated[float, Range(0, 1)] = 0.8,
    u2: Annotated[float, Range(0, 1)] = 0.2,
    power: Annotated[float, Range(0.5, 5)] = 2.0,
    variance: Annotated[float, Range(0.001, 1)] = 0.02,
    steps: Annotated[int, Range(11, 501)] = 201,
    *,
    run: Run,
) -> None:
    """What is the right value between two known values?

    Two pictures of two pixels each have a known number; what is the number of a third picture?
    There are four sensible rules: the point of least total distance to the known points, the mean
    weighted by inverse distances, the highest sum of Gaussians around the known points, and the
    curve of least curvature. They give different numbers, and the data favour none. The curve is a
    natural cubic spline along the line through both pictures, which is straight for two points.
    Between the pictures, and only there, the least distance is also a straight line.

    Parameters
    ----------
    u1 : float
        First pixel of the asking picture.
    u2 : float
        Its second pixel.
    power : float
        Power of the inverse distance.
    variance : float
        Variance of the Gaussians.
    steps : int
        Places along the way from before the first picture to beyond the second.
    """
    models: dict[str, Any] = {
        "least distance": InterpolationRegressor("distance"),
        "inverse distance": InverseDistanceRegressor(power),
        "sum of Gaussians": InterpolationRegressor("gaussian", s2=variance),
        "least curvature": _Spline(),
    }
    query = np.array([[u1, u2]])
    answers = {}
    way = np.linspace(-0.5, 1.5, steps)
    along = POINTS[0] + way[:, None] * (POINTS[1] - POINTS[0])
    for name, model in run.progress(models.items()):
        model.fit(POINTS, TARGETS)
        answers[name] = float(model.predict(query)[0])
        run.row(criterion=name, answer=answers[name])
        run.rows("way", criterion=name, place=way, answer=model.predict(along))
    run.figure(bars("criterion", "answer", title="Answers to the same question"))
    run.figure(
        line(
            "place",
            "answer",
            color="criterion",
            table="way",
            title="Answers along the line through the known pictures, which are at 0 and 1",
        )
    )

    values = np.sort(list(answers.values()))
    if (u1, u2, power, variance) == (0.8, 0.2, 2.0, 0.02):
        run.claim(
            "smallest gap between two of the four answers", np.diff(values).min(), at_least=0.01
        )
    mean = InverseDistanceRegressor(0.0).fit(POINTS, TARGETS).predict(query)[0]
    run.claim("inverse distance of power 0 is the mean", mean, TARGETS.mean(), within=1e-12)
    distances = np.sqrt(((query - POINTS) ** 2).sum(axis=1))
    if not np.isclose(distances[0], distances[1], rtol=0.02):
        high = InverseDistanceRegressor(1000.0).fit(POINTS, TARGETS).predict(query)[0]
        nearest = TARGETS[distances.argmin()]
        run.claim("of a large power the value of the nearest", high, nearest, within=1e-6)
    wide = InterpolationRegressor("gaussian", s2=1e4).fit(POINTS, TARGETS).predict(query)[0]
    run.claim("wide Gaussians give the mean", wide, TARGETS.mean(), within=1e-3)
    first = InverseDistanceRegressor(1.0).fit(POINTS, TARGETS).predict(query)[0]
    run.claim(
        "two points: the least distance is the mean weighted by inverse distances of power 1",
        answers["least distance"],
        first,
        within=1e-6,
    )
    three = np.array([[0.0], [0.5], [1.0]]), np.array([1.0, 0.0, 1.0])
    between = InterpolationRegressor("distance").fit(*three).predict([[0.5]])[0]
    run.claim(
        "three points: in the middle it gives not the known 0, but 1 - 1 / sqrt(12)",
        between,
        1 - 1 / np.sqrt(12),
        within=1e-6,
    )
    run.note(
        "The least total distance is called an interpolation, but need not pass through a known "
        "point: other points that pull together outweigh it."
    )


class _Spline:
    """Natural cubic spline of the targets along the line through two points."""

    def fit(self, X: Array, y: Array) -> None:
        self.start, self.way = X[0], X[1] - X[0]
        self.curve = CubicSpline([0.0, 1.0], y, bc_type="natural")

    def predict(self, X: Array) -> Array:
        place = (X - self.start) @ self.way / (self.way @ self.way)
        found: Array = self.curve(place)
        return found
