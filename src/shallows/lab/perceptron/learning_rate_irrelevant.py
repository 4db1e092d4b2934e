"""Experiment: the learning rate of a perceptron that starts from zero."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from shallows._core.contract.params import Range
from shallows.lab import Run, experiment, line
from shallows.perceptron import Perceptron

RATES = (0.1, 1.0, 8.0)


@experiment(
    chapter="perceptron",
    sources="notes-000a M41; notes-001 M11; notes-003 M69",
    quick={"n": 10, "p": 20},
)
def learning_rate_irrelevant(
    n: Annotated[int, Range(5, 200)] = 50,
    p: Annotated[int, Range(10, 400)] = 100,
    *,
    run: Run,
) -> None:
    """Does the learning rate of a perceptron matter?

    From zero weights and without a margin it does not: the rate multiplies the weights and every
    field, so no sign and no mistake changes. From random weights, or with a margin, the rate
    determines the size of a step relative to the initial weights or the margin, and different
    rates make different mistakes.

    Parameters
    ----------
    n : int
        Dimensions of the inputs.
    p : int
        Examples, labelled by a linear teacher.
    """
    X = run.rng.standard_normal((p, n))
    y = np.sign(X @ run.rng.standard_normal(n))
    settings: dict[str, dict[str, Any]] = {
        "zero start": {},
        "random start": {"init": "random", "random_state": run.seed},
        "zero start, margin 5": {"margin": 5.0},
    }
    models = {}
    for (start, setting), rate in run.progress([(s, r) for s in settings.items() for r in RATES]):
        model = Perceptron(
            eta0=rate, fit_intercept=False, shuffle=False, tol=None, max_iter=10**5, **setting
        ).fit(X, y)
        models[start, rate] = model
        run.rows(
            start=start,
            rate=f"{rate:g}",
            epoch=np.arange(1, model.n_iter_ + 1),
            mistakes=model.history_["updates"],
        )

    run.figure(
        line(
            "epoch",
            "mistakes",
            color="rate",
            facet="start",
            title="Mistakes in each epoch: from zero the three curves are one",
        )
    )

    one = models["zero start", 1.0]
    strengths = [models["zero start", rate].embedding_strengths_ for rate in RATES]
    run.claim(
        "zero start: examples whose number of mistakes depends on the rate",
        np.sum(np.ptp(strengths, axis=0) > 0),
        expected=0,
        within=0,
    )
    gap = np.abs(models["zero start", 8.0].coef_ - 8 * one.coef_).max()
    run.claim("zero start: a rate of 8 makes the weights exactly 8 times as long", gap, 0, within=0)
    gap = np.abs(models["zero start", 0.1].coef_ / 0.1 - one.coef_).max()
    run.claim(
        "zero start: a rate of 0.1 makes them a tenth, up to rounding",
        gap / np.abs(one.coef_).max(),
        at_most=1e-12,
    )
    for start in ("random start", "zero start, margin 5"):
        slow, fast = (models[start, rate].embedding_strengths_ for rate in (RATES[0], RATES[-1]))
        run.claim(
            f"{start}: examples whose number of mistakes depends on the rate",
            np.sum(slow != fast),
            at_least=1,
        )
