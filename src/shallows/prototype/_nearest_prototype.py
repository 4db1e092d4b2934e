"""Class means, medians, or the centres of each class, as prototypes."""

from __future__ import annotations

from typing import Literal

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator
from sklearn.utils.metaestimators import available_if

from shallows._core.contract.params import NonNegativeFloat, NumberArray, check_params
from shallows._core.contract.rng import RandomState, as_generator
from shallows._core.numerics.log_sums import log_sums
from shallows.prototype._centroids import (
    check_priors,
    class_medians,
    deviations_within,
    manhattan_squares,
    shrink,
)
from shallows.prototype._metrics import partial_distances
from shallows.prototype._nearest import (
    NearestPrototypeMixin,
    check_queries,
    nearest_of_each_class,
)
from shallows.prototype._partial_rows import partial_squares
from shallows.prototype._start import (
    PrototypesPerClass,
    check_samples,
    place_prototypes,
    prototypes_per_class,
)


def _has_priors(model):
    if model.priors is None:
        raise AttributeError(
            "NearestPrototype tells probabilities where priors are given, got priors=None. Give "
            "'uniform', 'empirical' or one probability for each class."
        )
    return True


class NearestPrototype(NearestPrototypeMixin, BaseEstimator):
    r"""Classifier by the nearest of prototypes that are placed once, class by class.

    With one prototype per class it is the nearest centroid; with more, the prototypes of a class
    are the centres that k-means finds in it. Borders between classes are piecewise linear. It is
    the usual start of LVQ, and what LVQ should improve.

    Given `priors`, samples of class :math:`k` are taken to lie about its nearest prototype
    :math:`w_k` as a normal distribution does, with the pooled deviation :math:`s_j` of each
    feature, and the class of the largest discriminant score wins [1]_:

    .. math:: \delta_k(x) = -\sum_j (x_j - w_{kj})^2 / s_j^2 + 2 \ln \pi_k

    A missing value (NaN) is left out of distances, means and medians. A sparse matrix is never
    filled in as a whole.

    Parameters
    ----------
    n_prototypes : int or array-like of shape (n_classes,), default=1
        Prototypes per class, or as many as given for each, in the order of `classes_`.
    metric : {"euclidean", "manhattan"}, default="euclidean"
        Distance to the prototypes. With "manhattan" the prototype of a class, the only one, is
        the median of each feature, which a few strange samples hardly move.
    shrink_threshold : float or None, default=None
        How many standard errors each component of the only prototype of a class moves towards the
        mean of all samples, at most to it (nearest shrunken centroids [2]_). A feature where all
        classes end up at the mean no longer counts.
    priors : {"uniform", "empirical"}, array-like of shape (n_classes,) or None, default=None
        Probabilities of the classes: all equal, their shares of the samples, or as given. With
        None plain distances decide, without a scale of each feature, and there are no
        probabilities. Needs metric "euclidean".
    random_state : int, RandomState, Generator or None, default=None
        Seeds k-means.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    prototypes_ : ndarray of shape (n_total, n_features)
        The prototypes.
    prototype_labels_ : ndarray of shape (n_total,)
        Index into `classes_` of each prototype.
    within_class_std_dev_ : ndarray of shape (n_features,)
        Pooled standard deviation of each feature about the prototypes, before they shrink, with
        `priors` or `shrink_threshold`. A feature where it is 0 is not scaled.
    deviations_ : ndarray of shape (n_classes, n_features)
        How many standard errors the prototypes, shrunken, are off the mean of all samples; with
        `shrink_threshold`.
    class_prior_ : ndarray of shape (n_classes,)
        Probabilities of the classes, with `priors`.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    References
    ----------
    .. [1] T. Hastie, R. Tibshirani and J. Friedman, "The elements of statistical learning",
       2nd ed., section 18.2, Springer, 2009.
    .. [2] R. Tibshirani, T. Hastie, B. Narasimhan and G. Chu, "Diagnosis of multiple cancer types
       by shrunken centroids of gene expression", PNAS 99, 6567-6572, 2002.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from shallows.prototype import NearestPrototype
    >>> X, y = load_iris(return_X_y=True)
    >>> model = NearestPrototype(2, random_state=0).fit(X, y)
    >>> model.prototypes_.shape, model.score(X, y) > 0.9
    ((6, 4), True)

    Five standard errors nearer to the mean, the classes no longer differ in the second feature:

    >>> model = NearestPrototype(shrink_threshold=5, priors="uniform").fit(X, y)
    >>> model.deviations_.any(axis=0)
    array([ True, False,  True,  True])
    >>> model.predict_proba(X[75:76]).round(2)
    array([[0.  , 0.55, 0.45]])
    """

    _takes_sparse = True

    def __init__(
        self,
        n_prototypes: PrototypesPerClass = 1,
        *,
        metric: Literal["euclidean", "manhattan"] = "euclidean",
        shrink_threshold: NonNegativeFloat | None = None,
        priors: Literal["uniform", "empirical"] | NumberArray | None = None,
        random_state: RandomState = None,
    ):
        self.n_prototypes = n_prototypes
        self.metric = metric
        self.shrink_threshold = shrink_threshold
        self.priors = priors
        self.random_state = random_state

    def fit(self, X, y, sample_weight=None):
        """Place the prototypes.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Samples; NaN is a missing value.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the samples, each as if so many samples were equal.

        Returns
        -------
        self : NearestPrototype
            The fitted estimator.
        """
        check_params(self)
        samples = check_samples(self, X, y, sample_weight, sparse=True)
        self._check_options()
        counts, rng = prototypes_per_class(self), as_generator(self.random_state)
        prototypes, self.prototype_labels_, spread = place_prototypes(
            "NearestPrototype", samples, counts, rng
        )
        if self.metric == "manhattan":
            prototypes = class_medians(samples, prototypes)
        self.prototypes_ = prototypes
        for name in ("within_class_std_dev_", "deviations_", "class_prior_"):
            vars(self).pop(name, None)  # of a fit with other parameters
        if self.shrink_threshold is not None or self.priors is not None:
            self._fit_deviations(samples, spread.known.mean)
        if self.priors is not None:
            priors = check_priors(self.priors, samples, self.classes_)
            self.class_prior_ = priors.astype(prototypes.dtype)
        return self

    def predict(self, X):
        """Return the class of the nearest prototype, or with `priors` the most probable class.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Class labels.
        """
        if self.priors is None:
            return super().predict(X)
        scores = self._scores(X)
        return self.classes_[scores.argmax(axis=1)]

    def decision_function(self, X):
        """Return how clearly a sample belongs to each class.

        Without `priors` it is told by relative distance: with ``d`` the squared distance to the
        nearest prototype of a class and ``r`` to the nearest of all others, the value is
        ``(r - d) / (r + d)``, between -1 and 1. With them it is the discriminant score.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        values : ndarray of shape (n_samples, n_classes) or (n_samples,)
            With two classes, the values of ``classes_[1]`` alone, of scores the difference to
            those of ``classes_[0]``.
        """
        if self.priors is None:
            return super().decision_function(X)
        scores = self._scores(X)
        return scores[:, 1] - scores[:, 0] if len(self.classes_) == 2 else scores

    @available_if(_has_priors)
    def predict_proba(self, X):
        """Return the probability of each class, in proportion to the exponential of half its score.

        Half a score is the logarithm of prior times density. scikit-learn's `NearestCentroid`
        takes whole ones, and is surer than the data are.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        P : ndarray of shape (n_samples, n_classes)
            Probabilities, in the order of `classes_`.
        """
        return np.exp(self.predict_log_proba(X))

    @available_if(_has_priors)
    def predict_log_proba(self, X):
        """Return the logarithm of the probability of each class.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        log_P : ndarray of shape (n_samples, n_classes)
            Logarithms, in the order of `classes_`.
        """
        halves = self._scores(X) / 2
        return halves - log_sums(halves)[:, None]

    def _check_options(self):
        several = (prototypes_per_class(self) > 1).any()
        if several and (self.metric == "manhattan" or self.shrink_threshold is not None):
            option = "shrink_threshold" if self.metric == "euclidean" else "metric='manhattan'"
            raise ValueError(
                f"NearestPrototype: {option} needs one prototype per class, got "
                f"n_prototypes={self.n_prototypes!r}. Leave out one of the two."
            )
        if self.metric == "manhattan" and self.priors is not None:
            raise ValueError(
                "NearestPrototype: priors need metric='euclidean', that of normal distributions, "
                f"got metric='manhattan' and priors={self.priors!r}. Leave out one of the two."
            )

    def _fit_deviations(self, samples, mean):
        """Set the deviations about the prototypes, and move these towards the mean if asked to."""
        X, prototypes, owners = samples.X, self.prototypes_, samples.y
        if not samples.weights.sum() > len(prototypes):
            raise ValueError(
                "NearestPrototype: a deviation about prototypes needs more samples than "
                f"prototypes, or a larger sum of sample_weight, got {samples.weights.sum():g} and "
                f"{len(prototypes)}. Leave out shrink_threshold and priors."
            )
        if len(prototypes) > len(self.classes_):
            own = self.prototype_labels_ == samples.y[:, None]
            owners = np.where(own, self._distances(X), np.inf).argmin(axis=1)
        within, mass = deviations_within(samples, owners, prototypes)
        self.within_class_std_dev_ = within.astype(X.dtype)
        if self.shrink_threshold is not None:
            shrunken, deviations = shrink(prototypes, mean, mass, within, self.shrink_threshold)
            self.prototypes_ = shrunken.astype(X.dtype)
            self.deviations_ = deviations.astype(X.dtype)

    def _scores(self, X):
        """Return the discriminant score of each class."""
        X = check_queries(self, X, sparse=True)
        within = self.within_class_std_dev_.astype(X.dtype, copy=False)
        unit = np.where(within > 0, within, 1)
        scaled = X.multiply(1 / unit).tocsr() if issparse(X) else X / unit
        squared = _squares(scaled, (self.prototypes_ / unit).astype(X.dtype))
        with np.errstate(divide="ignore"):
            head_start = 2 * np.log(self.class_prior_).astype(X.dtype)
        return head_start - nearest_of_each_class(squared, self.prototype_labels_).T

    def _distances(self, X):
        measure = manhattan_squares if self.metric == "manhattan" else _squares
        return measure(X, self.prototypes_.astype(X.dtype, copy=False))


def _squares(X, prototypes):
    if issparse(X):
        return partial_squares(X, prototypes.astype(np.float64))
    return partial_distances(X, prototypes)
