"""Embeddings that take new samples."""

from __future__ import annotations

from typing import Literal

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin, clone

from shallows._core.contract.data import check_new, check_unlabelled
from shallows._core.contract.params import Estimator, PositiveInt, Predictor, check_params
from shallows._core.numerics.k_nearest import k_nearest
from shallows.reduce._barycentric import barycentric_weights
from shallows.reduce._known import keep_known
from shallows.reduce._mds import MDS

REG = 1e-3


class OutOfSample(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Extend any embedding to samples that it has not seen.

    The embedding is fitted once; then a map from samples to coordinates is fitted to its
    result, or made up locally, so that `transform` works in a pipeline and on test data.

    Parameters
    ----------
    embedding : estimator or None, default=None
        Anything with `fit_transform`, such as `Sammon()`; None takes metric scaling.
    map : "neighbors" or estimator, default="neighbors"
        "neighbors" makes a new sample up of its nearest training samples and gives it the
        same mixture of their coordinates. A regressor, such as kernel ridge regression or a
        network, is fitted to samples and coordinates.
    n_neighbors : int, default=5
        Neighbours of the map "neighbors".

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        Coordinates of the training samples.
    model_ : estimator
        The fitted embedding.
    map_ : estimator
        The fitted regressor; absent for "neighbors".
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from shallows.reduce import OutOfSample, Sammon
    >>> X, y = load_iris(return_X_y=True)
    >>> model = OutOfSample(Sammon()).fit(X[::2])
    >>> model.transform(X[1::2]).shape
    (75, 2)
    """

    def __init__(
        self,
        embedding: Estimator | None = None,
        *,
        map: Literal["neighbors"] | Predictor = "neighbors",
        n_neighbors: PositiveInt = 5,
    ):
        self.embedding = embedding
        self.map = map
        self.n_neighbors = n_neighbors

    def fit(self, X, y=None):
        """Embed the samples and fit the map.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.
        y : None
            Ignored.

        Returns
        -------
        self : OutOfSample
            The fitted estimator.
        """
        check_params(self)
        X, _ = check_unlabelled(self, X)
        self.model_ = MDS(init="classical_mds") if self.embedding is None else clone(self.embedding)
        self.embedding_ = np.array(self.model_.fit_transform(X), dtype=X.dtype)
        self._X_fit = np.array(X)
        if self.map != "neighbors":
            self.map_ = clone(self.map).fit(X, self.embedding_)
        return self

    def transform(self, X):
        """Map samples to coordinates.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        embedding : ndarray of shape (n_samples, n_components)
            Coordinates.
        """
        X = check_new(self, X)
        if self.map != "neighbors":
            mapped = np.asarray(self.map_.predict(X), dtype=X.dtype)
            return mapped.reshape(len(X), -1)
        index, _ = k_nearest(X, self._X_fit, self.n_neighbors)
        weights = barycentric_weights(X, self._X_fit, index, REG, by_trace=True)
        placed = np.einsum("ij,ijk->ik", weights, self.embedding_[index])
        keep_known(placed, X, self._X_fit, "euclidean", self.embedding_)
        return placed.astype(X.dtype)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    @property
    def _n_features_out(self):
        return self.embedding_.shape[1]
