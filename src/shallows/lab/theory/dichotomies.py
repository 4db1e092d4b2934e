"""Experiment: counting the labelings that a hyperplane can realise."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from shallows._core.contract.params import Range
from shallows.lab import Run, experiment, line
from shallows.theory import count_ambiguous, count_dichotomies, separable_labelings

LARGEST_COUNT = 600


@experiment(
    chapter="theory",
    sources="notes-000a Figs. 3.5-3.7, 3.11, M47, M48, M52; notes-003 E15, M109",
    quick={"largest_p": 6},
)
def dichotomies(largest_p: Annotated[int, Range(5, 12)] = 9, *, run: Run) -> None:
    """How many labelings of P points can a hyperplane realise?

    All labelings of small random point sets are tested. If there are at most as many points as
    dimensions, every labeling is possible. For more points their number grows only as a
    polynomial. It depends only on P and N as long as the points are in general position; points in
    special position have fewer labelings.

    Parameters
    ----------
    largest_p : int
        Points in the largest sets.
    """
    wrong = wrong_ambiguous = 0
    for n in run.progress((1, 2, 3, 4)):
        points = run.rng.standard_normal((largest_p, n))
        previous: set[tuple[int, ...]] = {()}
        for p in range(1, largest_p + 1):
            expected = count_dichotomies(p, n)
            if expected > LARGEST_COUNT:
                break
            labelings = {tuple(row) for row in separable_labelings(points[:p]).tolist()}
            both = sum((*old, 1) in labelings and (*old, -1) in labelings for old in previous)
            wrong += len(labelings) != expected
            wrong_ambiguous += both != count_ambiguous(p - 1, n)
            previous = labelings
            run.row(dimension=f"N = {n}", points=p, counted=len(labelings), theory=expected)

    run.figure(
        line(
            "points",
            "counted",
            theory="theory",
            color="dimension",
            y_log=True,
            title="Labelings of P points that are linearly separable",
            x_title="number of points P",
            y_title="labelings",
        )
    )

    run.claim("random sets whose count is not C(P, N)", wrong, 0, within=0)
    run.claim(
        "random sets whose ambiguous labelings are not C(P, N - 1)", wrong_ambiguous, 0, within=0
    )
    for (p, n), known in {(2, 2): 4, (3, 2): 6, (4, 3): 14}.items():
        counted = len(separable_labelings(run.rng.standard_normal((p, n))))
        run.claim(f"{p} points in {n} dimensions", counted, known, within=0)
    special = np.array([[1.0, 0.0], [1.0, 2.0], [-2.0, -4.0]])
    run.claim(
        "3 points, two on a line through the origin", len(separable_labelings(special)), 4, within=0
    )

    corners = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    line_of_three = np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]])
    for text, points, known in (
        ("with a threshold: 3 general points in the plane", corners[:3], 8),
        ("with a threshold: 3 points on a line", line_of_three, 6),
        ("with a threshold: the 4 corners of a square", corners, 14),
    ):
        run.claim(text, len(separable_labelings(_with_constant(points))), known, within=0)

    # A space cut by K hyperplanes has half as many cells as K + 1 points have dichotomies.
    for n, cells in ((2, [1, 2, 4, 7, 11, 16]), (3, [1, 2, 4, 8, 15, 26])):
        pieces = [_cells(run.rng.standard_normal((k, n + 1))) for k in range(6)]
        shapes = "lines cut the plane" if n == 2 else "planes cut space"
        text = f"0 to 5 {shapes} into {', '.join(map(str, cells))} pieces"
        run.claim(text, ", ".join(map(str, pieces)), holds=pieces == cells)


def _cells(planes: NDArray[np.float64]) -> int:
    """Count the cells of an affine arrangement: normals in front, offsets in the last column."""
    infinity = np.eye(planes.shape[1])[-1:]
    return len(separable_labelings(np.vstack([infinity, planes]))) // 2


def _with_constant(points: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.column_stack([points, np.ones(len(points))])
