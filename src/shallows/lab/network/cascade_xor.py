"""Experiment: cascade correlation grows until XOR is solved."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from shallows._core.contract.params import Range
from shallows.descent import numerical_gradient
from shallows.lab import Run, experiment, line
from shallows.network import CascadeCorrelationClassifier, candidate_scores


@experiment(
    chapter="network", sources="notes-003 M97; notes-000b M76", quick={"bits": 2, "units": 3}
)
def cascade_xor(
    bits: Annotated[int, Range(2, 5)] = 4,
    units: Annotated[int, Range(2, 20)] = 8,
    candidates: Annotated[int, Range(1, 50)] = 8,
    *,
    run: Run,
) -> None:
    """How many hidden units does parity need?

    XOR, the parity of two bits, has no linear solution: without hidden units the best linear
    output is zero for all four cases. Cascade correlation adds units one by one. Each unit sees
    all inputs and all previous units, is trained to correlate with the remaining errors, and is
    then frozen; the outputs are refitted. The error never rises, and a few units solve the task.

    Parameters
    ----------
    bits : int
        Number of bits of the parity.
    units : int
        Largest number of hidden units.
    candidates : int
        Candidates in the pool.
    """
    X = np.array(np.meshgrid(*[[-1.0, 1.0]] * bits)).reshape(bits, -1).T
    y = (X.prod(axis=1) > 0).astype(int)
    seed = int(run.rng.integers(2**31))
    fits = []
    for size in run.progress(range(units + 1)):
        model = CascadeCorrelationClassifier(
            size, n_candidates=candidates, tol=None, random_state=seed
        ).fit(X, y)
        fits.append(model)
        run.row(
            units=size, error=model.history_["loss"][-1] + 1e-32, right=float(model.score(X, y))
        )
        if len(model.hidden_coef_) < size:
            break
    run.figure(line("units", "right", title="Share of right answers"))
    table = run.columns()
    run.claim(
        "without hidden units the squared error stays that of the mean",
        float(table["error"][0]),
        expected=0.5,
        within=1e-12,
    )
    run.claim(
        "with hidden units all cases are right", float(table["right"][-1]), expected=1, within=0
    )
    needed = int(table["units"][np.flatnonzero(table["right"] == 1)[0]])
    run.claim("units needed", needed, at_least=1, at_most=units)
    run.claim(
        "largest rise of the training error", float(np.diff(table["error"]).max()), at_most=1e-12
    )
    last = fits[-1].hidden_coef_
    moved = max(
        (
            float(np.abs(a - b).max())
            for fit in fits
            for a, b in zip(fit.hidden_coef_, last, strict=False)
        ),
        default=0.0,
    )
    run.claim("largest change of a frozen weight", moved, expected=0, within=0)

    inputs, errors = run.rng.standard_normal((9, 4)), run.rng.standard_normal((9, 3))
    w = run.rng.standard_normal(4)
    exact = numerical_gradient(
        lambda v: float(candidate_scores(inputs, errors, v[:, None])[0][0]), w
    )
    found = candidate_scores(inputs, errors, w[:, None])[1][:, 0]
    run.claim(
        "gradient of the score against finite differences",
        float(np.abs(found - exact).max() / np.abs(exact).max()),
        at_most=1e-6,
    )
