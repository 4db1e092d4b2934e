"""Experiment: a parity machine grows until it knows every example."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from scipy.stats import binomtest

from shallows._core.contract.params import Range
from shallows.lab import Run, experiment, line
from shallows.perceptron import TilingParityMachine, grandmother_unit
from shallows.theory import machine_capacity as capacity_bound

FALSE_ALARM = 1e-4


@experiment(
    chapter="perceptron",
    sources="notes-000a Fig. 4.3, M84-M86",
    quick={"trials": 2, "largest": 60},
)
def parity_growth(
    n: Annotated[int, Range(5, 50)] = 10,
    largest: Annotated[int, Range(40, 400)] = 120,
    trials: Annotated[int, Range(2, 50)] = 8,
    *,
    run: Run,
) -> None:
    """Can a machine of threshold units learn any labels?

    Each new unit of a parity machine learns where the current machine is wrong. If it can't reduce
    the errors, a grandmother unit, which recognises a single example, corrects that one. So the
    number of errors falls with every unit until it is zero. For random labels this is memorising:
    the error on new examples is 1/2.

    Parameters
    ----------
    n : int
        Dimensions of the inputs, which have length 1.
    largest : int
        Examples in the largest sets.
    trials : int
        Random labelings of each size.
    """
    sizes = np.unique(np.linspace(10, largest, 6).astype(int))
    most_units, rises, wrong, tested = 0.0, 0, 0, 0
    for p in run.progress(sizes):
        for trial in range(trials):
            X = run.rng.standard_normal((p + 200, n))
            X /= np.linalg.norm(X, axis=1, keepdims=True)
            y = run.rng.integers(0, 2, p + 200)
            y[:2] = 0, 1
            model = TilingParityMachine(random_state=int(run.rng.integers(2**31)))
            model.fit(X[:p], y[:p])
            errors = np.array(model.n_errors_[0])
            rises += int(np.sum(np.diff(errors) >= 0))
            most_units = max(most_units, len(errors) / p)
            wrong += int(np.sum(model.predict(X[p:]) != y[p:]))
            tested += 200
            run.row(
                "sets",
                alpha=p / n,
                units=len(errors),
                left=int(np.sum(model.predict(X[:p]) != y[:p])),
            )
            if trial == 0:
                run.rows(
                    "growth",
                    examples=f"P = {p}",
                    units=np.arange(len(errors) + 1),
                    errors=np.concatenate([[p], errors]),
                )
    sets = run.columns("sets")
    for alpha in np.unique(sets["alpha"]):
        own = sets["units"][sets["alpha"] == alpha]
        run.row(
            alpha=alpha,
            units=own.mean(),
            standard_error=own.std(ddof=1) / np.sqrt(len(own)),
            least_possible=_fewest_units(alpha, n),
        )
    run.figure(
        line(
            "units",
            "errors",
            color="examples",
            table="growth",
            title="Errors left after every unit",
            x_title="units",
        )
    )
    run.figure(
        line(
            "alpha",
            "units",
            theory="least_possible",
            error="standard_error",
            title="Units that were needed, and the fewest that the count of labelings allows",
            x_title="labels per dimension, P / N",
        )
    )
    run.claim("errors left in the end, all sets", int(sets["left"].sum()), 0, within=0)
    run.claim("units that did not lower the number of errors", rises, 0, within=0)
    run.claim("units per example, largest", most_units, at_most=1)
    chance = binomtest(wrong, tested).pvalue
    run.claim(
        "new examples: error 1/2 (p-value of an exact binomial test)",
        chance,
        at_least=FALSE_ALARM,
        probability=FALSE_ALARM,
    )
    square = np.array([[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]])
    xor = TilingParityMachine(random_state=0).fit(square, [0, 1, 1, 0])
    run.claim("XOR: units", len(xor.machines_[0]), 2, within=0)
    run.claim("XOR: share learned", xor.score(square, [0, 1, 1, 0]), 1, within=0)
    X = run.rng.standard_normal((60, n))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    exact = 0
    for i in range(60):
        w, theta = grandmother_unit(X, i)
        exact += np.array_equal(np.sign(X @ w - theta), np.where(np.arange(60) == i, -1, 1))
    run.claim(
        "grandmother units, one for each of 60 examples, that know theirs alone",
        exact,
        60,
        within=0,
    )
    try:
        grandmother_unit(np.vstack([X, X[:1]]), 0)
        refused = False
    except ValueError:
        refused = True
    run.claim("an example that occurs twice has no grandmother", refused, holds=refused)


def _fewest_units(alpha: float, n: int) -> int:
    """Return the smallest number of units, with thresholds, whose capacity bound reaches alpha."""
    units = 1
    while capacity_bound(units, n + 1) * (n + 1) < alpha * n:
        units += 1
    return units
