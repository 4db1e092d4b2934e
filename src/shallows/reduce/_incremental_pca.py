"""Principal component analysis of data that arrive in batches."""

from __future__ import annotations

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin

from shallows._core.contract.data import check_new, check_rows
from shallows._core.contract.params import PositiveInt, check_params
from shallows._core.numerics import moments
from shallows._core.numerics.threads import block_slices
from shallows.reduce._argument_checks import check_coordinates
from shallows.reduce._probabilistic import ProbabilisticModel
from shallows.reduce._spectrum import largest_positive, moments_of, of_moments


class IncrementalPCA(
    ProbabilisticModel, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator
):
    r"""Principal components of data that arrive in batches, under scikit-learn's name.

    Mean and scatter matrix of all batches are kept, so that the components are exactly those of
    all data at once, whatever the batches; `PCA` does the same with its `partial_fit`, and reads
    files larger than memory by itself.

    Parameters
    ----------
    n_components : int or None, default=None
        How many components; None takes the smaller of features and samples of the first batch.
    whiten : bool, default=False
        Scale the coordinates to variance one.
    copy : bool, default=True
        Taken for scikit-learn's sake: X is never changed, and copied only where it must be.
    batch_size : int or None, default=None
        Rows of a batch in `fit`; None takes five times the number of features.

    Attributes
    ----------
    components_ : ndarray of shape (n_components_, n_features_in_)
        Directions, by descending variance. The largest entry of each is positive.
    explained_variance_ : ndarray of shape (n_components_,)
        Variance along each component.
    explained_variance_ratio_ : ndarray of shape (n_components_,)
        The same as share of the total.
    singular_values_ : ndarray of shape (n_components_,)
        Singular values of the centred data.
    mean_ : ndarray of shape (n_features_in_,)
        Mean of each feature.
    var_ : ndarray of shape (n_features_in_,)
        Variance of each feature, with the number of samples as divisor.
    noise_variance_ : float
        Mean variance of the directions left out.
    n_components_ : int
        Number of components kept.
    n_samples_seen_ : int
        Number of samples of all batches.
    batch_size_ : int
        Rows of a batch of the last `fit`.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from shallows.reduce import PCA, IncrementalPCA
    >>> X, y = load_iris(return_X_y=True)
    >>> model = IncrementalPCA(2)
    >>> for batch in np.array_split(X, 5):
    ...     model = model.partial_fit(batch)
    >>> bool(np.allclose(model.components_, PCA(2).fit(X).components_))
    True
    """

    def __init__(
        self,
        n_components: PositiveInt | None = None,
        *,
        whiten: bool = False,
        copy: bool = True,
        batch_size: PositiveInt | None = None,
    ):
        self.n_components = n_components
        self.whiten = whiten
        self.copy = copy
        self.batch_size = batch_size

    def fit(self, X, y=None):
        """Find the components of all samples, batch by batch.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training data.
        y : None
            Ignored.

        Returns
        -------
        self : IncrementalPCA
            The fitted estimator.
        """
        check_params(self)
        X = check_rows(self, X, sparse=True)
        self.batch_size_ = self.batch_size or 5 * X.shape[1]
        self._moments, first = None, None
        fewest = self.n_components or 0
        for rows in _batches(X.shape[0], self.batch_size_, fewest):
            first = first or rows.stop - rows.start
            self._add(X[rows])
        self._keep(first, X.dtype)
        return self

    def partial_fit(self, X, y=None, check_input=True):
        """Add a batch and find the components of all samples so far.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            More training data.
        y : None
            Ignored.
        check_input : bool, default=True
            Whether to check X.

        Returns
        -------
        self : IncrementalPCA
            The estimator fitted to all samples so far.
        """
        check_params(self)
        first = not hasattr(self, "components_")
        if issparse(X):
            raise TypeError(
                "IncrementalPCA.partial_fit does not support sparse input. Use X.toarray(), or fit."
            )
        if check_input:
            X = check_rows(self, X, reset=first)
        elif first:
            self._moments = None
        self._moments = None if first else self._moments
        self._add(X)
        self._keep(len(X) if first else None, X.dtype)
        return self

    def transform(self, X):
        """Return the coordinates along the components.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Data.

        Returns
        -------
        coordinates : ndarray of shape (n_samples, n_components_)
            Coordinates.
        """
        X = check_new(self, X, sparse=True)
        directions = self.components_.T / self._scale()
        return X @ directions - self.mean_ @ directions

    def inverse_transform(self, X):
        """Return the points of the data space that have the given coordinates.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_components_)
            Coordinates.

        Returns
        -------
        points : ndarray of shape (n_samples, n_features)
            Points in the space of the components.
        """
        return check_coordinates(self, X) * self._scale() @ self.components_ + self.mean_

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    @property
    def _n_features_out(self):
        return self.n_components_

    def _add(self, X):
        new = moments_of(X)
        self._moments = new if self._moments is None else moments.merge(self._moments, new)

    def _keep(self, first, dtype):
        """Store what the moments say; `first` is the number of rows of a first batch."""
        known, n_features = self._moments, self.n_features_in_
        wanted = self.n_components
        if wanted is None:
            wanted = min(first, n_features) if first else self.n_components_
        elif wanted > n_features:
            raise ValueError(
                f"IncrementalPCA: n_components={wanted} invalid for n_features={n_features}, need "
                "more rows than columns for IncrementalPCA processing."
            )
        elif first and wanted > first:
            raise ValueError(
                f"IncrementalPCA: n_components={wanted} must be less or equal to the batch number "
                f"of samples {first} for the first partial_fit call."
            )
        spectrum = of_moments(known)
        divisor = max(known.weight - 1, 1)
        values = np.maximum(spectrum.values, 0)
        left_over = max(spectrum.total - values[:wanted].sum(), 0) / divisor
        self.components_ = largest_positive(spectrum.vectors[:wanted]).astype(dtype)
        self.explained_variance_ = (values[:wanted] / divisor).astype(dtype)
        self.explained_variance_ratio_ = (values[:wanted] / (spectrum.total or 1.0)).astype(dtype)
        self.singular_values_ = np.sqrt(values[:wanted]).astype(dtype)
        self.mean_ = known.mean.astype(dtype)
        self.var_ = (np.diagonal(known.scatter) / known.weight).astype(dtype)
        rest = min(n_features, round(known.weight)) - wanted
        self.noise_variance_ = float(left_over / rest) if rest > 0 else 0.0
        self.n_components_, self.n_samples_seen_ = wanted, round(known.weight)

    def _scale(self):
        """Return what one unit of each coordinate is worth in the data space."""
        if not self.whiten:
            return np.ones_like(self.explained_variance_)
        smallest = np.finfo(self.explained_variance_.dtype).tiny
        return np.sqrt(np.maximum(self.explained_variance_, smallest))


def _batches(n_rows, size, fewest):
    """Return slices of rows; a last one with too few rows is joined to the one before."""
    found = block_slices(n_rows, size)
    if len(found) > 1 and found[-1].stop - found[-1].start < fewest:
        found[-2:] = [slice(found[-2].start, found[-1].stop)]
    return found
