"""Class means, or the centres of each class, as prototypes."""

from __future__ import annotations

from sklearn.base import BaseEstimator

from shallows._core.params import check_params
from shallows._core.rng import RandomState, as_generator
from shallows.prototype._metrics import partial_distances
from shallows.prototype._nearest import (
    NearestPrototypeMixin,
    PrototypesPerClass,
    check_samples,
    place_prototypes,
)


class NearestPrototype(NearestPrototypeMixin, BaseEstimator):
    """Classifier by the nearest of prototypes that are placed once, class by class.

    With one prototype per class it is the nearest centroid; with more, the prototypes of a class
    are the centres that k-means finds in it. Borders between classes are piecewise linear. It is
    the usual start of LVQ, and what LVQ should improve.

    Parameters
    ----------
    n_prototypes : int or array-like of shape (n_classes,), default=1
        Prototypes per class, or as many as given for each, in the order of `classes_`.
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
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from shallows.prototype import NearestPrototype
    >>> X, y = load_iris(return_X_y=True)
    >>> model = NearestPrototype(2, random_state=0).fit(X, y)
    >>> model.prototypes_.shape, model.score(X, y) > 0.9
    ((6, 4), True)
    """

    def __init__(self, n_prototypes: PrototypesPerClass = 1, *, random_state: RandomState = None):
        self.n_prototypes = n_prototypes
        self.random_state = random_state

    def fit(self, X, y, sample_weight=None):
        """Place the prototypes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples; NaN is a missing value.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the samples.

        Returns
        -------
        self : NearestPrototype
            The fitted estimator.
        """
        check_params(self)
        X, y, weights = check_samples(self, X, y, sample_weight)
        place_prototypes(self, X, y, weights, as_generator(self.random_state))
        return self

    def _distances(self, X):
        return partial_distances(X, self.prototypes_.astype(X.dtype, copy=False))
