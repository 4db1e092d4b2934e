"""Experiment: the generalisation error of a linear classifier is an angle."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from scipy.stats import binomtest

from shallows._core.contract.params import Range
from shallows.lab import Run, experiment, line

FALSE_ALARM = 1e-4


@experiment(
    chapter="theory",
    sources="notes-000a Eq. 3.50, Fig. 3.12, M54",
    quick={"n": 10, "samples": 2000, "angles": 7},
)
def angle_error(
    n: Annotated[int, Range(2, 1000)] = 50,
    samples: Annotated[int, Range(1000, 100_000)] = 10_000,
    angles: Annotated[int, Range(5, 100)] = 13,
    stretch: Annotated[float, Range(2, 100)] = 4.0,
    *,
    run: Run,
) -> None:
    """How often do two linear classifiers disagree?

    A linear student and a linear teacher disagree on exactly the inputs between their two
    hyperplanes. If the inputs are isotropic, the share of such inputs is the angle between the
    weight vectors over pi, in every dimension. If the inputs are stretched along one direction,
    the weight vectors must be stretched in the same way before the angle is taken.

    Parameters
    ----------
    n : int
        Dimensions of the inputs.
    samples : int
        Gaussian inputs drawn for every angle.
    angles : int
        Angles from 0 to pi.
    stretch : float
        How far the second kind of inputs is stretched along the teacher.
    """
    teacher, across = np.linalg.qr(run.rng.standard_normal((n, 2)))[0].T
    kinds = {"isotropic": 1.0, "stretched": stretch}
    chance = dict.fromkeys(kinds, 1.0)
    for angle in run.progress(np.linspace(0, np.pi, angles)):
        student = np.cos(angle) * teacher + np.sin(angle) * across
        for kind, factor in kinds.items():
            inputs = run.rng.standard_normal((samples, n))
            inputs += np.outer(inputs @ teacher, (factor - 1) * teacher)
            wrong = int(np.sum((inputs @ student > 0) != (inputs @ teacher > 0)))
            theory = np.arctan2(np.sin(angle), factor * np.cos(angle)) / np.pi
            chance[kind] = min(chance[kind], binomtest(wrong, samples, theory).pvalue)
            run.row(
                inputs=kind,
                angle=angle,
                disagreement=wrong / samples,
                theory=theory,
                standard_error=np.sqrt(theory * (1 - theory) / samples),
                angle_over_pi=angle / np.pi,
            )

    run.figure(
        line(
            "angle",
            "disagreement",
            theory="theory",
            error="standard_error",
            color="inputs",
            title="Share of inputs on which student and teacher disagree",
            x_title="angle between the weight vectors",
        )
    )

    table = run.columns()
    isotropic = table["inputs"] == "isotropic"
    same, opposite = table["disagreement"][isotropic][[0, -1]]
    run.claim("parallel weights never disagree", same, expected=0, within=0)
    run.claim("antiparallel weights always disagree", opposite, expected=1, within=0)
    run.claim(
        "isotropic inputs: disagreement is angle/pi (smallest p-value of exact binomial tests)",
        chance["isotropic"],
        at_least=FALSE_ALARM / angles,
        probability=FALSE_ALARM,
    )
    run.claim(
        "stretched inputs: disagreement is the stretched angle over pi (smallest p-value)",
        chance["stretched"],
        at_least=FALSE_ALARM / angles,
        probability=FALSE_ALARM,
    )
    gap = np.abs(table["theory"] - table["angle_over_pi"]).max()
    run.claim(
        "stretched inputs: angle/pi itself is off by more than half the predicted gap",
        np.abs(table["disagreement"] - table["angle_over_pi"])[~isotropic].max(),
        at_least=gap / 2,
        probability=FALSE_ALARM,
    )
