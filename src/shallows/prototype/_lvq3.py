"""Kohonen's LVQ3: LVQ2.1 that keeps the prototypes inside their classes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shallows._core.contract.params import Fraction, PositiveFloat, PositiveInt
from shallows._core.contract.rng import RandomState
from shallows._core.numerics.compile import compiled
from shallows.prototype._heuristic_lvq import HeuristicLVQ
from shallows.prototype._metrics import partial_distances
from shallows.prototype._start import (
    Array,
    PrototypesPerClass,
    ShareOfTheWay,
)


class LVQ3(HeuristicLVQ):
    r"""Classifier that places the border by pairs of prototypes and keeps them among the data.

    Near the border between two classes it moves two prototypes as `LVQ21` does; where both nearest
    prototypes are of the class of the sample, both move a smaller step towards it [1]_. So the
    prototypes stay where the samples of their class are, also in long training. The window at the
    border holds the samples with :math:`d_1 / d_2 > (1 - s) / (1 + s)`, where :math:`d_1 \le d_2`
    are the two distances. Distances ignore missing values (NaN).

    Features should have comparable scales: use a scaler first.

    Parameters
    ----------
    n_prototypes : int or array-like of shape (n_classes,), default=2
        Prototypes per class, or as many as given for each, in the order of `classes_`; with one
        alone this is `LVQ21`.
    window : float, default=0.2
        Relative width :math:`s` of the zone around the border.
    epsilon : float, default=0.2
        Step of two prototypes of the right class, as a share of `learning_rate`.
    learning_rate : float, default=0.05
        Share of the way to the sample in the first epoch; it falls linearly to zero.
    max_iter : int, default=50
        Number of passes over the data.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the initial prototypes and the order of the samples.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    prototypes_ : ndarray of shape (n_total, n_features)
        Positions of the prototypes.
    prototype_labels_ : ndarray of shape (n_total,)
        Index into `classes_` of each prototype.
    history_ : dict of str to list of float
        Under ``"loss"`` the share of samples in each epoch whose winner was of another class.
    n_iter_ : int
        Epochs run.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    References
    ----------
    .. [1] T. Kohonen, "Self-Organizing Maps", 3rd edition, Springer, 2001.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from shallows.prototype import LVQ3
    >>> X, y = load_iris(return_X_y=True)
    >>> LVQ3(random_state=0).fit(X, y).score(X, y) > 0.94
    True
    """

    def __init__(
        self,
        n_prototypes: PrototypesPerClass = 2,
        *,
        window: Fraction = 0.2,
        epsilon: PositiveFloat = 0.2,
        learning_rate: ShareOfTheWay = 0.05,
        max_iter: PositiveInt = 50,
        random_state: RandomState = None,
    ):
        self.n_prototypes = n_prototypes
        self.window = window
        self.epsilon = epsilon
        self.learning_rate = learning_rate
        self.max_iter = max_iter
        self.random_state = random_state

    def _rule(self):
        return WindowRule(self.prototype_labels_, float(self.window), float(self.epsilon))

    def _distances(self, X):
        return partial_distances(X, self.prototypes_.astype(X.dtype, copy=False))


class WindowRule(NamedTuple):
    """LVQ3 with a window and the share `epsilon` of steps inside a class; at 0 it is LVQ2.1."""

    labels: Array
    window: float
    epsilon: float

    def epoch(self, prototypes, samples, order, rate):
        """Return the prototypes after visits of the samples in `order`, and the wrong share."""
        moved = prototypes.copy()
        wrong = lvq3_epoch(
            samples, order, moved, self.labels, float(rate), self.window, self.epsilon
        )
        return moved, wrong


@compiled
def lvq3_epoch(samples, order, prototypes, labels, step, window, epsilon):
    """Move pairs of prototypes, in place; return the share of wrong winners.

    With `epsilon` 0 this is LVQ2.1. No move is longer than the way to the sample.
    """
    X, y, weights = samples
    narrow = ((1.0 - window) / (1.0 + window)) ** 2  # of squared distances
    wrong = 0.0
    for i in order:
        first, second, d_first, d_second = two_nearest(X[i], prototypes)
        amount = min(weights[i] * step, 1.0)
        if labels[first] != y[i]:
            wrong += weights[i]

        # Both of the right class: a smaller step of both. One of them, in the window: a pair moves.
        if labels[first] == y[i] and labels[second] == y[i]:
            pull(X[i], prototypes[first], epsilon * amount)
            pull(X[i], prototypes[second], epsilon * amount)
        elif (labels[first] == y[i] or labels[second] == y[i]) and d_first > narrow * d_second:
            pull(X[i], prototypes[first], amount if labels[first] == y[i] else -amount)
            pull(X[i], prototypes[second], amount if labels[second] == y[i] else -amount)
    return wrong / weights.sum()


@compiled
def two_nearest(x, prototypes):
    """Return the indices of the two nearest prototypes and their squared distances."""
    d_first, d_second, first, second = np.inf, np.inf, 0, 0
    for k in range(prototypes.shape[0]):
        d = 0.0
        for j in range(x.shape[0]):
            gap = x[j] - prototypes[k, j]
            d += gap * gap if gap == gap else 0.0
        if d < d_first:
            d_second, second = d_first, first
            d_first, first = d, k
        elif d < d_second:
            d_second, second = d, k
    return first, second, d_first, d_second


@compiled
def pull(x, w, amount):
    """Move w by `amount` of the way to x, in place."""
    for j in range(x.shape[0]):
        gap = x[j] - w[j]
        if gap == gap:
            w[j] += amount * gap
