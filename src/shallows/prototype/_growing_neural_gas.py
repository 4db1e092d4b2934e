"""Growing neural gas."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components
from sklearn.base import BaseEstimator

from shallows._core.contract.params import (
    Fraction,
    PositiveInt,
    Probability,
    check_params,
)
from shallows._core.contract.rng import RandomState, as_generator
from shallows._core.contract.training import IterativeMixin, Training
from shallows.prototype._codebook import CodebookMixin
from shallows.prototype._growing_steps import NO_EDGE, Graph, Rules, grow_pass


class GrowingNeuralGas(CodebookMixin, IterativeMixin, BaseEstimator):
    r"""Vector quantisation by a graph that grows where the error is large.

    Training starts with two prototypes [1]_. Each sample pulls the nearest prototype and, by
    a smaller rate, those that edges join to it; an edge joins its two nearest prototypes. An
    edge that is not renewed grows old and is cut, and a prototype without edges vanishes.
    After every `insert_every` samples a new prototype is set between the one with the
    largest sum of squared distances and the worst of its neighbours. Rates stay constant, so
    that the graph can follow data that change. Prototypes that came to stand between groups of
    samples may stay there without ever winning.

    Parameters
    ----------
    max_prototypes : int, default=100
        Largest number of prototypes, at least 2.
    learning_rate : float, default=0.05
        Rate of the nearest prototype.
    neighbor_rate : float, default=0.006
        Rate of its neighbours in the graph.
    max_age : int, default=50
        An edge is cut after its end has won more often than this without renewing it.
    insert_every : int, default=100
        Samples between two new prototypes.
    split_decay : float, default=0.5
        Factor of the error sums of the two prototypes between which a new one is set.
    decay : float, default=0.995
        Factor of all error sums after each sample.
    max_iter : int, default=20
        Passes over the data, each in random order.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the start and the order of the samples.

    Attributes
    ----------
    prototypes_ : ndarray of shape (n_prototypes, n_features)
        Prototypes.
    edges_ : ndarray of shape (n_edges, 2)
        Pairs of prototypes that are joined, the smaller number first.
    components_ : ndarray of shape (n_prototypes,)
        The connected part of the graph that each prototype belongs to, from 0.
    labels_ : ndarray of shape (n_samples,)
        Nearest prototype of each training sample; after `partial_fit` of the last block.
    history_ : dict of str to list of float
        The mean squared distance to the nearest prototype, met in each epoch, under
        ``"loss"``; the number of prototypes at its end under ``"n_prototypes"``.
    n_iter_ : int
        Epochs run.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    References
    ----------
    .. [1] B. Fritzke, "A growing neural gas network learns topologies", NIPS 7, 625-632,
       1995.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from shallows.prototype import GrowingNeuralGas
    >>> X, y = make_blobs(600, centers=[[0, 0], [9, 0], [0, 9]], random_state=0)
    >>> gas = GrowingNeuralGas(20, random_state=0).fit(X)
    >>> int(gas.components_.max()) + 1
    3
    """

    def __init__(
        self,
        max_prototypes: PositiveInt = 100,
        *,
        learning_rate: Fraction = 0.05,
        neighbor_rate: Probability = 0.006,
        max_age: PositiveInt = 50,
        insert_every: PositiveInt = 100,
        split_decay: Probability = 0.5,
        decay: Probability = 0.995,
        max_iter: PositiveInt = 20,
        random_state: RandomState = None,
    ):
        self.max_prototypes = max_prototypes
        self.learning_rate = learning_rate
        self.neighbor_rate = neighbor_rate
        self.max_age = max_age
        self.insert_every = insert_every
        self.split_decay = split_decay
        self.decay = decay
        self.max_iter = max_iter
        self.random_state = random_state

    def fit(self, X, y=None, sample_weight=None):
        """Grow the graph.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples,), default=None
            Not used for the graph; handed to the callbacks.
        sample_weight : array-like of shape (n_samples,), default=None
            Factors of the rates and of the errors, relative to their mean.

        Returns
        -------
        self : GrowingNeuralGas
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
            loss = self._pass(data, weights, rng.permutation(len(data)), epoch)
            run.record(loss, n_prototypes=len(self.prototypes_))
        self.history_, self.n_iter_ = run.history, run.n_iter
        self.labels_ = self.predict(X)
        return self

    def partial_fit(self, X, y=None, sample_weight=None):
        """Visit the given samples once, in their order.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training samples; two of the first call give the start.
        y : None
            Ignored.
        sample_weight : array-like of shape (n_samples,), default=None
            Factors of the rates and of the errors, relative to their mean.

        Returns
        -------
        self : GrowingNeuralGas
            The estimator after these samples.
        """
        check_params(self)
        self._visit_block(X, sample_weight)
        self.history_.setdefault("n_prototypes", []).append(float(len(self.prototypes_)))
        return self

    def _start(self, X, weights, rng):
        if self.max_prototypes < 2:
            raise ValueError(
                f"GrowingNeuralGas: max_prototypes must be at least 2, got {self.max_prototypes}."
            )
        self.prototypes_ = X[rng.choice(len(X), 2, replace=len(X) < 2, p=weights / weights.sum())]
        self._places, self._errors = self.prototypes_, np.zeros(2)
        self._ages = np.full((2, 2), NO_EDGE)
        self._n_seen = 0

    def _n_wanted(self):
        return len(self.prototypes_)  # as many as there are, since they come and go

    def _make_room(self):
        """Hold as many prototypes as `max_prototypes` says, which may have changed."""
        n = len(self.prototypes_)
        size = max(n, self.max_prototypes)
        if size != len(self._places):
            places, errors, ages = self._places[:n], self._errors[:n], self._ages[:n, :n]
            self._places = np.zeros((size, places.shape[1]), dtype=places.dtype)
            self._errors, self._ages = np.zeros(size), np.full((size, size), NO_EDGE)
            self._places[:n], self._errors[:n], self._ages[:n, :n] = places, errors, ages

    def _pass(self, X, weights, order, epoch):
        self._make_room()
        weights = weights / weights.mean()
        rules = Rules(
            rate=float(self.learning_rate),
            neighbor_rate=float(self.neighbor_rate),
            max_age=self.max_age,
            insert_every=self.insert_every,
            split_decay=float(self.split_decay),
            decay=float(self.decay),
        )
        graph = Graph(self._places, self._errors, self._ages)
        size = len(self.prototypes_)
        loss, size = grow_pass(X, weights, order, rules, graph, size, self._n_seen)
        self._n_seen += len(order)
        # The graph in use: units, edges as pairs, and connected parts.
        self.prototypes_ = self._places[:size].copy()
        joined = self._ages[:size, :size] != NO_EDGE
        self.edges_ = np.argwhere(np.triu(joined))
        self.components_ = connected_components(csr_array(joined), directed=False)[1]
        return loss / weights.sum()
