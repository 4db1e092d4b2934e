"""Experiment: learning rules that find principal components."""

from __future__ import annotations

import warnings
from typing import Annotated

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from shallows._core.contract.params import Range
from shallows.lab import Run, experiment, line
from shallows.reduce import OjaPCA, PowerPCA, SangerPCA

RATIOS = (0.5, 0.9, 0.99)


@experiment(
    chapter="reduce",
    sources="notes-000b M126-M131",
    quick={"samples": 2000, "passes": 20},
)
def oja_sanger(
    samples: Annotated[int, Range(1000, 100_000)] = 5000,
    passes: Annotated[int, Range(10, 200)] = 40,
    *,
    run: Run,
) -> None:
    """Do simple learning rules find the principal components?

    Power iteration multiplies a vector by the covariance matrix; per step its error falls by the
    ratio of the two largest variances. Hebb's rule does the same sample by sample, and diverges;
    Oja's rule keeps the length near one. Oja's rule for several units finds the space of the
    leading components; Sanger's rule finds the components themselves, in order.

    Parameters
    ----------
    samples : int
        Points of a Gaussian cloud with variances 4, 2, 1, 0.4 and 0.2.
    passes : int
        How often the rules see every point.
    """
    worst = 0.0
    for ratio in RATIOS:
        # Signs of a Hadamard matrix: the covariance is exactly diagonal.
        signs = np.array([[1, 1, 1], [-1, 1, -1], [1, -1, -1], [-1, -1, 1]], dtype=float)
        cloud = signs * np.sqrt([1.0, ratio, 0.3 * ratio])
        steps = min(int(20 / -np.log(ratio)), 900)
        model = PowerPCA(1, tol=0.0, max_iter=steps, random_state=run.seed)
        losses = np.array(_quietly(model, cloud).history_["loss"])
        late = slice(len(losses) // 3, 2 * len(losses) // 3)
        slope = np.polyfit(np.arange(len(losses))[late], np.log(losses[late]), 1)[0]
        worst = max(worst, abs(slope / np.log(ratio) - 1))
        shown = np.unique(np.linspace(0, min(len(losses), 120) - 1, 40).astype(int))
        run.rows(
            steps=shown + 1,
            residual=losses[shown],
            theory=losses[late.start] * ratio ** (shown - float(late.start)),
            ratio=f"lambda2 / lambda1 = {ratio}",
        )
    run.figure(
        line(
            "steps",
            "residual",
            theory="theory",
            color="ratio",
            y_log=True,
            title="Residual of power iteration",
        )
    )

    rotation = np.linalg.qr(run.rng.standard_normal((5, 5)))[0]
    X = run.rng.standard_normal((samples, 5)) * np.sqrt([4, 2, 1, 0.4, 0.2]) @ rotation
    vectors = np.linalg.eigh(np.cov(X.T))[1].T[::-1]
    oja = OjaPCA(rule="oja", max_iter=passes, random_state=run.seed).fit(X).components_[0]
    space = OjaPCA(3, max_iter=passes, random_state=run.seed).fit(X).components_
    sanger = SangerPCA(3, max_iter=passes, random_state=run.seed).fit(X).components_
    hebb = OjaPCA(rule="hebb", max_iter=1, random_state=run.seed).fit(X).components_[0]

    run.claim("power iteration: slope of the log error, relative gap", worst, at_most=0.02)
    run.claim("Oja's rule: length of the vector", np.linalg.norm(oja), 1, within=0.02)
    run.claim("Oja's rule: |cosine| with the first component", abs(oja @ vectors[0]), at_least=0.99)
    cosines = np.linalg.svd(np.linalg.qr(space.T)[0].T @ vectors[:3].T, compute_uv=False)
    angle = float(np.arccos(np.clip(cosines.min(), -1, 1)))
    run.claim("subspace rule: largest angle to the leading space", angle, at_most=0.1)
    run.claim(
        "subspace rule: vectors are orthonormal (largest deviation)",
        np.abs(space @ space.T - np.eye(3)).max(),
        at_most=0.05,
    )
    own = np.abs(np.sum(sanger * vectors[:3], axis=1)).min()
    run.claim(
        "Sanger's rule: smallest |cosine| with the component of its place", own, at_least=0.98
    )
    run.claim("plain Hebb: length of the vector after one pass", np.linalg.norm(hebb), at_least=1e3)


def _quietly(model: PowerPCA, X: np.ndarray) -> PowerPCA:
    """Fit with a fixed number of steps, which need not converge."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        fitted: PowerPCA = model.fit(X)
    return fitted
