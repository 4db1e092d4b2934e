"""Experiment: noise on every coordinate lifts the whole spectrum."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from shallows._core.contract.params import NonNegativeFloat, Range
from shallows.lab import Run, bars, experiment
from shallows.reduce import PCA

SIGNAL = np.array([5.0, 3.0, 0.0, 0.0])
STANDARD_ERRORS = 4.5


@experiment(chapter="reduce", sources="notes-002 B8", quick={"samples": 5000})
def noise_floor(
    samples: Annotated[int, Range(1000, 1_000_000)] = 200_000,
    noise: NonNegativeFloat = 0.49,
    *,
    run: Run,
) -> None:
    """How does noise on every coordinate change the principal variances?

    Data in a plane have only two non-zero principal variances. Independent noise of equal variance
    on every coordinate adds this variance to all of them: the spectrum is shifted, and the
    components keep their directions.

    Parameters
    ----------
    samples : int
        Points in four dimensions whose signal has variances 5, 3, 0, 0.
    noise : float
        Variance of the noise.
    """
    rotation = np.linalg.qr(run.rng.standard_normal((4, 4)))[0]
    signal = run.rng.standard_normal((samples, 4)) * np.sqrt(SIGNAL) @ rotation
    noisy = signal + np.sqrt(noise) * run.rng.standard_normal((samples, 4))
    clean, lifted = PCA().fit(signal), PCA().fit(noisy)

    expected = SIGNAL + noise
    for k in range(4):
        run.row(
            component=k + 1,
            measured=lifted.explained_variance_[k],
            signal_plus_noise=expected[k],
            without_noise=clean.explained_variance_[k],
        )
    run.figure(
        bars(
            "component",
            "measured",
            theory="signal_plus_noise",
            title="Principal variances of signal and noise",
            y_title="variance",
            y_rule=noise,
        )
    )

    # An estimated variance v has standard error v sqrt(2 / n); equal ones repel a little more.
    for k in range(4):
        run.claim(
            f"component {k + 1} has the variance of the signal plus that of the noise",
            lifted.explained_variance_[k],
            expected[k],
            within=STANDARD_ERRORS * (expected[k] + 0.01) * np.sqrt(2 / samples),
            probability=1e-4,
        )
    overlap = np.linalg.svd(clean.components_[:2] @ lifted.components_[:2].T, compute_uv=False)
    run.claim(
        "the plane of the signal is found again (cosine of the largest angle)",
        overlap.min(),
        at_least=1 - 30 * max(noise, 0.01) / samples,
        probability=1e-4,
    )
