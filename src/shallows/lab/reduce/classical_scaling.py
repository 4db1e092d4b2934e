"""Experiment: classical scaling is PCA, unless the distances are not Euclidean."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from shallows._core.contract.params import Range
from shallows._core.numerics.linalg import center_gram
from shallows.lab import Run, experiment, line
from shallows.reduce import MDS, PCA


@experiment(chapter="reduce", sources="notes-002 B14, B17", quick={"samples": 60})
def classical_scaling(
    samples: Annotated[int, Range(20, 400)] = 200,
    points: Annotated[int, Range(20, 400)] = 40,
    *,
    run: Run,
) -> None:
    """What do the eigenvalues of classical scaling say about distances?

    Given only Euclidean distances, classical scaling returns the principal component scores of the
    points; its eigenvalues are n - 1 times their variances. Distances along a circle are not the
    distances of points in any Euclidean space, so some eigenvalues are negative.

    Parameters
    ----------
    samples : int
        Points of a Gaussian cloud in five dimensions.
    points : int
        Points on the circle, at equal distances.
    """
    X = run.rng.standard_normal((samples, 5)) * [3, 2, 1.5, 1, 0.5]
    scaled, pca = MDS(3, kind="classical").fit(X), PCA(3).fit(X)
    gap = np.abs(np.abs(scaled.embedding_) - np.abs(pca.transform(X))).max()
    run.claim("scores equal those of PCA up to sign (largest gap)", gap, at_most=1e-9)
    ratio = scaled.eigenvalues_ / ((samples - 1) * pca.explained_variance_)
    run.claim("eigenvalues are n - 1 variances", np.abs(ratio - 1).max(), at_most=1e-9)
    run.claim(
        "no eigenvalue of Euclidean distances is negative but by rounding",
        scaled.smallest_eigenvalue_ / scaled.eigenvalues_[0],
        at_least=-1e-9,
    )

    steps = np.abs(np.subtract.outer(np.arange(points), np.arange(points)))
    arcs = 2 * np.pi / points * np.minimum(steps, points - steps)
    circle = MDS(2, kind="classical", metric="precomputed").fit(arcs)
    spectrum = np.linalg.eigvalsh(center_gram(-0.5 * arcs**2))[::-1]
    run.rows(place=np.arange(1, points + 1), eigenvalue=spectrum)
    run.figure(
        line("place", "eigenvalue", title="Eigenvalues of arc lengths on a circle", y_rule=0)
    )
    # The exact values by the discrete Fourier transform of a circulant matrix.
    row = -0.5 * (arcs[0] ** 2 - np.mean(arcs[0] ** 2))
    exact = np.fft.fft(row).real
    run.claim("circle: largest eigenvalue", circle.eigenvalues_[0], exact.max(), within=1e-6)
    run.claim("circle: smallest eigenvalue", circle.smallest_eigenvalue_, exact.min(), within=1e-6)
    if points == 40:
        run.claim("40 points: largest is 40.08", circle.eigenvalues_[0], 40.08, within=0.005)
        run.claim(
            "40 points: smallest is -10.08", circle.smallest_eigenvalue_, -10.08, within=0.005
        )
