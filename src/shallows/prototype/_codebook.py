"""Codes, distances, decoding and quantisation error of vector quantizers."""

from __future__ import annotations

import numpy as np
from scipy import linalg
from scipy.sparse import issparse
from sklearn.base import ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from shallows._core.contract.data import check_new, check_unlabelled, check_weights
from shallows._core.contract.gaps import refuse_empty_rows, refuse_sparse_gaps
from shallows._core.contract.magnitude import check_magnitude, refuse_too_large
from shallows._core.contract.params import check_params
from shallows._core.contract.rng import as_generator
from shallows._core.numerics.distances import euclidean_distances
from shallows._core.numerics.kmeans import nearest_centers, place_centers
from shallows._core.numerics.kmeans.dense import squared_to_own
from shallows._core.numerics.krylov import leading_eigenpairs
from shallows._core.numerics.streams import check_stream, float_type, fold, is_stream, map_rows
from shallows._core.numerics.threads import hold_threads, map_blocks, quick_lapack
from shallows.prototype._partial_rows import fold_partial, is_partial, partial_squares

STREAM_SAMPLE = 10_000
BLOCK_ROWS = 4096


class CodebookMixin(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin):
    """Encodes a sample by the nearest row of `prototypes_`."""

    _takes_partial = False  # sparse matrices and missing values

    def partial_fit(self, X, y=None, sample_weight=None):
        """Visit the given samples once, in their order, whatever the algorithm.

        Each call counts as one of `max_iter` epochs in the schedules of width and rate, which
        then stay at their final values.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training samples, as `fit` takes them; those of the first call give the start.
        y : None
            Ignored.
        sample_weight : array-like of shape (n_samples,), default=None
            Factors of the rate, relative to their mean.

        Returns
        -------
        self : object
            The estimator after these samples.
        """
        check_params(self)
        return self._visit_block(X, sample_weight)

    def predict(self, X):
        """Return the code of each sample: the index of its winning prototype.

        Parameters
        ----------
        X : array-like, memory-mapped or Dask array of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        codes : ndarray of shape (n_samples,)
            Indices into `prototypes_`; of prototypes equally good the first.
        """
        return self._fold_or_map(X, self._winners, np.append)

    def transform(self, X):
        """Return the distance to each prototype.

        Parameters
        ----------
        X : array-like, memory-mapped or Dask array of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        distances : ndarray or Dask array of shape (n_samples, n_prototypes)
            Euclidean distances.
        """
        if not is_stream(X):
            return _distances(self._check_codes(X), self.prototypes_)
        check_stream(self, X, reset=False)
        name, prototypes, allow_nan = type(self).__name__, self.prototypes_, self._takes_partial

        def distances(rows):
            refuse_empty_rows(f"{name}, in a block of rows", rows)
            return _distances(rows, prototypes)

        dtype = float_type(X.dtype)
        return map_rows(distances, X, len(prototypes), dtype, allow_nan=allow_nan)

    def decode(self, codes):
        """Return the prototypes of the codes.

        Parameters
        ----------
        codes : array-like of shape (n_samples,)
            What `predict` returned.

        Returns
        -------
        X : ndarray of shape (n_samples, n_features)
            One prototype per code.
        """
        check_is_fitted(self)
        codes, n = np.asarray(codes), len(self.prototypes_)
        whole = codes.dtype.kind in "iu" or codes.size == 0
        if not whole or (codes.size and not 0 <= codes.min() <= codes.max() < n):
            wrong = codes[(codes < 0) | (codes >= n)].ravel()[:1] if whole else [codes.dtype]
            raise ValueError(
                f"{type(self).__name__}.decode: codes must be whole numbers from 0 to {n - 1}, as "
                f"predict returns them, got {wrong[0]}."
            )
        return self.prototypes_[codes.astype(np.intp, copy=False)]

    def quantization_error(self, X, sample_weight=None):
        """Return the mean squared distance of the samples to their winning prototypes.

        Parameters
        ----------
        X : array-like, memory-mapped or Dask array of shape (n_samples, n_features)
            Samples.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each sample; not for memory-mapped and Dask arrays.

        Returns
        -------
        error : float
            The mean squared distance.
        """

        def squared(rows):
            winners = self._winners(rows)
            if is_partial(rows):
                return partial_squares(rows, self.prototypes_)[np.arange(len(winners)), winners]
            return squared_to_own(rows, self.prototypes_, winners)

        if not is_stream(X):
            values = self._fold_or_map(X, squared, np.append)
            weights = check_weights(sample_weight, len(values), type(self).__name__)
            return float(np.average(values, weights=weights))
        refuse_weights(self, sample_weight)
        total = self._fold_or_map(X, lambda rows: squared(rows).sum(), np.add)
        return float(total / len(X))

    def score(self, X, y=None, sample_weight=None):
        """Return minus the quantisation error, so that larger is better.

        Parameters
        ----------
        X : array-like, memory-mapped or Dask array of shape (n_samples, n_features)
            Samples.
        y : None
            Ignored.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each sample; not for memory-mapped and Dask arrays.

        Returns
        -------
        score : float
            Minus the mean squared distance.
        """
        return -self.quantization_error(X, sample_weight)

    def _winners(self, X):
        return nearest_centers(X, self.prototypes_.astype(X.dtype, copy=False))

    def _check_training(self, X, sample_weight, stream):
        """Return data and weights; with `stream` memory-mapped and Dask arrays stay as they are."""
        if stream and is_stream(X):
            refuse_weights(self, sample_weight)
            check_stream(self, X)
            return X, None
        return self._check_samples(X, sample_weight)

    def _check_codes(self, X):
        """Return new samples, with missing values where the estimator takes them."""
        X = check_new(self, X, sparse=self._takes_partial, allow_nan=self._takes_partial)
        refuse_sparse_gaps(type(self).__name__, X)
        return X

    def _check_samples(self, X, sample_weight, **options):
        partial = self._takes_partial
        X, weights = check_unlabelled(
            self, X, sample_weight, sparse=partial, allow_nan=partial, **options
        )
        check_magnitude(type(self).__name__, X, X.dtype)
        refuse_sparse_gaps(type(self).__name__, X)
        return X, weights

    def _visit_block(self, X, sample_weight):
        """Pass once over a block of samples in order; the first block also gives the start."""
        first = not hasattr(self, "prototypes_")
        visited, weights = self._check_samples(X, sample_weight, reset=first)
        if first:
            self._start(visited, weights, as_generator(self.random_state))
            self.history_, self.n_iter_ = {"loss": []}, 0
        else:
            self._check_size()
        loss = self._pass(visited, weights, np.arange(visited.shape[0]), self.n_iter_ + 1)
        self.history_["loss"].append(float(loss))
        self.n_iter_ += 1
        self.labels_ = self.predict(in_memory(X))
        return self

    def _fold_or_map(self, X, function, join):
        """Return what a function makes of the rows, a block at a time."""
        if is_stream(X):
            check_stream(self, X, reset=False)
            if self._takes_partial:
                return fold_partial(type(self).__name__, X, function, join)
            return fold(X, function, join)
        X = self._check_codes(X)
        if X.shape[0] <= BLOCK_ROWS:
            return function(X)
        with hold_threads():
            parts = map_blocks(lambda rows: function(X[rows]), X.shape[0], BLOCK_ROWS)
        return np.concatenate(parts)

    def _check_size(self):
        """Raise where parameters were changed to another number of prototypes after training."""
        check_is_fitted(self)
        found, wanted = len(self.prototypes_), self._n_wanted()
        if found != wanted:
            raise ValueError(
                f"{type(self).__name__} has {found} prototypes, but its parameters now ask for "
                f"{wanted}. Call fit, or set them back."
            )

    def _n_wanted(self):
        return self.n_prototypes

    @property
    def _n_features_out(self):
        return len(self.prototypes_)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = tags.input_tags.allow_nan = self._takes_partial
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def in_memory(X):
    """Return a memory-mapped or Dask array as an array, which may have missing values."""
    return np.asarray(X) if is_stream(X) else X


