"""Generalized relevance LVQ: prototypes and a weight of each feature are learned together."""

from __future__ import annotations

import numpy as np
from sklearn.base import BaseEstimator

from shallows._core.contract.params import (
    NonNegativeFloat,
    PositiveFloat,
    PositiveInt,
    check_params,
)
from shallows._core.contract.rng import RandomState, as_generator
from shallows._core.contract.training import IterativeMixin
from shallows._core.numerics.compile import compiled
from shallows.prototype._charts import RelevanceChartMixin
from shallows.prototype._descent import Solver, Tolerance, descend, steepness
from shallows.prototype._metrics import partial_distances
from shallows.prototype._nearest import (
    NearestPrototypeMixin,
    PrototypesPerClass,
    check_samples,
    place_prototypes,
)
from shallows.prototype._partial_fit import PartialFitMixin


class GRLVQ(
    RelevanceChartMixin, PartialFitMixin, NearestPrototypeMixin, IterativeMixin, BaseEstimator
):
    r"""Prototypes of classes, and weights of the features that separate the classes best.

    The squared distance of a sample x to a prototype w is
    :math:`\sum_j \lambda_j (x_j - w_j)^2` with :math:`\lambda_j \ge 0` and sum 1. Weights and
    prototypes minimise the mean of :math:`\Phi(e)` as in `GLVQ` [1]_. A weight says how much
    its feature counts, so this selects features; it is `GMLVQ` with a diagonal matrix, for
    data with many features or few samples. A missing value (NaN) is left out of the
    distances.

    Scale the features to unit variance: otherwise the relevances hold their units.

    Parameters
    ----------
    n_prototypes : int or array-like of shape (n_classes,), default=1
        Prototypes per class, or as many as given for each, in the order of `classes_`.
    gamma : float or None, default=5.0
        Steepness of the cost :math:`\Phi(e) = 1 / (1 + \exp(-\gamma e))`: the larger it
        is, the more the cost counts errors. With None the cost is :math:`e` itself.
    solver : {"sgd", "waypoint", "lbfgs"}, default="lbfgs"
        How the cost is minimised: sample by sample in random order, of which a mean over the
        epochs of one step size is kept that weighs late ones more; by steps along the gradient of
        the whole cost, which shrink where they zig-zag (waypoint averaging); by limited-memory
        BFGS.
    learning_rate : float, default=0.05
        Step size of the first epoch, in units of the total variance of the data, so
        that it does not depend on their scale; divided by ten when it no longer lowers the cost.
        For "waypoint" the length of the first step; "lbfgs" needs none. A step sample by
        sample is divided by the prototypes per class: more of them shrink distances, and
        slopes grow as distances shrink.
    relevance_rate : float, default=4.0
        Step size of the roots of the relevances for "sgd", as a multiple of that of the prototypes
        divided by the number of features: these roots shrink with that number.
    max_iter : int, default=200
        Largest number of passes over the data.
    tol : float, "auto" or None, default="auto"
        Training stops when the watched value improves by less than this in five epochs in a row,
        "sgd" when smaller steps bring no more either. With None all `max_iter` epochs run. "auto"
        is 1e-4 or, if smaller, :math:`\min(1, 2 p / n) / n` with p numbers learned from n samples:
        a sample's part of what makes the cost of training too low, so that more samples are
        learned more closely.
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
    relevances_ : ndarray of shape (n_features,)
        Weights :math:`\lambda` of the features; the sum is 1.
    history_ : dict of str to list of float
        The mean cost of each epoch under ``"loss"``.
    n_iter_ : int
        Epochs run.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    References
    ----------
    .. [1] B. Hammer and T. Villmann, "Generalized relevance learning vector quantization",
       Neural Networks 15, 1059-1068, 2002.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.preprocessing import scale
    >>> from shallows.prototype import GRLVQ
    >>> X, y = load_iris(return_X_y=True)
    >>> model = GRLVQ(random_state=0).fit(scale(X), y)
    >>> model.score(scale(X), y) > 0.94
    True
    >>> bool(model.relevances_[2:].sum() > 0.8)
    True
    """

    def __init__(
        self,
        n_prototypes: PrototypesPerClass = 1,
        *,
        gamma: PositiveFloat | None = 5.0,
        solver: Solver = "lbfgs",
        learning_rate: PositiveFloat = 0.05,
        relevance_rate: NonNegativeFloat = 4.0,
        max_iter: PositiveInt = 200,
        tol: Tolerance = "auto",
        random_state: RandomState = None,
    ):
        self.n_prototypes = n_prototypes
        self.gamma = gamma
        self.solver = solver
        self.learning_rate = learning_rate
        self.relevance_rate = relevance_rate
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def fit(self, X, y, sample_weight=None):
        """Find prototypes and relevances.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training samples; NaN where a value is missing.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each sample in the cost.

        Returns
        -------
        self : GRLVQ
            The fitted estimator.
        """
        check_params(self)
        X, y, weights = check_samples(self, X, y, sample_weight)
        rng = as_generator(self.random_state)
        self._start(X, y, weights, rng)
        descend(self, X, y, weights, rng, ("prototypes_", "relevances_"))
        return self

    def _start(self, X, y, weights, rng):
        place_prototypes(self, X, y, weights, rng)
        self.relevances_ = np.full(X.shape[1], 1 / X.shape[1], dtype=X.dtype)

    def _distances(self, X):
        roots = np.sqrt(self.relevances_).astype(X.dtype)
        return partial_distances(X * roots, self.prototypes_.astype(X.dtype) * roots)

    def _epoch(self, X, y, weights, order, rate):
        rate *= len(self.classes_) / len(self.prototypes_)
        roots = np.sqrt(self.relevances_)
        places = self.prototypes_, self.prototype_labels_, roots
        steps = float(rate * self._scale), float(rate * self.relevance_rate / X.shape[1])
        loss = grlvq_epoch(
            X, y, weights, order, *places, steepness(self), *steps, self.prototypes_, roots, True
        )
        self.relevances_ = roots**2
        return loss

    def _cost(self, X, y, weights):
        order, unit, shape = np.arange(len(X)), np.sqrt(self._scale), self.prototypes_.shape

        def cost(vector):
            prototypes = X.dtype.type(unit) * vector[: -shape[1]].reshape(shape)
            norm = np.linalg.norm(vector[-shape[1] :])
            roots = vector[-shape[1] :] / norm
            places = prototypes, self.prototype_labels_, roots
            pulls, widening = np.zeros(shape), np.zeros(shape[1])
            value = grlvq_epoch(
                X, y, weights, order, *places, steepness(self), 1.0, 1.0, pulls, widening, False
            )
            widening = (widening - (widening @ roots) * roots) / norm
            return value, -np.append(unit * pulls, widening) / weights.sum()

        return cost

    def _pack(self):
        kind = self.prototypes_.dtype
        return np.append(self.prototypes_ / np.sqrt(self._scale), np.sqrt(self.relevances_)).astype(
            kind
        )

    def _unpack(self, vector):
        n_features, kind = self.prototypes_.shape[1], self.prototypes_.dtype
        prototypes = np.sqrt(self._scale) * vector[:-n_features]
        self.prototypes_ = prototypes.reshape(self.prototypes_.shape).astype(kind)
        self.relevances_ = (vector[-n_features:] ** 2).astype(kind)
        self.relevances_ /= self.relevances_.sum()


