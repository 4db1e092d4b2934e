"""Experiment: which point sets a class of rules can shatter."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from shallows._core.contract.params import Range
from shallows.lab import Run, experiment, line
from shallows.theory import (
    cake_number,
    count_dichotomies,
    count_labelings,
    is_shattered,
    rademacher_complexity,
    vc_dimension,
    vc_dimension_hyperplane,
)


@experiment(
    chapter="theory",
    sources="notes-003 E15, M109, M110; notes-000a M51",
    quick={"largest": 8, "draws": 300},
)
def shattering(
    largest: Annotated[int, Range(6, 12)] = 10,
    draws: Annotated[int, Range(100, 10_000)] = 1000,
    *,
    run: Run,
) -> None:
    """How many points can a class of rules label arbitrarily?

    The largest such number is the VC dimension. Beyond it the number of labelings grows only as a
    polynomial (Sauer's lemma), and this makes learning possible. The Rademacher complexity, which
    measures how well a class can follow random labels, then falls as the number of points grows.

    Parameters
    ----------
    largest : int
        Points on which the classes are counted.
    draws : int
        Random labelings for the Rademacher complexity.
    """
    for p in run.progress(range(1, largest + 1)):
        x = np.sort(run.rng.uniform(-1, 1, p))
        cuts = np.concatenate([[-2], (x[1:] + x[:-1]) / 2, [2]])
        classes = {
            "thresholds": x > cuts[:, None],
            "intervals": (x > cuts[:, None, None]) & (x < cuts[None, :, None]),
            "sines": np.sin(np.outer(np.geomspace(1, 1e4, 20_000), x + 1.3)) > 0,
        }
        for name, answers in classes.items():
            realised = np.unique(answers.reshape(-1, p), axis=0)
            estimate = rademacher_complexity(2 * realised - 1, n_draws=draws, random_state=run.rng)
            run.row(
                rules=name,
                points=p,
                labelings=len(realised),
                dimension=vc_dimension(realised),
                rademacher=estimate.complexity,
                standard_error=estimate.standard_error,
            )
    run.figure(
        line(
            "points",
            "labelings",
            color="rules",
            y_log=True,
            title="Labelings that three classes of rules realise",
            x_title="number of points",
        )
    )
    run.figure(
        line(
            "points",
            "rademacher",
            error="standard_error",
            color="rules",
            title="Rademacher complexity: how well random labels are followed",
            x_title="number of points",
        )
    )

    sets = {
        "3 points in general position": (np.array([[0, 0], [1, 0], [0, 1]]), 8),
        "3 points on a line": (np.array([[0, 0], [1, 1], [2, 2]]), 6),
        "4 corners of a square": (np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), 14),
        "a triangle and a point inside": (np.array([[0, 0], [4, 0], [0, 4], [1, 1]]), 14),
    }
    for name, (X, expected) in sets.items():
        run.claim(f"lines realise, {name}: labelings", count_labelings(X), expected, within=0)
    for n in (1, 2, 3):
        X = run.rng.standard_normal((n + 2, n))
        most = max(p for p in range(1, n + 3) if is_shattered(X[:p]))
        run.claim(
            f"hyperplanes in {n} dimensions shatter", most, vc_dimension_hyperplane(n), within=0
        )
        run.claim(
            f"labelings of {n + 2} points in {n} dimensions",
            count_labelings(X),
            expected=count_dichotomies(n + 2, n + 1),
            within=0,
        )
    table = run.columns()
    for name, dimension in (("thresholds", 1), ("intervals", 2)):
        own = table["rules"] == name
        run.claim(f"{name}: VC dimension", table["dimension"][own].max(), dimension, within=0)
        limit = [cake_number(int(p), dimension) for p in table["points"][own]]
        ratio = np.max(table["labelings"][own] / limit)
        run.claim(f"{name}: labelings over Sauer's bound, largest", ratio, at_most=1)
    own = table["rules"] == "sines"
    few = own & (table["points"] <= 5)
    shortage = np.max(2 ** table["points"][few] - table["labelings"][few])
    run.claim("one parameter, sines: labelings of up to 5 points missing", shortage, 0, within=0)
    run.claim(
        "thresholds follow random labels less and less", _falls(table, "thresholds"), at_most=0.75
    )


def _falls(table: dict[str, NDArray[Any]], name: str) -> float:
    values = table["rademacher"][table["rules"] == name]
    return float(values[-1] / values[0])