def refuse_weights(model, sample_weight):
    """Raise where weights come with data that are read block by block."""
    if sample_weight is not None:
        raise ValueError(
            f"{type(model).__name__} takes no sample_weight for a memory-mapped or Dask array. "
            "Load the data with np.asarray if they fit in memory."
        )


def place_codebook(model, X, n_prototypes, weights, rng):
    """Return starting prototypes for ``model.init``; more than there are samples repeat some."""
    n = X.shape[0]
    name = type(model).__name__
    refuse_too_large(name, f"n_prototypes={n_prototypes}", n_prototypes, X.shape[1])
    if isinstance(model.init, str) and n_prototypes > n:
        rows = np.concatenate([np.arange(n), rng.choice(n, n_prototypes - n)])
        return X[rows].toarray() if issparse(X) else np.array(X[rows])
    start = place_centers(X, n_prototypes, weights, rng, model.init)
    if start.shape != (n_prototypes, X.shape[1]) or not np.isfinite(start).all():
        raise ValueError(
            f"{type(model).__name__}: init must be finite and of shape "
            f"({n_prototypes}, {X.shape[1]}), one row per prototype, got shape {start.shape}."
        )
    return np.ascontiguousarray(start)


def principal_axes(X, weights, n_axes):
    """Return mean and leading axes, each as long as the standard deviation along it.

    Axes that the data do not have are zero. The largest entry of an axis is positive.
    """
    share = weights / weights.sum()
    mean = share @ X
    if issparse(X):
        return mean, _turn(_sparse_axes(X, share, mean, n_axes))
    moved = (X - mean) * np.sqrt(share)[:, None]
    wide = moved.shape[1] > len(moved)
    with quick_lapack(min(moved.shape)):
        square = moved @ moved.T if wide else moved.T @ moved
        first = max(0, len(square) - n_axes)
        variances, vectors = linalg.eigh(square, subset_by_index=(first, len(square) - 1))
    vectors = vectors.T[::-1]
    lengths = np.sqrt(np.maximum(variances[::-1], 0))
    # of a wide matrix the other side's vectors, times the standard deviations, come out at once
    found = vectors @ moved if wide else vectors * lengths[:, None]
    axes = np.zeros((n_axes, X.shape[1]))
    axes[: len(found)] = found
    return mean, _turn(axes)


def _turn(axes):
    """Give each axis the direction in which its largest entry is positive."""
    largest = np.abs(axes).argmax(axis=1)
    return axes * np.where(axes[np.arange(len(axes)), largest] < 0, -1.0, 1.0)[:, None]


def _sparse_axes(X, share, mean, n_axes):
    """Return the leading axes of a sparse matrix, which is multiplied and never filled in."""
    n_found = min(n_axes, X.shape[1])
    variances, vectors = leading_eigenpairs(
        lambda block: X.T @ (share[:, None] * (X @ block)) - np.outer(mean, mean @ block),
        X.shape[1],
        n_found,
        as_generator(0),
        max_products=40,
        tol=1e-10,
    )
    axes = np.zeros((n_axes, X.shape[1]))
    axes[:n_found] = np.sqrt(np.maximum(variances, 0))[:, None] * vectors.T
    return axes


def _distances(X, prototypes):
    if is_partial(X):
        return np.sqrt(partial_squares(X, prototypes))
    return euclidean_distances(X, prototypes)
