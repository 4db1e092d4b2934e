"""Experiment: step-wise optimal merging of four clusters."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import numpy as np

from shallows._core.contract.params import Range
from shallows.cluster import KMeans, dendrogram, linkage, merge_stepwise
from shallows.cluster._dendrogram import dendrogram_figure
from shallows.data import make_clusters
from shallows.lab import Run, experiment, scatter


@experiment(
    chapter="cluster",
    sources="notes-002 Fig. 3.1, C3, C4, C5",
    quick={"samples": 100},
)
def four_dendrogram(
    samples: Annotated[int, Range(40, 5000)] = 1000,
    clusters: Annotated[int, Range(4, 30)] = 4,
    *,
    run: Run,
) -> None:
    """What does it cost to merge clusters, and which merge is the cheapest?

    K-means finds clusters. Each further step merges the two clusters for which the sum of squared
    distances to the means rises least. Merging clusters with n_a and n_b samples and means m_a and
    m_b adds n_a n_b / (n_a + n_b) |m_a - m_b|^2, which is never negative. Started from single
    samples this is Ward's linkage, whose heights are the root of twice the increase.

    Parameters
    ----------
    samples : int
        Samples in the plane, a quarter in each of four clusters.
    clusters : int
        Clusters of the first partition.
    """
    X, _ = make_clusters("four", samples, random_state=run.rng)
    model = KMeans(clusters, n_init=10, random_state=run.rng).fit(X)
    merges = merge_stepwise(X, model.labels_)
    drawn = dendrogram(merges)
    run.rows("tree", **drawn.segments())
    run.rows(x1=X[:, 0], x2=X[:, 1], cluster=[str(label) for label in merges.labels])
    run.figure(scatter("x1", "x2", color="cluster", title="The first partition"))
    run.figure(
        dendrogram_figure(
            drawn.leaves, table="tree", title="Merges of its clusters", y_title="increase of cost"
        )
    )

    total = ((X - X.mean(axis=0)) ** 2).sum()
    run.claim("merges for the full tree", len(merges.tree), clusters - 1, within=0)
    run.claim(
        "the smallest increase, over the total", merges.tree[:, 2].min() / total, at_least=0.0
    )
    found = np.array([_squares(X, merges.cut(k)) for k in range(clusters, 0, -1)])
    gap = np.abs(found - merges.costs).max()
    run.claim("costs are those of the partitions", gap / total, at_most=1e-10)
    gap = np.abs(np.diff(found) - _increases(X, merges.cut, clusters)).max()
    run.claim("an increase is n_a n_b / (n_a + n_b) |m_a - m_b|^2", gap / total, at_most=1e-10)
    single = merge_stepwise(X, np.arange(samples))
    ward = linkage(X, "ward")
    gap = np.abs(single.tree[:, 2] - ward[:, 2] ** 2 / 2).max()
    run.claim("from single samples: Ward's heights squared, over two", gap / total, at_most=1e-10)
    run.claim("all increases add up to the total", single.tree[:, 2].sum() / total, 1, within=1e-10)
    run.note(
        "As printed the algorithm stops at two clusters, after two merges of four; the full "
        "tree takes one more."
    )


def _squares(X: np.ndarray, labels: np.ndarray) -> float:
    parts = [X[labels == label] for label in np.unique(labels)]
    return float(sum(((part - part.mean(axis=0)) ** 2).sum() for part in parts))


def _increases(X: np.ndarray, cut: Callable[[int], np.ndarray], clusters: int) -> np.ndarray:
    """Return what the formula says of each merge, read off the partitions before and after."""
    increases = []
    for k in range(clusters, 1, -1):
        before, after = cut(k), cut(k - 1)
        joined = next(label for label in range(k - 1) if len(set(before[after == label])) == 2)
        a, b = (X[before == label] for label in np.unique(before[after == joined]))
        way = a.mean(axis=0) - b.mean(axis=0)
        increases.append(len(a) * len(b) / (len(a) + len(b)) * way @ way)
    return np.array(increases)
