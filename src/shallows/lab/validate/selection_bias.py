"""Experiment: feature selection outside of the validation loop."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom

from shallows._core.contract.params import Range
from shallows.data import make_random_features
from shallows.lab import Run, bars, experiment

FALSE_ALARM = 1e-4
FOLDS = 5
PRINTED = np.array([[1, 1, 1, 1], [0, 0, 0, 0], [1, 1, 1, 1], [0, 0, 0, 0], [0, 0, 0, 0]])
PRINTED_VALIDATION = np.array([[1, 0, 1, 1], [1, 0, 0, 1]])


@experiment(
    chapter="validate",
    sources="notes-003 5.3.1, E23, M107",
    quick={"repeats": 60, "features": 500},
)
def selection_bias(
    features: Annotated[int, Range(10, 5000)] = 1000,
    repeats: Annotated[int, Range(50, 2000)] = 200,
    *,
    run: Run,
) -> None:
    """How accurate is the best of a thousand coins?

    Features and target are coin flips, so every predictor has accuracy one half. If the feature
    that agrees best with the target is selected on all rows, and validated only then, the estimate
    is much higher: every validation part has influenced the selection. Selection inside the folds,
    on the training part only, gives an unbiased estimate.

    Parameters
    ----------
    features : int
        Random binary features.
    repeats : int
        Data sets drawn for each number of rows.
    """
    for rows in run.progress((7, 20, 25, 30)):
        found = np.array([_claimed_and_honest(rows, features, run.rng) for _ in range(repeats)])
        claimed, honest = found.mean(axis=0)
        errors = found.std(axis=0, ddof=1) / np.sqrt(repeats)
        # the largest of many binomials, exactly
        reached = binom.cdf(np.arange(rows + 1), rows, 0.5) ** features
        theory = float(np.sum(1 - reached) / rows)
        square = np.sum((2 * np.arange(rows + 1) + 1) * (1 - reached)) / rows**2
        deviation = float(np.sqrt(max(0.0, square - theory**2) / repeats))
        for kind, value, error, truth in (
            ("chosen on all rows", claimed, errors[0], theory),
            ("chosen within folds", honest, errors[1], 0.5),
        ):
            run.row(
                rows=f"{rows} rows",
                choice=kind,
                accuracy=value,
                theory=truth,
                standard_error=error,
            )
        run.claim(
            f"{rows} rows: claimed accuracy of the feature chosen on all rows",
            claimed,
            expected=theory,
            within=4.5 * deviation + 2 / (rows * repeats),  # a few rare misses are no alarm
            probability=FALSE_ALARM,
        )
        run.claim(
            f"{rows} rows: accuracy with the choice inside the folds",
            honest,
            expected=0.5,
            within=4.5 * errors[1],
            probability=FALSE_ALARM,
        )

    table = np.concatenate([PRINTED, PRINTED_VALIDATION])
    agreement = (table[:, :3] == table[:, 3:]).mean(axis=0)
    run.claim("the printed table: column 25 equals the target", agreement[0], 1, within=0)
    run.figure(
        bars(
            "rows",
            "accuracy",
            error="standard_error",
            color="choice",
            title="Validated accuracy of one of many random features",
        )
    )
    run.note(
        "The notes speak of 99 % for 20 to 30 rows and 1000 features. The best of 1000 coins "
        "agrees with 84 % of 20 rows, 81 % of 25 and 79 % of 30; it reaches 100 % at 7 rows."
    )


def _claimed_and_honest(rows: int, features: int, rng: np.random.Generator) -> tuple[float, float]:
    """Return the accuracy of the best feature on all rows, and with the choice in the folds.

    Features are used without training, so the accuracy on all rows equals the mean over any folds.
    """
    X, y = make_random_features(rows, features, random_state=rng)
    agrees: NDArray[np.bool_] = y[:, None] == X
    part = rng.permutation(np.arange(rows) % FOLDS)
    right = 0
    for fold in range(FOLDS):
        chosen = agrees[part != fold].mean(axis=0).argmax()
        right += int(agrees[part == fold, chosen].sum())
    return float(agrees.mean(axis=0).max()), right / rows
