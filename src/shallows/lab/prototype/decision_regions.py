"""Experiment: the decision regions of prototype classifiers."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from shallows._core.contract.params import Range
from shallows.lab import Run, bars, experiment, region_columns, regions
from shallows.prototype import GLVQ, GMLVQ, LVQ1, RSLVQ


@experiment(
    chapter="prototype",
    sources="notes-000b M50-M53, M60, M63, Fig. 6.1",
    quick={"samples": 100, "cells": 40},
)
def decision_regions(
    samples: Annotated[int, Range(100, 2000)] = 300,
    overlap: Annotated[float, Range(0.1, 0.6)] = 0.35,
    cells: Annotated[int, Range(20, 200)] = 120,
    *,
    run: Run,
) -> None:
    """What do the decision boundaries of prototype classifiers look like?

    With Euclidean distance, or one relevance matrix for all prototypes, a boundary consists of
    straight pieces, each half way between two prototypes. One prototype per class gives one
    straight piece between two classes; several can follow a curved boundary. With a matrix for
    each class the boundary is a conic section, and the soft competition of RSLVQ rounds its
    corners. Two of the three classes here are crossed bands, the third is a blob.

    Parameters
    ----------
    samples : int
        Samples of each class.
    overlap : float
        Width of the bands, whose length is 1.5; wide bands are nearly round and need no curved
        boundary.
    cells : int
        Cells along each side of the picture.
    """
    X, y = _bands(samples, overlap, run.rng)
    models: dict[str, Any] = {
        "LVQ1, 1 prototype": LVQ1(1),
        "GLVQ, 1 prototype": GLVQ(1, solver="lbfgs"),
        "GLVQ, 6 prototypes": GLVQ(6, solver="lbfgs"),
        "GMLVQ, one matrix": GMLVQ(1),
        "GMLVQ, a matrix per class": GMLVQ(1, local="class"),
        "RSLVQ, 6 prototypes": RSLVQ(6),
    }
    for method, model in run.progress(models.items()):
        model.set_params(random_state=run.seed).fit(X, y)
        columns = region_columns(
            model.predict, X, y, model.prototypes_, model.prototype_labels_, cells=cells
        )
        run.rows("plane", method=method, **columns)
        run.row(method=method, accuracy=model.score(X, y), bend=_bend(model, X, run.rng))

    run.figure(
        regions(table="plane", facet="method", title="Regions, samples and prototypes (diamonds)")
    )
    run.figure(bars("method", "accuracy", title="Share of training samples in their region"))

    table = run.columns()
    bend = dict(zip(table["method"], table["bend"], strict=True))
    accuracy = dict(zip(table["method"], table["accuracy"], strict=True))
    for method in ("LVQ1, 1 prototype", "GLVQ, 1 prototype", "GMLVQ, one matrix"):
        run.claim(
            f"{method}: the region of every class is convex (share of midpoints that leave it)",
            bend[method],
            expected=0,
            within=0,
        )
    local = "GMLVQ, a matrix per class"
    run.claim(f"{local}: some region is not convex", bend[local], at_least=0.001, probability=0.01)
    run.claim(
        "several prototypes: some region is not convex",
        bend["GLVQ, 6 prototypes"],
        at_least=0.001,
        probability=0.01,
    )
    run.claim(
        "a matrix per class fits bands that one matrix can't",
        accuracy[local] - accuracy["GMLVQ, one matrix"],
        at_least=0.03,
        probability=0.01,
    )
    run.claim(
        "six prototypes fit bands that one can't",
        accuracy["GLVQ, 6 prototypes"] - accuracy["GLVQ, 1 prototype"],
        at_least=0.03,
        probability=0.01,
    )


def _bands(
    samples: int, width: float, rng: np.random.Generator
) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    noise = rng.normal(size=(3, samples, 2))
    across = noise[0] * [1.5, width]
    upright = noise[1] * [width, 1.5] + [0.3, 0.2]
    blob = noise[2] * width + [2, 2]
    return np.concatenate([across, upright, blob]), np.repeat([0, 1, 2], samples)


def _bend(model: Any, X: np.ndarray[Any, Any], rng: np.random.Generator) -> float:
    """Return how often the midpoint between two places of one region lies in another."""
    low, high = X.min(axis=0), X.max(axis=0)
    places = low + (high - low) * rng.random((2, 5000, 2))
    first, second = (model.predict(ends) for ends in places)
    same = first == second
    return float(np.mean(model.predict(places.mean(axis=0)[same]) != first[same]))
