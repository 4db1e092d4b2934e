"""Experiment: the delta rule circles around the least-squares solution."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from shallows._core.contract.params import Range
from shallows.data import make_teacher
from shallows.lab import Run, experiment, line
from shallows.perceptron import Adaline


@experiment(
    chapter="perceptron",
    sources="notes-000a M65, M66",
    quick={"n": 10, "p": 30},
)
def adaline_cycle(
    n: Annotated[int, Range(5, 100)] = 20,
    p: Annotated[int, Range(10, 400)] = 60,
    *,
    run: Run,
) -> None:
    """Does the delta rule find the least-squares solution?

    With more examples than dimensions, no weights make all potentials 1. Batch descent converges
    to least squares. The sequential rule with a fixed order of examples and a constant rate ends
    in a cycle: after each pass the weights are the same again, at a distance from the solution
    that is proportional to the rate.

    Parameters
    ----------
    n : int
        Dimensions of the inputs.
    p : int
        Examples, at least 3 n.
    """
    X, y, _ = make_teacher(max(p, 3 * n), n, random_state=run.rng)
    best = Adaline(fit_intercept=False).fit(X, y).coef_[0]
    distances, drift = [], 0.0
    rates = np.append(0.1 / 2.0 ** np.arange(6), 0.01)
    for rate in run.progress(rates):
        model = Adaline(
            "sequential",
            fit_intercept=False,
            eta0=rate / n,
            shuffle=False,
            tol=None,
            max_iter=int(60 / rate),
        ).fit(X, y)
        end = model.coef_[0].copy()
        again = model.partial_fit(X, y).coef_[0]
        drift = max(drift, float(np.linalg.norm(again - end) / np.linalg.norm(best)))
        distances.append(float(np.linalg.norm(end - best) / np.linalg.norm(best)))
        run.row(rate=rate, distance=distances[-1], proportional=distances[0] * rate / rates[0])
    run.figure(
        line(
            "rate",
            "distance",
            theory="proportional",
            x_log=True,
            y_log=True,
            title="Relative distance of the cycle from the least-squares solution",
            x_title="rate times dimension",
        )
    )
    batch = Adaline("batch", fit_intercept=False, tol=1e-12, max_iter=10**5).fit(X, y).coef_[0]
    away = float(np.linalg.norm(batch - best) / np.linalg.norm(best))
    run.claim("batch descent ends at least squares (relative distance)", away, at_most=1e-8)
    run.claim("the delta rule ends in a cycle of one pass (relative drift)", drift, at_most=1e-8)
    halving = np.array(distances[2:-2]) / np.array(distances[3:-1])
    run.claim(
        "a tenth of the rate, a tenth of the distance up to a factor 2",
        distances[0] / distances[-1],
        at_least=5,
        at_most=20,
    )
    run.claim("half the rate, half the distance: smallest ratio", halving.min(), at_least=1.7)
    run.claim("half the rate, half the distance: largest ratio", halving.max(), at_most=2.3)
    run.note(
        "Relative distances of about 0.16 and 0.015 are printed for rates 0.1 and 0.01, without "
        f"the number of examples. Here they are {distances[0]:.2g} and {distances[-1]:.2g}; only "
        "their ratio is a law."
    )
