"""Experiment: three ways to draw from a distribution."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from scipy import stats

from shallows._core.contract.params import Range
from shallows.lab import Run, experiment, line
from shallows.sampling import box_muller, inverse_transform, rejection


@experiment(
    chapter="sampling", sources="notes-004b C2, C4, C7, Fig. 47, 48", quick={"draws": 20_000}
)
def inverse_and_rejection(
    draws: Annotated[int, Range(10_000, 1_000_000)] = 100_000,
    a: Annotated[float, Range(1.5, 10)] = 2.0,
    b: Annotated[float, Range(1.5, 10)] = 5.0,
    *,
    run: Run,
) -> None:
    """How can one draw from a distribution with known density?

    A uniform draw mapped by the inverse of the distribution function has that distribution. So do
    draws under an envelope, each accepted with probability density over envelope; the tighter the
    envelope, the fewer are rejected. Two uniform draws give two normal ones.

    Parameters
    ----------
    draws : int
        Number of draws.
    a : float
        First parameter of the beta law.
    b : float
        Second parameter.
    """
    law = stats.beta(a, b)
    ceiling = float(law.pdf((a - 1) / (a + b - 2)))
    inverse = inverse_transform(draws, pdf=law.pdf, support=(0, 1), random_state=run.rng)
    tests = {"inverse": stats.kstest(inverse, law.cdf).pvalue}
    normal = box_muller(draws, random_state=run.rng)
    tests["Box-Muller"] = stats.kstest(normal, "norm").pvalue
    for slack in run.progress((1.0, 1.5, 3.0, 10.0)):
        sample = rejection(
            law.pdf,
            lambda size, rng: rng.random(size),
            lambda x, top=ceiling * slack: np.full(len(x), top),
            draws,
            random_state=run.rng,
        )
        area = ceiling * slack
        tests[f"rejection, area {area:.3g}"] = stats.kstest(sample.draws, law.cdf).pvalue
        run.row(area=area, acceptance=sample.acceptance, theory=1 / area)
    run.figure(
        line(
            "area",
            "acceptance",
            theory="theory",
            title="Share of draws that are kept",
            x_title="area under the envelope",
        )
    )
    run.claim(
        "all draws follow their law (least p-value of Kolmogorov and Smirnov's tests)",
        min(tests.values()),
        at_least=1e-4 / len(tests),
        probability=1e-4,
    )
    table = run.columns()
    errors = np.sqrt(table["theory"] * (1 - table["theory"]) * table["theory"] / draws)
    run.claim(
        "share kept is one over the area (gap in standard errors)",
        np.max(np.abs(table["acceptance"] - table["theory"]) / errors),
        at_most=4.5,
        probability=1e-4,
    )
