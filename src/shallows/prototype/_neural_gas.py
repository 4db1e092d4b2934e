"""Neural gas."""

from __future__ import annotations

from typing import Literal

import numpy as np
from sklearn.base import BaseEstimator

from shallows._core.contract.params import (
    NonNegativeFloat,
    NumberArray,
    PositiveFloat,
    PositiveInt,
    check_params,
)
from shallows._core.contract.rng import RandomState, as_generator
from shallows._core.contract.training import IterativeMixin, Training
from shallows._core.numerics.streams import is_stream, sample_rows
from shallows._core.numerics.threads import hold_threads
from shallows.prototype._codebook import (
    STREAM_SAMPLE,
    CodebookMixin,
    place_codebook,
)
from shallows.prototype._rank_steps import rank_epoch, rank_influence, rank_step
from shallows.prototype._unit_grid import Schedule, anneal, check_schedule, progress_of


class NeuralGas(CodebookMixin, IterativeMixin, BaseEstimator):
    r"""Vector quantisation where all prototypes move, by their rank.

    For each sample the prototypes are ranked by distance, and that of rank
    :math:`k = 0, 1, \ldots` moves by :math:`\epsilon e^{-k / \lambda} (x - w)` [1]_. The
    width :math:`\lambda` shrinks until the nearest moves alone. Since all move at first, none is
    left where it started, and the result depends little on the start. The batch form
    goes to the mean of all samples with weights :math:`e^{-k / \lambda}` at once [2]_; at
    width 0 it is a step of k-means.

    A memory-mapped file or a Dask array is read block by block by the batch form.

    Parameters
    ----------
    n_prototypes : int, default=10
        Number of prototypes.
    algorithm : {"batch", "online"}, default="batch"
        All samples at once, or one after the other in random order.
    width : float or None, default=None
        Width :math:`\lambda` in the first epoch, in ranks; None takes half of
        `n_prototypes`.
    final_width : float, default=0.01
        Width in the last epoch; at 0 the nearest prototype moves alone.
    learning_rate : float, default=0.5
        Rate :math:`\epsilon` of "online" in the first epoch.
    final_learning_rate : float, default=0.005
        Rate in the last epoch.
    schedule : {"exponential", "linear", "inverse"}, default="exponential"
        How width and rate go from first to last: by a constant factor, by a constant
        difference, or like one over time.
    init : {"random", "k-means++"} or array-like, default="random"
        Start at randomly drawn samples, at samples drawn far from one another, or at the
        rows of an array of shape (n_prototypes, n_features).
    max_iter : int, default=50
        Passes over the data.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the start and the order of the samples.

    Attributes
    ----------
    prototypes_ : ndarray of shape (n_prototypes, n_features)
        Prototypes.
    labels_ : ndarray of shape (n_samples,)
        Nearest prototype of each training sample; after `partial_fit` of the last block.
    history_ : dict of str to list of float
        The mean squared distance to the nearest prototype, met in each epoch, under
        ``"loss"``.
    n_iter_ : int
        Epochs run.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    References
    ----------
    .. [1] T. Martinetz, S. Berkovich and K. Schulten, "Neural-gas network for vector
       quantization and its application to time-series prediction", IEEE Transactions on
       Neural Networks 4, 558-569, 1993.
    .. [2] M. Cottrell, B. Hammer, A. Hasenfuss and T. Villmann, "Batch and median neural
       gas", Neural Networks 19, 762-771, 2006.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from shallows.prototype import NeuralGas
    >>> X, _ = load_iris(return_X_y=True)
    >>> gas = NeuralGas(3, random_state=0).fit(X)
    >>> round(gas.quantization_error(X), 2)
    0.53
    """

    def __init__(
        self,
        n_prototypes: PositiveInt = 10,
        *,
        algorithm: Literal["batch", "online"] = "batch",
        width: NonNegativeFloat | None = None,
        final_width: NonNegativeFloat = 0.01,
        learning_rate: PositiveFloat = 0.5,
        final_learning_rate: NonNegativeFloat = 0.005,
        schedule: Schedule = "exponential",
        init: Literal["random", "k-means++"] | NumberArray = "random",
        max_iter: PositiveInt = 50,
        random_state: RandomState = None,
    ):
        self.n_prototypes = n_prototypes
        self.algorithm = algorithm
        self.width = width
        self.final_width = final_width
        self.learning_rate = learning_rate
        self.final_learning_rate = final_learning_rate
        self.schedule = schedule
        self.init = init
        self.max_iter = max_iter
        self.random_state = random_state

    def fit(self, X, y=None, sample_weight=None):
        """Place the prototypes.

        Parameters
        ----------
        X : array-like, memory-mapped or Dask array of shape (n_samples, n_features)
            Training samples; "online" loads all of them into memory.
        y : array-like of shape (n_samples,), default=None
            Not used for the prototypes; handed to the callbacks.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each sample: its share in the means of "batch", a factor of the rate of
            "online", relative to the mean weight. Not for memory-mapped and Dask arrays.

        Returns
        -------
        self : NeuralGas
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
        with hold_threads():
            for epoch in run:
                # Batch: each prototype becomes the mean of all samples, weighted by its rank among
                # their nearest.
                if batch:
                    table = self._table(progress_of(epoch, self.max_iter))
                    self.prototypes_, loss = rank_step(data, weights, self.prototypes_, table)
                else:
                    loss = self._pass(data, weights, rng.permutation(len(data)), epoch)
                run.record(loss)
            self.labels_ = self.predict(X)
        self.history_, self.n_iter_ = run.history, run.n_iter
        return self

    def _start(self, X, weights, rng):
        check_schedule(
            self,
            width=(self._first_width(), self.final_width),
            learning_rate=(self.learning_rate, self.final_learning_rate),
        )
        if is_stream(X):
            X = sample_rows(X, STREAM_SAMPLE, rng)
            weights = np.ones(len(X))
        self.prototypes_ = place_codebook(self, X, self.n_prototypes, weights, rng)

    def _pass(self, X, weights, order, epoch):
        return rank_epoch(self, X, weights, order, epoch, self._table)

    def _table(self, progress):
        width = anneal(self._first_width(), self.final_width, progress, self.schedule)
        return rank_influence(width, self.n_prototypes, self.prototypes_.dtype)

    def _first_width(self):
        return self.n_prototypes / 2 if self.width is None else self.width
