"""Whitening: uncorrelated coordinates of variance one."""

from __future__ import annotations

from typing import Literal

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin

from shallows._core.contract.data import check_new, check_unlabelled
from shallows._core.contract.params import PositiveInt, check_params
from shallows._core.numerics.threads import map_blocks
from shallows.reduce._argument_checks import at_most, check_coordinates
from shallows.reduce._spectrum import by_shape, largest_positive, varying


class Whitening(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    r"""Make features uncorrelated with variance one.

    With the eigenvectors :math:`u_k` and eigenvalues :math:`\lambda_k` of the covariance
    matrix the outputs are :math:`u_k \cdot (x - \bar x) / \sqrt{\lambda_k}`. Directions
    without variance are left out.

    Parameters
    ----------
    n_components : int or None, default=None
        Number of outputs; None takes all directions that have variance.
    kind : {"pca", "zca"}, default="pca"
        "zca" rotates the outputs back to the axes of the features, so that each stays as
        close as possible to its feature; it keeps the number of features.
    ddof : {0, 1}, default=1
        The covariance is the sum of products divided by ``n_samples - ddof``.

    Attributes
    ----------
    whitening_ : ndarray of shape (n_outputs, n_features)
        Rows map centred data to outputs.
    coloring_ : ndarray of shape (n_outputs, n_features)
        Maps outputs back to centred data.
    mean_ : ndarray of shape (n_features,)
        Mean of each feature.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from shallows.reduce import Whitening
    >>> X, y = load_iris(return_X_y=True)
    >>> np.cov(Whitening(2).fit_transform(X).T).round(6) + 0.0
    array([[1., 0.],
           [0., 1.]])
    """

    def __init__(
        self,
        n_components: PositiveInt | None = None,
        *,
        kind: Literal["pca", "zca"] = "pca",
        ddof: Literal[0, 1] = 1,
    ):
        self.n_components = n_components
        self.kind = kind
        self.ddof = ddof

    def fit(self, X, y=None, sample_weight=None):
        """Find directions and variances.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training data.
        y : None
            Ignored.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each sample; a sample of weight two counts as two samples.

        Returns
        -------
        self : Whitening
            The fitted estimator.
        """
        check_params(self)
        X, weights = check_unlabelled(self, X, sample_weight)
        if self.n_components is not None:
            at_most(self, "n_components", min(X.shape), "min(n_samples, n_features) =")
        spectrum = by_shape(X, None if sample_weight is None else weights)
        if spectrum.weight <= self.ddof:
            raise ValueError(
                f"Whitening needs more than n_samples={self.ddof}, got {spectrum.weight:g}."
            )

        # Scale each principal axis to unit variance; ZCA turns back to the axes of the features.
        varies = varying(self, spectrum, X, self.n_components)
        deviation = np.sqrt(spectrum.values[varies] / (spectrum.weight - self.ddof))
        vectors = largest_positive(spectrum.vectors[varies])
        back = vectors.T if self.kind == "zca" else np.eye(len(vectors))

        self.whitening_ = (back @ (vectors / deviation[:, None])).astype(X.dtype)
        self.coloring_ = (back @ (vectors * deviation[:, None])).astype(X.dtype)
        self.mean_ = spectrum.mean.astype(X.dtype)
        return self

    def transform(self, X):
        """Return the whitened data.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Data.

        Returns
        -------
        outputs : ndarray of shape (n_samples, n_outputs)
            Uncorrelated on the training data, with variance one.
        """
        X = check_new(self, X)
        outputs = np.empty((len(X), len(self.whitening_)), dtype=X.dtype)

        def block(rows):
            np.matmul(X[rows] - self.mean_, self.whitening_.T, out=outputs[rows])

        map_blocks(block, len(X))
        return outputs

    def inverse_transform(self, X):
        """Return data that have the given whitened values.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_outputs)
            Whitened values.

        Returns
        -------
        points : ndarray of shape (n_samples, n_features)
            Points of the data space.
        """
        return check_coordinates(self, X) @ self.coloring_ + self.mean_

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    @property
    def _n_features_out(self):
        return len(self.whitening_)
