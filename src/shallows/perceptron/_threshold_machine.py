"""Machines: a layer of threshold units whose states a fixed function combines."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar, Literal

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from shallows._core.contract.data import check_labelled, check_new
from shallows._core.contract.magnitude import refuse_too_large
from shallows._core.contract.params import check_params, check_value
from shallows._core.contract.rng import as_generator
from shallows._core.contract.training import IterativeMixin, Training
from shallows._core.numerics.compile import compiled
from shallows.perceptron._finite_array import finite_array
from shallows.perceptron._linear import signs

PATIENCE = 50  # epochs; least action wanders for long before it settles
Output = Literal["majority", "parity"]


class MachineClassifier(ClassifierMixin):
    """Predictions of estimators with a machine's `decision_function`."""

    def predict(self, X):
        """Return the class of each sample.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Class labels.
        """
        values = self.decision_function(X)
        return self.classes_[values.argmax(1) if values.ndim == 2 else (values > 0).astype(int)]


class LeastActionMachine(MachineClassifier, IterativeMixin, BaseEstimator):
    """Machines that learn by least action; a subclass says whether the output is a parity."""

    _parity: ClassVar[bool]

    def fit(self, X, y):
        """Train the units together; keep the weights with the fewest errors.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples,)
            Class labels.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        check_params(self)
        if not self._parity:
            check_odd(type(self).__name__, self.n_units)
        X, y, _ = check_labelled(self, X, y)
        rng = as_generator(self.random_state)

        # One machine per class, each input with a constant 1 for the thresholds.
        targets = signs(y, len(self.classes_))
        inputs = np.column_stack([X, np.ones(len(X), X.dtype)])
        name, n_units = type(self).__name__, self.n_units
        refuse_too_large(name, f"n_units={n_units}", len(targets), n_units, inputs.shape[1])
        weights = rng.standard_normal((len(targets), n_units, inputs.shape[1]))
        weights = (weights / np.sqrt(inputs.shape[1])).astype(X.dtype)
        best, fewest = weights.copy(), np.full(len(targets), len(X) + 1)
        step = X.dtype.type(self.eta0 / max(np.mean((inputs**2).sum(1)), 1e-12))
        run = Training(self, self.max_iter, self.tol, patience=PATIENCE)
        for _ in run:
            order = rng.permutation(len(X))
            for k in np.flatnonzero(fewest):
                target = targets[k].astype(X.dtype)
                least_action_epoch(inputs, target, order, weights[k], step, self._parity)

            # The weights err more and less in turn: those with the fewest errors are kept.
            wrong = (self._margin(distances(X, weights)) > 0) != (targets > 0)
            errors = wrong.sum(axis=1)
            better = errors < fewest
            best[better], fewest[better] = weights[better], errors[better]
            if not fewest.any():
                run.stop("no errors")
            run.record(fewest.mean() / len(X), errors=errors.mean())
        self.weights_, self.history_, self.n_iter_ = best, run.history, run.n_iter
        return self

    def decision_function(self, X):
        """Return signed distances: to the median hyperplane, or to the nearest one of a parity.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        values : ndarray of shape (n_samples,) or (n_samples, n_classes)
            With two classes, positive values stand for ``classes_[1]``.
        """
        return by_model(self._margin(distances(check_new(self, X), self.weights_)))

    def _margin(self, values):
        return parity_margin(values) if self._parity else majority_margin(values)


def machine_output(X, weights, thresholds, output: Output | Callable = "majority"):
    r"""Return the output of a machine of threshold units.

    Unit k is in the state :math:`\sigma_k = \mathrm{sign}(w_k \cdot x - \theta_k)`, and a fixed
    function of the states is the output. A field of exactly zero gives the state -1.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Inputs.
    weights : array-like of shape (n_units, n_features)
        Weights of the units.
    thresholds : array-like of shape (n_units,)
        Thresholds of the units.
    output : {"majority", "parity"} or callable, default="majority"
        The sign of the sum of the states, for an odd number of units; their product; or a
        function of an array of shape (n_samples, n_units).

    Returns
    -------
    labels : ndarray of shape (n_samples,)
        Labels +1 and -1, or what the function returns.

    Examples
    --------
    >>> from shallows.perceptron import machine_output
    >>> X = [[-1, -1], [-1, 1], [1, -1], [1, 1]]
    >>> machine_output(X, [[1, 0], [0, 1]], [0, 0], "parity")
    array([ 1, -1, -1,  1])
    """
    weights = finite_array("machine_output", "weights", weights, "n_units", "n_features")
    X = finite_array("machine_output", "X", X, "n_samples", weights.shape[1])
    thresholds = finite_array("machine_output", "thresholds", thresholds, len(weights))
    states = np.where(X @ weights.T - thresholds > 0, 1, -1)
    if callable(output):
        return output(states)
    check_value("machine_output", "output", Output, output)
    if output == "parity":
        return states.prod(axis=1)
    check_odd("machine_output", states.shape[1])
    return np.sign(states.sum(axis=1))


def check_odd(owner: str, n_units: int) -> None:
    """Refuse an even number of votes."""
    if n_units % 2 == 0:
        raise ValueError(
            f"{owner}: a majority needs an odd number of units, or votes can tie; got {n_units}."
        )


def distances(X, weights):
    """Return the signed distances (n_models, n_samples, n_units) to the units' hyperplanes.

    The last weight of a unit, of shape (n_models, n_units, n_features + 1), is its bias.
    """
    # w'x + b over |w|, for each unit of each machine.
    lengths = np.linalg.norm(weights[:, :, :-1], axis=2)
    fields = X @ weights[:, :, :-1].swapaxes(1, 2) + weights[:, None, :, -1]
    shortest = np.sqrt(np.finfo(weights.dtype).tiny)  # a unit without weights is far from all
    return fields / np.maximum(lengths, shortest)[:, None, :]


def majority_margin(values):
    """Return the median over units, whose sign is the majority's."""
    return np.median(values, axis=2)


