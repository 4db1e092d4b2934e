"""Experiment: a clamped input is not a threshold when margins count."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from shallows._core.contract.params import Range
from shallows.data import make_separable
from shallows.lab import Run, experiment, line
from shallows.perceptron import AdaTron, separability, stability


@experiment(
    chapter="perceptron",
    sources="notes-000a M34, M72, Eqs. 3.102-3.106",
    quick={"p": 16, "n": 8, "sets": 3},
)
def naive_threshold(
    p: Annotated[int, Range(10, 300)] = 40,
    n: Annotated[int, Range(5, 50)] = 20,
    shift: Annotated[float, Range(1, 10)] = 4.0,
    sets: Annotated[int, Range(3, 100)] = 10,
    *,
    run: Run,
) -> None:
    """May one treat the threshold as just another weight?

    A constant input turns a threshold into a weight without changing any decision. But the plane
    of optimal stability minimises the norm of the weights, which does not include the threshold.
    If the classes are far from the origin, the naive solution has a smaller margin; a larger
    constant reduces the error.

    Parameters
    ----------
    p : int
        Examples.
    n : int
        Dimensions of the inputs.
    shift : float
        Distance by which all inputs are moved away from the origin.
    sets : int
        Sets of examples.
    """
    clamps = 10.0 ** np.linspace(-1, 2, 7)
    shares = {"shifted": np.zeros((sets, 7)), "symmetric": np.zeros((sets, 7))}
    worst = 0.0
    for k in run.progress(range(sets)):
        X, y, normal = make_separable(p, n, margin=0.3, random_state=run.rng)
        shifted = X + shift * normal, y
        symmetric = np.vstack([X, -X]), np.concatenate([y, -y])
        for name, (points, labels) in (("shifted", shifted), ("symmetric", symmetric)):
            exact = separability(points, labels).stability
            free = AdaTron(None, tol=1e-9, max_iter=20_000, random_state=0).fit(points, labels)
            worst = max(worst, abs(1 - float(free.stability_[0]) / exact))
            for m, clamp in enumerate(clamps):
                naive = AdaTron(
                    None,
                    threshold="clamped",
                    clamp=float(clamp),
                    tol=1e-9,
                    max_iter=20_000,
                    random_state=0,
                ).fit(points, labels)
                kappa = stability(naive.coef_[0], points, labels, float(naive.intercept_[0]))
                shares[name][k, m] = kappa / exact
    for name, values in shares.items():
        run.rows(points=name, clamp=clamps, stability=values.mean(axis=0))
    run.figure(
        line(
            "clamp",
            "stability",
            color="points",
            x_log=True,
            y_rule=1.0,
            title="Stability of the naive solution as a share of the exact one",
            x_title="constant input",
        )
    )
    largest = max(values.max() for values in shares.values())
    missed, found = shares["shifted"][:, 0].mean(), shares["shifted"][:, -1].min()
    run.claim("the naive solution is never more stable", largest, at_most=1 + 1e-7)
    run.claim("shifted, smallest constant: part of the margin is missed", missed, at_most=0.99)
    run.claim("shifted, largest constant: hardly any", found, at_least=0.999)
    gains = np.diff(shares["shifted"].mean(axis=0))
    run.claim("a larger constant does not make it worse, on average", gains.min(), at_least=-0.01)
    loss = 1 - shares["symmetric"].min()
    run.claim("where the best threshold is 0 nothing is lost", loss, at_most=1e-6)
    run.claim("AdaTron with a free threshold finds the exact margin", worst, at_most=1e-6)
