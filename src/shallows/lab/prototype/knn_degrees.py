"""Experiment: how complex is k-NN, and which k suits the data?"""

from __future__ import annotations

from typing import Annotated

import numpy as np

from shallows._core.params import Range
from shallows.data import bayes_rule, make_scenario
from shallows.lab import Run, experiment, line
from shallows.linear import LeastSquaresClassifier
from shallows.prototype import KNeighborsClassifier
from shallows.theory import knn_effective_parameters

TRAINING = 200
# Mean test errors over ten draws
EXPECTED = {1: 0.240, 5: 0.210, 15: 0.205, 45: 0.212, 101: 0.225, 151: 0.261, 200: 0.500}


@experiment(
    chapter="prototype",
    sources="notes-003 E18-E20, M56",
    quick={"draws": 5, "test_points": 2000},
)
def knn_degrees(
    draws: Annotated[int, Range(3, 100)] = 20,
    test_points: Annotated[int, Range(1000, 50_000)] = 10_000,
    *,
    run: Run,
) -> None:
    """How complex is k-NN, and which k suits the data?

    Two classes, each a mixture of ten Gaussians, 200 training points. With k neighbours the rule
    has about 200 / k parameters. One neighbour repeats the training labels and is too rough; all of
    them say the same everywhere. In between the test error has a flat valley, above that of the
    best rule; the training error is no guide to it.

    Parameters
    ----------
    draws : int
        Training sets, each with mixtures of its own.
    test_points : int
        Test points for each.
    """
    errors: dict[tuple[int, str], list[float]] = {}
    line_error, bayes_error = [], []
    rough: list[float] = []
    smooth: list[float] = []
    for _ in run.progress(range(draws)):
        X, y, means, variance = make_scenario(2, TRAINING, random_state=run.rng)
        fresh = make_scenario(2, test_points, means=means, random_state=run.rng)
        best = bayes_rule(fresh.X, means, variance)
        bayes_error.append(np.mean(best != fresh.y))
        straight = LeastSquaresClassifier().fit(X, y)
        line_error.append(np.mean(straight.predict(fresh.X) != fresh.y))
        for k in EXPECTED:
            model = KNeighborsClassifier(k).fit(X, y)
            said = model.predict(fresh.X)
            errors.setdefault((k, "training"), []).append(float(np.mean(model.predict(X) != y)))
            errors.setdefault((k, "test"), []).append(float(np.mean(said != fresh.y)))
            if k in (1, 15):
                (rough if k == 1 else smooth).append(float(np.mean(said != best)))
    for (k, part), found in errors.items():
        run.row(
            part=part,
            parameters=knn_effective_parameters(TRAINING, k),
            k=k,
            error=float(np.mean(found)),
            standard_error=float(np.std(found, ddof=1) / np.sqrt(draws)),
        )
    mean = {key: float(np.mean(found)) for key, found in errors.items()}
    run.figure(
        line(
            "parameters",
            "error",
            color="part",
            error="standard_error",
            x_log=True,
            x_title="parameters, 200 / k",
            y_rule=float(np.mean(bayes_error)),
            title="k-NN from all neighbours (left) to one (right); dashed: the best rule",
        )
    )
    run.claim(
        "one neighbour makes no training error",
        measured=mean[1, "training"],
        expected=0.0,
        within=0.0,
    )
    for k, expected in EXPECTED.items():
        # means of the mixtures change from draw to draw: errors spread by about 0.075
        run.claim(
            f"test error with {k} neighbours",
            measured=mean[k, "test"],
            expected=expected,
            within=0.02 + 4 * 0.075 / np.sqrt(draws),
            probability=1e-4,
        )
    run.claim(
        "no k beats the best rule",
        measured=min(mean[k, "test"] for k in EXPECTED) - float(np.mean(bayes_error)),
        at_least=0.0,
        probability=1e-4,
    )
    run.claim(
        "15 neighbours are beside the best border less often than one: difference",
        measured=float(np.mean(rough) - np.mean(smooth)),
        at_least=0.0,
        probability=1e-4,
    )
    run.claim(
        "15 neighbours beat the line",
        measured=float(np.mean(line_error)) - mean[15, "test"],
        at_least=0.0,
        probability=1e-3,
    )
