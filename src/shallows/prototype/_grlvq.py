"""Generalized relevance LVQ: prototypes and a weight of each feature are learned together."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from sklearn.base import BaseEstimator

from shallows._core.contract.params import (
    NonNegativeFloat,
    PositiveFloat,
    PositiveInt,
    check_params,
)
from shallows._core.contract.rng import RandomState, as_generator
from shallows._core.contract.training import IterativeMixin, Training
from shallows._core.numerics.compile import compiled
from shallows.prototype._cost_descent import (
    Progress,
    Solver,
    Tolerance,
    descend,
    steepness,
    tolerance,
)
from shallows.prototype._glvq import Pull
from shallows.prototype._map_charts import RelevanceChartMixin
from shallows.prototype._metrics import partial_distances
from shallows.prototype._nearest import NearestPrototypeMixin
from shallows.prototype._partial_fit import PartialFitMixin
from shallows.prototype._start import Array, PrototypesPerClass, check_samples


class GRLVQ(
    RelevanceChartMixin, PartialFitMixin, NearestPrototypeMixin, IterativeMixin, BaseEstimator
):
    r"""Prototypes of classes, and weights of the features that separate the classes best.

    The squared distance of a sample x to a prototype w is :math:`\sum_j \lambda_j (x_j - w_j)^2`
    with :math:`\lambda_j \ge 0` and sum 1. Weights and prototypes minimise the mean of
    :math:`\Phi(e)` as in `GLVQ` [1]_. A weight says how much its feature counts, so this selects
    features; it is `GMLVQ` with a diagonal matrix, for data with many features or few samples.
    Distances ignore missing values (NaN).

    Scale the features to unit variance: otherwise the relevances hold their units.

    Parameters
    ----------
    n_prototypes : int or array-like of shape (n_classes,), default=1
        Prototypes per class, or as many as given for each, in the order of `classes_`.
    gamma : float or None, default=5.0
        Steepness of the cost :math:`\Phi(e) = 1 / (1 + \exp(-\gamma e))`: the larger it
        is, the more the cost counts errors. With None the cost is :math:`e` itself.
    solver : {"sgd", "waypoint", "lbfgs"}, default="lbfgs"
        How the cost is minimised: with "sgd" sample by sample in random order, and with an average
        of the prototypes over the epochs of each step size that gives late epochs more weight;
        with "waypoint" by gradient steps on the whole cost, which shrink when they zigzag
        (waypoint averaging); with "lbfgs" by limited-memory BFGS.
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
        a tolerance that shrinks with the number of samples, because the training cost then
        estimates the true cost better.
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
            Training samples; NaN for missing values.
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
        samples = check_samples(self, X, y, sample_weight)
        rng = as_generator(self.random_state)

        # Prototypes and one relevance per feature are learned together.
        start = self._begin(samples, rng)
        n_numbers = start.prototypes.size + start.relevances.size
        run = Training(
            self,
            self.max_iter,
            tolerance(self.tol, n_numbers, samples),
            patience=5,
            state=("prototypes_", "relevances_"),
            **samples.given(self.classes_),
        )
        descend(
            self._rule(),
            start,
            samples.balanced(),
            Progress(run, self._keep),
            solver=self.solver,
            rate=self.learning_rate,
            rng=rng,
        )
        self.history_, self.n_iter_ = run.history, run.n_iter
        return self

    def _begin(self, samples, rng):
        prototypes, n_features = super()._begin(samples, rng), samples.X.shape[1]
        return Place(prototypes, np.full(n_features, 1 / n_features, dtype=samples.X.dtype))

    def _rule(self):
        return GRLVQCost(
            self.prototype_labels_,
            steepness(self.gamma),
            self._spread.scale,
            len(self.classes_) / len(self.prototype_labels_),
            self.relevance_rate,
        )

    def _place(self):
        return Place(self.prototypes_, self.relevances_)

    def _keep(self, place):
        self.prototypes_, self.relevances_ = place

    def _distances(self, X):
        roots = np.sqrt(self.relevances_).astype(X.dtype)
        return partial_distances(X * roots, self.prototypes_.astype(X.dtype) * roots)


class Place(NamedTuple):
    """Prototypes, and the weights of the features in the distance, whose sum is 1."""

    prototypes: Array
    relevances: Array


