"""Experiment: rates of four classes and the two macro-averaged F1."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from sklearn.metrics import precision_recall_fscore_support

from shallows._core.contract.params import Range
from shallows.lab import Run, experiment, heatmap, scatter
from shallows.validate import ClassRates

FIRST_ROW, FIRST_COLUMN = (72, 6, 11, 4), (72, 3, 13, 7)


@experiment(
    chapter="validate",
    sources="notes-000b Fig. 7.8, Eqs 7.29-7.37, M105-M108; notes-003 E10",
    quick={"tables": 100},
)
def confusion_four(
    tables: Annotated[int, Range(50, 5000)] = 400,
    largest: Annotated[int, Range(5, 1000)] = 60,
    *,
    run: Run,
) -> None:
    """Which F1 is meant when a paper averages over classes?

    In the notes only the first row and column of the four-class table are legible; they determine
    precision and recall of the first class. Two averages over all classes are in use: the mean of
    the F1 of the classes, and the F1 of mean precision and mean recall. The second is never
    smaller, and can be much larger if one class has high precision and another has high recall.

    Parameters
    ----------
    tables : int
        Random tables of counts with 2 to 8 classes.
    largest : int
        Largest count in them.
    """
    counts = run.rng.integers(1, 15, size=(4, 4)) + np.diag(run.rng.integers(30, 70, size=4))
    counts[0], counts[:, 0] = FIRST_ROW, FIRST_COLUMN
    rates = ClassRates(counts)
    for actual, predicted in np.ndindex(4, 4):
        run.row(
            "example",
            actual=str(actual + 1),
            predicted=str(predicted + 1),
            count=counts[actual, predicted],
        )

    gaps, micro_gaps = [], []
    for number in run.progress(range(tables)):
        n_classes = 2 + number % 7
        # some classes of one table are common and some rare, so that the averages part
        scale = run.rng.exponential(size=(n_classes, n_classes))
        random = ClassRates(np.round(largest * scale**2).astype(int) + np.eye(n_classes, dtype=int))
        mean, harmonic = random.macro_f1("mean"), random.macro_f1("harmonic")
        gaps.append(harmonic - mean)
        micro_gaps.append(_micro_gap(random))
        run.row(mean_of_f1=mean, f1_of_means=harmonic, classes=str(n_classes))

    run.figure(
        heatmap("predicted", "actual", "count", table="example", title="The table of the notes")
    )
    run.figure(
        scatter(
            "mean_of_f1",
            "f1_of_means",
            color="classes",
            title="Two numbers that are both called macro F1",
        )
    )

    run.claim("first class: true positives", rates.tp[0], 72, within=0)
    run.claim("first class: false negatives 6 + 11 + 4", rates.fn[0], 21, within=0)
    run.claim("first class: false positives 3 + 13 + 7", rates.fp[0], 23, within=0)
    run.claim("first class: recall", rates.tpr[0], 0.774, within=5e-4)
    run.claim("first class: precision", rates.precision[0], 0.758, within=5e-4)
    run.claim("micro precision, recall and F1 are the accuracy", max(micro_gaps), at_most=1e-12)
    run.claim(
        "F1 of means is never below the mean of F1 (smallest gap)", min(gaps), at_least=-1e-12
    )
    run.claim("and is above it by more than 0.02 somewhere", max(gaps), at_least=0.02)
    run.note("The notes add 6 + 11 + 4 + 4 = 21 false negatives; 6 + 11 + 4 are 21.")


def _micro_gap(rates: ClassRates) -> float:
    """Return how far scikit-learn's micro averages are from our accuracy."""
    actual, predicted = np.nonzero(rates.confusion)
    weights = rates.confusion[actual, predicted]
    micro = precision_recall_fscore_support(
        actual, predicted, average="micro", sample_weight=weights
    )[:3]
    return float(np.abs(np.array(micro) - rates.accuracy).max())
