"""Drawing of the regions into which a classifier divides the plane."""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.utils import check_array, check_consistent_length, column_or_1d
from sklearn.utils.validation import check_is_fitted

from shallows._core.contract.params import PositiveInt, check_arguments
from shallows._core.showing.figures import Drawing, region_columns, regions
from shallows.prototype._map_charts import names_of, rows_of


def region_chart(model, X, y, *, cells: PositiveInt = 170, title: str = "") -> Drawing:
    """Draw the decision regions of a classifier of two features, the samples and the prototypes.

    Parameters
    ----------
    model : fitted classifier
        Any with two features; its prototypes are drawn as diamonds where it has such, those of
        the last step of a pipeline in the units of X. Prototypes far off the samples are left
        out.
    X : array-like of shape (n_samples, 2)
        Samples to draw, without gaps; the regions reach a little beyond them.
    y : array-like of shape (n_samples,)
        Their classes.
    cells : int, default=170
        Cells along each side of the picture, which by default are whole pixels.
    title : str, default=""
        Words above the drawing.

    Returns
    -------
    drawing : Drawing
        Displays itself in a notebook; `save` writes it as PNG, SVG or HTML.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.preprocessing import scale
    >>> from shallows.prototype import GLVQ, GMLVQ, region_chart
    >>> X, y = load_iris(return_X_y=True)
    >>> plane = GMLVQ(random_state=0).fit(scale(X), y).transform(scale(X), n_components=2)
    >>> spec = region_chart(GLVQ(2, random_state=0).fit(plane, y), plane, y)
    >>> sum(row["part"] == "prototype" for row in spec["data"]["values"])
    6
    """
    check_arguments(region_chart, locals())
    check_is_fitted(model)
    names, X = names_of(model), check_array(X, dtype=(np.float64, np.float32), input_name="X")
    if len(names) != 2 or X.shape[1] != 2:
        raise ValueError(
            f"region_chart draws two features, got a model of {len(names)} and X with "
            f"{X.shape[1]}. Fit the model to two columns, or to the first two that "
            "GMLVQ.transform returns."
        )
    if isinstance(getattr(model, "classes_", None), list):
        raise ValueError(
            f"region_chart draws the classes of one output, got a model of {len(model.classes_)}. "
            "Fit it to one column of y."
        )
    y = column_or_1d(y)
    check_consistent_length(X, y)
    places = _prototypes_of(model)
    with warnings.catch_warnings():  # of a model fitted to a table
        warnings.filterwarnings("ignore", "X does not have valid feature names", UserWarning)
        columns = region_columns(model.predict, X, y, *places, cells=cells)
    return regions(x_title=names[0], y_title=names[1], title=title).spec(rows_of(columns))


def _prototypes_of(model):
    """Return places and classes of prototypes, where there are such and the way back is known."""
    steps = model[:-1] if isinstance(model, Pipeline) else ()
    last = model[-1] if isinstance(model, Pipeline) else model
    if not hasattr(last, "prototype_labels_") or (
        steps and not hasattr(steps, "inverse_transform")
    ):
        return None, None
    places = steps.inverse_transform(last.prototypes_) if steps else last.prototypes_
    return places, last.classes_[last.prototype_labels_]
