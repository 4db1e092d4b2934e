"""Experiment: one wrong label and the borders of 1-NN and of prototypes."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from sklearn.datasets import make_blobs

from shallows._core.contract.params import Range
from shallows.lab import Run, bars, experiment, region_columns, regions
from shallows.prototype import GLVQ, LVQ1, KNeighborsClassifier

Array = np.ndarray[Any, Any]


@experiment(
    chapter="prototype",
    sources="notes-000b Fig. 6.1, M48, M50",
    quick={"samples": 60, "repeats": 10, "cells": 40},
)
def nn_vs_prototypes(
    samples: Annotated[int, Range(30, 1000)] = 90,
    repeats: Annotated[int, Range(10, 500)] = 50,
    cells: Annotated[int, Range(20, 200)] = 120,
    *,
    run: Run,
) -> None:
    """How does one wrong label change the decision boundaries of a classifier?

    The nearest neighbour rule stores all samples and makes no error on them, so a sample with a
    wrong label has an island inside another class. A few prototypes give boundaries of few
    straight pieces, which a single sample can shift only a little. Each repeat draws three classes
    in the plane, gives one sample near the centre of a class a wrong label, and measures the share
    of new samples whose decision changes.

    Parameters
    ----------
    samples : int
        Samples in three classes.
    repeats : int
        How often the data are drawn.
    cells : int
        Cells along each side of the picture.
    """
    models: dict[str, Any] = {
        "1-NN": KNeighborsClassifier(1),
        "LVQ1": LVQ1(random_state=run.seed),
        "GLVQ": GLVQ(solver="lbfgs"),
    }
    centres = np.array([[0.0, 0.0], [4.0, 0.0], [2.0, 3.5]])
    wins, errors = 0, []
    for repeat in run.progress(range(repeats)):
        seed = int(run.rng.integers(2**31))
        X, y = make_blobs(samples + 5000, centers=centres, cluster_std=0.8, random_state=seed)
        X, y, fresh = X[:samples], y[:samples], X[samples:]
        middle = int(((X - centres[0]) ** 2).sum(axis=1).argmin())
        wrong = y.copy()
        wrong[middle] = (y[middle] + 1) % 3
        changes = {}
        for name, model in models.items():
            before = model.fit(X, y).predict(fresh)
            after = model.fit(X, wrong).predict(fresh)
            changes[name] = np.mean(before != after)
            if name == "1-NN":
                errors.append(np.mean(model.predict(X) != wrong))
            if repeat == 0:
                run.rows("plane", method=name, **_plane(model, X, wrong, cells))
        run.row(repeat=repeat, **{name: changes[name] for name in models})
        wins += changes["1-NN"] > changes["GLVQ"]

    table = run.columns()
    for name in models:
        spread = table[name].std() / np.sqrt(repeats)
        run.row("means", method=name, changed=table[name].mean(), standard_error=spread)
    run.figure(
        regions(
            table="plane",
            facet="method",
            title="One wrong label near the middle of class 0; prototypes as diamonds",
        )
    )
    run.figure(
        bars(
            "method",
            "changed",
            error="standard_error",
            table="means",
            title="Share of new samples whose class one wrong label changes",
        )
    )
    run.claim("1-NN makes no error on its training set", max(errors), expected=0, within=0)
    run.claim(
        "one wrong label changes the decisions of 1-NN more than those of GLVQ (ratio of means)",
        table["1-NN"].mean() / max(table["GLVQ"].mean(), 1e-9),
        at_least=5,
        probability=0.01,
    )
    run.claim("so it does in most repeats", wins / repeats, at_least=0.9, probability=0.01)
    run.claim(
        "it changes few decisions of GLVQ", table["GLVQ"].mean(), at_most=0.01, probability=0.01
    )


def _plane(model: Any, X: Array, y: Array, cells: int) -> dict[str, Array]:
    if isinstance(model, KNeighborsClassifier):
        return region_columns(model.predict, X, y, cells=cells)
    places = model.prototypes_, model.prototype_labels_
    return region_columns(model.predict, X, y, *places, cells=cells)
