"""Experiment: Rosenblatt's Mark I and its random association layer."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from scipy.stats import binomtest

from shallows._core.contract.params import Range
from shallows.lab import Run, experiment, line
from shallows.perceptron import AssociationPerceptron
from shallows.theory import fraction_separable, is_separable

FALSE_ALARM = 1e-3


@experiment(
    chapter="perceptron",
    sources="notes-000a Fig. 3.1, M94",
    quick={"units": 30, "trials": 10, "ratios": 5},
)
def mark1(
    units: Annotated[int, Range(20, 512)] = 100,
    trials: Annotated[int, Range(5, 500)] = 40,
    ratios: Annotated[int, Range(5, 25)] = 11,
    *,
    run: Run,
) -> None:
    """What is the use of a layer of random units?

    The Mark I had 400 light sensors and 512 association units, each wired at random to a few
    sensors. Only the output unit learned. The association units map pictures to points in a
    high-dimensional space. There random labels are separable up to about two pictures per unit,
    whatever the pictures are.

    Parameters
    ----------
    units : int
        Association units.
    trials : int
        Random sets of pictures with random labels, for each size.
    ratios : int
        Sizes, from half a picture per unit to three.
    """
    tested, chance = 0, 1.0
    for ratio in run.progress(np.linspace(0.5, 3, ratios)):
        p = round(ratio * units)
        count = sum(_is_learnable(p, units, run.rng) for _ in range(trials))
        theory = float(fraction_separable(p, units + 1))
        chance = min(chance, binomtest(count, trials, theory).pvalue)
        tested += 1
        run.row(
            pictures_per_unit=p / units,
            measured=count / trials,
            theory=theory,
            standard_error=np.sqrt(theory * (1 - theory) / trials),
        )
    run.figure(
        line(
            "pictures_per_unit",
            "measured",
            theory="theory",
            error="standard_error",
            x_rule=2,
            title="Share of random labelings of random pictures that the output can learn",
            y_title="share",
        )
    )
    run.claim(
        "as many as for points in general position (smallest p-value of exact binomial tests)",
        chance,
        at_least=FALSE_ALARM / tested,
        probability=FALSE_ALARM,
    )
    table = run.columns()
    run.claim("half a picture per unit: share", table["measured"][0], 1, within=0)
    run.claim("three pictures per unit: share", table["measured"][-1], 0, within=0)

    pictures = run.rng.integers(0, 2, (units, 400))
    labels = np.append(run.rng.integers(0, 2, units - 2), [0, 1])
    model = AssociationPerceptron(units, random_state=int(run.rng.integers(2**31)), max_iter=10_000)
    score = model.fit(pictures, labels).score(pictures, labels)
    run.claim("one picture per unit: share that the output learns itself", score, 1, within=0)


def _is_learnable(p: int, units: int, rng: np.random.Generator) -> bool:
    """Tell whether random labels of random pictures of 20 x 20 can be separated by the states."""
    pictures = rng.integers(0, 2, (p, 400))
    labels = np.append(rng.integers(0, 2, p - 2), [0, 1])
    layer = AssociationPerceptron(units, max_iter=1, random_state=int(rng.integers(2**31)))
    layer.fit(pictures, labels)
    states = np.where(pictures @ layer.wiring_ > layer.thresholds_, 1.0, -1.0)
    return is_separable(np.column_stack([states, np.ones(p)]), 2 * labels - 1)
