"""Experiment: metric scaling of a nearly flat cloud."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from scipy.spatial.distance import pdist

from shallows._core.contract.params import Range
from shallows.data import make_manifold
from shallows.lab import Run, experiment, scatter
from shallows.reduce import MDS


@experiment(chapter="reduce", sources="notes-000b M117, Fig. 8.4", quick={"samples": 60})
def metric_mds(
    samples: Annotated[int, Range(20, 400)] = 100,
    starts: Annotated[int, Range(1, 20)] = 4,
    *,
    run: Run,
) -> None:
    """Can two dimensions preserve the distances of a flat cloud in space?

    A cloud with little variance in its third direction is embedded in the plane by minimising
    stress. The distances change little. Stress does not depend on rotations and shifts.

    Parameters
    ----------
    samples : int
        Points of the cloud, with variances 4, 1 and 0.01.
    starts : int
        Random starts; the best one counts.
    """
    X = make_manifold("cloud", samples, random_state=run.rng).X
    model = MDS(init="random", n_init=starts, eps=1e-9, max_iter=2000, random_state=run.seed).fit(X)
    before, after = pdist(X), pdist(model.embedding_)
    shown = run.rng.permutation(len(before))[:1500]
    run.rows(in_space=before[shown], in_the_plane=after[shown])
    run.figure(scatter("in_space", "in_the_plane", title="Distances before and after"))

    correlation = np.corrcoef(before, after)[0, 1]
    run.claim("correlation of the distances", correlation, at_least=0.98)
    angle = run.rng.uniform(0, 2 * np.pi)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    moved = float(np.sum((before - pdist(model.embedding_ @ turn + 5)) ** 2))
    run.claim(
        "stress after a rotation and a shift over stress before",
        moved / model.stress_,
        1,
        within=1e-9,
    )
    falls = np.diff(model.history_["loss"]).max()
    run.claim("no step raises the stress", falls, at_most=1e-15)
