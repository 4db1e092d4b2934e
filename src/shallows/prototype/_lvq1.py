"""Kohonen's first learning vector quantization, with any distance or with relevances."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from shallows._core.contract.params import NonNegativeFloat, PositiveInt
from shallows._core.contract.rng import RandomState
from shallows._core.numerics.compile import compiled
from shallows.prototype._heuristic_lvq import HeuristicLVQ
from shallows.prototype._map_charts import RelevanceChartMixin
from shallows.prototype._matrix_cost import matrix_distances
from shallows.prototype._metric_steps import EUCLIDEAN, Measure, metric_lvq1_epoch
from shallows.prototype._metrics import (
    Metric,
    MetricParams,
    choose_metric,
    distances_to,
    lifted,
)
from shallows.prototype._start import (
    Array,
    PrototypesPerClass,
    ShareOfTheWay,
    refuse_negative,
)


class LVQ1(RelevanceChartMixin, HeuristicLVQ):
    r"""Classifier whose nearest prototype moves to a sample of its class, else away from it.

    For each sample x the winner, the nearest prototype w, moves by :math:`\pm \eta (x - w)`, plus
    where the classes agree [1]_. With another distance d the move is :math:`\mp \frac{\eta}{2}
    \partial d / \partial w`, but no longer than :math:`\eta |x - w|`. The rule minimises no cost:
    prototypes that win samples of another class too often can be driven away, so prefer `GLVQ`
    where classes overlap. Distances ignore missing values (NaN).

    Features should have comparable scales: use a scaler first.

    Parameters
    ----------
    n_prototypes : int or array-like of shape (n_classes,), default=1
        Prototypes per class, or as many as given for each, in the order of `classes_`.
    metric : str, default="euclidean"
        "euclidean"; "minkowski"; "divergence", the generalised Kullback-Leibler divergence of the
        prototype from the sample, for values that are not negative; or the distance :math:`k(x, x)
        - 2 k(x, w) + k(w, w)` in the feature space of a kernel: "linear", which is Euclid's;
        "poly" :math:`(\gamma x'w + c_0)^{degree}`, which depends on the origin of the data; "rbf"
        :math:`\exp(-\gamma |x - w|^2)`; "laplacian" :math:`\exp(-\gamma |x - w|_1)`. The sigmoid
        is not a scalar product, and the derivative of a function is not known, so neither is
        accepted.
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

    def _begin(self, samples, rng):
        if self.relevance is not None and self.metric != "euclidean":
            raise ValueError(
                f"LVQ1: relevance={self.relevance!r} needs metric='euclidean', got {self.metric!r}."
            )
        if self.metric == "divergence":
            refuse_negative("LVQ1", samples.X)
        prototypes = lifted(super()._begin(samples, rng), self._metric)
        for name in ("_omega", "relevances_", "relevance_matrix_"):
            vars(self).pop(name, None)  # of a fit with other parameters
        if self.relevance is None:
            return prototypes
        return Place(prototypes, np.eye(samples.X.shape[1], dtype=samples.X.dtype))

    def _measure(self, spread):
        self._spread, self._metric = spread, choose_metric(self, spread)

    def _rule(self):
        if self.relevance is None:
            return LVQ1Rule(self.prototype_labels_, self._metric)
        relative_rate, diagonal = (
            self.relevance_rate / self._spread.scale,
            self.relevance == "diagonal",
        )
        return RelevanceRule(self.prototype_labels_, relative_rate, diagonal)

    def _place(self):
        return self.prototypes_ if self.relevance is None else Place(self.prototypes_, self._omega)

    def _keep(self, place):
        if self.relevance is None:
            self.prototypes_ = place
            return
        self.prototypes_, self._omega = place
        self.relevance_matrix_ = self._omega.T @ self._omega / len(self._omega)
        self.relevances_ = self.relevance_matrix_.diagonal().copy()

    def _distances(self, X):
        if self.relevance is None:
            return distances_to(self.prototypes_, X, self._metric, "LVQ1")
        omegas, groups = self._omega[None].astype(X.dtype), np.zeros(len(self.prototypes_), int)
        return matrix_distances(X, self.prototypes_.astype(X.dtype), omegas, groups)


class LVQ1Rule(NamedTuple):
    """LVQ1 in a metric, for prototypes of these classes."""

    labels: Array
    metric: Measure

    def epoch(self, prototypes, samples, order, rate):
        """Return the prototypes after visits of the samples in `order`, and the wrong share."""
        moved, rate = prototypes.copy(), float(rate)
        if self.metric.code == EUCLIDEAN:
            wrong = lvq1_epoch(samples, order, moved, self.labels, rate)
        else:
            wrong = metric_lvq1_epoch(samples, order, moved, self.labels, rate, self.metric)
        return lifted(moved, self.metric), wrong


