"""Experiment: two kinds of eruptions, and the density of an image."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from sklearn.datasets import load_digits

from shallows import data
from shallows._core.contract.params import Range
from shallows.density import GaussianMixture
from shallows.lab import Run, experiment, heatmap, line, scatter


@experiment(
    chapter="density",
    sources="notes-004b Fig. 40, 42, 43",
    quick={"points": 1000, "components": 8},
)
def old_faithful(
    steps: Annotated[int, Range(5, 200)] = 20,
    points: Annotated[int, Range(500, 20_000)] = 4000,
    components: Annotated[int, Range(2, 60)] = 20,
    *,
    run: Run,
) -> None:
    """Does EM find the two kinds of eruptions of Old Faithful?

    Eruptions are short after a short wait or long after a long one. A mixture of two Gaussians
    with full covariances finds both groups from a poor start, and its likelihood rises in every
    step. A grey-scale image, used as a density to draw points from, needs more than one Gaussian:
    with twenty it is recognisable.

    Parameters
    ----------
    steps : int
        Steps of EM on the eruptions.
    points : int
        Points drawn from the image.
    components : int
        Gaussians that describe the image.
    """
    X = np.column_stack(data.old_faithful())
    scaled = (X - X.mean(axis=0)) / X.std(axis=0)
    model = GaussianMixture(
        2,
        weights_init=[0.5, 0.5],
        means_init=[[-1.5, 1.0], [1.5, -1.0]],
        precisions_init=np.tile(np.eye(2), (2, 1, 1)),
        max_iter=steps,
        tol=None,
    ).fit(scaled)
    for step, bound in enumerate(model.lower_bounds_, start=1):
        run.row("bounds", step=step, log_likelihood=bound)
    order = np.argsort(model.weights_)
    share = model.predict_proba(scaled)[:, order[1]]
    run.rows(duration=X[:, 0], waiting=X[:, 1], long_share=share)
    run.figure(
        scatter(
            "duration",
            "waiting",
            shade="long_share",
            title="Eruptions and their share in the larger component",
            x_title="duration in minutes",
            y_title="minutes to the next eruption",
        )
    )
    run.figure(
        line("step", "log_likelihood", table="bounds", title="Mean log-likelihood of the eruptions")
    )
    run.claim(
        "smallest rise of the log-likelihood in a step",
        float(np.diff(model.lower_bounds_).min()),
        at_least=-1e-10,
    )
    run.claim("weight of the smaller component", float(model.weights_[order[0]]), 0.36, within=0.03)
    run.claim("weight of the larger component", float(model.weights_[order[1]]), 0.64, within=0.03)

    image = load_digits().images[8]
    pixels = run.rng.choice(image.size, 2 * points, p=image.ravel() / image.sum())
    rows, columns = np.divmod(pixels, image.shape[1])
    places = np.column_stack([columns, -rows]) + run.rng.random((2 * points, 2))
    train, test = places[:points], places[points:]
    scores = {}
    for k in (1, components):
        fitted = GaussianMixture(
            k, n_init=3, tol=1e-4, max_iter=500, random_state=run.rng, reg_covar=1e-3
        ).fit(train)
        scores[k] = fitted.score(test)
        x, y = np.meshgrid(np.arange(0.25, 8, 0.5), np.arange(-6.75, 1, 0.5))
        cells = np.column_stack([x.ravel(), y.ravel()])
        run.rows(
            "image",
            x=cells[:, 0],
            y=cells[:, 1],
            density=np.exp(fitted.score_samples(cells)),
            components=f"{k} Gaussian{'s' if k > 1 else ''}",
        )
    run.figure(
        heatmap("x", "y", "density", facet="components", table="image", title="An image as density")
    )
    run.claim(
        f"held-out mean log-likelihood: {components} Gaussians less one",
        scores[components] - scores[1],
        at_least=0.1,
        probability=1e-3,
    )
