"""Experiment: units matter to methods that measure distances."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from shallows._core.contract.params import Range
from shallows.data import make_clusters
from shallows.lab import Run, experiment, line
from shallows.prototype import KNeighborsClassifier


@experiment(
    chapter="prepare",
    sources="notes-000b M112, Fig. 8.6; notes-003 M3",
    quick={"n": 200, "units": 7},
)
def scaling_effects(
    n: Annotated[int, Range(100, 5000)] = 600,
    neighbours: Annotated[int, Range(1, 50)] = 5,
    units: Annotated[int, Range(5, 31)] = 15,
    *,
    run: Run,
) -> None:
    """Does it matter whether lengths are in metres or millimetres?

    Nearest neighbours and k-means use distances, so a feature in small units, with large numbers,
    dominates the others. Standardised features have no units, so all predictions stay the same.
    But standardising is no general solution: if the long axis of two clusters carries no
    information, it turns a useless partition into the correct one, but it could also do the
    reverse.

    Parameters
    ----------
    n : int
        Points in each set.
    neighbours : int
        Neighbours that vote.
    units : int
        Units of the second feature, powers of two around 1.
    """
    X, y = _two_informative_features(n, run.rng)
    new, truth = _two_informative_features(n, run.rng)
    plain = KNeighborsClassifier(neighbours)
    scaled = make_pipeline(StandardScaler(), KNeighborsClassifier(neighbours))
    reference = {"raw": plain.fit(X, y).predict(new), "z-scored": scaled.fit(X, y).predict(new)}
    changed = {"raw": 0.0, "z-scored": 0.0}
    exponents = np.unique(np.linspace(-12, 12, units).round())
    for exponent in run.progress(exponents):
        stretch = np.array([1.0, 2.0**exponent])
        for name, model in (("raw", plain), ("z-scored", scaled)):
            found = model.fit(X * stretch, y).predict(new * stretch)
            moved = float((found != reference[name]).mean())
            changed[name] = max(changed[name], moved)
            run.row(
                features=name,
                unit=2.0**exponent,
                accuracy=float((found == truth).mean()),
                changed_predictions=moved,
            )
    run.figure(
        line(
            "unit",
            "accuracy",
            color="features",
            x_log=True,
            title=f"{neighbours} nearest neighbours and the unit of the second feature",
            x_title="factor on the second feature",
        )
    )

    run.claim(
        "z-scored: no prediction depends on the unit",
        changed["z-scored"],
        expected=0,
        within=0,
    )
    run.claim("raw: predictions change with the unit (share)", changed["raw"], at_least=0.02)
    huge = plain.fit(X * [1, 2.0**40], y).predict(new * [1, 2.0**40])
    alone = plain.fit(X[:, 1:], y).predict(new[:, 1:])
    run.claim(
        "a feature in very small units decides alone (share of equal predictions)",
        float((huge == alone).mean()),
        at_least=0.99,
    )

    stripes, label = make_clusters("stripes", n, random_state=run.rng)
    agreement = {}
    for name, points in (("raw", stripes), ("z-scored", StandardScaler().fit_transform(stripes))):
        found = KMeans(2, n_init=10, random_state=0).fit_predict(points)
        agreement[name] = float(adjusted_rand_score(label, found))
        run.row("k-means on two long clusters", features=name, adjusted_rand_index=agreement[name])
    run.claim("k-means, raw: cuts across the long clusters", agreement["raw"], at_most=0.1)
    run.claim("k-means, z-scored: finds them", agreement["z-scored"], at_least=0.9)


def _two_informative_features(n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Draw two classes that overlap in each feature and much less in both."""
    y = rng.integers(2, size=n)
    return rng.standard_normal((n, 2)) + 1.5 * y[:, None], y
