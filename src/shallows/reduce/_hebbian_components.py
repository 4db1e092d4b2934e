"""Hebbian learning of principal components: the loop of Oja's and Sanger's rules."""

from __future__ import annotations

import numpy as np
from sklearn.base import BaseEstimator

from shallows._core.contract.data import check_unlabelled
from shallows._core.contract.params import check_params
from shallows._core.contract.rng import as_generator
from shallows._core.contract.training import IterativeMixin, Training
from shallows._core.numerics import moments
from shallows._core.numerics.compile import compiled
from shallows.reduce._argument_checks import at_most
from shallows.reduce._projection import Projection

HEBB, NORMALIZED, SUBSPACE, SANGER = range(4)
VISITS = 1000.0  # the rate has halved after this many samples


class HebbianComponents(Projection, IterativeMixin, BaseEstimator):
    """Components that learn sample by sample; a subclass names its rule in `_rule`."""

    def fit(self, X, y=None):
        """Find the components by passes over the data in random order.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training data.
        y : None
            Ignored.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        check_params(self)
        rule = self._rule()
        X, _ = check_unlabelled(self, X)
        at_most(self, "n_components", X.shape[1], "n_features =")
        rng = as_generator(self.random_state)

        self._start(X, rng)
        run = Training(self, self.max_iter, self.tol, patience=3, state=("components_",), X=X)
        for _ in run:
            run.record(loss=self._visit(X, rng.permutation(len(X)), rule))
        self.history_, self.n_iter_ = run.history, run.n_iter
        return self

    def partial_fit(self, X, y=None):
        """Visit the given samples once, in their order, with the mean of all seen so far.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            More training data.
        y : None
            Ignored.

        Returns
        -------
        self : object
            The estimator after these samples.
        """
        check_params(self)
        rule = self._rule()
        first = not hasattr(self, "components_")
        X, _ = check_unlabelled(self, X, reset=first)
        if first:
            at_most(self, "n_components", X.shape[1], "n_features =")
            self._start(X, as_generator(self.random_state))
            self.history_, self.n_iter_ = {"loss": []}, 0
        else:
            self._see(moments.merge(self._moments, moments.accumulate(X, diagonal=True)), X.dtype)

        loss = self._visit(X, np.arange(len(X)), rule)
        if not np.isfinite(loss):
            raise FloatingPointError(
                f"{type(self).__name__}: the loss became {loss}. Lower learning_rate."
            )
        self.history_["loss"].append(loss)
        self.n_iter_ += 1
        return self

    def _rule(self):
        """Return the code of the rule, after checks that only its class needs."""
        raise NotImplementedError

    def _start(self, X, rng):
        """Draw orthonormal components, and forget what was seen."""
        start = np.linalg.qr(rng.standard_normal((X.shape[1], self.n_components)))[0]
        self.components_ = np.ascontiguousarray(start.T, dtype=X.dtype)
        self.n_samples_seen_ = 0
        self._see(moments.accumulate(X, diagonal=True), X.dtype)

    def _see(self, known, dtype):
        """Keep mean and total variance; this is the unit of losses and step sizes."""
        self._moments, self.mean_ = known, known.mean.astype(dtype)
        self._scale = max(float(known.scatter.sum() / known.weight), np.finfo(float).tiny)

    def _visit(self, X, order, rule):
        rate, seen = self.learning_rate / self._scale, float(self.n_samples_seen_)
        loss = hebbian_pass(X, order, self.mean_, self.components_, rate, seen, rule)
        self.n_samples_seen_ += len(order)
        return loss / self._scale


@compiled
def hebbian_pass(X, order, mean, W, rate, seen, rule):
    """Move the rows of W by each sample in turn; return the mean squared residual.

    X has shape (n, d), W (m, d) and is changed in place. The rate falls as
    ``rate / (1 + seen / VISITS)``.
    """
    n_units, n_features = W.shape
    output = np.empty(n_units)
    left = np.empty(n_features)
    total = 0.0
    for visit in range(order.shape[0]):
        # The outputs y_m = w_m'x of the centred sample; `left` is what is not explained yet.
        row = order[visit]
        eta = rate / (1.0 + (seen + visit) / VISITS)
        for m in range(n_units):
            inner = 0.0
            for j in range(n_features):
                inner += W[m, j] * (X[row, j] - mean[j])
            output[m] = inner
        for j in range(n_features):
            left[j] = X[row, j] - mean[j]

        # Oja's subspace rule: every unit learns from x less the reconstruction by all units.
        if rule == SUBSPACE:
            for m in range(n_units):
                for j in range(n_features):
                    left[j] -= output[m] * W[m, j]
            for m in range(n_units):
                for j in range(n_features):
                    W[m, j] += eta * output[m] * left[j]

        # Sanger's rule: unit m learns from x less the reconstruction by the units up to m.
        elif rule == SANGER:
            for m in range(n_units):
                for j in range(n_features):
                    left[j] -= output[m] * W[m, j]
                    W[m, j] += eta * output[m] * left[j]

        # Hebb's rule, w + eta y x, with the vector normalised afterwards or not.
        else:
            length = 0.0
            for j in range(n_features):
                W[0, j] += eta * output[0] * left[j]
                left[j] -= output[0] * W[0, j]
                length += W[0, j] * W[0, j]
            if rule == NORMALIZED:
                for j in range(n_features):
                    W[0, j] /= np.sqrt(length)
        for j in range(n_features):
            total += left[j] * left[j]
    return total / max(order.shape[0], 1)
