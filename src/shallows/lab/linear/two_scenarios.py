"""Experiment: a linear boundary where it is suitable and where it is not."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from shallows._core.contract.params import Range
from shallows.data import bayes_rule, make_scenario
from shallows.lab import Run, bars, experiment
from shallows.linear import LeastSquaresClassifier
from shallows.prototype import KNeighborsClassifier

EXPECTED = {
    1: {"Bayes": 0.2398, "least squares": 0.25, "1-NN": 0.327, "15-NN": 0.252},
    2: {"Bayes": 0.181, "least squares": 0.234, "15-NN": 0.205},
}


@experiment(
    chapter="linear",
    sources="notes-003 E14, E19, D2, D3, Figs. 2.4, 2.12, 3.6",
    quick={"draws": 4, "test_points": 4000},
)
def two_scenarios(
    draws: Annotated[int, Range(3, 100)] = 10,
    test_points: Annotated[int, Range(2000, 50_000)] = 10_000,
    *,
    run: Run,
) -> None:
    """Line or neighbours: which boundary suits which data?

    Scenario 1 has one Gaussian per class: least squares is nearly optimal. Scenario 2 has ten
    Gaussians per class: the optimal boundary is curved, and 15 neighbours follow it better. A
    single neighbour is too noisy in both scenarios.

    Parameters
    ----------
    draws : int
        Training sets of 200 points; in scenario 2 each has means of its own.
    test_points : int
        Test points for each training set.
    """
    for kind in (1, 2):
        totals: dict[str, list[float]] = {}
        for _ in run.progress(range(draws)):
            X, y, means, variance = make_scenario(kind, 200, random_state=run.rng)
            fresh = make_scenario(kind, test_points, means=means, random_state=run.rng)
            found = {
                "Bayes": bayes_rule(fresh.X, means, variance),
                "least squares": LeastSquaresClassifier().fit(X, y).predict(fresh.X),
                "15-NN": KNeighborsClassifier(15).fit(X, y).predict(fresh.X),
                "1-NN": KNeighborsClassifier(1).fit(X, y).predict(fresh.X),
            }
            for name, predicted in found.items():
                totals.setdefault(name, []).append(float(np.mean(predicted != fresh.y)))
        errors = {name: float(np.mean(values)) for name, values in totals.items()}
        for name, error in errors.items():
            run.row(scenario=f"scenario {kind}", rule=name, error=error)
        # One draw spreads by about 0.018 and, where it has means of its own, by 0.075
        spread = 0.018 if kind == 1 else 0.075
        run.claim(
            f"scenario {kind}: test error of the best rule, Bayes",
            errors["Bayes"],
            expected=EXPECTED[kind]["Bayes"],
            within=0.005 + 4 * spread / np.sqrt(draws),
            probability=1e-4,
        )
        for name in [name for name in EXPECTED[kind] if name != "Bayes"]:
            excess = np.subtract(totals[name], totals["Bayes"])  # on the same points
            run.claim(
                f"scenario {kind}: excess error of {name}",
                excess.mean(),
                expected=EXPECTED[kind][name] - EXPECTED[kind]["Bayes"],
                within=0.01 + 4 * excess.std(ddof=1) / np.sqrt(draws),  # two digits are known
                probability=1e-4,
            )
        if kind == 1:
            run.claim(
                "scenario 1: least squares is near the best rule",
                errors["least squares"] - errors["Bayes"],
                at_most=0.01,
                probability=1e-4,
            )
        else:
            run.claim(
                "scenario 2: 15 neighbours beat the line",
                errors["least squares"] - errors["15-NN"],
                at_least=0,
                probability=1e-4,
            )
    run.figure(bars("rule", "error", facet="scenario", title="Test error, mean of all draws"))
