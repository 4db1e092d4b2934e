"""Experiment: what a self-organizing map shows of the iris data."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_iris
from sklearn.preprocessing import StandardScaler

from shallows._core.contract.params import Range
from shallows.lab import Run, experiment, line
from shallows.prototype import SelfOrganizingMap
from shallows.prototype._map_charts import unit_columns, unit_figure

Array = NDArray[Any]


@experiment(
    chapter="prototype",
    sources="notes-004a 74-76; notes-000b M140",
    quick={"epochs": 30},
)
def som_iris(
    rows: Annotated[int, Range(6, 30)] = 8,
    columns: Annotated[int, Range(6, 30)] = 12,
    grid: Literal["rect", "hex"] = "hex",
    epochs: Annotated[int, Range(10, 500)] = 50,
    *,
    run: Run,
) -> None:
    """What does a self-organizing map show?

    The distances between neighbouring prototypes (the U-matrix) show a ridge between Iris setosa
    and the other two species, found without labels. A map of each feature (a component plane)
    shows where it is large: both measurements of the petal rise in the same direction, the width
    of the sepal in another. The map starts as a flat grid among the samples. The first step, with
    the widest neighbourhood, contracts it. As the neighbourhood shrinks, the prototypes spread
    again and come closer to the samples than before.

    Parameters
    ----------
    rows : int
        Rows of the map; made even, so that a hexagonal torus exists.
    columns : int
        Columns of the map.
    grid : str
        Units in squares or in hexagons.
    epochs : int
        Passes over the data.
    """
    iris = load_iris()
    X, y = StandardScaler().fit_transform(iris.data), iris.target
    shape = (rows + rows % 2, columns)
    som = SelfOrganizingMap(shape, grid=grid, max_iter=epochs).fit(X)
    found = som.label_map(X, y)
    species = np.array([name[:2] for name in iris.target_names])
    names = np.where(found.labels.mask, "", species[found.labels.filled(0)])
    run.rows("map", **unit_columns(som, distance=som.u_matrix(), species=names))
    features = [name.removesuffix(" (cm)") for name in iris.feature_names]
    for feature, plane in zip(features, som.component_planes(), strict=True):
        run.rows("planes", feature=feature, **unit_columns(som, value=plane))
    losses = som.history_["loss"]
    run.rows(epoch=np.arange(1, len(losses) + 1), quantisation_error=losses)

    run.figure(
        unit_figure(
            som,
            "distance",
            text="species",
            table="map",
            title="U-matrix: the darker a unit, the less it resembles its neighbours",
        )
    )
    run.figure(unit_figure(som, "value", table="planes", facet="feature", title="Component planes"))
    run.figure(line("epoch", "quantisation_error", title="Mean squared distance to the winner"))

    planes = som.component_planes().reshape(4, -1)
    related = np.corrcoef(planes)
    run.claim("the planes of petal length and petal width agree", related[2, 3], at_least=0.9)
    run.claim(
        "the plane of sepal width goes another way than that of petal length",
        related[1, 2],
        at_most=0.3,
    )
    error = som.quantization_error(X)
    run.claim(
        "while the neighbourhood shrinks, the error falls (the last against the second epoch's)",
        error / losses[1],
        at_most=0.4,
    )
    run.claim("it ends below that of the flat grid at the start", error / losses[0], at_most=0.9)
    run.claim(
        "share of samples whose neighbourhood is torn", som.topographic_error(X), at_most=0.15
    )
    nearest_sample = som.transform(X).argmin(axis=0)
    setosa = y[nearest_sample] == 0
    heights = som.u_matrix().ravel()
    border = _touches(setosa, som)
    run.claim(
        "units at the border of setosa stand higher than the others",
        heights[border].mean() / heights[~border].mean(),
        at_least=1.2,
    )
    run.claim("no unit is shared by setosa and another species", _mixed(som, X, y), 0, within=0)
    torus = SelfOrganizingMap(shape, grid=grid, toroidal=True, max_iter=epochs).fit(X)
    run.claim(
        "the torus has no border, yet fits about as well (gap of errors over the variance)",
        abs(torus.quantization_error(X) - error) / X.var(axis=0).sum(),
        at_most=0.05,
    )


def _touches(setosa: Array, som: SelfOrganizingMap) -> Array:
    """Tell which units have a neighbour of the other kind."""
    places = som.positions_
    near = ((places[:, None] - places) ** 2).sum(axis=2) < 2.01
    touches: Array = (near & (setosa[:, None] != setosa)).any(axis=1)
    return touches


def _mixed(som: SelfOrganizingMap, X: Array, y: Array) -> int:
    setosa = som.label_map(X, y == 0).posterior[..., 1]
    return int(((setosa > 0) & (setosa < 1)).sum())
