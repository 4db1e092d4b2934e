"""Principal component analysis."""

from __future__ import annotations

from typing import Literal

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from shallows._core.contract.data import check_new, check_unlabelled
from shallows._core.contract.params import (
    Fraction,
    NonNegativeFloat,
    NonNegativeInt,
    PositiveInt,
    check_params,
)
from shallows._core.contract.rng import RandomState
from shallows._core.numerics import moments
from shallows._core.numerics.streams import check_stream, float_type, is_stream, map_rows
from shallows.reduce._argument_checks import check_coordinates
from shallows.reduce._probabilistic import ProbabilisticModel
from shallows.reduce._solver import count_components, solve
from shallows.reduce._spectrum import largest_positive, moments_of, of_moments

Solver = Literal["auto", "full", "covariance_eigh", "arpack", "randomized", "gram"]


class PCA(ProbabilisticModel, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    r"""Project data on the orthogonal directions of largest variance.

    The rows of `components_` are eigenvectors :math:`u_k` of the covariance matrix with
    eigenvalues :math:`\lambda_k`; the coordinate :math:`u_k \cdot (x - \bar x)` has
    variance :math:`\lambda_k`, and no linear projection to as many dimensions loses less.

    A memory-mapped file or a Dask array is read block by block and never held as a whole;
    so is what `partial_fit` is given piece by piece, with the same result as one `fit`. The
    likelihood of new samples is that of probabilistic PCA [1]_.

    Parameters
    ----------
    n_components : int, float, "mle" or None, default=None
        How many components: a number, or the share of variance to keep, or as many as make
        the data likeliest (for at least as many samples as features), or all.
    copy : bool, default=True
        Taken for scikit-learn's sake: X is never changed, and copied only where it must
        be.
    whiten : bool, default=False
        Scale the coordinates to variance one.
    svd_solver : str, default="auto"
        "covariance_eigh" for few features, "gram" for few samples, "randomized" (or "arpack",
        which is the same here) for a few components of a large matrix, "full" for an SVD of the
        centred data, which alone resolves singular values below 1e-8 of the largest. "auto" picks
        one of the first three by shape.
    tol : float, default=0.0
        Taken for scikit-learn's sake; few components are always found to the last digits.
    iterated_power : int or "auto", default="auto"
        Taken for scikit-learn's sake; "randomized" multiplies until the components stay.
    n_oversamples : int, default=10
        Taken for scikit-learn's sake; the size of blocks of "randomized" is chosen by the
        data.
    power_iteration_normalizer : {"auto", "QR", "LU", "none"}, default="auto"
        Taken for scikit-learn's sake; "randomized" keeps its blocks orthonormal.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the first block of the randomized solver.
    ddof : int, default=1
        The covariance is the sum of products divided by ``n_samples - ddof``.

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
    total_variance_ : float
        Sum of the variances of all features.
    noise_variance_ : float
        Mean variance of the directions left out.
    mean_ : ndarray of shape (n_features_in_,)
        Mean of each feature.
    n_components_ : int
        Number of components kept.
    n_samples_ : int
        Number of samples seen.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    References
    ----------
    .. [1] M. Tipping and C. Bishop, "Probabilistic principal component analysis",
       Journal of the Royal Statistical Society B 61, 611-622, 1999.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from shallows.reduce import PCA
    >>> X, y = load_iris(return_X_y=True)
    >>> model = PCA(2).fit(X)
    >>> model.explained_variance_ratio_.round(3)
    array([0.925, 0.053])
    >>> model.transform(X).shape
    (150, 2)
    """

    def __init__(
        self,
        n_components: PositiveInt | Fraction | Literal["mle"] | None = None,
        *,
        copy: bool = True,
        whiten: bool = False,
        svd_solver: Literal[
            "auto", "full", "covariance_eigh", "arpack", "randomized", "gram"
        ] = "auto",
        tol: NonNegativeFloat = 0.0,
        iterated_power: NonNegativeInt | Literal["auto"] = "auto",
        n_oversamples: PositiveInt = 10,
        power_iteration_normalizer: Literal["auto", "QR", "LU", "none"] = "auto",
        random_state: RandomState = None,
        ddof: Literal[0, 1] = 1,
    ):
        self.n_components = n_components
        self.copy = copy
        self.whiten = whiten
        self.svd_solver = svd_solver
        self.tol = tol
        self.iterated_power = iterated_power
        self.n_oversamples = n_oversamples
        self.power_iteration_normalizer = power_iteration_normalizer
        self.random_state = random_state
        self.ddof = ddof

    def fit(self, X, y=None, sample_weight=None):
        """Find the components.

        Parameters
        ----------
        X : array-like, CSR array, memory-mapped file or Dask array
            Training data of shape (n_samples, n_features).
        y : None
            Ignored.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each sample; a sample of weight two counts as two samples. Not for
            streams.

        Returns
        -------
        self : PCA
            The fitted estimator.
        """
        check_params(self)
        weights = None
        if not is_stream(X) or self.svd_solver in ("gram", "full"):
            X, weights = check_unlabelled(self, X, sample_weight, sparse=True)
        elif sample_weight is None:
            check_stream(self, X)
        else:
            raise ValueError("PCA takes sample_weight with data in memory only, got a stream.")
        if sample_weight is None:
            weights = None
        self._moments = None
        found = solve(X, weights, self.svd_solver, self.n_components, self.random_state)
        self._keep(found, min(X.shape), float_type(X.dtype))
        return self

    def partial_fit(self, X, y=None, sample_weight=None):
        """Add samples and find the components of all that were given so far.

        A `fit` in between starts again from nothing.

        Parameters
        ----------
        X : array-like or CSR array of shape (n_samples, n_features)
            More training data.
        y : None
            Ignored.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each sample; a sample of weight two counts as two samples.

        Returns
        -------
        self : PCA
            The estimator fitted to all samples so far.
        """
        check_params(self)
        first = getattr(self, "_moments", None) is None
        X, weights = check_unlabelled(self, X, sample_weight, sparse=True, reset=first)
        new = moments_of(X, None if sample_weight is None else weights)
        self._moments = new if first else moments.merge(self._moments, new)
        limit = min(round(self._moments.weight), X.shape[1])
        self._keep(of_moments(self._moments), limit, X.dtype)
        return self

    def transform(self, X):
        """Return the coordinates along the components.

        Parameters
        ----------
        X : array-like, CSR array, memory-mapped file or Dask array
            Data of shape (n_samples, n_features).

        Returns
        -------
        coordinates : ndarray or Dask array of shape (n_samples, n_components_)
            Coordinates; a Dask array for a Dask array.
        """
        if is_stream(X):
            check_stream(self, X, reset=False)
            return map_rows(self._project, X, self.n_components_, self.components_.dtype)
        return self._project(check_new(self, X, sparse=True))

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

    def reconstruction_error(self, n_components):
        """Return what a projection to the first components loses on the training data.

        Parameters
        ----------
        n_components : int
            Number of components kept, at most `n_components_`.

        Returns
        -------
        error : float
            Sum of squared distances of the samples to their projections.
        """
        check_is_fitted(self)
        kept = self.explained_variance_[:n_components].sum(dtype=np.float64)
        return float((self.total_variance_ - kept) * (self.n_samples_ - self.ddof))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.svd_solver not in ("gram", "full")
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    @property
    def _n_features_out(self):
        return self.n_components_

    def _keep(self, spectrum, limit, dtype):
        """Store the learned attributes in the dtype of the data."""
        divisor = spectrum.weight - self.ddof
        if divisor <= 0:
            raise ValueError(
                f"PCA needs more than n_samples={self.ddof} to estimate variances, "
                f"got {spectrum.weight:g}."
            )
        values = np.maximum(spectrum.values, 0)
        kept = count_components(self.n_components, spectrum, divisor, limit)
        vectors, values = largest_positive(spectrum.vectors[:kept]), values[:kept]
        left_over = max(spectrum.total - values.sum(), 0) / divisor

        self.components_ = vectors.astype(dtype)
        self.explained_variance_ = (values / divisor).astype(dtype)
        self.explained_variance_ratio_ = (values / (spectrum.total or 1.0)).astype(dtype)
        self.singular_values_ = np.sqrt(values).astype(dtype)
        self.total_variance_ = float(spectrum.total / divisor)
        self.noise_variance_ = float(left_over / (limit - kept)) if kept < limit else 0.0
        self.mean_ = spectrum.mean.astype(dtype)
        self.n_components_ = kept
        self.n_samples_ = round(spectrum.weight)

    def _scale(self):
        """Return what one unit of each coordinate is worth in the data space."""
        if not self.whiten:
            return np.ones_like(self.explained_variance_)
        smallest = np.finfo(self.explained_variance_.dtype).tiny
        return np.sqrt(np.maximum(self.explained_variance_, smallest))

    def _project(self, X):
        directions = self.components_.T / self._scale()
        if issparse(X):
            return X @ directions - self.mean_ @ directions
        return (X - self.mean_) @ directions
