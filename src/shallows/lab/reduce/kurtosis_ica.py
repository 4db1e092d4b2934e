"""Experiment: kurtosis distinguishes sources from mixtures."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from scipy import stats

from shallows._core.contract.params import Range
from shallows.lab import Run, experiment, histogram
from shallows.reduce import FastICA, kurtosis

EXPECTED = {"semicircle": -1.0, "Gaussian": 0.0, "Student t(7)": 2.0}


@experiment(chapter="reduce", sources="notes-000b M132, Fig. 8.5", quick={"samples": 5000})
def kurtosis_ica(
    samples: Annotated[int, Range(1000, 100_000)] = 20_000,
    *,
    run: Run,
) -> None:
    """What is kurtosis, and how does it find independent sources?

    Three densities with one peak and equal variance differ in kurtosis: a semicircle has -1, a
    Gaussian 0, Student's t with seven degrees of freedom 2. A mixture of independent sources is
    closer to a Gaussian than the sources. Rotating whitened mixtures until the absolute kurtosis
    is largest recovers the sources.

    Parameters
    ----------
    samples : int
        Values drawn from each density.
    """
    radius, turn = np.sqrt(run.rng.random(samples)), run.rng.uniform(0, 2 * np.pi, samples)
    drawn = {
        "semicircle": 2 * radius * np.cos(turn),
        "Gaussian": run.rng.standard_normal(samples),
        "Student t(7)": run.rng.standard_t(7, samples) / np.sqrt(7 / 5),
    }
    grid = np.linspace(-4, 4, 161)
    density = {
        "semicircle": np.sqrt(np.maximum(4 - grid**2, 0)) / (2 * np.pi),
        "Gaussian": stats.norm.pdf(grid),
        "Student t(7)": stats.t.pdf(grid, 7, scale=np.sqrt(5 / 7)),
    }
    for name, values in drawn.items():
        shown = values[np.abs(values) < 4][:2000]
        theory = np.interp(shown, grid, density[name])
        run.rows(source=name, value=shown, theory=theory)
    run.figure(
        histogram("value", theory="theory", color="source", bins=40, title="Three densities")
    )
    # t(7) has no eighth moment, so its sample kurtosis has no standard error: half of 2 either way.
    within = {
        "semicircle": 5 * np.sqrt(_spread_of_semicircle() / samples),
        "Gaussian": 5 * np.sqrt(24 / samples),
    }
    for name, width in within.items():
        run.claim(
            f"kurtosis of the {name}",
            kurtosis(drawn[name]),
            EXPECTED[name],
            within=width,
            probability=1e-5,
        )
    run.claim(
        "kurtosis of Student t(7) is clearly positive",
        kurtosis(drawn["Student t(7)"]),
        at_least=0.8,
    )
    run.note(
        "The kurtosis of t(7) is 2, but a sample's scatters widely around it, and mostly below: "
        f"here {kurtosis(drawn['Student t(7)']):.2f}."
    )

    sources = np.column_stack([drawn["semicircle"], drawn["Student t(7)"]])
    mixed = sources @ np.array([[0.8, 0.5], [0.6, -0.9]])
    found = FastICA(2, fun="cube", random_state=run.seed).fit_transform(mixed)
    match = np.abs(np.corrcoef(found.T, sources.T)[:2, 2:]).max(axis=0)
    run.claim("both sources come back: smallest |correlation|", match.min(), at_least=0.98)
    sizes = [float(np.abs(kurtosis(part)).sum()) for part in (mixed, found)]
    run.claim(
        "unmixing raises the size of kurtosis, by the factor", sizes[1] / sizes[0], at_least=1.1
    )


def _spread_of_semicircle() -> float:
    """Return the variance of the sample kurtosis times the number of samples, by the delta rule.

    With z of mean 0, variance 1 and moments m_k it is m_8 - 4 m_4 m_6 + 4 m_4^3 - m_4^2.
    """
    m4, m6, m8 = 2.0, 5.0, 14.0  # Catalan numbers
    return m8 - 4 * m4 * m6 + 4 * m4**3 - m4**2
