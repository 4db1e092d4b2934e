"""Kohonen's first learning vector quantization, with any distance or with relevances."""

from __future__ import annotations

from typing import Literal

import numpy as np
from sklearn.base import BaseEstimator

from shallows._core.contract.params import NonNegativeFloat, PositiveInt, check_params
from shallows._core.contract.rng import RandomState
from shallows._core.contract.training import IterativeMixin
from shallows._core.numerics.compile import compiled
from shallows.prototype._charts import RelevanceChartMixin
from shallows.prototype._matrix_cost import matrix_distances
from shallows.prototype._metric_steps import DIVERGENCE, lvq1_epoch
from shallows.prototype._metrics import (
    Metric,
    MetricParams,
    choose_metric,
    distances_to,
    keep_positive,
)
from shallows.prototype._nearest import (
    NearestPrototypeMixin,
    PrototypesPerClass,
    ShareOfTheWay,
    place_prototypes,
    refuse_negative,
    train_online,
)
from shallows.prototype._partial_fit import PartialFitMixin


class LVQ1(
    RelevanceChartMixin, PartialFitMixin, NearestPrototypeMixin, IterativeMixin, BaseEstimator
):
    r"""Classifier whose nearest prototype moves to a sample of its class, else away from it.

    For each sample x the winner, the nearest prototype w, moves by
    :math:`\pm \eta (x - w)`, plus where the classes agree [1]_. With another distance d the
    move is :math:`\mp \frac{\eta}{2} \partial d / \partial w`, but no longer than
    :math:`\eta |x - w|`. The rule minimises no cost: prototypes that win samples of another
    class too often can be driven away, so prefer `GLVQ` where classes overlap. A missing value
    (NaN) is left out of the distances.

    Features should have comparable scales: put a scaler before it.

    Parameters
    ----------
    n_prototypes : int or array-like of shape (n_classes,), default=1
        Prototypes per class, or as many as given for each, in the order of `classes_`.
    metric : str, default="euclidean"
        "euclidean"; "minkowski"; "divergence", the generalised Kullback-Leibler divergence of
        the prototype from the sample, for values that are not negative; or the distance
        :math:`k(x, x) - 2 k(x, w) + k(w, w)` in the feature space of a kernel: "linear",
        which is Euclid's; "poly" :math:`(\gamma x'w + c_0)^{degree}`, which depends on the
        origin of the data; "rbf" :math:`\exp(-\gamma |x - w|^2)`; "laplacian"
        :math:`\exp(-\gamma |x - w|_1)`. The sigmoid is no scalar product, and a function
        tells no derivative, so that neither is taken.
    metric_params : dict or None, default=None
        Numbers of the metric: of "minkowski" the exponent ``p``, at least 1, default 1; of
        "poly", "rbf" and "laplacian" ``gamma``, by default one over the total variance of the
        data, for "laplacian" one over the number of features times their typical deviation;
        of "poly" also ``degree``, default 3, and ``coef0``, default 1.
    relevance : {"diagonal", "matrix"} or None, default=None
        Whether the weights of the features [2]_, or a matrix of relevances, are learned by
        the same heuristic; for metric "euclidean" only. `chart` draws them.
    learning_rate : float, default=0.05
        Share :math:`\eta` of the way to the sample in the first epoch; it falls linearly to
        zero.
    relevance_rate : float, default=0.1
        Step size of the relevances as a share of that of the prototypes.
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
    relevance_matrix_ : ndarray of shape (n_features, n_features)
        Matrix of the distance, with trace 1; only with `relevance`.
    relevances_ : ndarray of shape (n_features,)
        Its diagonal; only with `relevance`.
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
    .. [2] T. Bojer et al., "Relevance determination in learning vector quantization",
       ESANN, 271-276, 2001.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from shallows.prototype import LVQ1
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LVQ1(2, random_state=0).fit(X, y)
    >>> model.score(X, y) > 0.94
    True
    """

    def __init__(
        self,
        n_prototypes: PrototypesPerClass = 1,
        *,
        metric: Metric = "euclidean",
        metric_params: MetricParams = None,
        relevance: Literal["diagonal", "matrix"] | None = None,
        learning_rate: ShareOfTheWay = 0.05,
        relevance_rate: NonNegativeFloat = 0.1,
        max_iter: PositiveInt = 50,
        random_state: RandomState = None,
    ):
        self.n_prototypes = n_prototypes
        self.metric = metric
        self.metric_params = metric_params
        self.relevance = relevance
        self.learning_rate = learning_rate
        self.relevance_rate = relevance_rate
        self.max_iter = max_iter
        self.random_state = random_state

    def fit(self, X, y, sample_weight=None):
        """Place the prototypes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training samples; NaN where a value is missing.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Factors of the step sizes; a sample of more than the mean weight is visited
            several times in an epoch.

        Returns
        -------
        self : LVQ1
            The fitted estimator.
        """
        check_params(self)
        return train_online(self, X, y, sample_weight)

    def _start(self, X, y, weights, rng):
        if self.relevance is not None and self.metric != "euclidean":
            raise ValueError(
                f"LVQ1: relevance={self.relevance!r} needs metric='euclidean', got {self.metric!r}."
            )
        place_prototypes(self, X, y, weights, rng)
        if self.metric == "divergence":
            refuse_negative(self, X)
        self._measure()
        self._omega = np.eye(X.shape[1], dtype=X.dtype)
        self._store_relevances()

    def _measure(self):
        self._metric = choose_metric(self)

    def _distances(self, X):
        if self.relevance is None:
            return distances_to(self, X)
        omegas, groups = self._omega[None].astype(X.dtype), np.zeros(len(self.prototypes_), int)
        return matrix_distances(X, self.prototypes_.astype(X.dtype), omegas, groups)

    def _epoch(self, X, y, weights, order, rate):
        visits = X, y, weights, order, self.prototypes_, self.prototype_labels_
        if self.relevance is not None:
            relevance_step = rate * self.relevance_rate / self._scale
            diagonal = self.relevance == "diagonal"
            wrong = matrix_lvq1_epoch(
                *visits, self._omega, float(rate), float(relevance_step), diagonal
            )
            self._store_relevances()
            return wrong
        wrong = lvq1_epoch(*visits, float(rate), *self._metric)
        if self._metric[0] == DIVERGENCE:
            keep_positive(self.prototypes_, self._metric[1][0])
        return wrong

    def _store_relevances(self):
        if self.relevance is not None:
            self.relevance_matrix_ = self._omega.T @ self._omega / len(self._omega)
            self.relevances_ = self.relevance_matrix_.diagonal().copy()
        elif hasattr(self, "relevances_"):  # of a fit with other parameters
            del self.relevances_, self.relevance_matrix_


