"""Rote learning: remembering rows without generalising."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin

from shallows._core.contract.data import check_labelled, check_new
from shallows._core.contract.params import check_params

Array = NDArray[Any]


class RoteLearner(ClassifierMixin, BaseEstimator):
    """Classifier that remembers its training rows and does not generalise.

    A row seen in training gets its most frequent label; any other row gets no answer, or a fixed
    one. This is the baseline without inductive bias: perfect on training rows unless these
    contradict each other, and at chance on all others.

    Parameters
    ----------
    default : {"most_frequent"} or None, default=None
        Answer for unseen rows: the most frequent class, or with None no answer. Then `predict`
        returns an array of objects with None for these rows, and `score` counts them as wrong.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    rows_ : ndarray of shape (n_distinct, n_features)
        The distinct training rows.
    answers_ : ndarray of shape (n_distinct,)
        Index into `classes_` of the answer to each row; the first of equally frequent labels.
    most_frequent_ : int
        Index into `classes_` of the class with the largest weight.
    n_contradictions_ : int
        Number of distinct rows with more than one label.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    Examples
    --------
    >>> from shallows.validate import RoteLearner
    >>> model = RoteLearner().fit([[0, 0], [0, 1], [1, 1]], ["no", "yes", "yes"])
    >>> model.predict([[0, 1], [1, 0]])
    array(['yes', None], dtype=object)
    """

    def __init__(self, default: Literal["most_frequent"] | None = None):
        self.default = default

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> RoteLearner:
        """Remember the rows and their labels.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each sample in the vote on the label of its row.

        Returns
        -------
        self : RoteLearner
            The fitted estimator.
        """
        check_params(self)
        X, y, weights = check_labelled(self, X, y, sample_weight)
        # Adding zero turns -0.0 into 0.0, which must be the same row.
        self.rows_, place = np.unique(X + X.dtype.type(0), axis=0, return_inverse=True)
        votes = np.zeros((len(self.rows_), len(self.classes_)))
        np.add.at(votes, (place.ravel(), y), weights)
        self.answers_ = votes.argmax(axis=1)
        self.most_frequent_ = int(votes.sum(axis=0).argmax())
        self.n_contradictions_ = int(np.sum((votes > 0).sum(axis=1) > 1))
        return self

    def predict(self, X: Any) -> Array:
        """Return the remembered label of each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Class labels; an array of objects with None if some rows have no answer.
        """
        place, known = self._recall(X)
        answers = np.where(known, self.answers_[place], self.most_frequent_)
        labels: Array = self.classes_[answers]
        if self.default is None and not known.all():
            labels = labels.astype(object)
            labels[~known] = None
        return labels

    def knows(self, X: Any) -> NDArray[np.bool_]:
        """Return which rows were seen in training.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        known : ndarray of bool of shape (n_samples,)
            Whether each row was seen.
        """
        return self._recall(X)[1]

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the share of rows answered correctly; no answer counts as wrong.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each sample.

        Returns
        -------
        score : float
            Accuracy.
        """
        return float(np.average(self.predict(X) == np.asarray(y), weights=sample_weight))

    def _recall(self, X: Any) -> tuple[Array, NDArray[np.bool_]]:
        """Return the index of each row among the remembered rows, and whether it was found."""
        X = check_new(self, X).astype(self.rows_.dtype, copy=False)
        # The first occurrence of an equal row is a remembered row, if there is one.
        both = np.concatenate([self.rows_, X + X.dtype.type(0)])
        _, first, inverse = np.unique(both, axis=0, return_index=True, return_inverse=True)
        place = first[inverse.ravel()[len(self.rows_) :]]
        known = place < len(self.rows_)
        return np.where(known, place, 0), known