class Place(NamedTuple):
    """Prototypes, and a square matrix omega that keeps the norm of the unit matrix.

    The squared distance of x to w is |omega (x - w)|^2. The unit matrix gives LVQ1 itself.
    """

    prototypes: Array
    omega: Array


class RelevanceRule(NamedTuple):
    """LVQ1 that learns relevances, by `relative_rate` times the rate of the prototypes."""

    labels: Array
    relative_rate: float
    diagonal: bool

    def epoch(self, place, samples, order, rate):
        """Return the place after visits of the samples in `order`, and the wrong share."""
        moved, rates = Place(*map(np.copy, place)), (float(rate), float(rate * self.relative_rate))
        wrong = matrix_lvq1_epoch(samples, order, moved, self.labels, rates, self.diagonal)
        return moved, wrong


@compiled
def lvq1_epoch(samples, order, prototypes, labels, step):
    """Move the winner of each sample, in place; return the share of wrong winners.

    No move is longer than the whole way, which matters for a sample of large weight.
    """
    X, y, weights = samples
    wrong = 0.0
    for i in order:
        # The winner is the nearest prototype, whatever its class.
        nearest, winner = np.inf, 0
        for k in range(prototypes.shape[0]):
            d = 0.0
            for j in range(X.shape[1]):
                gap = X[i, j] - prototypes[k, j]
                d += gap * gap if gap == gap else 0.0
            if d < nearest:
                nearest, winner = d, k

        # It moves by +eta (x - w) if the classes agree, else by -eta (x - w).
        amount = min(weights[i] * step, 1.0)
        if labels[winner] != y[i]:
            amount = -amount
            wrong += weights[i]
        for j in range(X.shape[1]):
            gap = X[i, j] - prototypes[winner, j]
            if gap == gap:
                prototypes[winner, j] += amount * gap
    return wrong / weights.sum()


@compiled
def matrix_lvq1_epoch(samples, order, place, labels, rates, diagonal):
    """Move the winner of each sample and omega, in place; return the share of wrong winners.

    `rates` are the share of the way to the sample and the step size of omega; if `diagonal`, only
    the diagonal of omega moves. No move is longer than the share `step` of the way to the sample,
    or prototypes overshoot where few features count; nor, for a sample of large weight, longer than
    the whole way.
    """
    X, y, weights = samples
    prototypes, omega = place
    step, relevance_step = rates
    n_features = X.shape[1]
    gap, best = np.zeros(n_features, dtype=X.dtype), np.zeros(n_features, dtype=X.dtype)
    projected, move = np.zeros(n_features, dtype=X.dtype), np.zeros(n_features)
    wrong = 0.0
    for i in order:
        # The winner is the prototype with the smallest |omega (x - w)|^2; `best` is its x - w.
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

        # The winner moves by eta omega' omega (x - w), omega against the gradient of the distance.
        pull_back(omega, projected, move, diagonal)
        step_omega(omega, projected, best, sign * relevance_step * weight, diagonal)
        length, way = 0.0, 0.0
        for j in range(n_features):
            if X[i, j] != X[i, j]:
                move[j] = 0.0
            length += move[j] ** 2
            way += best[j] ** 2
        amount = sign * step * weight * (np.sqrt(way / length) if length > way else 1.0)
        for j in range(n_features):
            prototypes[winner, j] += amount * move[j]
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


@compiled
def pull_back(omega, projected, move, diagonal):
    """Write the product of the transpose of omega and `projected` to `move`."""
    for j in range(move.shape[0]):
        move[j] = 0.0
    for r in range(omega.shape[0]):
        first, last = (r, r + 1) if diagonal else (0, omega.shape[1])
        for j in range(first, last):
            move[j] += projected[r] * omega[r, j]


@compiled
def step_omega(omega, projected, gap, change, diagonal):
    """Subtract `change` times the outer product of both vectors, then restore the norm."""
    norm = 0.0
    for r in range(omega.shape[0]):
        first, last = (r, r + 1) if diagonal else (0, omega.shape[1])
        for j in range(first, last):
            omega[r, j] -= change * projected[r] * gap[j]
            norm += omega[r, j] ** 2
    scale = np.sqrt(omega.shape[0] / norm)
    for r in range(omega.shape[0]):
        for j in range(omega.shape[1]):
            omega[r, j] *= scale
