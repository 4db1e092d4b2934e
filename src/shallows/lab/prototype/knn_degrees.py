"""Experiment: how complex is k-NN, and which k suits the data?"""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from shallows._core.contract.params import Range
from shallows.data import bayes_rule, make_scenario
from shallows.lab import Run, experiment, line, region_columns, regions
from shallows.linear import LeastSquaresClassifier
from shallows.prototype import KNeighborsClassifier
from shallows.theory import knn_effective_parameters

Array = NDArray[Any]
TRAINING = 200
# Mean errors over ten draws
BEST = 0.181
TEST = {1: 0.240, 5: 0.210, 15: 0.205, 45: 0.212, 101: 0.225, 151: 0.261}
TRAIN = {15: 0.166, 101: 0.218}
STRAIGHT = {"training": 0.220, "test": 0.234}
NEIGHBORS = (*TEST, TRAINING)


@experiment(
    chapter="prototype",
    sources="notes-003 E18-E20, M56",
    quick={"draws": 8, "test_points": 2000},
)
def knn_degrees(
    draws: Annotated[int, Range(5, 1000)] = 100,
    test_points: Annotated[int, Range(1000, 50_000)] = 10_000,
    *,
    run: Run,
) -> None:
    """How complex is k-NN, and which k suits the data?

    Two classes, each a mixture of ten Gaussians, with 200 training points. With k neighbours the
    rule has about 200 / k parameters; a straight line has 3. One neighbour reproduces the training
    labels and is too noisy; all neighbours give the same answer everywhere. In between the test
    error has a flat minimum, above the Bayes error; the training error does not show it. Errors
    are compared with those of the notes as excess over the Bayes error, because the Bayes error
    itself changes with the mixtures.

    Parameters
    ----------
    draws : int
        Training sets, each with mixtures of its own.
    test_points : int
        Test points for each.
    """
    errors: dict[tuple[str, str], list[float]] = {}
    best_errors, beside = [], {1: [], 15: []}  # type: ignore[var-annotated]
    for draw in run.progress(range(draws)):
        X, y, means, variance = make_scenario(2, TRAINING, random_state=run.rng)
        fresh = make_scenario(2, test_points, means=means, random_state=run.rng)
        best = bayes_rule(fresh.X, means, variance)
        best_errors.append(float(np.mean(best != fresh.y)))
        straight = LeastSquaresClassifier().fit(X, y)
        nearest = KNeighborsClassifier(TRAINING).fit(X, y)
        for part, points, labels in (("training", X, y), ("test", fresh.X, fresh.y)):
            said = _votes(nearest, y, points) | {"line": straight.predict(points)}
            for name, answers in said.items():
                errors.setdefault((name, part), []).append(float(np.mean(answers != labels)))
        for k, found in beside.items():
            found.append(float(np.mean(said[str(k)] != best)))
        if draw == 0:
            rules = {f"{k} nearest": KNeighborsClassifier(k).fit(X, y).predict for k in (1, 15)}
            rules |= {"best rule": lambda z, m=means, v=variance: bayes_rule(z, m, v)}
            for name, decide in rules.items():
                run.rows("plane", rule=name, **region_columns(decide, X, y, cells=80, square=True))
    _record(run, errors, draws)
    run.figure(
        line(
            "parameters",
            "error",
            color="part",
            error="standard_error",
            x_log=True,
            x_title="parameters: 200 / k, and 3 of the line",
            y_rule=float(np.mean(best_errors)),
            title="k-NN from all neighbours (left) to one (right); dashed: the best rule",
        )
    )
    run.figure(regions(table="plane", facet="rule", equal=True, title="Borders of the first draw"))

    best_error = float(np.mean(best_errors))
    mean = {key: float(np.mean(found)) for key, found in errors.items()}
    # errors and excesses spread by up to 0.06 from draw to draw
    reach = 0.03 * max(1.0, np.sqrt(100 / draws))
    run.claim("error of the best rule", best_error, BEST, within=reach, probability=0.01)
    run.claim("one neighbour makes no training error", mean["1", "training"], 0.0, within=0.0)
    printed = {(str(k), "test"): error for k, error in TEST.items()}
    printed |= {(str(k), "training"): error for k, error in TRAIN.items()}
    printed |= {("line", part): error for part, error in STRAIGHT.items()}
    for (name, part), error in printed.items():
        rule = "the line" if name == "line" else f"k = {name}"
        run.claim(
            f"{part} error of {rule}, less that of the best rule",
            measured=mean[name, part] - best_error,
            expected=error - BEST,
            within=reach,
            probability=0.01,
        )
    run.claim(
        "all neighbours always say the same: test error",
        measured=mean[str(TRAINING), "test"],
        expected=0.5,
        within=1 / test_points,
    )
    run.claim(
        "no k beats the best rule",
        measured=min(mean[str(k), "test"] for k in NEIGHBORS) - best_error,
        at_least=0.0,
        probability=1e-4,
    )
    run.claim(
        "15 neighbours are beside the best border less often than one: difference",
        measured=float(np.mean(beside[1]) - np.mean(beside[15])),
        at_least=0.0,
        probability=1e-4,
    )
    run.claim(
        "15 neighbours beat the line",
        measured=mean["line", "test"] - mean["15", "test"],
        at_least=0.0,
        probability=1e-3,
    )
    lone = [KNeighborsClassifier(k).fit(*_lone_point()).predict([[0.0, 0.0]])[0] for k in (1, 5)]
    run.claim(
        "a query beside a lone + among -: one neighbour says +, five say -",
        measured=" ".join(lone),
        holds=lone == ["+", "-"],
    )


def _votes(model: KNeighborsClassifier, y: Array, points: Array) -> dict[str, Array]:
    """Return what the k nearest of all neighbours say, for each k; a tie goes to class 0."""
    ones = y[model.kneighbors(points, return_distance=False)].cumsum(axis=1)
    return {str(k): (2 * ones[:, k - 1] > k).astype(int) for k in NEIGHBORS}


def _lone_point() -> tuple[Array, Array]:
    """Return a + near the origin, and four - a little farther away."""
    X = np.array([[0.1, 0.0], [0.0, 0.3], [0.3, 0.0], [0.0, -0.3], [-0.3, 0.0]])
    return X, np.array(["+", "-", "-", "-", "-"])


def _record(run: Run, errors: dict[tuple[str, str], list[float]], draws: int) -> None:
    for (name, part), found in errors.items():
        straight = name == "line"
        run.row(
            part=f"line, {part}" if straight else part,
            parameters=3.0 if straight else knn_effective_parameters(TRAINING, int(name)),
            k=None if straight else int(name),
            error=float(np.mean(found)),
            standard_error=float(np.std(found, ddof=1) / np.sqrt(draws)),
        )