class GRLVQCost(NamedTuple):
    """The mean of Phi(e) over samples, as a function of prototypes and relevances.

    `labels`, `gamma` and `scale` are those of `GLVQCost`. The rate of an epoch is multiplied by
    `pace` and for relevances by `relevance_rate`. A vector ends with the roots of the relevances,
    in any unit.
    """

    labels: Array
    gamma: float
    scale: float
    pace: float
    relevance_rate: float

    def epoch(self, place, samples, order, rate):
        """Return the place after visits of the samples in `order`, and the mean cost."""
        rate = rate * self.pace
        moved = Weighted(place.prototypes.copy(), np.sqrt(place.relevances))
        rates = float(rate * self.scale), float(rate * self.relevance_rate / samples.X.shape[1])
        cost = grlvq_epoch(samples, order, moved, self.labels, self.gamma, rates, moved, True)
        return Place(moved.prototypes, moved.roots**2), cost

    def value_and_gradient(self, vector, samples):
        """Return the mean cost and its derivative by the vector of a place."""
        order, unit, n_features = np.arange(len(samples.X)), np.sqrt(self.scale), samples.X.shape[1]
        prototypes = samples.X.dtype.type(unit) * vector[:-n_features].reshape(-1, n_features)
        norm = np.linalg.norm(vector[-n_features:])
        place = Weighted(prototypes, vector[-n_features:] / norm)
        pulls = Weighted(np.zeros(prototypes.shape), np.zeros(n_features))
        value = grlvq_epoch(
            samples, order, place, self.labels, self.gamma, (1.0, 1.0), pulls, False
        )
        # Roots of any length are the same place, so the gradient has no part along them.
        widening = (pulls.roots - (pulls.roots @ place.roots) * place.roots) / norm
        return value, -np.append(unit * pulls.prototypes, widening) / samples.weights.sum()

    def vector_of(self, place):
        """Return a place as a vector without unit."""
        parts = place.prototypes / np.sqrt(self.scale), np.sqrt(place.relevances)
        return np.append(*parts).astype(place.prototypes.dtype)

    def place_at(self, vector):
        """Return the place of a vector."""
        n_features = len(vector) // (len(self.labels) + 1)
        prototypes = np.sqrt(self.scale) * vector[:-n_features].reshape(-1, n_features)
        squares = (vector[-n_features:] ** 2).astype(vector.dtype)
        return Place(prototypes.astype(vector.dtype), squares / squares.sum())

    def aligned(self, vector, towards):
        """Return the vector: no other one of its length means the same model."""
        return vector


class Weighted(NamedTuple):
    """Prototypes and the square roots of the relevances, or what is added to them."""

    prototypes: Array
    roots: Array


@compiled
def grlvq_epoch(samples, order, place, labels, gamma, rates, moved, online):
    """Visit samples in `order`, add the moves to `moved`, return the mean cost.

    `rates` are the step sizes of prototypes and roots. If `online`, `moved` is `place` itself, and
    the relevances keep the sum 1. Arrays of zeros receive minus the gradient of the summed cost if
    the rates are 1. `gamma` 0 means the identity as cost function.
    """
    X, y, weights = samples
    prototypes, roots = place
    step, root_step = rates
    total = 0.0
    for i in order:
        pull = pull_of(X[i], y[i], place, labels, gamma)
        total += weights[i] * pull.cost
        to, off = weights[i] * pull.attraction, weights[i] * pull.repulsion
        if to == 0.0 and off == 0.0:
            continue

        # With d = sum_j r_j^2 (x_j - w_j)^2: dd/dw_j = -2 r_j^2 (x_j - w_j) and
        # dd/dr_j = 2 r_j (x_j - w_j)^2, each times de/dd and halved.
        length = 0.0
        for j in range(X.shape[1]):
            if X[i, j] == X[i, j]:
                near, far = X[i, j] - prototypes[pull.same, j], X[i, j] - prototypes[pull.other, j]
                attract, repel = to * near, off * far
                change = repel * far - attract * near
                relevance = roots[j] * roots[j]
                moved.prototypes[pull.same, j] += step * relevance * attract
                moved.prototypes[pull.other, j] -= step * relevance * repel
                moved.roots[j] += root_step * roots[j] * change
            length += moved.roots[j] ** 2

        if online:  # the relevances r_j^2 keep the sum 1
            length = np.sqrt(length)
            for j in range(X.shape[1]):
                moved.roots[j] /= length
    return total / weights.sum()


@compiled
def pull_of(x, label, place, labels, gamma):
    """Return which prototypes a sample attracts and repels, how strongly, and its cost."""
    # The nearest prototype of the right class and the nearest of any other.
    prototypes, roots = place
    d_same, d_other, same, other = np.inf, np.inf, 0, 0
    for k in range(prototypes.shape[0]):
        d = 0.0
        for j in range(x.shape[0]):
            gap = roots[j] * (x[j] - prototypes[k, j])
            d += gap * gap if gap == gap else 0.0
        if labels[k] == label:
            if d < d_same:
                d_same, same = d, k
        elif d < d_other:
            d_other, other = d, k
    norm = d_same + d_other

    # The cost Phi(e) with e = (d_J - d_K) / (d_J + d_K), and its slope Phi'(e).
    cost = (d_same - d_other) / norm if norm != 0.0 else 0.0
    slope = 1.0
    if gamma > 0.0:
        cost = 1.0 / (1.0 + np.exp(-gamma * cost))
        slope = gamma * cost * (1.0 - cost)
    if norm == 0.0:  # the sample lies on both prototypes and moves neither
        return Pull(same, other, 0.0, 0.0, cost)

    # de/dd_J = 2 d_K / (d_J + d_K)^2 and de/dd_K = -2 d_J / (d_J + d_K)^2, twice.
    scale = 4.0 * slope / norm
    return Pull(same, other, scale * (d_other / norm), scale * (d_same / norm), cost)
