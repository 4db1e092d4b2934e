"""Experiment: a self-organizing map of handwritten digits, and of digits with one in excess."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_digits

from shallows._core.contract.params import Range
from shallows.data import load_mfeat
from shallows.lab import Run, bars, experiment
from shallows.lab.prototype._maps import mosaic_columns
from shallows.prototype import SelfOrganizingMap
from shallows.prototype._map_charts import unit_columns, unit_figure

Array = NDArray[Any]
FREQUENT = 5


@experiment(
    chapter="prototype",
    sources="notes-004a 74-76, Fig. 21, Fig. 22",
    quick={"repeats": 3},
)
def som_digits(
    data: Literal["small", "mfeat"] = "small",
    side: Annotated[int, Range(8, 20)] = 8,
    grid: Literal["rect", "hex"] = "rect",
    algorithm: Literal["batch", "online"] = "batch",
    repeats: Annotated[int, Range(3, 100)] = 20,
    *,
    run: Run,
) -> None:
    """Do the units of a self-organizing map follow the frequency of its inputs?

    A map of 8 x 8 units is trained on 1000 images of handwritten digits without labels. Afterwards
    each unit is named after the most frequent digit among its images. With 100 images of each
    digit, all digits have about six units. With 180 images of the digit 5 and 20 of each other
    digit, about half of the units show a 5. Neighbouring units are similar, so digits change
    gradually along the map.

    Parameters
    ----------
    data : str
        Images of 8 x 8 pixels that come with scikit-learn, or of 16 x 15 ("mfeat", read from
        the folder named by SHALLOWS_DATA, else fetched).
    side : int
        Units along each side of the map.
    grid : str
        Units in squares or in hexagons.
    algorithm : str
        All images at once, or one after the other.
    repeats : int
        Random choices of the images.
    """
    X, y = load_digits(return_X_y=True) if data == "small" else load_mfeat()
    sizes = {"balanced": np.full(10, 100), "many fives": np.full(10, 20)}
    sizes["many fives"][FREQUENT] = 180
    torn, apart = [], []
    for case, size in sizes.items():
        units = np.zeros((repeats, 10))
        for repeat in run.progress(range(repeats), case):
            rows = _choose(y, size, run.rng)
            som = SelfOrganizingMap(
                (side, side), grid=grid, algorithm=algorithm, random_state=run.rng
            ).fit(X[rows])
            found = som.label_map(X[rows], y[rows])
            units[repeat] = np.bincount(found.labels.compressed(), minlength=10)
            torn.append(som.topographic_error(X[rows]))
            apart.append(_likeness(som))
        names = np.where(found.labels.mask, "", found.labels.data.astype(str))
        run.rows("map", case=case, **unit_columns(som, distance=som.u_matrix(), digit=names))
        if grid == "rect":
            image = (8, 8) if data == "small" else (16, 15)
            run.rows("mosaic", case=case, **mosaic_columns(som, image))
        for digit in range(10):
            run.row(
                case=case, digit=digit, units=units[:, digit].mean(), spread=units[:, digit].std()
            )
        if case == "balanced":
            run.claim(
                "balanced: the rarest digit on the map, mean number of units as a share of 64",
                units.mean(axis=0).min() * 64 / side**2,
                at_least=2,
                probability=0.01,
            )
            run.claim(
                "balanced: the most frequent digit on the map, as a share of 64",
                units.mean(axis=0).max() * 64 / side**2,
                at_most=12,
                probability=0.01,
            )
        else:
            share = units[:, FREQUENT] / units.sum(axis=1)
            run.claim(
                "many fives: they name about half of the units",
                share.mean(),
                0.5,
                within=0.15,
                probability=0.01,
            )

    run.figure(bars("digit", "units", color="case", title="Units named after each digit"))
    run.figure(
        unit_figure(
            som,
            "distance",
            text="digit",
            table="map",
            facet="case",
            title="Digit of each unit; the darker, the less it resembles its neighbours",
        )
    )
    if grid == "rect":
        run.figure(
            unit_figure(
                som,
                "grey",
                grey=True,
                table="mosaic",
                facet="case",
                title="The prototype of each unit",
            )
        )
    run.claim(
        "share of images whose two nearest units are not side by side",
        np.mean(torn),
        at_most=0.2,
        probability=0.01,
    )
    run.claim(
        "neighbours on the map resemble each other: their distance against that of all pairs",
        np.mean(apart),
        at_most=0.75,
        probability=0.01,
    )


def _choose(y: Array, sizes: Array, rng: np.random.Generator) -> Array:
    """Draw rows without replacement, so many of each digit."""
    return np.concatenate(
        [rng.choice(np.flatnonzero(y == k), size, replace=False) for k, size in enumerate(sizes)]
    )


def _likeness(som: SelfOrganizingMap) -> float:
    distances = som.transform(som.prototypes_)
    return float(som.u_matrix().mean() / distances[np.triu_indices(len(distances), 1)].mean())
