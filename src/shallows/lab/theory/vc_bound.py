"""Experiment: the VC bound, and structural risk minimisation with it."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from shallows._core.contract.params import Range
from shallows.lab import Run, experiment, line
from shallows.theory import sample_size, structural_risk, vc_confidence

Floats = NDArray[np.float64]
PRINTED = {
    (3, 100): 0.447,
    (3, 1000): 0.164,
    (3, 10000): 0.0581,
    (10, 100): 0.666,
    (10, 1000): 0.260,
    (50, 1000): 0.489,
}


@experiment(
    chapter="theory",
    sources="notes-003 E8, E26, M111-M113",
    quick={"samples": 4000, "largest": 20},
)
def vc_bound(
    samples: Annotated[int, Range(3000, 100_000)] = 10_000,
    largest: Annotated[int, Range(12, 60)] = 25,
    noise: Annotated[float, Range(0.05, 0.3)] = 0.1,
    *,
    run: Run,
) -> None:
    """Which of several nested classes of models has the smallest guaranteed risk?

    The larger a class, the smaller its training error, but the less reliable it is. The VC bound
    adds both. Here the classes divide the unit interval into more and more cells and predict the
    majority of each; the true rule changes sign several times, and some labels are wrong.

    Parameters
    ----------
    samples : int
        Training examples.
    largest : int
        Cells in the largest class, which is its VC dimension.
    noise : float
        Share of wrong labels.
    """
    x = run.rng.random(samples)
    labels = _rule(x) != (run.rng.random(samples) < noise)
    risks, true = [], []
    sizes = 2 ** np.arange(int(np.log2(largest)) + 4)  # nested: each halves the cells before it
    for cells in run.progress(sizes):
        place = np.minimum((x * cells).astype(int), cells - 1)
        majority = np.bincount(place, labels, cells) > np.bincount(place, ~labels, cells)
        risks.append(float(np.mean(majority[place] != labels)))
        true.append(_true_risk(majority, noise))
    choice = structural_risk(risks, sizes, samples)
    run.rows(
        cells=sizes,
        training_error=risks,
        true_risk=true,
        confidence_term=choice.confidence,
        bound=choice.bounds,
    )
    run.figure(
        line(
            "cells",
            ["training_error", "true_risk", "confidence_term", "bound"],
            x_log=True,
            title="Training error plus confidence term bounds the risk",
            x_title="cells, the VC dimension of the class",
            y_title="risk",
        )
    )
    for (vc, n), printed in PRINTED.items():
        value = float(vc_confidence(vc, n))
        digits = 4 if printed < 0.1 else 3
        run.claim(f"confidence term, VC {vc}, n = {n}", round(value, digits), printed, within=1e-9)
    run.claim("the bound is smallest inside", choice.best, at_least=1, at_most=len(sizes) - 2)
    margin = np.min(choice.bounds - true)
    run.claim(
        "no class has a risk above its bound: smallest distance",
        margin,
        at_least=0,
        probability=0.05 * len(sizes),
    )
    loose = np.median(choice.confidence / np.maximum(np.array(true) - risks, 1e-12))
    run.claim("the term is too careful: median of term over true gap", loose, at_least=5)
    ratio = sample_size(200, 0.1) / sample_size(100, 0.1)
    run.claim("twice the VC dimension needs about twice the examples", ratio, 2, within=0.05)


def _rule(x: Floats) -> NDArray[np.bool_]:
    return np.asarray(np.sin(7 * np.pi * x) > 0)


def _true_risk(majority: NDArray[np.bool_], noise: float) -> float:
    fine = (np.arange(56_000) + 0.5) / 56_000
    answers = majority[np.minimum((fine * len(majority)).astype(int), len(majority) - 1)]
    wrong = np.mean(answers != _rule(fine))
    return float(noise + (1 - 2 * noise) * wrong)
