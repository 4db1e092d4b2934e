"""Robust soft learning vector quantization."""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from shallows._core.contract.params import PositiveFloat, PositiveInt, Range, check_params
from shallows._core.contract.rng import RandomState, as_generator
from shallows._core.contract.training import IterativeMixin, Training
from shallows._core.numerics.compile import compiled
from shallows._core.numerics.log_sums import log_sums
from shallows.descent import softmax
from shallows.prototype._cost_descent import Progress, Solver, Tolerance, descend, tolerance
from shallows.prototype._metrics import partial_distances
from shallows.prototype._nearest import check_queries
from shallows.prototype._partial_fit import PartialFitMixin
from shallows.prototype._start import Array, PrototypesPerClass, check_samples

Width = Annotated[float, Range(0, 1e150, open="low")]  # its square is a number


class RSLVQ(PartialFitMixin, ClassifierMixin, IterativeMixin, BaseEstimator):
    r"""Classifier whose prototypes are the centres of Gaussian clouds, with probabilities.

    Every prototype is the centre of a round Gaussian of width :math:`\sigma`, all equally
    likely. Training maximises the mean logarithm of the probability
    :math:`P(y | x) = \sum_{k: c_k = y} P(k | x)` of the right class, so the loss is the
    cross-entropy [1]_. A small :math:`\sigma` makes it learn from mistakes near the border
    alone. A missing value (NaN) is left out of the distances, which is the exact marginal
    of the model.

    Features should have comparable scales: use a scaler first.

    Parameters
    ----------
    n_prototypes : int or array-like of shape (n_classes,), default=1
        Prototypes per class, or as many as given for each, in the order of `classes_`.
    sigma : float or None, default=None
        Width of the Gaussians, in the units of the data. With None the root mean square
        distance, per feature, of the samples to the nearest starting prototype of their class,
        or where all lie on these, to the mean.
    solver : {"sgd", "waypoint", "lbfgs"}, default="lbfgs"
        How the cost is minimised: with "sgd" sample by sample in random order, and with an average
        of the prototypes over the epochs of each step size that gives late epochs more weight;
        with "waypoint" by gradient steps on the whole cost, which shrink when they zigzag
        (waypoint averaging); with "lbfgs" by limited-memory BFGS.
    learning_rate : float, default=0.1
        Step size of the first epoch, as the share of the way to a sample that is surely wrong;
        divided by ten when it no longer lowers the loss.
        For "waypoint" the length of the first step; "lbfgs" needs none.
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
    sigma_ : float
        Width of the Gaussians.
    history_ : dict of str to list of float
        The mean cross-entropy of each epoch under ``"loss"``.
    n_iter_ : int
        Epochs run.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    References
    ----------
    .. [1] S. Seo and K. Obermayer, "Soft learning vector quantization", Neural Computation
       15, 1589-1604, 2003.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from shallows.prototype import RSLVQ
    >>> X, y = load_iris(return_X_y=True)
    >>> model = RSLVQ(random_state=0).fit(X, y)
    >>> model.score(X, y) > 0.94
    True
    >>> model.predict_proba(X[:1]).round(1)
    array([[1., 0., 0.]])
    """

    def __init__(
        self,
        n_prototypes: PrototypesPerClass = 1,
        *,
        sigma: Width | None = None,
        solver: Solver = "lbfgs",
        learning_rate: PositiveFloat = 0.1,
        max_iter: PositiveInt = 200,
        tol: Tolerance = "auto",
        random_state: RandomState = None,
    ):
        self.n_prototypes = n_prototypes
        self.sigma = sigma
        self.solver = solver
        self.learning_rate = learning_rate
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def fit(self, X, y, sample_weight=None):
        """Place the prototypes.

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
        self : RSLVQ
            The fitted estimator.
        """
        check_params(self)
        samples = check_samples(self, X, y, sample_weight)
        rng = as_generator(self.random_state)

        # Minimise the mean of -log p(y given x) under a mixture of Gaussians of equal width.
        start = self._begin(samples, rng)
        run = Training(
            self,
            self.max_iter,
            tolerance(self.tol, start.size, samples),
            patience=5,
            state=("prototypes_",),
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

    def predict(self, X):
        """Return the most probable class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Class labels.
        """
        shares = self.predict_proba(X)
        return self.classes_[shares.argmax(axis=1)]

    def predict_proba(self, X):
        """Return the probability of each class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        P : ndarray of shape (n_samples, n_classes)
            Probabilities, in the order of `classes_`.
        """
        heights = self._heights(X)
        members = np.eye(len(self.classes_), dtype=heights.dtype)[self.prototype_labels_]
        return softmax(heights) @ members

    def predict_log_proba(self, X):
        """Return the logarithm of the probability of each class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        logarithms : ndarray of shape (n_samples, n_classes)
            Finite also where a probability is too small for a float.
        """
        own = self._class_heights(X)
        return own - log_sums(own)[:, None]

    def decision_function(self, X):
        """Return the logarithm of the odds of each class against all others.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        values : ndarray of shape (n_samples, n_classes) or (n_samples,)
            Positive where the class is more probable than all others together. With two
            classes, the values of ``classes_[1]`` alone.
        """
        own = self._class_heights(X).T
        rest = np.full_like(own, -np.inf)
        rest[1:] = np.logaddexp.accumulate(own[:-1])
        rest[:-1] = np.logaddexp(rest[:-1], np.logaddexp.accumulate(own[:0:-1])[::-1])
        values = (own - rest).T
        return values[:, 1].copy() if len(own) == 2 else values

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    def _class_heights(self, X):
        """Return the logarithm of the sum of each class's Gaussians, up to a constant."""
        heights, labels = self._heights(X), self.prototype_labels_
        sums = [log_sums(heights[:, labels == k]) for k in range(len(self.classes_))]
        return np.stack(sums, axis=1)

    def _heights(self, X):
        """Return the logarithm of each Gaussian at each sample, up to a constant."""
        X = check_queries(self, X)
        distances = partial_distances(X, self.prototypes_.astype(X.dtype, copy=False))
        return distances / X.dtype.type(-2 * self.sigma_**2)

    def _begin(self, samples, rng):
        self._within = 0.0
        prototypes = super()._begin(samples, rng)
        own = self.prototype_labels_ == samples.y[:, None]
        nearest = np.where(own, partial_distances(samples.X, prototypes), np.inf).min(axis=1)
        values = np.sum(~np.isnan(samples.X), axis=1)
        weights = samples.weights
        self._within = float(np.sqrt((weights @ nearest) / (weights @ values)))
        self._measure(self._spread)
        return prototypes

    def _measure(self, spread):
        self._spread = spread
        overall = np.sqrt(spread.scale / len(spread.known.mean))
        self.sigma_ = float(self.sigma or self._within or overall)

    def _rule(self):
        return RSLVQCost(self.prototype_labels_, self.sigma_, self._spread.scale)


class RSLVQCost(NamedTuple):
    """The mean of -ln P(y | x) over samples, as a function of the prototypes.

    `labels` is the class of each prototype, `sigma` the width of the Gaussians, and `scale` the
    total variance of the data: prototypes are divided by its root in a vector.
    """

    labels: Array
    sigma: float
    scale: float

    def epoch(self, prototypes, samples, order, rate):
        """Return the prototypes after visits of the samples in `order`, and the mean cost."""
        moved, step = prototypes.copy(), float(rate * self.sigma**2)
        cost = rslvq_epoch(samples, order, moved, self.labels, self.sigma, step, moved, 1.0)
        return moved, cost

    def value_and_gradient(self, vector, samples):
        """Return the mean cost and its derivative by the vector of the prototypes."""
        order, unit = np.arange(len(samples.X)), np.sqrt(self.scale)
        prototypes = samples.X.dtype.type(unit) * vector.reshape(len(self.labels), -1)
        downhill = np.zeros(prototypes.shape)
        value = rslvq_epoch(samples, order, prototypes, self.labels, self.sigma, 1.0, downhill)
        return value, -(unit / samples.weights.sum()) * downhill.ravel()

    def vector_of(self, prototypes):
        """Return the prototypes as a vector without unit."""
        return (prototypes / np.sqrt(self.scale)).astype(prototypes.dtype).ravel()

    def place_at(self, vector):
        """Return the prototypes of a vector."""
        prototypes = np.sqrt(self.scale) * vector.reshape(len(self.labels), -1)
        return prototypes.astype(vector.dtype)

    def aligned(self, vector, towards):
        """Return the vector: no other one means the same model."""
        return vector


@compiled
def rslvq_epoch(samples, order, prototypes, labels, sigma, step, moved, longest=np.inf):
    """Visit samples in `order`, add the moves to `moved`, return the mean loss.

    `moved` is `prototypes` itself for stochastic descent, and no move is longer than `longest` as
    a share of the way to the sample. An array of zeros receives minus the gradient of the summed
    loss if `step` is 1.
    """
    X, y, weights = samples
    n_prototypes = prototypes.shape[0]
    heights = np.empty(n_prototypes)
    total = 0.0
    for i in order:
        # Logarithms of the Gaussians, -|x - w_k|^2 / (2 sigma^2), and the highest of both sums.
        highest, highest_own = -np.inf, -np.inf
        for k in range(n_prototypes):
            d = 0.0
            for j in range(X.shape[1]):
                gap = X[i, j] - prototypes[k, j]
                d += gap * gap if gap == gap else 0.0
            heights[k] = -d / (2.0 * sigma * sigma)
            highest = max(highest, heights[k])
            if labels[k] == y[i]:
                highest_own = max(highest_own, heights[k])

        # The loss -ln P(y | x) = ln sum_k exp h_k - ln sum_{k of class y} exp h_k.
        everything, own = 0.0, 0.0
        for k in range(n_prototypes):
            everything += np.exp(heights[k] - highest)
            if labels[k] == y[i]:
                own += np.exp(heights[k] - highest_own)
        total += weights[i] * (highest + np.log(everything) - highest_own - np.log(own))

        # Each prototype moves by (P(k | x, y) - P(k | x)) (x - w_k) / sigma^2, times the step.
        for k in range(n_prototypes):
            share = -np.exp(heights[k] - highest) / everything
            if labels[k] == y[i]:
                share += np.exp(heights[k] - highest_own) / own
            amount = weights[i] * step * share / (sigma * sigma)
            amount = min(max(amount, -longest), longest)
            for j in range(X.shape[1]):
                gap = X[i, j] - prototypes[k, j]
                if gap == gap:
                    moved[k, j] += amount * gap
    return total / weights.sum()
