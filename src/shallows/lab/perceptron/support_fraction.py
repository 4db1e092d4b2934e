"""Experiment: how many examples support the most stable plane."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from shallows._core.contract.params import Range
from shallows.data import make_teacher
from shallows.lab import Run, experiment, line
from shallows.perceptron import AdaTron
from shallows.theory import max_stability


@experiment(
    chapter="perceptron",
    sources="notes-000a M61, M74",
    quick={"n": 30, "repetitions": 5, "points": 5},
)
def support_fraction(
    n: Annotated[int, Range(20, 200)] = 50,
    repetitions: Annotated[int, Range(4, 200)] = 20,
    points: Annotated[int, Range(4, 30)] = 10,
    *,
    run: Run,
) -> None:
    """What share of the examples are support vectors?

    With few examples nearly all of them are on the margin of the plane of optimal stability; with
    many examples, at most as many as there are dimensions. The theory for infinitely many
    dimensions predicts the share and the stability for every number of examples.

    Parameters
    ----------
    n : int
        Dimensions of the inputs.
    repetitions : int
        Teachers with examples, for each number of examples.
    points : int
        Numbers of examples, up to five per dimension.
    """
    for alpha in run.progress(np.linspace(0.5, 5, points)):
        p = round(alpha * n)
        shares, stabilities = np.zeros(repetitions), np.zeros(repetitions)
        for k in range(repetitions):
            X, y, _ = make_teacher(p, n, random_state=run.rng)
            y[:2], X[:2] = (1, -1), X[:2] * (y[:2] * [1, -1])[:, None]  # both labels occur
            model = AdaTron(None, threshold="none", tol=1e-5, max_iter=20_000, random_state=0)
            model.fit(X, y)
            shares[k] = len(model.support_) / p
            stabilities[k] = model.stability_[0]
        theory = max_stability(p / n)
        run.row(
            examples_per_dimension=p / n,
            support=shares.mean(),
            support_theory=float(theory.support),
            support_error=shares.std(ddof=1) / np.sqrt(repetitions),
            stability=stabilities.mean(),
            stability_theory=float(theory.stability),
            stability_error=stabilities.std(ddof=1) / np.sqrt(repetitions),
        )
    run.figure(
        line(
            "examples_per_dimension",
            "support",
            theory="support_theory",
            error="support_error",
            title="Share of examples that are support vectors",
        )
    )
    run.figure(
        line(
            "examples_per_dimension",
            "stability",
            theory="stability_theory",
            error="stability_error",
            title="Largest stability",
        )
    )
    table = run.columns()
    for name, words in (("support", "share of support vectors"), ("stability", "stability")):
        apart = np.abs(table[name] - table[f"{name}_theory"]) - 6 * table[f"{name}_error"]
        run.claim(
            f"{words}: deviation from theory beyond 6 standard errors",
            apart.max(),
            at_most=2 / n,
            probability=1e-3,
        )
    change = table["support"][-1] - table["support"][0]
    run.claim("the share falls with the number of examples", change, at_most=-0.3, probability=1e-6)
    most = (table["support"] * table["examples_per_dimension"]).max()
    run.claim("support vectors per dimension", most, at_most=1 + 1e-9)
