"""Experiment: which of the LVQ rules keep their prototypes, and find them from any start."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from sklearn.datasets import make_blobs

from shallows._core.contract.params import Range
from shallows.lab import Run, bars, experiment, line
from shallows.prototype import GLVQ, LVQ1, LVQ21, RSLVQ

Array = np.ndarray[Any, Any]
ANGLES = 2 * np.pi * np.arange(6) / 6


@experiment(
    chapter="prototype",
    sources="notes-000b M51-M53",
    quick={"epochs": 30, "samples": 300, "starts": 80},
)
def lvq_stability(
    epochs: Annotated[int, Range(30, 500)] = 60,
    samples: Annotated[int, Range(300, 5000)] = 600,
    starts: Annotated[int, Range(80, 1000)] = 200,
    *,
    run: Run,
) -> None:
    """Which LVQ rules are stable?

    LVQ1 and LVQ2.1 minimise no cost function. If two classes overlap, LVQ2.1 moves the prototypes
    far off the data, because near the boundary the wrong prototype is repelled as strongly as the
    correct one is attracted. LVQ1 does not diverge, but it moves only the winner: a prototype that
    starts among samples of another class is repelled and never returns. GLVQ minimises a cost and
    always attracts the nearest prototype of the correct class, which solves many such starts, but
    not all. RSLVQ attracts prototypes from any distance, the more the farther they are, and
    succeeds from every start.

    Parameters
    ----------
    epochs : int
        Passes over the data, with constant step size.
    samples : int
        Samples of two overlapping Gaussian classes.
    starts : int
        Random starts on six separate classes in a ring.
    """
    shown = {"LVQ1": LVQ1, "LVQ2.1": LVQ21, "GLVQ": GLVQ, "RSLVQ": RSLVQ}
    y = run.rng.integers(0, 2, samples)
    X = run.rng.normal(size=(samples, 2)) + np.outer(y, [1.5, 0])
    reach: dict[str, Array] = {}
    for name, rule in run.progress(shown.items(), "overlapping classes"):
        reach[name] = _reach_by_epoch(rule(learning_rate=0.02), X, y, epochs, run.rng)
        run.rows("path", rule=name, epoch=np.arange(epochs + 1), farthest_prototype=reach[name])

    ring = 4 * np.column_stack([np.cos(ANGLES), np.sin(ANGLES)])
    blobs, classes = make_blobs(120, centers=ring, cluster_std=0.5, random_state=run.seed)
    places = run.rng.uniform(blobs.min(axis=0), blobs.max(axis=0), (starts, len(ring), 2))
    found: dict[str, float] = {}
    for name, rule in run.progress(shown.items(), "random starts"):
        scores = [_score_from(rule, place, blobs, classes, run.rng) for place in places]
        found[name] = float(np.mean(np.array(scores) > 0.95))
        error = np.sqrt(found[name] * (1 - found[name]) / starts)
        run.row(rule=name, solved_starts=found[name], standard_error=error)

    run.figure(
        line(
            "epoch",
            "farthest_prototype",
            color="rule",
            table="path",
            title="Overlapping classes: distance of the farthest prototype from the centre",
            y_log=True,
        )
    )
    run.figure(
        bars(
            "rule",
            "solved_starts",
            error="standard_error",
            title="Share of random starts from which six separate classes are found",
        )
    )
    data_reach = float(np.linalg.norm(X - [0.75, 0], axis=1).max())
    run.claim(
        "LVQ2.1 leaves the data (distance over that of the farthest sample)",
        reach["LVQ2.1"][-1] / data_reach,
        at_least=2,
        probability=0.01,
    )
    for name in ("LVQ1", "GLVQ", "RSLVQ"):
        run.claim(
            f"{name} stays inside the data",
            reach[name][-1] / data_reach,
            at_most=1,
            probability=0.01,
        )
    run.claim("LVQ1 solves few of the starts", found["LVQ1"], at_most=0.35, probability=1e-4)
    run.claim(
        "GLVQ solves more of them", found["GLVQ"] - found["LVQ1"], at_least=0.03, probability=1e-3
    )
    run.claim("RSLVQ solves nearly all of them", found["RSLVQ"], at_least=0.95, probability=0.01)


def _reach_by_epoch(model: Any, X: Array, y: Array, epochs: int, rng: np.random.Generator) -> Array:
    model.partial_fit(X[:20], y[:20], classes=[0, 1])
    model.prototypes_ = np.array([X[y == k].mean(axis=0) for k in (0, 1)])
    reach = [model.prototypes_.copy()]
    for _ in range(epochs):
        order = rng.permutation(len(X))
        reach.append(model.partial_fit(X[order], y[order]).prototypes_.copy())
    return np.linalg.norm(np.array(reach) - [0.75, 0], axis=2).max(axis=1)


def _score_from(rule: Any, start: Array, X: Array, y: Array, rng: np.random.Generator) -> float:
    rate = 0.2 if rule is GLVQ else 0.05  # in units of the variance there, of the gap else
    model = rule(1, learning_rate=rate).partial_fit(X, y)
    model.prototypes_ = start.copy()
    order = np.concatenate([rng.permutation(len(X)) for _ in range(30)])
    return float(model.partial_fit(X[order], y[order]).score(X, y))
