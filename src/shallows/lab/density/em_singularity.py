"""Experiment: the likelihood of a mixture has no bound."""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated

import numpy as np
from scipy.spatial.distance import cdist
from scipy.special import logsumexp
from scipy.stats import norm

from shallows._core.contract.params import Range
from shallows.density import GaussianMixture
from shallows.lab import Run, experiment, line

WIDTHS = (1e-2, 1e-4, 1e-8)


@experiment(
    chapter="density",
    sources="notes-002 C11, Tasks",
    quick={"samples": 20, "floors": 4},
)
def em_singularity(
    samples: Annotated[int, Range(5, 500)] = 20,
    features: Annotated[int, Range(1, 5)] = 1,
    floors: Annotated[int, Range(3, 9)] = 6,
    *,
    run: Run,
) -> None:
    """How likely can a mixture of two Gaussians make twenty points?

    Arbitrarily likely. One component is centred on a single sample and shrinks, while the other
    covers all others. Whenever its standard deviation falls by a factor, the log-likelihood rises
    by the logarithm of that factor per dimension. A lower bound on the variances prevents this.

    Parameters
    ----------
    samples : int
        Gaussian points.
    features : int
        Dimensions.
    floors : int
        Floors tried, from 1 downwards in powers of ten.
    """
    X = run.rng.standard_normal((samples, features))
    gaps = cdist(X, X) + np.where(np.eye(samples), np.inf, 0.0)
    X = np.roll(X, -int(gaps.min(axis=0).argmax()), axis=0)  # the loneliest sample comes first
    for width in np.geomspace(1.0, WIDTHS[-1], 33):
        run.row(standard_deviation=width, log_likelihood=_log_likelihood(X, width))
    run.figure(
        line(
            "standard_deviation",
            "log_likelihood",
            x_log=True,
            title="One component sits on one sample and shrinks",
        )
    )
    for large, small in pairwise(WIDTHS):
        factor = features * np.log(large / small)
        rise = _log_likelihood(X, small) - _log_likelihood(X, large)
        run.claim(
            f"standard deviation {large:g} to {small:g}: rise of the log-likelihood",
            rise,
            expected=factor,
            within=0.02 * factor,
        )
    run.note("The likelihood is said to be unbounded for more than two components; two are enough.")

    reached = []
    for floor in np.logspace(0, 1 - floors, floors):
        model = GaussianMixture(
            2,
            weights_init=[0.5, 0.5],
            means_init=[X[0], X.mean(axis=0)],
            precisions_init=[np.eye(features) * 1e8, np.eye(features)],
            reg_covar=float(floor),
            max_iter=200,
            tol=None,
        ).fit(X)
        reached.append(model)
        run.row("floors", floor=floor, log_likelihood=samples * model.lower_bound_)
    run.figure(
        line(
            "floor",
            "log_likelihood",
            table="floors",
            x_log=True,
            title="Log-likelihood that EM reaches with a floor under the variance",
        )
    )
    table = run.columns("floors")
    bound = -0.5 * samples * features * np.log(2 * np.pi * table["floor"])
    run.claim(
        "log-likelihood less the bound that the floor sets (largest)",
        float((table["log_likelihood"] - bound).max()),
        at_most=0.0,
    )
    least = min(float(np.linalg.eigvalsh(part).min()) for part in reached[-1].covariances_)
    run.claim(
        "smallest variance at the lowest floor over the floor",
        least / float(table["floor"][-1]),
        at_least=1 - 1e-6,
    )


def _log_likelihood(X: np.ndarray, width: float) -> float:
    """Half a standard Gaussian, half one of the given width on the first sample."""
    wide, narrow = norm.logpdf(X).sum(axis=1), norm.logpdf(X, X[0], width).sum(axis=1)
    return float(logsumexp([wide, narrow], axis=0, b=0.5).sum())