def parity_margin(values):
    """Return the distance to the nearest hyperplane, with the sign of the product."""
    negative = np.sum(~(values > 0), axis=2) % 2 == 1
    nearest = np.maximum(np.abs(values).min(axis=2), np.finfo(values.dtype).tiny)  # keeps its sign
    return np.where(negative, -nearest, nearest)


def by_model(values):
    """Return values of shape (n_models, n_samples) as a decision function does."""
    return values[0] if len(values) == 1 else values.T


@compiled
def least_action_epoch(X, target, order, weights, eta, parity):
    """Visit examples in `order`; where the output is wrong, turn the units nearest to turning.

    A parity needs one unit to change its state; a majority as many of those that vote against
    the target as are missing. `weights` of shape (n_units, n_features) move in place.
    """
    n_units, n_features = weights.shape
    fields = np.empty(n_units)
    for i in order:
        # Fields of all units, how many vote for the target, and the product of the states.
        right, product = 0, 1.0
        for k in range(n_units):
            field = 0.0
            for j in range(n_features):
                field += weights[k, j] * X[i, j]
            fields[k] = field
            if (field > 0) == (target[i] > 0):
                right += 1
            if not field > 0:
                product = -product

        # How many units must change: one for a wrong parity, the missing votes for a majority.
        if parity:
            changes = 0 if product * target[i] > 0 else 1
        else:
            changes = max(0, (n_units + 1) // 2 - right)
        for _ in range(changes):
            # Turn the unit whose field is nearest to zero: a Hebbian step against its state.
            chosen, least = 0, np.inf
            for k in range(n_units):
                free = parity or (fields[k] > 0) != (target[i] > 0)
                if free and abs(fields[k]) < least:
                    chosen, least = k, abs(fields[k])
            step = -eta if fields[chosen] > 0 else eta
            for j in range(n_features):
                weights[chosen, j] += step * X[i, j]
            fields[chosen] = np.inf if target[i] > 0 else -np.inf  # it votes for the target now
