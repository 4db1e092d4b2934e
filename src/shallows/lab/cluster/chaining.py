"""Experiment: single linkage follows chains."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from sklearn.metrics import adjusted_rand_score

from shallows._core.contract.params import Range
from shallows.cluster import AgglomerativeClustering
from shallows.cluster._linkage import Method
from shallows.lab import Run, experiment, scatter

LINKAGES: tuple[Method, ...] = ("single", "average", "complete", "ward")


@experiment(
    chapter="cluster",
    sources="notes-000b M134",
    quick={"samples": 120},
)
def chaining(
    samples: Annotated[int, Range(60, 2000)] = 300,
    bridge: Annotated[int, Range(15, 100)] = 15,
    *,
    run: Run,
) -> None:
    """Which linkage follows a chain of samples, and when is that good?

    Single linkage merges the nearest pair of samples. A few samples between two round clusters
    therefore join them like a bridge, and the second cluster is a single stray sample. Linkages
    that use all pairs keep the clusters apart. For two concentric rings it is the reverse: each
    ring is a chain, which single linkage follows, while other linkages cut the rings into pieces.

    Parameters
    ----------
    samples : int
        Samples in two clusters.
    bridge : int
        Samples on the line between the round clusters; fewer leave gaps too wide to follow.
    """
    sides = np.repeat([0, 1], samples // 2)
    blobs = run.rng.normal(scale=0.5, size=(len(sides), 2)) + np.column_stack(
        [6 * sides, 0 * sides]
    )
    line = np.column_stack([np.linspace(0.5, 5.5, bridge), run.rng.normal(scale=0.02, size=bridge)])
    angle = np.concatenate([np.linspace(0, 2 * np.pi, samples // 2, endpoint=False)] * 2)
    radius = np.where(sides == 0, 1.0, 3.0) + run.rng.normal(scale=0.02, size=len(sides))
    rings = np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])
    sets = {
        "bridge": (np.concatenate([blobs, line]), sides),
        "rings": (rings, sides),
    }
    agreement, pieces = {}, []
    for name, (X, y) in sets.items():
        for linkage in LINKAGES:
            labels = AgglomerativeClustering(2, linkage=linkage).fit_predict(X)
            agreement[name, linkage] = adjusted_rand_score(y, labels[: len(y)])
            if name == "rings" and linkage != "single":
                pieces.append(np.bincount(labels[sides == 1], minlength=2).min() / (samples // 2))
            panel = f"{name}, {linkage}"
            run.rows(x1=X[:, 0], x2=X[:, 1], cluster=[str(k) for k in labels], panel=panel)
            run.row("scores", data=name, linkage=linkage, agreement=agreement[name, linkage])
    run.figure(
        scatter(
            "x1", "x2", color="cluster", facet="panel", title="Two clusters by linkage", equal=True
        )
    )

    run.claim(
        "bridge: agreement of single linkage",
        agreement["bridge", "single"],
        at_most=0.1,
        probability=0.01,
    )
    run.claim(
        "bridge: agreement of Ward's linkage",
        agreement["bridge", "ward"],
        at_least=0.95,
        probability=0.01,
    )
    run.claim(
        "bridge: agreement of average linkage",
        agreement["bridge", "average"],
        at_least=0.95,
        probability=0.01,
    )
    run.claim("rings: agreement of single linkage", agreement["rings", "single"], 1, within=0)
    run.claim(
        "rings: the others cut the outer one; the smallest piece, as a share of it",
        min(pieces),
        at_least=0.15,
        probability=0.01,
    )
