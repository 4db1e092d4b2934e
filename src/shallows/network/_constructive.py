"""Universal approximation by construction: one unit for every cell of a grid."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from scipy.linalg import block_diag
from scipy.spatial import KDTree
from sklearn.base import BaseEstimator, RegressorMixin

from shallows._core.contract.data import check_new, check_regression
from shallows._core.contract.params import PositiveFloat, PositiveInt, check_arguments, check_params
from shallows.descent._sigmoids import logistic
from shallows.network._network import Array, Network, predict_outputs

LARGEST = 100_000


def interval_selector(z: Any, a: float, b: float, gain: PositiveFloat = 100.0) -> Array:
    r"""Return :math:`g(z - a) - g(z - b)`: about 1 between a and b, about 0 elsewhere.

    The difference of two logistic functions :math:`g(x) = 1 / (1 + \exp(-\gamma x))`.

    Parameters
    ----------
    z : array-like
        Values.
    a, b : float
        Ends of the interval.
    gain : float, default=100.0
        Steepness :math:`\gamma`; the selector becomes exact as it grows.

    Returns
    -------
    selected : ndarray
        In the shape of `z`.

    Examples
    --------
    >>> from shallows.network import interval_selector
    >>> interval_selector([0.0, 4.0, 9.0], 2, 6, gain=5.0).round(3)
    array([0., 1., 0.])
    """
    check_arguments(interval_selector, locals())
    z = np.asarray(z, dtype=float)
    return logistic(z, gain, a) - logistic(z, gain, b)


def roi_network(
    edges: Any,
    values: Any,
    gain: PositiveFloat = 1e4,
    units: Literal["sigmoid", "relu"] = "sigmoid",
) -> Network:
    r"""Build a network that answers with a given value in every cell of a grid.

    Layer 1 has sigmoids at the edges of the intervals (or pairs of rectifiers), layer 2 their
    differences, which select intervals; a steep unit of layer 3 fires where all :math:`N`
    selectors of its cell do, their sum above :math:`N - 1/2`; the output adds the value of the
    cell that fires. Layers 1 and 2 have about :math:`N k` units, layer 3 has :math:`k^N`.

    Parameters
    ----------
    edges : list of array-like
        For each feature the rising edges of its intervals.
    values : array-like of shape (n_intervals_1, ..., n_intervals_N)
        Value of every cell.
    gain : float, default=1e4
        Steepness of the units.
    units : {"sigmoid", "relu"}, default="sigmoid"
        What layer 1 is made of.

    Returns
    -------
    net : Network
        Four layers of plain arrays.

    Examples
    --------
    >>> from shallows.network import forward, roi_network
    >>> net = roi_network([[0.0, 0.5, 1.0]], [3.0, 7.0])
    >>> forward(net, [[0.2], [0.8]]).ravel().round(6)
    array([3., 7.])
    """
    check_arguments(roi_network, locals())
    edges = [np.asarray(part, dtype=float) for part in edges]
    values = np.asarray(values, dtype=float)
    counts = [len(part) - 1 for part in edges]
    if list(values.shape) != counts:
        raise ValueError(
            f"roi_network: values must have shape {tuple(counts)}, got {values.shape}."
        )

    # Steps at the edges, intervals as differences of steps, and boxes as conjunctions of intervals.
    first, bias, signs = _edge_units(edges, gain, units)
    steps = block_diag(*(np.eye(n + 1, n) - np.eye(n + 1, n, -1) for n in counts))
    select = np.vstack([sign * steps for sign in signs])
    starts = np.cumsum([0, *counts[:-1]])
    selectors = starts[:, None] + np.indices(counts).reshape(len(counts), -1)
    cells = np.zeros((sum(counts), values.size))
    cells[selectors, np.arange(values.size)] = gain
    thresholds = np.full(values.size, -gain * (len(counts) - 0.5))
    return Network(
        [first, select, cells, values.reshape(-1, 1)],
        [bias, np.zeros(sum(counts)), thresholds, np.zeros(1)],
        ("logistic" if units == "sigmoid" else "relu", "identity", "logistic", "identity"),
    )


def _edge_units(edges, gain, units):
    """Return weights and biases of layer 1, and the signs with which its sets of units add up.

    A ramp from 0 to 1 is max(0, g z) - max(0, g z - 1), so a second set of rectifiers follows.
    """
    flat = np.concatenate(edges)
    features = np.repeat(np.arange(len(edges)), [len(part) for part in edges])
    weights = gain * (np.arange(len(edges))[:, None] == features)
    if units == "sigmoid":
        return weights, -gain * flat, [1.0]
    bias = 0.5 - gain * flat
    return np.hstack([weights, weights]), np.concatenate([bias, bias - 1]), [1.0, -1.0]


class PiecewiseConstantApproximator(RegressorMixin, BaseEstimator):
    r"""Regression by a network that is built, not trained: a value for each cell of a grid.

    Every feature is cut into `k` intervals between its least and largest value, and each of the
    :math:`k^N` cells gets a unit with the mean target of its samples, or of the nearest cell
    that has some. Where targets come from a continuous function and every cell has a sample,
    the error is at most what the function varies within a cell. The proof that networks can
    approximate anything, and a lesson in what it costs.

    Parameters
    ----------
    k : int, default=10
        Intervals per feature.
    gain : float, default=1e4
        Steepness of the units, for features scaled to [0, 1].
    units : {"sigmoid", "relu"}, default="sigmoid"
        What the first layer is made of.

    Attributes
    ----------
    network_ : Network
        Four layers; inputs are the features scaled to [0, 1].
    data_min_, data_max_ : ndarray of shape (n_features,)
        Range of the features.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    References
    ----------
    G. Cybenko, "Approximation by superpositions of a sigmoidal function", Mathematics of
    Control, Signals, and Systems 2, 303-314, 1989.

    Examples
    --------
    >>> import numpy as np
    >>> from shallows.network import PiecewiseConstantApproximator
    >>> X = np.linspace(0, 1, 1000)[:, None]
    >>> y = np.sin(2 * np.pi * X).ravel()
    >>> model = PiecewiseConstantApproximator(20).fit(X, y)
    >>> bool(abs(model.predict(X) - y).max() < 2 * np.pi / 20)
    True
    """

    def __init__(
        self,
        k: PositiveInt = 10,
        *,
        gain: PositiveFloat = 1e4,
        units: Literal["sigmoid", "relu"] = "sigmoid",
    ):
        self.k = k
        self.gain = gain
        self.units = units

    def fit(self, X, y, sample_weight=None):
        """Build the network.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples,)
            Targets.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each sample in the mean of its cell.

        Returns
        -------
        self : PiecewiseConstantApproximator
            The fitted estimator.
        """
        check_params(self)
        X, y, weights = check_regression(self, X, y, sample_weight, multi_output=False)
        n_features = X.shape[1]
        if self.k**n_features > LARGEST:
            raise ValueError(
                f"PiecewiseConstantApproximator: {self.k} intervals of {n_features} features make "
                f"{self.k}^{n_features} cells, more than {LARGEST}. Take fewer of them."
            )
        self.data_min_, self.data_max_ = X.min(axis=0), X.max(axis=0)
        edges = np.linspace(0, 1, self.k + 1)
        edges[1:-1] -= 5 / self.gain  # so that round numbers are not on the slope of a unit
        edges[0], edges[-1] = -1.0, 2.0  # samples at the ends belong to the outer cells
        cell = np.searchsorted(edges[1:-1], self._scaled(X), side="right")
        flat = np.ravel_multi_index(tuple(cell.T), (self.k,) * n_features)
        mass = np.bincount(flat, weights, minlength=self.k**n_features)
        sums = np.bincount(flat, weights * y, minlength=self.k**n_features)
        values = self._fill(
            np.divide(sums, mass, out=np.zeros_like(sums), where=mass > 0), mass > 0
        )
        net = roi_network(
            [edges] * n_features, values.reshape((self.k,) * n_features), self.gain, self.units
        )
        self._weights = [part.astype(X.dtype) for part in net.weights]
        self._biases = [part.astype(X.dtype) for part in net.biases]
        self._activations = net.activations
        return self

    def predict(self, X):
        """Return the value of the cell of each sample.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Predicted targets.
        """
        X = check_new(self, X)
        return predict_outputs(self.network_, np.clip(self._scaled(X), 0, 1)).ravel()

    @property
    def network_(self):
        """The network."""
        return Network(self._weights, self._biases, self._activations)

    def _scaled(self, X):
        reach = self.data_max_ - self.data_min_
        return (X - self.data_min_) / np.where(reach > 0, reach, 1)

    def _fill(self, values, known):
        if known.all():
            return values
        places = np.array(
            np.unravel_index(np.arange(len(values)), (self.k,) * self.n_features_in_)
        ).T
        nearest = KDTree(places[known]).query(places[~known])[1]
        values[~known] = values[known][nearest]
        return values
