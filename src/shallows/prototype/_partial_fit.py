"""Learning from data in pieces, block by block."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from shallows._core.contract.params import check_params
from shallows._core.contract.rng import as_generator
from shallows._core.numerics.moments import Moments, merge
from shallows.prototype._cost_descent import Rule, refuse_infinite
from shallows.prototype._start import (
    Samples,
    Spread,
    check_samples,
    class_centres,
    fill_missing,
    place_prototypes,
    prototypes_per_class,
    refuse_negative,
    variances_of,
)


class PartialFitMixin:
    """Learns from data in pieces.

    An estimator has `_rule`, which returns a `Rule` for what it learned so far, and overrides the
    other four where it learns more than prototypes.
    """

    def partial_fit(self, X, y, classes=None, sample_weight=None):
        """Visit the given samples once, in their order, whatever the solver.

        The prototypes of a class start in the first block that has samples of it, of which
        a few for each prototype serve best. The variance of the data, which is the unit of
        step sizes, is measured again whenever twice as many samples have come.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training samples; NaN for missing values.
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
        samples = check_samples(self, X, y, sample_weight, classes=classes, reset=first)
        if first:
            place = self._begin(samples, as_generator(self.random_state))
            self.history_, self.n_iter_ = {"loss": []}, 0
            stretches, spread = [(np.arange(len(samples.y)), self._spread)], self._spread
        else:
            place = self._go_on(samples)
            stretches, spread = measured(self._spread, samples)

        # Step size and metric follow the variance of the data seen so far.
        total = 0.0
        for rows, known in stretches:
            self._measure(known)
            place, loss = self._rule().epoch(place, samples, rows, self.learning_rate)
            total += loss
            refuse_infinite(type(self).__name__, place)
        self._keep(place)
        self._spread = spread
        self.history_["loss"].append(float(total))
        self.n_iter_ += 1
        return self

    def _rule(self) -> Rule:
        """Return what one pass does."""
        raise NotImplementedError

    def _begin(self, samples, rng) -> Any:
        """Place the prototypes; return the place where learning starts."""
        start = place_prototypes(type(self).__name__, samples, prototypes_per_class(self), rng)
        self.prototypes_, self.prototype_labels_ = start.prototypes, start.labels
        self._absent = np.setdiff1d(start.labels, samples.y)
        self._measure(start.spread)
        return self.prototypes_

    def _measure(self, spread) -> None:
        """Set what follows from the spread of the samples."""
        self._spread = spread

    def _place(self) -> Any:
        """Return all that was learned."""
        return self.prototypes_

    def _keep(self, place) -> None:
        """Set all that was learned."""
        self.prototypes_ = place

    def _go_on(self, samples):
        """Return what was learned, with a start for classes that had no samples before."""
        owner = type(self).__name__
        if getattr(self, "metric", None) == "divergence":
            refuse_negative(owner, samples.X)
        for label in self._absent[np.isin(self._absent, samples.y)]:
            rows, own = samples.y == label, self.prototype_labels_ == label
            weight, mean, scatter = self._spread.known
            overall, rng = (mean, scatter / weight), as_generator(self.random_state)
            centres = class_centres(samples.X[rows], samples.weights[rows], own.sum(), overall, rng)
            self.prototypes_[own] = centres
            self._absent = self._absent[self._absent != label]
        return self._place()


def measured(spread: Spread, samples: Samples) -> tuple[list[tuple[Any, Spread]], Spread]:
    """Return stretches of rows, each with the spread that is measured before it; and the last.

    A stretch begins where the number of rows seen is a power of two, however blocks divide
    them, and where rows begin to vary. The measure includes its first row. The last spread counts
    all rows, but has the unit of the last stretch.
    """
    X, dtype = samples.X, samples.X.dtype
    n_rows, known, scale = spread

    # The variance is measured anew each time that the number of samples has doubled.
    counts = n_rows + 1 + np.arange(len(X))
    cuts = (counts & (counts - 1)) == 0
    if not variances_of(known, dtype).any():
        apart = variances_of(Moments(1.0, known.mean, (X - known.mean) ** 2), dtype).any(axis=1)
        cuts[apart.argmax()] |= apart.any()
    bounds = [0, *np.flatnonzero(cuts[1:]) + 1, len(X)]
    stretches, place = [], 0
    for begin, end in pairwise(bounds):
        if cuts[begin]:
            known, place = _add(known, samples, slice(place, begin + 1)), begin + 1
            scale = float(variances_of(known, dtype).sum()) or scale
        stretches.append((np.arange(begin, end), Spread(n_rows + place, known, scale)))
    if place < len(X):
        known = _add(known, samples, slice(place, len(X)))
    return stretches, Spread(n_rows + len(X), known, scale)


def _add(known, samples, rows):
    weights = samples.weights[rows]
    values = fill_missing(samples.X[rows], weights, otherwise=known.mean)
    mean = weights @ values / weights.sum()
    return merge(known, Moments(weights.sum(), mean, weights @ (values - mean) ** 2))
