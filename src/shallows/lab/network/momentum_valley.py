"""Experiment: momentum in a narrow valley."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from shallows._core.contract.params import Range
from shallows.descent import OPTIMIZERS
from shallows.lab import Run, experiment, line


@experiment(chapter="network", sources="notes-003 M86, M87", quick={"steps": 400})
def momentum_valley(
    condition: Annotated[float, Range(20, 10_000)] = 100.0,
    momentum: Annotated[float, Range(0.5, 0.95)] = 0.9,
    steps: Annotated[int, Range(200, 5000)] = 1000,
    *,
    run: Run,
) -> None:
    """What is the benefit of momentum?

    In a valley that is much steeper across than along, plain descent needs steps that are small
    enough for the steep direction, and is slow along the flat one. Momentum keeps a share alpha of
    each step: for a constant gradient, steps grow to eta g / (1 - alpha); for an alternating
    gradient, they shrink to eta g / (1 + alpha). Nesterov's form takes the gradient at the point
    to which momentum leads.

    Parameters
    ----------
    condition : float
        Ratio of the steepest to the flattest curvature.
    momentum : float
        Share alpha of the last step that is kept.
    steps : int
        Most steps of descent.
    """
    curvature = np.array([1.0, condition])
    best_plain = 2 / (1 + condition)
    roots = np.sqrt(curvature)
    best_heavy = (2 / (roots[0] + roots[1])) ** 2
    memory = float(((roots[1] - roots[0]) / (roots[1] + roots[0])) ** 2)
    cases = {
        "plain": ("gradient", best_plain, {}),
        f"momentum {momentum:.2g}": ("momentum", best_plain, {"momentum": momentum}),
        "momentum, best": ("momentum", best_heavy, {"momentum": memory}),
        "Nesterov": ("nesterov", 1 / condition, {"momentum": momentum}),
    }
    needed = {}
    for name, (rule, rate, settings) in run.progress(cases.items()):
        optimizer, place = OPTIMIZERS[rule], np.array([1.0, 1.0])
        state, distances = optimizer.init(place), []
        for _ in range(steps):
            place, state = optimizer.step(place, curvature * place, state, rate, **settings)
            distances.append(max(float(np.linalg.norm(place)), 1e-16))
        run.rows(descent=[name] * steps, step=np.arange(1, steps + 1), distance=distances)
        below = np.flatnonzero(np.array(distances) < 1e-6)
        needed[name] = int(below[0]) + 1 if len(below) else steps + 1
    run.figure(
        line("step", "distance", color="descent", y_log=True, title="Distance from the minimum")
    )
    plain = needed.pop("plain")
    for name, count in needed.items():
        run.claim(
            f"{name}: steps to 1e-6, as a share of those of plain descent",
            count / plain,
            at_most=0.8,
        )

    rate, heavy = 0.1, OPTIMIZERS["momentum"]
    for name, sign, limit in (("constant", 1.0, 1 - momentum), ("alternating", -1.0, 1 + momentum)):
        place = np.zeros(1)
        state, step = heavy.init(place), np.zeros(1)
        for t in range(400):
            gradient = np.array([sign**t])
            moved, state = heavy.step(place, gradient, state, rate, momentum=momentum)
            step, place = moved - place, moved
        run.claim(
            f"{name} gradient: size of the step",
            float(abs(step[0])),
            expected=rate / limit,
            within=1e-6,
        )
