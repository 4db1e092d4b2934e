"""Experiment: vector quantisation on four sets of points that show what it is not."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import StandardScaler

from shallows._core.contract.params import Range
from shallows.cluster import KMeans
from shallows.data import make_clusters
from shallows.lab import Run, bars, experiment, region_columns, regions
from shallows.prototype import CompetitiveVQ

Array = NDArray[Any]
Kind = Literal["elongated", "two", "stripes", "far"]
KINDS: dict[str, Kind] = {
    "elongated": "elongated",
    "two": "two",
    "stripes": "stripes",
    "stripes, z-scored": "stripes",
    "far": "far",
}


@experiment(
    chapter="prototype",
    sources="notes-000b Fig. 8.6, M136",
    quick={"samples": 100, "epochs": 30, "repeats": 8},
)
def vq_toys(
    samples: Annotated[int, Range(60, 5000)] = 200,
    epochs: Annotated[int, Range(10, 500)] = 50,
    repeats: Annotated[int, Range(8, 200)] = 30,
    *,
    run: Run,
) -> None:
    """Is vector quantisation clustering?

    Two prototypes, moved by competitive learning, represent points with a small error, but need
    not find groups. One elongated group is cut in half. Two round groups get one prototype each.
    Two stripes are cut across, because the error along them is larger than between them; z-scores
    help only if the stripes are parallel to an axis. A small group far away is ignored, because
    few points have little weight. K-means minimises the same error and behaves in the same way.

    Parameters
    ----------
    samples : int
        Points of each set.
    epochs : int
        Passes over the points.
    repeats : int
        Random sets and starts.
    """
    scores: dict[tuple[str, str], list[float]] = {}
    errors: list[float] = []
    far_alone, cut = [], []
    for repeat in run.progress(range(repeats)):
        for kind in KINDS:
            X, y = make_clusters(KINDS[kind], samples, random_state=run.rng)
            if "z-scored" in kind:
                X = StandardScaler().fit_transform(X)
            options: dict[str, Any] = {"max_iter": epochs, "random_state": run.rng}
            runs = [CompetitiveVQ(2, **options).fit(X) for _ in range(3)]
            vq = min(runs, key=lambda model: -model.score(X))
            means = KMeans(2, n_init=3, random_state=run.rng).fit(X)
            errors.append(vq.quantization_error(X) / (means.inertia_ / samples))
            found = {"competitive": vq.labels_, "k-means": means.labels_}
            for method, labels in found.items() if kind != "elongated" else ():  # one group only
                scores.setdefault((kind, method), []).append(adjusted_rand_score(y, labels))
            if kind == "far":
                far_alone.append(_own_prototype(vq.labels_, y))
            if kind == "elongated":
                cut.append(np.bincount(vq.labels_, minlength=2).min() / samples)
            if repeat == 0:
                run.rows("plane", set=kind, **_cells(vq, X, y))
    for (kind, method), values in scores.items():
        run.row(set=kind, method=method, agreement=np.mean(values), spread=np.std(values))

    run.figure(
        regions(
            table="plane",
            facet="set",
            equal=True,
            title="Points by group, the two prototypes (diamonds) and their cells",
        )
    )
    run.figure(
        bars(
            "set",
            "agreement",
            color="method",
            title="Agreement of cells and groups (adjusted Rand index)",
        )
    )
    mean = {key: float(np.mean(values)) for key, values in scores.items()}
    run.claim(
        "(a) one elongated group is cut: share of the smaller half",
        np.mean(cut),
        at_least=0.35,
        probability=0.01,
    )
    run.claim(
        "(b) two round groups are found",
        mean["two", "competitive"],
        at_least=0.95,
        probability=0.01,
    )
    run.claim(
        "(c) two stripes are not found",
        mean["stripes", "competitive"],
        at_most=0.1,
        probability=0.01,
    )
    run.claim(
        "(c) z-scores find them",
        mean["stripes, z-scored", "competitive"],
        at_least=0.9,
        probability=0.01,
    )
    run.claim(
        "(d) at most one run in ten gives the small far group a prototype of its own (share)",
        np.mean(far_alone),
        at_most=binom.ppf(0.99, repeats, 0.1) / repeats,
        probability=0.01,
    )
    run.claim(
        "competitive learning ends near the error of k-means (mean ratio)",
        np.mean(errors),
        at_least=0.99,
        at_most=1.05,
        probability=0.01,
    )


def _cells(vq: CompetitiveVQ, X: Array, y: Array) -> dict[str, Array]:
    """Return the picture, with the cells numbered like the groups they hold most of."""
    swap = int(np.mean(vq.labels_ == y) < 0.5)
    names = np.array([swap, 1 - swap])
    places = vq.prototypes_, names
    return region_columns(lambda z: names[vq.predict(z)], X, y, *places, cells=60, square=True)


def _own_prototype(labels: Array, y: Array) -> bool:
    """Tell whether the cell of the small group holds hardly anything else."""
    cell = np.bincount(labels[y == 1], minlength=2).argmax()
    return bool(np.mean(y[labels == cell] == 1) > 0.5)
