"""Experiment: which outliers does the gamma index find that the distance to the centre misses?"""

from __future__ import annotations

from typing import Annotated

import numpy as np
from scipy.stats import spearmanr

from shallows._core.contract.params import Range
from shallows.lab import Run, experiment, line
from shallows.outlier import DistanceToCenter, GammaIndex, ZScoreIndex, contamination_roc

NEIGHBOURS = (1, 2, 3, 5, 7, 10, 15, 20)


@experiment(
    chapter="outlier",
    sources="notes-002 3.3, D1-D4",
    quick={"n": 200, "repeats": 20},
)
def gamma_against_centre(
    n: Annotated[int, Range(200, 5000)] = 400,
    k: Annotated[int, Range(1, 20)] = 5,
    share: Annotated[float, Range(0.01, 0.05)] = 0.03,
    repeats: Annotated[int, Range(20, 100)] = 20,
    *,
    run: Run,
) -> None:
    """Which outliers does the gamma index find that the distance to the centre misses?

    Normal rows form one round cluster, two clusters, or a ring. Outliers are in the centre of all
    normal rows, which is empty for a ring and for two clusters, or anywhere in a box around them.
    For the round cluster the distance to the centre ranks rows similarly to the gamma index,
    especially with many neighbours. But it considers a row in an empty centre the most normal of
    all. Z-scores, which use one feature at a time, also miss the centre of a ring, and a row off
    the line on which two features lie.

    Parameters
    ----------
    n : int
        Normal rows; half of them are in each mixture.
    k : int
        Neighbours of the gamma index.
    share : float
        Share of planted outliers in a mixture.
    repeats : int
        Mixtures of normal rows and planted outliers.
    """
    angle = run.rng.uniform(0, 2 * np.pi, n)
    cloud = run.rng.standard_normal((n, 2))
    normal = {
        "cloud": cloud,
        "two clusters": cloud + np.where(np.arange(n) % 2, 8, -8)[:, None] * [1, 0],
        "ring": 8 * np.c_[np.cos(angle), np.sin(angle)] + 0.5 * cloud,
        "line": cloud[:, :1] + 0.05 * cloud[:, 1:] * [1, -1],
    }
    middle = run.rng.uniform(-4, 4, (n, 2))
    aside = run.rng.uniform(-1.3, 1.3, (8 * n, 2))  # usual values of either feature
    aside = aside[np.abs(aside[:, 0] - aside[:, 1]) > 0.8]
    places: dict[str, dict[str, np.ndarray | None]] = {
        "cloud": {"anywhere": None},
        "two clusters": {"in the middle": middle, "anywhere": None},
        "ring": {"in the middle": middle, "anywhere": None},
        "line": {"off it": aside},
    }
    detectors = {
        "gamma index": GammaIndex(k),
        "distance to centre": DistanceToCenter(),
        "z-scores": ZScoreIndex(),
    }
    areas, by_mixture = {}, {}
    for shape, rows in run.progress(normal.items()):
        for place, planted in places[shape].items():
            data, seed = f"{shape}, {place}", int(run.rng.integers(2**32))  # for all detectors
            for name, detector in detectors.items():
                found = contamination_roc(
                    detector, rows, planted, fraction=share, n_repeats=repeats, random_state=seed
                )
                areas[shape, place, name] = float(found.auc.mean())
                if shape == "cloud":
                    by_mixture[name] = found.auc
                run.rows(detector=name, data=data, false_alarms=found.fpr, found=found.tpr)
            run.rows(detector="chance", data=data, false_alarms=[0.0, 1.0], found=[0.0, 1.0])
    run.figure(
        line(
            "false_alarms",
            "found",
            color="detector",
            facet="data",
            title="ROC curves by normal rows and place of the outliers",
            x_title="share of normal rows called outliers",
            y_title="share of outliers found",
        )
    )
    distance = DistanceToCenter().fit(cloud).index_
    for number in NEIGHBOURS:
        order = spearmanr(GammaIndex(number).fit(cloud).index_, distance)
        run.row("ranks", neighbours=number, rank_correlation=float(order.statistic))
    run.figure(
        line(
            "neighbours",
            "rank_correlation",
            table="ranks",
            title="One round cloud: how alike the two indices rank its rows",
            y_title="rank correlation",
        )
    )

    ranks = run.columns("ranks")["rank_correlation"]
    run.claim(
        "one round cloud: with 20 neighbours both rank the rows alike (rank correlation)",
        measured=ranks[-1],
        at_least=0.8,
        probability=0.01,
    )
    for shape in ("two clusters", "ring"):
        run.claim(
            f"{shape}: the gamma index finds a row in the empty middle (area under the ROC curve)",
            measured=areas[shape, "in the middle", "gamma index"],
            at_least=0.85,
            probability=0.01,
        )
        run.claim(
            f"{shape}: the distance to the centre takes it for normal",
            measured=areas[shape, "in the middle", "distance to centre"],
            at_most=0.1,
            probability=0.01,
        )
    ahead = [
        areas[shape, "anywhere", "gamma index"] - areas[shape, "anywhere", "distance to centre"]
        for shape in ("two clusters", "ring")
    ]
    run.claim(
        "two clusters and ring, outliers anywhere: what the gamma index is ahead by",
        measured=np.mean(ahead),
        at_least=0.05,
        probability=0.01,
    )
    gap = by_mixture["gamma index"] - by_mixture["distance to centre"]  # of the same mixtures
    run.claim(
        "one round cloud, outliers anywhere: both are about equally good",
        measured=gap.mean(),
        expected=0.0,
        # a single neighbour costs 0.04; beside it, three standard errors
        within=0.06 + 3 * gap.std(ddof=1) / np.sqrt(repeats),
        probability=0.01,
    )
    run.claim(
        "ring: z-scores take a row in the empty middle for normal",
        measured=areas["ring", "in the middle", "z-scores"],
        at_most=0.1,
        probability=0.01,
    )
    run.claim(
        "two features on a line: the gamma index finds a row off it",
        measured=areas["line", "off it", "gamma index"],
        at_least=0.85,
        probability=0.01,
    )
    run.claim(
        "two features on a line: z-scores take it for normal",
        measured=areas["line", "off it", "z-scores"],
        at_most=0.8,
        probability=0.01,
    )
