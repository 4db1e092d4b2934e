"""Experiment: only the support vectors matter."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from shallows._core.contract.params import Range
from shallows.data import make_teacher
from shallows.lab import Run, experiment, scatter
from shallows.lab.perceptron._labels import both_labels
from shallows.perceptron import Adaline, AdaTron


@experiment(
    chapter="perceptron",
    sources="notes-000a Fig. 3.17, Fig. 3.18, M70, M74",
    quick={"n": 10, "p": 30},
)
def support_vectors(
    n: Annotated[int, Range(2, 100)] = 20,
    p: Annotated[int, Range(10, 400)] = 60,
    *,
    run: Run,
) -> None:
    """Which examples determine the plane of optimal stability?

    At the plane of optimal stability every example either has a positive embedding strength and
    lies exactly on the margin, or lies beyond the margin and has strength zero. The plane stays
    the same without the latter, or if an Adaline is trained on the former only.

    Parameters
    ----------
    n : int
        Dimensions of the inputs.
    p : int
        Examples, labelled by a teacher.
    """
    X, y, _ = make_teacher(p, n, random_state=run.rng)
    X, y = both_labels(X, y)
    solver = AdaTron(None, threshold="none", tol=1e-9, max_iter=20_000, random_state=0)
    w = solver.fit(X, y).coef_[0].copy()
    strengths, support = solver.embedding_strengths_.copy(), solver.support_
    potentials = y * (X @ w)
    kappa = float(solver.stability_[0])
    run.rows(
        potential=potentials,
        strength=strengths * n,
        kind=np.where(strengths > 0, "support vector", "other"),
    )
    run.figure(
        scatter(
            "potential",
            "strength",
            color="kind",
            x_rule=1.0,
            title="Every example is on the margin or has no say",
        )
    )

    few = AdaTron(None, threshold="none", tol=1e-9, max_iter=20_000, random_state=0)
    held = both_labels(X[support], y[support])
    again = few.fit(*held).coef_[0]
    adaline = Adaline(fit_intercept=False).fit(*held).coef_[0]
    size = float(np.abs(w).max())
    run.claim("smallest potential", potentials.min(), expected=1, within=1e-6)
    slack = float(np.abs(strengths * (potentials - 1)).max() / strengths.max())
    run.claim(
        "largest product of strength, as a share of the largest, and distance to the margin",
        slack,
        at_most=1e-6,
    )
    run.claim(
        "without all other examples the plane is the same (relative)",
        float(np.abs(again - w).max()) / size,
        at_most=1e-6,
    )
    run.claim(
        "an Adaline on the support vectors finds the same plane (relative)",
        float(np.abs(adaline - w).max()) / size,
        at_most=1e-6,
    )
    run.claim(
        "sum of strengths = squared length of the weights (ratio)",
        strengths.sum() / (w @ w),
        expected=1,
        within=1e-6,
    )
    run.claim(
        "sum of strengths = 1 / stability^2 (ratio)",
        strengths.sum() * kappa**2,
        expected=1,
        within=1e-6,
    )
