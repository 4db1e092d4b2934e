"""What projections on learned components have in common."""

from __future__ import annotations

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin

from shallows._core.contract.data import check_new
from shallows.reduce._argument_checks import check_coordinates


class Projection(ClassNamePrefixFeaturesOutMixin, TransformerMixin):
    """Methods of estimators that project centred data on the rows of `components_`."""

    components_: np.ndarray
    mean_: np.ndarray

    def transform(self, X):
        """Return the coordinates along the components.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Data.

        Returns
        -------
        coordinates : ndarray of shape (n_samples, n_components)
            Products of the centred data with the components.
        """
        return (check_new(self, X) - self.mean_) @ self.components_.T

    def inverse_transform(self, X):
        """Return the points of the data space that have the given coordinates.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_components)
            Coordinates.

        Returns
        -------
        points : ndarray of shape (n_samples, n_features)
            Points in the space of the components.
        """
        return check_coordinates(self, X) @ self.components_ + self.mean_

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    @property
    def _n_features_out(self):
        return len(self.components_)
