"""Competitive learning."""

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
from shallows.prototype._codebook import (
    CodebookMixin,
    place_codebook,
)
from shallows.prototype._rank_steps import rank_epoch
from shallows.prototype._unit_grid import Schedule, check_schedule


class CompetitiveVQ(CodebookMixin, IterativeMixin, BaseEstimator):
    r"""Vector quantisation where the nearest prototype takes all.

    Each sample pulls the nearest prototype by :math:`\eta (x - w)`, a step of stochastic
    descent on the quantisation error [1]_. A prototype that is never nearest never moves: it
    stays a dead unit. `predict` encodes a sample by the number of its prototype, `decode`
    turns numbers into prototypes, and `transform` gives the distances to all of them.

    :class:`~shallows.cluster.KMeans` minimises the same error with all samples at once, and
    :class:`NeuralGas` leaves no dead units.

    Parameters
    ----------
    n_prototypes : int, default=10
        Number of prototypes.
    learning_rate : float, default=0.5
        Rate :math:`\eta` in the first epoch.
    final_learning_rate : float, default=0.005
        Rate in the last epoch.
    schedule : {"exponential", "linear", "inverse"}, default="exponential"
        How the rate goes from first to last: by a constant factor, by a constant difference,
        or like one over time.
    init : {"random", "k-means++"} or array-like, default="random"
        Start at randomly drawn samples, at samples drawn far from one another, or at the
        rows of an array of shape (n_prototypes, n_features).
    max_iter : int, default=50
        Passes over the data, each in random order.
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
    .. [1] S. Grossberg, "Competitive learning: from interactive activation to adaptive
       resonance", Cognitive Science 11, 23-63, 1987.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from shallows.prototype import CompetitiveVQ
    >>> X, _ = load_iris(return_X_y=True)
    >>> model = CompetitiveVQ(3, random_state=0).fit(X)
    >>> restored = model.decode(model.predict(X))
    >>> error = ((X - restored) ** 2).sum(axis=1).mean()
    >>> bool(abs(error - model.quantization_error(X)) < 1e-9)
    True
    """

    def __init__(
        self,
        n_prototypes: PositiveInt = 10,
        *,
        learning_rate: PositiveFloat = 0.5,
        final_learning_rate: NonNegativeFloat = 0.005,
        schedule: Schedule = "exponential",
        init: Literal["random", "k-means++"] | NumberArray = "random",
        max_iter: PositiveInt = 50,
        random_state: RandomState = None,
    ):
        self.n_prototypes = n_prototypes
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
        X : array-like of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples,), default=None
            Not used for the prototypes; handed to the callbacks.
        sample_weight : array-like of shape (n_samples,), default=None
            Factors of the rate, relative to their mean.

        Returns
        -------
        self : CompetitiveVQ
            The fitted estimator.
        """
        check_params(self)
        data, weights = self._check_training(X, sample_weight, stream=False)
        rng = as_generator(self.random_state)
        self._start(data, weights, rng)
        run = Training(
            self, self.max_iter, state=("prototypes_",), X=X, y=y, sample_weight=sample_weight
        )
        for epoch in run:
            run.record(self._pass(data, weights, rng.permutation(len(data)), epoch))
        self.history_, self.n_iter_ = run.history, run.n_iter
        self.labels_ = self.predict(X)
        return self

    def _start(self, X, weights, rng):
        check_schedule(self, learning_rate=(self.learning_rate, self.final_learning_rate))
        self.prototypes_ = place_codebook(self, X, self.n_prototypes, weights, rng)

    def _pass(self, X, weights, order, epoch):
        winner_alone = np.ones(1, dtype=self.prototypes_.dtype)
        return rank_epoch(self, X, weights, order, epoch, lambda progress: winner_alone)