@compiled
def matrix_lvq1_epoch(
    X, y, weights, order, prototypes, labels, omega, step, relevance_step, diagonal
):
    """Move the winner of each sample and omega, in place; return the share of wrong winners.

    `omega` is square and keeps the norm of the unit matrix, so that the unit matrix gives
    LVQ1 itself; if `diagonal`, all else stays zero. No move is longer than the share `step` of
    the way to the sample, or prototypes overshoot where few features count; nor, for a sample
    of large weight, longer than the whole way.
    """
    n_features = X.shape[1]
    gap, best = np.zeros(n_features, dtype=X.dtype), np.zeros(n_features, dtype=X.dtype)
    projected, move = np.zeros(n_features, dtype=X.dtype), np.zeros(n_features)
    wrong = 0.0
    for i in order:
        nearest, winner = np.inf, 0
        for k in range(prototypes.shape[0]):
            for j in range(n_features):
                difference = X[i, j] - prototypes[k, j]
                gap[j] = difference if difference == difference else 0.0
            d = project(omega, gap, projected, diagonal)
            if d < nearest:
                nearest, winner = d, k
                for j in range(n_features):
                    best[j] = gap[j]
        project(omega, best, projected, diagonal)
        sign = 1.0
        if labels[winner] != y[i]:
            sign = -1.0
            wrong += weights[i]
        weight = weights[i] if weights[i] * step <= 1.0 else 1.0 / step
        amount, change = sign * step * weight, sign * relevance_step * weight
        for j in range(n_features):
            move[j] = 0.0
        norm = 0.0
        for r in range(n_features):
            first, last = (r, r + 1) if diagonal else (0, n_features)
            for j in range(first, last):
                move[j] += projected[r] * omega[r, j]
                omega[r, j] -= change * projected[r] * best[j]
                norm += omega[r, j] ** 2
        length, way = 0.0, 0.0
        for j in range(n_features):
            if X[i, j] != X[i, j]:
                move[j] = 0.0
            length += move[j] ** 2
            way += best[j] ** 2
        if length > way:
            amount *= np.sqrt(way / length)
        for j in range(n_features):
            prototypes[winner, j] += amount * move[j]
        scale = np.sqrt(n_features / norm)
        for r in range(n_features):
            for j in range(n_features):
                omega[r, j] *= scale
    return wrong / weights.sum()


@compiled
def project(omega, gap, projected, diagonal):
    """Write the product of omega and gap to `projected`, return its squared length."""
    total = 0.0
    for r in range(omega.shape[0]):
        first, last = (r, r + 1) if diagonal else (0, omega.shape[1])
        value = 0.0
        for j in range(first, last):
            value += omega[r, j] * gap[j]
        projected[r] = value
        total += value * value
    return total
