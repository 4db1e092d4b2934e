"""Self-organizing map."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Literal

import numpy as np
from sklearn.base import BaseEstimator

from shallows._core.contract.data import check_weights
from shallows._core.contract.params import (
    NonNegativeFloat,
    NumberArray,
    PositiveFloat,
    PositiveInt,
    check_params,
    check_value,
)
from shallows._core.contract.rng import RandomState, as_generator
from shallows._core.contract.training import IterativeMixin, Training
from shallows._core.numerics.distances import euclidean_distances
from shallows._core.numerics.streams import is_stream, sample_rows
from shallows._core.numerics.threads import block_slices, hold_threads
from shallows._core.showing.figures import Drawing
from shallows.prototype._codebook import (
    STREAM_SAMPLE,
    CodebookMixin,
    in_memory,
    place_codebook,
)
from shallows.prototype._map_charts import map_chart
from shallows.prototype._partial_rows import is_partial
from shallows.prototype._som_maps import map_labels, spread_over_plane, two_nearest_units
from shallows.prototype._som_steps import batch_rows, batch_step, best_units, online_pass
from shallows.prototype._start import fill_missing
from shallows.prototype._unit_grid import (
    Grid,
    Neighborhood,
    Schedule,
    anneal,
    are_neighbors,
    check_schedule,
    check_shape,
    grid_distances,
    grid_places,
    influence,
    progress_of,
)

Values = Literal["u_matrix", "component_planes"] | NumberArray
SAMPLES_PER_WIDTH = 4096  # how long an online pass keeps rate and width


class SelfOrganizingMap(CodebookMixin, IterativeMixin, BaseEstimator):
    r"""Map of the data on a grid of units, where neighbouring units represent similar samples.

    Each unit of the grid owns a prototype. A sample pulls the prototype of its best matching
    unit (BMU), and those of the units around it the less the farther they are **on the
    grid** [1]_. With :math:`z` that distance and :math:`r` the width, which shrinks during
    training, a unit moves by :math:`\lambda f_r(z) (x - w)`; the batch form goes to the
    mean of all samples with weights :math:`f_r` at once and needs no rate. The first orders
    the map, the last epochs fit it to the data.

    A missing value (NaN) is left out of the distances to all units alike and of the means of its
    feature; for the start it is set to that mean. A sparse matrix is never filled in as a whole. A
    memory-mapped file or a Dask array is read block by block by the batch form and by `predict`,
    and a start comes from up to 10 000 of its rows.

    Parameters
    ----------
    shape : int or tuple of int, default=(10, 10)
        Units along each axis of the grid: a line, a plane (rows, columns), or more axes.
    grid : {"rect", "hex"}, default="rect"
        Units in squares, or in hexagons: every other row is moved by half a unit, so that all
        six neighbours are equally far. "hex" takes two axes.
    toroidal : bool, default=False
        Whether opposite borders are joined. A "hex" grid then needs an even number of rows.
    algorithm : {"batch", "online"}, default="batch"
        All samples at once, or one after the other in random order.
    neighborhood : {"gaussian", "bubble", "triangle", "epanechnikov"}, default="gaussian"
        :math:`f_r(z)`: :math:`\exp(-z^2 / r^2)`; 1 up to :math:`r`; :math:`1 - z / r` or
        :math:`1 - z^2 / r^2`, and 0 beyond :math:`r`.
    width : float or None, default=None
        Width :math:`r` in the first epoch; None takes half the longest side of the grid.
    final_width : float, default=1.0
        Width in the last epoch. At 0 the best matching unit moves alone.
    learning_rate : float, default=0.5
        Rate :math:`\lambda` of "online" in the first epoch.
    final_learning_rate : float, default=0.01
        Rate in the last epoch.
    schedule : {"exponential", "linear", "inverse"}, default="exponential"
        How width and rate go from first to last: by a constant factor, by a constant
        difference, or like one over time.
    bmu : {"distance", "dot"}, default="distance"
        The best matching unit is nearest to the sample, or has the largest inner product
        with it. Both agree where all prototypes are equally long; otherwise long prototypes
        win more often by "dot", so centre the data and scale each sample to length one.
    init : {"pca", "random"} or array-like, default="pca"
        Start with prototypes spread over the principal plane of the data, at randomly drawn
        samples, or at the rows of an array of shape (n_units, n_features).
    max_iter : int, default=50
        Passes over the data.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the order of the samples and the start.

    Attributes
    ----------
    prototypes_ : ndarray of shape (n_units, n_features)
        Prototypes; unit ``(row, column)`` of the grid has number ``row * columns + column``.
    positions_ : ndarray of shape (n_units, n_axes)
        Place of each unit on the grid.
    labels_ : ndarray of shape (n_samples,)
        Best matching unit of each training sample; after `partial_fit` of the last block.
    history_ : dict of str to list of float
        The mean squared distance to the best matching units, met in each epoch, under
        ``"loss"``.
    n_iter_ : int
        Epochs run.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    References
    ----------
    .. [1] T. Kohonen, "Self-organized formation of topologically correct feature maps",
       Biological Cybernetics 43, 59-69, 1982.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from shallows.prototype import SelfOrganizingMap
    >>> X, y = load_iris(return_X_y=True)
    >>> som = SelfOrganizingMap((6, 8)).fit(X)
    >>> som.u_matrix().shape
    (6, 8)
    >>> som.quantization_error(X) < 0.15
    True
    """

    _takes_partial = True

    def __init__(
        self,
        shape: PositiveInt | list | tuple = (10, 10),
        *,
        grid: Grid = "rect",
        toroidal: bool = False,
        algorithm: Literal["batch", "online"] = "batch",
        neighborhood: Neighborhood = "gaussian",
        width: NonNegativeFloat | None = None,
        final_width: NonNegativeFloat = 1.0,
        learning_rate: PositiveFloat = 0.5,
        final_learning_rate: NonNegativeFloat = 0.01,
        schedule: Schedule = "exponential",
        bmu: Literal["distance", "dot"] = "distance",
        init: Literal["pca", "random"] | NumberArray = "pca",
        max_iter: PositiveInt = 50,
        random_state: RandomState = None,
    ):
        self.shape = shape
        self.grid = grid
        self.toroidal = toroidal
        self.algorithm = algorithm
        self.neighborhood = neighborhood
        self.width = width
        self.final_width = final_width
        self.learning_rate = learning_rate
        self.final_learning_rate = final_learning_rate
        self.schedule = schedule
        self.bmu = bmu
        self.init = init
        self.max_iter = max_iter
        self.random_state = random_state

    def fit(self, X, y=None, sample_weight=None):
        """Train the map.

        Parameters
        ----------
        X : array-like, CSR matrix, memory-mapped or Dask array of shape (n_samples, n_features)
            Training samples, NaN for missing values; "online" loads all of them into memory.
        y : array-like of shape (n_samples,), default=None
            Not used for the map; handed to the callbacks.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each sample: its share in the means of "batch", a factor of the rate of
            "online", relative to the mean weight. Not for memory-mapped and Dask arrays.

        Returns
        -------
        self : SelfOrganizingMap
            The fitted estimator.
        """
        check_params(self)
        batch = self.algorithm == "batch"
        data, weights = self._check_training(X, sample_weight, stream=batch)
        rng = as_generator(self.random_state)
        self._start(data, weights, rng)
        run = Training(
            self, self.max_iter, state=("prototypes_",), X=X, y=y, sample_weight=sample_weight
        )
        with hold_threads() if batch else nullcontext():
            rows = batch_rows(data, weights, self.bmu) if batch else None
            for epoch in run:
                # Batch: each unit becomes the mean of the samples near it on the grid; online:
                # winner and neighbours move.
                if batch:
                    table = self._table(progress_of(epoch, self.max_iter))
                    self.prototypes_, loss = batch_step(rows, self.prototypes_, table)
                else:
                    loss = self._pass(data, weights, rng.permutation(data.shape[0]), epoch)
                run.record(loss)
        self.labels_ = self.predict(X if batch else in_memory(X))
        self.history_, self.n_iter_ = run.history, run.n_iter
        return self

    def u_matrix(self):
        """Return the mean distance of each prototype to those of its neighbours on the grid.

        High values are borders between groups of similar units. Diagonal neighbours of a
        "rect" grid count.

        Returns
        -------
        heights : ndarray of the shape of the grid
            Mean Euclidean distances; 0 for a map of one unit.
        """
        self._check_size()
        distances = euclidean_distances(self.prototypes_, self.prototypes_)
        near = are_neighbors(self._squared_grid(), self.grid)
        heights = (distances * near).sum(axis=1) / np.maximum(near.sum(axis=1), 1)
        return heights.astype(distances.dtype).reshape(self._shape())

    def component_planes(self):
        """Return the map of each feature.

        Returns
        -------
        planes : ndarray of shape (n_features, ...), then the shape of the grid
            Value of the feature in each prototype.
        """
        self._check_size()
        return self.prototypes_.T.reshape(self.n_features_in_, *self._shape()).copy()

    def chart(
        self,
        values: Values = "u_matrix",
        *,
        labels=None,
        title: str = "",
    ) -> Drawing:
        """Draw the map, each unit as a square or hexagon in the colour of its value.

        Parameters
        ----------
        values : {"u_matrix", "component_planes"} or array-like, default="u_matrix"
            `u_matrix`, `component_planes`, or one number for each unit in the shape of the grid,
            such as the counts of `label_map`.
        labels : array-like of the shape of the grid, default=None
            Words to write on the units, such as the labels of `label_map`; masked ones are left
            out.
        title : str, default=""
            Words above the drawing.

        Returns
        -------
        drawing : Drawing
            Displays itself in a notebook; `save` writes it as PNG, SVG or HTML.
        """
        self._check_size()
        check_value("SelfOrganizingMap.chart", "values", Values, values)
        return map_chart(self, values, labels, title)

    def topographic_error(self, X, sample_weight=None):
        """Return the share of samples whose two nearest units are no neighbours on the grid.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each sample.

        Returns
        -------
        error : float
            Between 0 and 1; small where the map keeps neighbourhoods.
        """
        self._check_size()
        X = self._check_codes(X)
        near = are_neighbors(self._squared_grid(), self.grid)
        pairs = two_nearest_units(X, self.prototypes_)
        torn = ~near[pairs[:, 0], pairs[:, -1]] & (len(near) > 1)
        weights = check_weights(sample_weight, X.shape[0], "SelfOrganizingMap")
        return float(np.average(torn, weights=weights))

    def label_map(self, X, y, sample_weight=None):
        """Return the classes that the units represent.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,)
            Their classes.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each sample.

        Returns
        -------
        map : LabelMap
            Label, posterior and weight of each unit, and the classes. Among equally frequent
            classes of a unit the first is chosen.
        """
        self._check_size()
        return map_labels(self.predict(X), y, sample_weight, self._shape())

    def _start(self, X, weights, rng):
        shape = self._shape()
        check_schedule(
            self,
            width=(self._first_width(), self.final_width),
            learning_rate=(self.learning_rate, self.final_learning_rate),
        )
        if is_stream(X):
            X = sample_rows(X, STREAM_SAMPLE, rng, allow_nan=True)
            weights = np.ones(len(X))
        X = fill_missing(X, weights)
        places = grid_places(shape, self.grid)
        self.positions_ = places.astype(X.dtype)

        # Spread over the plane of the two leading principal components, or placed like any
        # codebook.
        if isinstance(self.init, str) and self.init == "pca":
            self.prototypes_ = spread_over_plane(places, shape, X, weights)
        else:
            self.prototypes_ = place_codebook(self, X, len(places), weights, rng)

    def _pass(self, X, weights, order, epoch):
        """Visit the samples in the given order; width and rate shrink within a long pass."""
        weights = weights / weights.mean()
        total, by_product, has_gaps = 0.0, self.bmu == "dot", is_partial(X)
        for part in block_slices(len(order), max(SAMPLES_PER_WIDTH, len(self.prototypes_))):
            progress = progress_of(epoch + part.start / len(order), self.max_iter)
            rate = anneal(self.learning_rate, self.final_learning_rate, progress, self.schedule)
            table = self._table(progress)
            rule = rate, table, by_product
            total += online_pass(X, weights, order[part], *rule, self.prototypes_, has_gaps)
        return total / weights.sum()

    def _table(self, progress):
        width = anneal(self._first_width(), self.final_width, progress, self.schedule)
        return influence(self._squared_grid(), width, self.neighborhood, self.prototypes_.dtype)

    def _winners(self, X):
        return best_units(X, self.prototypes_, self.bmu)

    def _n_wanted(self):
        return int(np.prod(self._shape()))

    def _shape(self):
        return check_shape(self)

    def _first_width(self):
        return max(self._shape()) / 2 if self.width is None else self.width

    def _squared_grid(self):
        return grid_distances(self._shape(), self.grid, self.toroidal)
