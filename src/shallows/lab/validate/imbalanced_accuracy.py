"""Experiment: a classifier without any information can have a high accuracy."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from shallows._core.contract.params import Range
from shallows.lab import Run, bars, experiment, line
from shallows.validate import ClassRates, error_bar


@experiment(
    chapter="validate",
    sources="notes-000b Sec. 7.4.2, M102; notes-003 Ex. 1.7, E4",
    quick={"shares": 6},
)
def imbalanced_accuracy(
    n: Annotated[int, Range(1000, 1_000_000)] = 10_000,
    shares: Annotated[int, Range(5, 50)] = 19,
    hit_rate: Annotated[float, Range(0.55, 0.95)] = 0.7,
    *,
    run: Run,
) -> None:
    """What does an accuracy of 95 % mean if 95 % of the samples belong to one class?

    Nothing: always predicting the frequent class reaches it. A classifier that is correct on 70 %
    of either class has a lower accuracy but a higher balanced accuracy, the mean recall of the
    classes, which does not depend on the class frequencies.

    Parameters
    ----------
    n : int
        Samples in each table of counts.
    shares : int
        How many shares of the frequent class, from 0.5 to 0.95.
    hit_rate : float
        Share of either class that the useful classifier gets right.
    """
    for share in np.linspace(0.5, 0.95, shares):
        sizes = np.array([round(share * n), n - round(share * n)])
        trivial = ClassRates([[sizes[0], 0], [sizes[1], 0]])
        hits = np.round(hit_rate * sizes)
        useful = ClassRates(
            np.array([[hits[0], sizes[0] - hits[0]], [sizes[1] - hits[1], hits[1]]])
        )
        for name, rates in (("always the frequent class", trivial), ("useful", useful)):
            run.row(
                classifier=name,
                share=share,
                accuracy=rates.accuracy,
                balanced_accuracy=rates.balanced_accuracy,
            )
    for name, rates in (("trivial", trivial), ("useful", useful)):
        run.rows(
            "at_95_percent",
            classifier=name,
            measure=["accuracy", "balanced accuracy", "recall of the rare class", "macro F1"],
            value=[rates.accuracy, rates.balanced_accuracy, rates.tpr[1], rates.macro_f1()],
        )

    run.figure(
        bars(
            "measure",
            "value",
            color="classifier",
            table="at_95_percent",
            title="Two classifiers where one class holds 95 % of the samples",
        )
    )
    run.figure(
        line(
            "share",
            "accuracy",
            color="classifier",
            title="Accuracy against the share of the frequent class",
        )
    )

    one = error_bar(20, 100)
    run.claim("20 wrong of 100: error rate 0.20", one.estimate, expected=0.2, within=1e-12)
    run.claim("its standard error is 0.04", one.standard_error, expected=0.04, within=1e-12)
    run.claim("trivial classifier at 95 %: accuracy", trivial.accuracy, 0.95, within=1 / n)
    run.claim("trivial classifier: balanced accuracy", trivial.balanced_accuracy, 0.5, within=1e-9)
    rounding = 1 / min(sizes)
    run.claim("useful classifier: accuracy", useful.accuracy, hit_rate, within=rounding)
    run.claim(
        "useful classifier: balanced accuracy", useful.balanced_accuracy, hit_rate, within=rounding
    )
    table = run.columns()
    spread = np.ptp(table["balanced_accuracy"][table["classifier"] == "useful"])
    run.claim("balanced accuracy does not depend on the shares", spread, at_most=2 * rounding)