@compiled
def grlvq_epoch(
    X,
    y,
    weights,
    order,
    prototypes,
    labels,
    roots,
    gamma,
    step,
    root_step,
    moved,
    moved_roots,
    online,
):
    """Visit samples in `order`, add the moves to `moved` and `moved_roots`, return the mean cost.

    `roots` are the square roots of the relevances. If `online`, the arrays that move are
    `prototypes` and `roots` themselves, and the relevances keep the sum 1. Arrays of zeros
    receive minus the gradient of the summed cost where the steps are 1. `gamma` 0 stands for
    the identity as cost function.
    """
    n_features = X.shape[1]
    total = 0.0
    for i in order:
        d_same, d_other, same, other = np.inf, np.inf, 0, 0
        for k in range(prototypes.shape[0]):
            d = 0.0
            for j in range(n_features):
                gap = roots[j] * (X[i, j] - prototypes[k, j])
                d += gap * gap if gap == gap else 0.0
            if labels[k] == y[i]:
                if d < d_same:
                    d_same, same = d, k
            elif d < d_other:
                d_other, other = d, k
        norm = d_same + d_other
        cost = (d_same - d_other) / norm if norm != 0.0 else 0.0
        slope = 1.0
        if gamma > 0.0:
            cost = 1.0 / (1.0 + np.exp(-gamma * cost))
            slope = gamma * cost * (1.0 - cost)
        total += weights[i] * cost
        if norm == 0.0:  # the sample lies on both prototypes
            continue
        scale = weights[i] * slope * 4.0 / norm
        to, off = scale * (d_other / norm), scale * (d_same / norm)
        length = 0.0
        for j in range(n_features):
            if X[i, j] == X[i, j]:
                attract = to * (X[i, j] - prototypes[same, j])
                repel = off * (X[i, j] - prototypes[other, j])
                change = repel * (X[i, j] - prototypes[other, j])
                change -= attract * (X[i, j] - prototypes[same, j])
                relevance = roots[j] * roots[j]
                moved[same, j] += step * relevance * attract
                moved[other, j] -= step * relevance * repel
                moved_roots[j] += root_step * roots[j] * change
            length += moved_roots[j] ** 2
        if online:
            length = np.sqrt(length)
            for j in range(n_features):
                moved_roots[j] /= length
    return total / weights.sum()
