"""Experiment: which outliers does the gamma index find that the distance to the centre misses?"""

from __future__ import annotations

from typing import Annotated

import numpy as np
from scipy.stats import spearmanr

from shallows._core.params import Range
from shallows.lab import Run, experiment, line
from shallows.outlier import DistanceToCenter, GammaIndex, contamination_roc


@experiment(
    chapter="outlier",
    sources="notes-002 3.3, D1-D4",
    quick={"n": 200, "repeats": 5},
)
def gamma_against_centre(
    n: Annotated[int, Range(100, 5000)] = 400,
    k: Annotated[int, Range(1, 50)] = 5,
    repeats: Annotated[int, Range(5, 100)] = 20,
    *,
    run: Run,
) -> None:
    """Which outliers does the gamma index find that the distance to the centre misses?

    Normal rows form one round cloud, two clusters, or a ring. Outliers stand in the middle of all
    normal rows, where a ring and two clusters are empty, or far outside. The distance to the
    centre ranks rows of the round cloud as the gamma index does; a row in the empty middle it
    takes for the most normal of all.

    Parameters
    ----------
    n : int
        Normal rows.
    k : int
        Neighbours of the gamma index.
    repeats : int
        Mixtures of normal rows and planted outliers, 5 % each time.
    """
    angle = run.rng.uniform(0, 2 * np.pi, n)
    cloud = run.rng.standard_normal((n, 2))
    normal = {
        "cloud": cloud,
        "two clusters": cloud + np.where(np.arange(n) % 2, 8, -8)[:, None] * [1, 0],
        "ring": 8 * np.c_[np.cos(angle), np.sin(angle)] + 0.5 * cloud,
    }
    middle = 0.5 * run.rng.standard_normal((n, 2))
    far = 20 + run.rng.standard_normal((n, 2))
    areas = {}
    for shape, rows in run.progress(normal.items()):
        for place, planted in {"in the middle": middle, "far outside": far}.items():
            if (shape, place) == ("cloud", "in the middle"):
                continue  # the middle of one cloud is normal
            for name, detector in {
                "gamma index": GammaIndex(k),
                "distance to centre": DistanceToCenter(),
            }.items():
                # few at a time, else the planted rows are a cluster of their own
                found = contamination_roc(
                    detector, rows, planted, fraction=0.01, n_repeats=repeats, random_state=run.rng
                )
                areas[shape, place, name] = float(found.auc.mean())
                for fpr, tpr in zip(found.fpr[::2], found.tpr[::2], strict=True):
                    run.row(
                        detector=name,
                        data=f"{shape}, {place}",
                        false_alarms=fpr,
                        found=tpr,
                    )
    order = spearmanr(GammaIndex(20).fit(cloud).index_, DistanceToCenter().fit(cloud).index_)
    run.figure(
        line(
            "false_alarms",
            "found",
            color="detector",
            facet="data",
            x_title="share of normal rows called outliers",
            y_title="share of outliers found",
        )
    )
    run.claim(
        "one round cloud: both rank the rows alike (rank correlation)",
        measured=float(order.statistic),
        at_least=0.8,
        probability=0.01,
    )
    for shape in ("two clusters", "ring"):
        run.claim(
            f"{shape}: the gamma index finds a row in the empty middle (area under the ROC curve)",
            measured=areas[shape, "in the middle", "gamma index"],
            at_least=0.95,
            probability=0.01,
        )
        run.claim(
            f"{shape}: the distance to the centre takes it for normal",
            measured=areas[shape, "in the middle", "distance to centre"],
            at_most=0.1,
            probability=0.01,
        )
    run.claim(
        "a row far outside is found by both, on all shapes",
        measured=min(area for (_, place, _), area in areas.items() if place == "far outside"),
        at_least=0.99,
        probability=0.01,
    )
