"""Experiment: a linear autoencoder finds the principal subspace."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from scipy.linalg import subspace_angles

from shallows._core.contract.params import Range
from shallows.lab import Run, experiment, line
from shallows.network import Autoencoder


@experiment(
    chapter="network",
    sources="notes-000b Fig. 5.11, M40; notes-004a 78",
    quick={"n": 6, "samples": 100},
)
def linear_autoencoder(
    n: Annotated[int, Range(4, 30)] = 10,
    code: Annotated[int, Range(1, 3)] = 2,
    samples: Annotated[int, Range(50, 2000)] = 300,
    *,
    run: Run,
) -> None:
    """What does a network learn that reproduces its input through a narrow layer?

    With linear units, the best it can do is to keep the directions of largest variance. Its
    weights span the subspace of the leading principal components, but are not the components
    themselves. The remaining error is half the variance of the other components, times the number
    of samples.

    Parameters
    ----------
    n : int
        Number of features.
    code : int
        Units of the narrow layer.
    samples : int
        Number of samples.
    """
    turn = np.linalg.qr(run.rng.standard_normal((n, n)))[0]
    X = run.rng.standard_normal((samples, n)) * 0.6 ** np.arange(n) @ turn
    X -= X.mean(axis=0)
    variances, directions = np.linalg.eigh(np.cov(X.T, bias=True))
    least = samples / 2 * float(variances[:-code].sum())
    seed = int(run.rng.integers(2**31))
    for epochs in run.progress([3, 5, 10, 20, 40, 80, 160, 320, 640]):
        model = Autoencoder(code, linear=True, max_iter=epochs, tol=None, random_state=seed).fit(X)
        angle = float(subspace_angles(model.coefs_[-1].T, directions[:, -code:]).max())
        run.row(
            iterations=epochs, angle=max(angle, 1e-12), error=-model.score(X) * samples, least=least
        )
    run.figure(
        line(
            "iterations",
            "angle",
            x_log=True,
            y_log=True,
            title="Largest angle between the learned and the principal subspace",
        )
    )
    run.figure(
        line("iterations", "error", theory="least", x_log=True, title="Error of reconstruction")
    )
    table = run.columns()
    run.claim("largest principal angle at the end", float(table["angle"][-1]), at_most=1e-3)
    run.claim(
        "error over half the discarded variance times P",
        float(table["error"][-1]) / least,
        expected=1,
        within=1e-6,
    )
