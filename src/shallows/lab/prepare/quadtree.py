"""Experiment: a quadtree of points in a disc."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from shallows._core.contract.params import Range
from shallows.data import uniform_ball
from shallows.lab import Run, experiment, heatmap, line
from shallows.prepare import HypercubeTree


@experiment(
    chapter="prepare",
    sources="notes-004a 87, Fig. 24",
    quick={"n": 300, "cells": 16},
)
def quadtree(
    n: Annotated[int, Range(10, 100_000)] = 2000,
    max_points: Annotated[int, Range(1, 1000)] = 5,
    cells: Annotated[int, Range(8, 64)] = 64,
    *,
    run: Run,
) -> None:
    """How does a quadtree follow the density of points?

    Points in a disc; boxes are divided into quarters until none contains more than a few points.
    Boxes are small inside the disc and large in the empty corners. They cover the square without
    overlap, so the index of a box is a symbol for a location.

    Parameters
    ----------
    n : int
        Points.
    max_points : int
        Largest number of points in a box.
    cells : int
        Rows and columns of the picture.
    """
    X = uniform_ball(n, 2, random_state=run.rng)
    tree = HypercubeTree(max_points, max_depth=40).fit(X)
    places = -1 + (np.arange(cells) + 0.5) * 2 / cells
    for y in places[::-1]:
        depths = tree.depths_[tree.transform(np.column_stack([places, np.full(cells, y)]))[:, 0]]
        for x, depth in zip(places, depths, strict=True):
            run.row("depth", x=round(float(x), 3), y=round(float(y), 3), cuts=int(depth))
    run.figure(heatmap("x", "y", "cuts", table="depth", title="Cuts down to the box of each place"))
    for size in run.progress(np.unique(np.geomspace(max_points + 1, n, 12).astype(int))):
        part = HypercubeTree(max_points, max_depth=40).fit(X[:size])
        run.row(points=int(size), boxes=len(part.counts_), fewest=size / max_points)
    run.figure(
        line(
            "points",
            ["boxes", "fewest"],
            x_log=True,
            y_log=True,
            title="Boxes grow in proportion to the points",
            y_title="boxes",
        )
    )

    sides = tree.high_ - tree.low_
    area = np.ptp(X, axis=0).prod()
    run.claim("counts sum to the number of points", tree.counts_.sum(), expected=n, within=0)
    run.claim(
        "no box holds more than max_points", tree.counts_.max(), at_least=0, at_most=max_points
    )
    run.claim(
        "the areas of the boxes sum to that of the square (relative error)",
        sides.prod(axis=1).sum() / area - 1,
        expected=0,
        within=1e-9,
    )
    low, high = tree.low_[tree.labels_], tree.high_[tree.labels_]
    home = ((low - 1e-12 <= X) & (high + 1e-12 >= X)).all(axis=1)
    run.claim("every point lies in its own box (share)", home.mean(), expected=1, within=0)
    run.claim(
        "boxes: one more after every cut into four, so one more than a multiple of three",
        len(tree.counts_) % 3,
        expected=1,
        within=0,
    )
