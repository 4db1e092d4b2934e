"""Many classes by one model of each class against all others."""

from __future__ import annotations

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone

from shallows._core.contract.data import check_labelled, check_new
from shallows._core.contract.params import Predictor, check_params
from shallows.linear._least_squares_classifier import LeastSquaresClassifier
from shallows.linear._two_groups import scores_of, takes_sparse, train


class OneVsAll(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):
    """Train one real-valued model per class against all other classes; the largest wins.

    Any regressor, trained on targets 0 and 1, or any classifier with a `decision_function`
    will do. Least squares with an offset gives values that sum to one. With many classes a
    class may be masked: it wins nowhere, see `masked_classes`.

    Parameters
    ----------
    estimator : estimator or None, default=None
        The model of a class, a regressor or a classifier. None stands for
        `LeastSquaresClassifier`.

    Attributes
    ----------
    estimators_ : list of estimators
        One model per class; for two classes only that of the second.
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from shallows.linear import OneVsAll
    >>> X, y = load_iris(return_X_y=True)
    >>> model = OneVsAll().fit(X, y)
    >>> len(model.estimators_)
    3
    """

    def __init__(self, estimator: Predictor | None = None):
        self.estimator = estimator

    def fit(self, X, y, sample_weight=None):
        """Train the models.

        Parameters
        ----------
        X : array-like or CSR array of shape (n_samples, n_features)
            Training data; sparse where the base model takes it.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each sample; passed to the models where given.

        Returns
        -------
        self : OneVsAll
            The fitted estimator.
        """
        check_params(self)
        sparse = takes_sparse(self.estimator)
        X, y, weights = check_labelled(self, X, y, sample_weight, sparse=sparse)
        weights = None if sample_weight is None else weights
        base = LeastSquaresClassifier() if self.estimator is None else self.estimator
        own = [1] if len(self.classes_) == 2 else range(len(self.classes_))
        self.estimators_ = [train(clone(base), X, y == label, weights) for label in own]
        return self

    def decision_function(self, X):
        """Return the values of the models.

        Parameters
        ----------
        X : array-like or CSR array of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        scores : ndarray of shape (n_samples,) or (n_samples, n_classes)
            With two classes, positive values mean ``classes_[1]``.
        """
        X = check_new(self, X, sparse=takes_sparse(self.estimator))
        values = [scores_of(model, X) for model in self.estimators_]
        return values[0] if len(values) == 1 else np.stack(values, axis=1)

    def predict(self, X):
        """Return the class of each sample.

        Parameters
        ----------
        X : array-like or CSR array of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Class labels.
        """
        scores = self.decision_function(X)
        return self.classes_[scores.argmax(1) if scores.ndim == 2 else (scores > 0).astype(int)]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = takes_sparse(self.estimator)
        return tags
