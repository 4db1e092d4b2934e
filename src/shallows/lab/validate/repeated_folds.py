"""Experiment: what repeating a cross-validation changes."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import KFold, RepeatedKFold

from shallows._core.contract.params import Range
from shallows.lab import Run, experiment, line

Floats = NDArray[np.float64]
Labels = NDArray[np.int64]
FOLDS = (5, 10)


@experiment(
    chapter="validate",
    sources="notes-002 E11; notes-000b M85-M87; notes-003 M99; notes-004a 104",
    quick={"partitions": 20, "n": 33},
)
def repeated_folds(
    n: Annotated[int, Range(23, 200)] = 53,
    largest: Annotated[int, Range(4, 20)] = 10,
    partitions: Annotated[int, Range(20, 200)] = 40,
    *,
    run: Run,
) -> None:
    """What is the benefit of repeating a cross-validation?

    The score of one k-fold cross-validation depends on the random partition of the rows. The mean
    over r partitions has a standard deviation smaller by the root of r. Leave-one-out has only one
    partition, so there is nothing to repeat. None of this adds data: the randomness of the sample
    itself remains.

    Parameters
    ----------
    n : int
        Rows.
    largest : int
        Largest number of repetitions.
    partitions : int
        Independent repetitions drawn for the spread.
    """
    y = np.arange(n) % 2
    X = run.rng.standard_normal((n, 2)) + 0.7 * y[:, None]
    for k in FOLDS:
        cuts = RepeatedKFold(n_splits=k, n_repeats=largest, random_state=run.seed)
        tested, sizes = np.zeros(n, dtype=int), []
        for _, test in cuts.split(X):
            tested[test] += 1
            sizes.append(len(test))
        run.claim(f"k = {k}: every row is tested {largest} times", tested.min(), largest, within=0)
        run.claim(f"k = {k}: no row more often", tested.max(), largest, within=0)
        run.claim(f"k = {k}: fold sizes differ by", max(sizes) - min(sizes), at_most=1)

        drawn = partitions * largest
        scores = np.array([_cross_validate(X, y, k, run.rng) for _ in run.progress(range(drawn))])
        scores = scores.reshape(partitions, largest)
        for r in range(1, largest + 1):
            spread = scores[:, :r].mean(axis=1).std(ddof=1)
            run.row(
                folds=f"{k} folds",
                repetitions=r,
                spread=spread,
                standard_error=spread / np.sqrt(2 * (partitions - 1)),
                theory=scores.std(ddof=1) / np.sqrt(r),
            )
        shrinks = scores.mean(axis=1).std(ddof=1) / scores.std(ddof=1)
        run.claim(
            f"k = {k}: {largest} repetitions shrink the spread by the root of {largest}",
            shrinks * np.sqrt(largest),
            at_least=1 - 4 / np.sqrt(2 * (partitions - 1)),
            at_most=1 + 4 / np.sqrt(2 * (partitions - 1)),
            probability=1e-3,
        )

    alone = {_cross_validate(X, y, n, run.rng) for _ in range(3)}
    run.claim("leaving one out: partitions differ by", max(alone) - min(alone), at_most=1e-12)
    run.figure(
        line(
            "repetitions",
            "spread",
            theory="theory",
            error="standard_error",
            color="folds",
            title="Standard deviation of the score over partitions",
        )
    )


def _cross_validate(X: Floats, y: Labels, k: int, rng: np.random.Generator) -> float:
    """Return the mean of the fold accuracies of the nearest class mean."""
    order = rng.permutation(len(y))
    folds = KFold(k).split(order)
    return float(np.mean([_score(X, y, order[train], order[test]) for train, test in folds]))


def _score(X: Floats, y: Labels, train: Labels, test: Labels) -> float:
    low, high = (X[train[y[train] == label]].mean(axis=0) for label in (0, 1))
    upper = (X[test] - (low + high) / 2) @ (high - low) > 0
    return float(np.mean(upper == (y[test] == 1)))
