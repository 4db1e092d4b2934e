"""What embeddings of samples have in common."""

from __future__ import annotations

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin


class Embedding(ClassNamePrefixFeaturesOutMixin, TransformerMixin):
    """Methods of estimators whose `fit` gives each training sample a place in `embedding_`."""

    embedding_: np.ndarray

    def fit_transform(self, X, y=None):
        """Embed the samples and return their coordinates.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples, or distances between them where precomputed.
        y : None
            Ignored.

        Returns
        -------
        embedding : ndarray of shape (n_samples, n_components)
            Coordinates of the samples.
        """
        return self.fit(X).embedding_.copy()

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = getattr(self, "metric", None) == "precomputed"
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    @property
    def _n_features_out(self):
        return self.embedding_.shape[1]
