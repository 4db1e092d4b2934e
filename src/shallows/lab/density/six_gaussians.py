"""Experiment: a mixture of six Gaussians on four clusters."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from shallows._core.contract.params import Range
from shallows.cluster import KMeans
from shallows.data import make_clusters
from shallows.density import Gaussian, GaussianMixture
from shallows.lab import Run, experiment, line, scatter

ROUNDING = 1e-10


@experiment(
    chapter="density",
    sources="notes-000b Fig. 8.8, M144, M145; notes-002 C9, C12; notes-004b A7",
    quick={"samples": 300, "steps": 15},
)
def six_gaussians(
    samples: Annotated[int, Range(100, 20_000)] = 1000,
    components: Annotated[int, Range(2, 20)] = 6,
    steps: Annotated[int, Range(5, 200)] = 20,
    *,
    run: Run,
) -> None:
    """Does every step of expectation-maximisation raise the likelihood?

    Gaussians with equal weights start at random samples. Each step of EM computes the posterior of
    the components for every sample, then weighted means, variances and weights. The likelihood
    never falls, and after each step the mixture has the mean and the covariance of the data. With
    equal weights and one small fixed variance the posteriors become 0 or 1, and the steps are
    those of k-means.

    Parameters
    ----------
    samples : int
        Points in four clusters.
    components : int
        Gaussians in the mixture.
    steps : int
        Steps of EM.
    """
    X, _ = make_clusters("four", samples, random_state=run.rng)
    start = X[run.rng.choice(samples, components, replace=False)]
    options: dict[str, Any] = {
        "n_components": components,
        "weights_init": np.full(components, 1 / components),
        "means_init": start,
        "reg_covar": 0.0,
        "max_iter": steps,
        "tol": None,
    }
    variance = float(X.var(axis=0).mean())
    round_ = GaussianMixture(
        covariance_type="spherical",
        precisions_init=np.full(components, 1 / variance),
        **options,
    ).fit(X)
    full = GaussianMixture(
        precisions_init=np.tile(np.eye(2) / variance, (components, 1, 1)), **options
    ).fit(X)
    for kind, model in (("spherical", round_), ("full", full)):
        for step, bound in enumerate(model.lower_bounds_, start=1):
            run.row("bounds", covariance=kind, step=step, log_likelihood=bound)
        smallest = float(np.diff(model.lower_bounds_).min())
        run.claim(
            f"{kind}: smallest rise of the mean log-likelihood in a step",
            smallest,
            at_least=-ROUNDING,
        )
    labels = [str(label) for label in full.predict(X)]
    run.rows(x1=X[:, 0], x2=X[:, 1], component=labels)
    run.figure(
        line(
            "step",
            "log_likelihood",
            color="covariance",
            table="bounds",
            title="Mean log-likelihood before each step",
        )
    )
    run.figure(
        scatter("x1", "x2", color="component", title="Likeliest component, full covariances")
    )

    broken = _falls_without_dimension(X, start, variance, steps)
    run.note(
        "The variance of a round Gaussian carries the factor one over the dimension. Printed "
        f"without it, the likelihood falls in {broken} of {steps - 1} steps of this run."
    )
    run.claim("without the factor 1/d the likelihood falls in some step", broken, at_least=1)
    mean, away = X.mean(axis=0), full.means_ - X.mean(axis=0)
    spread = np.einsum("k,kij->ij", full.weights_, full.covariances_)
    spread += np.einsum("k,ki,kj->ij", full.weights_, away, away)
    run.claim(
        "mixture mean less sample mean",
        float(np.abs(full.weights_ @ full.means_ - mean).max()),
        at_most=ROUNDING,
    )
    run.claim(
        "mixture covariance less sample covariance (1/n)",
        float(np.abs(spread - np.cov(X.T, ddof=0)).max()),
        at_most=ROUNDING,
    )
    one = GaussianMixture(1, reg_covar=0.0, max_iter=1, tol=None).fit(X)
    run.claim(
        "one component is the Gaussian after one step (largest difference)",
        float(np.abs(one.covariances_[0] - Gaussian().fit(X).covariance_).max()),
        at_most=ROUNDING,
    )
    lloyd = KMeans(components, init=start, tol=0.0, max_iter=1000).fit(X).cluster_centers_
    limit = GaussianMixture(
        components, variance=1e-8, means_init=start, tol=None, max_iter=300
    ).fit(X)
    run.claim(
        "equal weights and variance 1e-8: distance of the means from those of k-means",
        float(np.abs(limit.means_ - lloyd).max()),
        at_most=1e-8,
    )


def _falls_without_dimension(X: np.ndarray, means: np.ndarray, variance: float, steps: int) -> int:
    """Count the steps of a likelihood that falls when variances lack the factor 1/d."""
    n_components, n_features = means.shape
    weights = np.full(n_components, 1 / n_components)
    variances = np.full(n_components, variance)
    bounds = []
    for _ in range(steps):
        model = GaussianMixture(
            n_components,
            covariance_type="spherical",
            weights_init=weights,
            means_init=means,
            precisions_init=1 / variances,
            reg_covar=0.0,
            max_iter=1,
            tol=None,
        ).fit(X)
        bounds.append(model.lower_bound_)
        weights, means = model.weights_, model.means_
        variances = n_features * model.covariances_
    return int((np.diff(bounds) < 0).sum())
