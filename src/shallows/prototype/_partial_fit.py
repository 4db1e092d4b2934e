"""Learning from data in pieces, block by block."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from shallows._core.contract.params import check_params
from shallows._core.contract.rng import as_generator
from shallows._core.numerics.moments import Moments, merge
from shallows.prototype._nearest import (
    check_samples,
    class_centres,
    fill_missing,
    refuse_negative,
    run_epoch,
    variances_of,
)


class PartialFitMixin:
    """Learns from data in pieces; an estimator provides `_start` and `_epoch`."""

    def partial_fit(self, X, y, classes=None, sample_weight=None):
        """Visit the given samples once, in their order, whatever the solver.

        The prototypes of a class start in the first block that has samples of it, of which
        a few for each prototype serve best. The variance of the data, which is the unit of
        step sizes, is measured again whenever twice as many samples have come.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training samples; NaN where a value is missing.
        y : array-like of shape (n_samples,)
            Class labels.
        classes : array-like of shape (n_classes,), default=None
            All labels that will ever come; needed in the first call only.
        sample_weight : array-like of shape (n_samples,), default=None
            Factors of the step sizes.

        Returns
        -------
        self : object
            The estimator after these samples.
        """
        check_params(self)
        first = not hasattr(self, "history_")
        X, y, weights = check_samples(self, X, y, sample_weight, classes=classes, reset=first)
        if first:
            self._start(X, y, weights, as_generator(self.random_state))
            self.history_, self.n_iter_ = {"loss": []}, 0
        else:
            if getattr(self, "metric", None) == "divergence":
                refuse_negative(self, X)
            if len(self._absent):
                _place_new_classes(self, X, y, weights)
        loss = 0.0
        stretches = [np.arange(len(X))] if first else _measured(self, X, weights)
        for order in stretches:
            loss += run_epoch(self, X, y, weights, order, self.learning_rate)
        self.history_["loss"].append(float(loss))
        self.n_iter_ += 1
        self._summarise()
        return self

    def _measure(self):
        """Set what follows from a new measure of the variance, where there is such."""

    def _summarise(self):
        """Set what is read off the learned arrays, where there is such."""


def _measured(model, X, weights):
    """Yield the rows in stretches, before each of which the variance is measured.

    A stretch begins where the number of rows seen is a power of two, however blocks divide
    them, and where rows begin to vary. The measure includes its first row.
    """
    n_rows, *known = model._seen
    known, place = Moments(*known), 0
    counts = n_rows + 1 + np.arange(len(X))
    cuts = (counts & (counts - 1)) == 0
    if not variances_of(known, X.dtype).any():
        apart = variances_of(Moments(1.0, known.mean, (X - known.mean) ** 2), X.dtype).any(axis=1)
        cuts[apart.argmax()] |= apart.any()
    bounds = [0, *np.flatnonzero(cuts[1:]) + 1, len(X)]
    for begin, end in pairwise(bounds):
        if cuts[begin]:
            known, place = _add(known, X, weights, slice(place, begin + 1)), begin + 1
            model._scale = float(variances_of(known, X.dtype).sum()) or model._scale
            model._seen = n_rows + place, *known
            model._measure()
        yield np.arange(begin, end)
    if place < len(X):
        known = _add(known, X, weights, slice(place, len(X)))
    model._seen = n_rows + len(X), *known


def _place_new_classes(model, X, y, weights):
    """Start the prototypes of classes that had no samples before."""
    _, weight, mean, scatter = model._seen
    for label in model._absent[np.isin(model._absent, y)]:
        rows, own = y == label, model.prototype_labels_ == label
        known = own.sum(), mean, scatter / weight
        rng = as_generator(model.random_state)
        model.prototypes_[own] = class_centres(X[rows], weights[rows], *known, rng)
        model._absent = model._absent[model._absent != label]


def _add(known, X, weights, rows):
    values, weights = fill_missing(X[rows], weights[rows], otherwise=known.mean), weights[rows]
    mean = weights @ values / weights.sum()
    return merge(known, Moments(weights.sum(), mean, weights @ (values - mean) ** 2))
