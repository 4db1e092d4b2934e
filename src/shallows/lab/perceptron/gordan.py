"""Experiment: exactly one of two certificates."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from shallows._core.contract.params import Range
from shallows.lab import Run, experiment, line
from shallows.perceptron import Perceptron, separability, stability
from shallows.theory import fraction_separable

LONGEST_RUN = 20_000  # updates; nearly inseparable sets are not learned to the end


@experiment(
    chapter="perceptron",
    sources="notes-000a M43, Eq. 3.37; notes-001 M26",
    quick={"n": 8, "sets": 40},
)
def gordan(
    n: Annotated[int, Range(3, 50)] = 15,
    sets: Annotated[int, Range(20, 1000)] = 200,
    *,
    run: Run,
) -> None:
    """Can one always prove that a perceptron can or can't learn a data set?

    About half of all random labelings of two points per dimension are separable. By Gordan's
    theorem either a plane separates the points or a non-negative combination of the labelled
    points is zero, never both. The plane or the combination is the proof.

    Parameters
    ----------
    n : int
        Dimensions.
    sets : int
        Sets in all, spread over numbers of points from n to 3 n.
    """
    ratios = np.linspace(1, 3, 9)
    worst_null, smallest, both_or_none, disagree, reach = 0.0, np.inf, 0, 0, 0.0
    for ratio in run.progress(ratios):
        p, separable = round(ratio * n), 0
        trials = max(sets // len(ratios), 2)
        for _ in range(trials):
            X, S = run.rng.standard_normal((p, n)), run.rng.choice([-1.0, 1.0], size=p)
            S[:2] = -1, 1
            found = separability(X, S, threshold=False)
            both_or_none += (found.coef is None) == (found.null_vector is None)
            separable += found.separable
            if found.coef is not None:
                smallest = min(smallest, stability(found.coef, X, S) / found.stability)
                bound = (X**2).sum(1).max() / found.stability**2
                if bound > LONGEST_RUN:
                    continue
                model = Perceptron(fit_intercept=False, tol=None, max_iter=int(bound) + 2)
                model.set_params(shuffle=False).fit(X, S)
                disagree += model.history_["updates"][-1] != 0
                reach = max(reach, model.n_updates_ / bound)
            else:
                null = found.null_vector
                worst_null = max(worst_null, float(np.abs((null * S) @ X).max()))
                model = Perceptron(fit_intercept=False, tol=None, max_iter=200, shuffle=False)
                disagree += min(model.fit(X, S).history_["updates"]) == 0
        theory = float(fraction_separable(p, n))
        run.row(
            points_per_dimension=p / n,
            separable=separable / trials,
            theory=theory,
            standard_error=np.sqrt(theory * (1 - theory) / trials),
        )
    run.figure(
        line(
            "points_per_dimension",
            "separable",
            theory="theory",
            error="standard_error",
            title="Share of sets with a separating plane, all others with a null combination",
        )
    )
    run.claim("sets with both certificates or none", both_or_none, at_most=0)
    run.claim("largest component of a null combination", worst_null, at_most=1e-9)
    run.claim("smallest stability over the one stated", smallest, expected=1, within=1e-6)
    run.claim("sets on which the perceptron says otherwise", disagree, at_most=0)
    run.claim("updates as a share of the bound from the certified stability", reach, at_most=1)
