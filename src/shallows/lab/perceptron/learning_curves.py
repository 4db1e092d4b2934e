"""Experiment: learning curves of four rules against theory."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from shallows._core.contract.params import Range
from shallows._core.numerics.threads import map_blocks
from shallows.data import make_teacher
from shallows.lab import Run, experiment, line
from shallows.perceptron import Adaline, AdaTron, HebbianPerceptron, Perceptron
from shallows.theory import (
    generalization_error,
    learning_curve_adaline,
    learning_curve_hebb,
    learning_curve_max_stability,
)

THEORY = {
    "Hebb": learning_curve_hebb,
    "Adaline": learning_curve_adaline,
    "AdaTron": learning_curve_max_stability,
}


@experiment(
    chapter="perceptron",
    sources="notes-000a M53, M54, M57, M64, Fig. 3.12",
    quick={"n": 50, "repetitions": 8, "points": 5},
)
def learning_curves(
    n: Annotated[int, Range(20, 200)] = 100,
    repetitions: Annotated[int, Range(4, 200)] = 50,
    points: Annotated[int, Range(4, 40)] = 20,
    *,
    run: Run,
) -> None:
    """How fast do perceptrons learn a rule from examples?

    A teacher labels random inputs, and students learn them by different rules. Hebb's rule is good
    with few examples and slow with many. Adaline overfits at one example per dimension, where it
    can just fit all examples, and generalises worse than with fewer. The student of maximum
    stability is best with many examples. The theory for infinitely many dimensions is accurate for
    a hundred.

    Parameters
    ----------
    n : int
        Dimensions of the inputs.
    repetitions : int
        Teachers with examples, for each number of examples.
    points : int
        Numbers of examples, from 0.2 to 5 per dimension and one per dimension.
    """
    alphas = np.unique(np.append(np.geomspace(0.2, 5, points - 1), 1.0))
    for alpha in run.progress(alphas):
        p = max(round(alpha * n), 4)
        seeds = run.rng.spawn(repetitions)
        errors = np.concatenate(map_blocks(partial(_errors, seeds, p, n), repetitions, 5))
        for k, rule in enumerate(("Hebb", "Rosenblatt", "Adaline", "AdaTron")):
            run.row(
                rule=rule,
                examples_per_dimension=p / n,
                error=errors[:, k].mean(),
                standard_error=errors[:, k].std(ddof=1) / np.sqrt(repetitions),
                theory=float(THEORY[rule](p / n)) if rule in THEORY else np.nan,
            )
    run.figure(
        line(
            "examples_per_dimension",
            "error",
            theory="theory",
            error="standard_error",
            color="rule",
            x_log=True,
            title="Generalisation error of students of a perceptron",
        )
    )

    table = run.columns()
    curves = {rule: table["error"][table["rule"] == rule] for rule in dict.fromkeys(table["rule"])}
    for rule in THEORY:
        own = (table["rule"] == rule) & (table["examples_per_dimension"] != 1)
        beyond = np.abs(table["error"] - table["theory"]) - 5 * table["standard_error"]
        run.claim(
            f"{rule}: deviation from theory beyond 5 standard errors, except at its peak",
            beyond[own].max(),
            at_most=1 / n,
            probability=1e-4,
        )
    one = int(np.argmin(np.abs(alphas - 1)))
    peak = curves["Adaline"][one] - curves["Adaline"][max(one - 4, 0) : one].min()
    run.claim(
        "Adaline: the error at one example per dimension exceeds that of fewer examples by",
        peak,
        at_least=0.05,
        probability=1e-3,
    )
    run.claim(
        "AdaTron errs less than Rosenblatt, mean over the curve",
        (curves["Rosenblatt"] - curves["AdaTron"]).mean(),
        at_least=0,
        probability=1e-3,
    )
    for rule in ("Hebb", "Adaline"):
        run.claim(
            f"many examples: AdaTron errs less than {rule}",
            curves[rule][-1] - curves["AdaTron"][-1],
            at_least=0,
            probability=1e-3,
        )


def _errors(seeds: list[np.random.Generator], p: int, n: int, block: slice) -> NDArray[np.float64]:
    """Return the generalisation errors of the four students of each teacher."""
    students: list[Any] = [
        HebbianPerceptron(fit_intercept=False),
        Perceptron(fit_intercept=False, tol=None, max_iter=10**6, random_state=0),
        Adaline(fit_intercept=False),
        AdaTron(None, threshold="none", tol=1e-3, max_iter=20_000, random_state=0),
    ]
    errors = []
    for rng in seeds[block]:
        X, y, teacher = make_teacher(p, n, random_state=rng)
        y[:2], X[:2] = (1, -1), X[:2] * (y[:2] * [1, -1])[:, None]  # both labels occur
        weights = np.array([student.fit(X, y).coef_[0] for student in students])
        errors.append(generalization_error(weights, teacher))
    return np.array(errors)
