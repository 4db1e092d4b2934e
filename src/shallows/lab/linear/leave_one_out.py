"""Experiment: leave-one-out without refitting."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from shallows._core.contract.params import Range
from shallows.data import make_linear
from shallows.lab import Run, experiment, line
from shallows.linear import Ridge, ridge_path


@experiment(
    chapter="linear",
    sources="notes-002 H3, notes-003 E17",
    quick={"samples": 30, "penalties": 9},
)
def leave_one_out(
    samples: Annotated[int, Range(10, 300)] = 60,
    features: Annotated[int, Range(2, 100)] = 20,
    penalties: Annotated[int, Range(5, 50)] = 21,
    *,
    run: Run,
) -> None:
    """Can leave-one-out errors be computed without a single refit?

    The error of a left-out sample is its error in the full fit divided by one minus its leverage.
    So one decomposition gives the leave-one-out error for every penalty. With an intercept the
    leverage contains 1/n; without this term the formula does not match refits that centre again.
    Generalized cross-validation replaces each leverage by the mean leverage.

    Parameters
    ----------
    samples : int
        Training samples.
    features : int
        Number of weights.
    penalties : int
        Penalties from 1e-3 to 1e4.
    """
    truth = run.rng.standard_normal(features) / np.sqrt(features)
    X, y = make_linear(samples, truth, noise=0.5, random_state=run.rng)
    X, y = X + 2.0, y + 5.0
    alphas = np.logspace(-3, 4, penalties)
    path = ridge_path(X, y, alphas)
    moved, centred = X - X.mean(axis=0), y - y.mean()
    naive = ridge_path(moved, centred, alphas, fit_intercept=False).loo
    keep = ~np.eye(samples, dtype=bool)
    for k, alpha in enumerate(run.progress(alphas)):
        errors = [
            float(y[i] - Ridge(alpha).fit(X[keep[i]], y[keep[i]]).predict(X[i : i + 1])[0])
            for i in range(samples)
        ]
        run.row(
            penalty=alpha,
            brute_force=float(np.mean(np.square(errors))),
            closed_form=path.loo[k],
            generalized=path.gcv[k],
            centred_once=naive[k],
        )
    table = run.columns()
    run.figure(
        line(
            "penalty",
            "brute_force",
            theory=["closed_form", "generalized"],
            x_log=True,
            y_log=True,
            title="Mean squared error of left-out samples",
        )
    )
    run.claim(
        "closed form and brute force agree: largest relative difference",
        float(np.abs(table["closed_form"] / table["brute_force"] - 1).max()),
        at_most=1e-8,
    )
    run.claim(
        "centring once and leaving 1/n out of the leverage is optimistic",
        float((table["centred_once"] / table["brute_force"]).max()),
        at_most=1 - 0.5 / samples,
    )
    run.claim(
        "Ridge('loo') takes the penalty of the smallest brute-force error",
        Ridge("loo", alphas=alphas).fit(X, y).alpha_,
        expected=float(alphas[np.argmin(table["brute_force"])]),
        within=1e-9,
    )
    run.claim(
        "degrees of freedom fall with the penalty",
        float(np.diff(path.degrees_of_freedom).max()),
        at_most=0,
    )
    run.note(
        "The leave-one-out formula without 1/n holds for refits that keep the centring of the "
        "full data. Refitting the offset as well needs the leverage of the constant column."
    )
