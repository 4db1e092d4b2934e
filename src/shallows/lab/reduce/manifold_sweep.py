"""Experiment: Isomap and LLE on a rolled sheet, with more and more neighbours."""

from __future__ import annotations

import warnings
from typing import Annotated

import numpy as np
from scipy.stats import spearmanr
from sklearn.datasets import make_swiss_roll

from shallows._core.contract.params import Range
from shallows.lab import Run, experiment, line, scatter
from shallows.reduce import PCA, Isomap, LocallyLinearEmbedding

NEIGHBOURS = (4, 5, 6, 8, 10, 12, 16, 20, 30, 50)


@experiment(
    chapter="reduce",
    sources="notes-002 B16, B18, B20",
    quick={"samples": 600},
)
def manifold_sweep(
    samples: Annotated[int, Range(600, 2000)] = 1000,
    *,
    run: Run,
) -> None:
    """How many neighbours unroll a sheet?

    Isomap and locally linear embedding use only the neighbours of each point. With few neighbours
    the first coordinate follows the roll. With too many, edges connect different turns, and
    shortcuts replace paths along the sheet; negative eigenvalues of Isomap are a sign of them.
    With all points as neighbours Isomap is principal component analysis.

    Parameters
    ----------
    samples : int
        Points on the roll.
    """
    X, angle = make_swiss_roll(samples, random_state=run.seed)
    for k in run.progress(NEIGHBOURS):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # few neighbours leave the graph in pieces
            isomap = Isomap(n_neighbors=k).fit(X)
        lle = LocallyLinearEmbedding(n_neighbors=k).fit(X)
        run.row(
            neighbours=k,
            isomap=_follows(isomap.embedding_, angle),
            locally_linear=_follows(lle.embedding_, angle),
            negative_share=-isomap.smallest_eigenvalue_ / isomap.eigenvalues_[0],
        )
    run.figure(
        line(
            "neighbours",
            ["isomap", "locally_linear", "negative_share"],
            title="Rank correlation with the place along the roll, and negative eigenvalues",
            x_log=True,
        )
    )
    good = Isomap(n_neighbors=8).fit(X)
    run.rows("unrolled", x=good.embedding_[:, 0], y=good.embedding_[:, 1], along_the_roll=angle)
    run.figure(
        scatter(
            "x", "y", shade="along_the_roll", title="Isomap with 8 neighbours", table="unrolled"
        )
    )

    table = run.columns()
    run.claim("Isomap: best rank correlation with the roll", table["isomap"].max(), at_least=0.95)
    run.claim(
        "LLE: best rank correlation with the roll", table["locally_linear"].max(), at_least=0.95
    )
    run.claim("Isomap with 50 neighbours has lost it", table["isomap"][-1], at_most=0.9)
    run.claim(
        "shortcuts raise the negative eigenvalues, 50 neighbours over the best, by the factor",
        table["negative_share"][-1] / table["negative_share"][table["isomap"].argmax()],
        at_least=1.5,
    )
    few = X[:150]
    complete = np.abs(Isomap(n_neighbors=149).fit(few).embedding_)
    gap = np.abs(complete - np.abs(PCA(2).fit_transform(few))).max()
    run.claim("Isomap of the complete graph is PCA (largest gap)", gap, at_most=1e-7)
    weights = LocallyLinearEmbedding(n_neighbors=8).fit(X).weight_matrix()
    constant = np.ones(samples) - weights @ np.ones(samples)
    image = constant - weights.T @ constant
    run.claim("LLE: M maps the constant vector to zero", np.abs(image).max(), at_most=1e-12)


def _follows(embedding: np.ndarray, place: np.ndarray) -> float:
    return max(abs(float(spearmanr(column, place)[0])) for column in embedding.T)
