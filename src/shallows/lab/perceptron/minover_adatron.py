"""Experiment: convergence of MinOver and AdaTron to optimal stability."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from shallows._core.contract.params import Range
from shallows.data import make_teacher
from shallows.lab import Run, experiment, line
from shallows.lab.perceptron._labels import both_labels
from shallows.perceptron import AdaTron, MinOver, separability


@experiment(
    chapter="perceptron",
    sources="notes-000a M63, M71",
    quick={"n": 10, "p": 20, "epochs": 200},
)
def minover_adatron(
    n: Annotated[int, Range(5, 100)] = 50,
    p: Annotated[int, Range(10, 300)] = 100,
    epochs: Annotated[int, Range(200, 5000)] = 500,
    *,
    run: Run,
) -> None:
    """How fast do learning rules approach optimal stability?

    One epoch has as many steps as there are examples. MinOver adds the least stable example in
    every step and approaches the largest stability slowly, while its own upper bound falls towards
    it. AdaTron can also reduce embedding strengths, and converges within a few dozen sweeps.

    Parameters
    ----------
    n : int
        Dimensions of the inputs.
    p : int
        Examples, labelled by a teacher; at most 3 n, beyond which stable planes get rare.
    epochs : int
        Epochs of MinOver.
    """
    X, y, _ = make_teacher(min(p, 3 * n), n, random_state=run.rng)
    X, y = both_labels(X, y)
    best = separability(X, y, threshold=False).stability
    minover = MinOver(fit_intercept=False, tol=None, max_iter=epochs).fit(X, y)
    adatron = AdaTron(None, threshold="none", tol=1e-6, max_iter=20_000, random_state=0).fit(X, y)
    ways = {
        "MinOver": np.array(minover.history_["stability"]),
        "AdaTron": np.array(adatron.history_["stability"]),
    }
    for rule, values in ways.items():
        shown = np.unique(np.geomspace(1, len(values), 60).astype(int))
        run.rows(rule=rule, epoch=shown, stability=values[shown - 1] / best)
    run.figure(
        line(
            "epoch",
            "stability",
            color="rule",
            x_log=True,
            y_rule=1.0,
            title="Stability as a share of the largest",
        )
    )
    bounds = np.array(minover.history_["bound"]) / best
    missed = 1 - ways["MinOver"] / best
    late = missed[epochs // 4] / max(missed[-1], 1e-300)
    run.claim("no stability above the largest", max(map(max, ways.values())) / best, at_most=1.0001)
    run.claim("MinOver's bound is never below the largest stability", bounds.min(), at_least=0.9999)
    run.claim("MinOver ends within 5 %", 1 - missed[-1], at_least=0.95)
    run.claim("what MinOver misses shrinks at least by half in the last 3/4", late, at_least=2)
    run.claim("AdaTron ends within 1e-6", ways["AdaTron"][-1] / best, at_least=1 - 1e-6)
    there = np.flatnonzero(ways["AdaTron"] >= minover.stability_[0])
    sooner = int(there[0]) + 1 if len(there) else 20_000  # all of its sweeps and never there
    run.claim("sweeps of AdaTron to MinOver's last stability", sooner, at_most=epochs // 2)
