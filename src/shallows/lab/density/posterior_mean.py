"""Experiment: the influence of a prior on the mean of two numbers."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from scipy.stats import norm

from shallows._core.contract.params import Range
from shallows.density import GridPosterior
from shallows.lab import Run, experiment, line

DATA = np.array([0.9, 1.0])


@experiment(
    chapter="density",
    sources="notes-004b Fig. 46, B4",
    quick={"points": 501},
)
def posterior_mean(
    points: Annotated[int, Range(101, 20_001)] = 2001,
    *,
    run: Run,
) -> None:
    """What is the mean of 0.9 and 1.0, if it must be between 0 and 1?

    The maximum-likelihood mean of two draws from a Gaussian with unit variance is 0.95. A uniform
    prior on [0, 1] changes the answer: two draws carry little information, so the posterior is
    wide, and its mean is near the middle of the interval.

    Parameters
    ----------
    points : int
        Points of the grid of means.
    """
    grid = np.linspace(0.0, 1.0, 2 * (points // 2) + 1)
    posterior = GridPosterior(norm.logpdf, None, grid).update(DATA)
    shown = np.linspace(-1.0, 3.0, 401)
    flat = GridPosterior(norm.logpdf, None, np.linspace(-8.0, 10.0, 4001)).update(DATA)
    normal = GridPosterior(norm.logpdf, norm.pdf, np.linspace(-8.0, 10.0, 4001)).update(DATA)
    for name, law in (
        ("uniform on [0, 1]", posterior),
        ("constant", flat),
        ("standard normal", normal),
    ):
        density = np.interp(shown, law.grids[0], law.density, left=0.0, right=0.0)
        run.rows(mean=shown, density=density, prior=name)
    run.figure(
        line("mean", "density", color="prior", title="Posterior of the mean under three priors")
    )
    run.claim("maximum likelihood", posterior.maximum_likelihood(), 0.95, within=0.5 / points)
    run.claim("posterior mean", float(posterior.expectation()[0]), 0.56930, within=1e-5)
    run.claim("normaliser", float(np.exp(posterior.log_evidence)), 0.123427, within=1e-6)
    at = np.interp([0.0, 0.95], grid, posterior.density)
    run.claim("posterior density at 0", float(at[0]), 0.5216, within=1e-4)
    run.claim("posterior density at 0.95", float(at[1]), 1.2862, within=1e-4)
    coarse = np.arange(0.0, 1.0, 0.01)
    product = np.exp(norm.logpdf(DATA[:, None], coarse).sum(axis=0))
    left = float((coarse * product).sum() / product.sum())
    run.claim("left sum with steps of 0.01", left, 0.56505, within=1e-5)
    run.note(
        "The printed posterior mean 0.565 is what a left sum with steps of 0.01 gives; the "
        "integral is 0.5693."
    )
    run.claim(
        "prior N(0, 1) shrinks the mean to the sum over n + 1",
        float(normal.expectation()[0]),
        float(DATA.sum() / 3),
        within=1e-8,
    )
