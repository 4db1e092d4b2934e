"""Multi-dimensional scaling."""

from __future__ import annotations

import warnings
from typing import Literal

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning

from shallows._core.data import check_new, check_unlabelled
from shallows._core.neighbors import Metric
from shallows._core.params import NonNegativeFloat, PositiveInt, check_params
from shallows._core.rng import RandomState, as_generator
from shallows._core.threads import hold_threads, map_blocks
from shallows._core.training import IterativeMixin, Training
from shallows.reduce._known import keep_known
from shallows.reduce._scaling import (
    all_distances,
    classical_scaling,
    new_distances,
    place_by_distances,
    warn_unless_positive,
)
from shallows.reduce._spectrum import at_most
from shallows.reduce._stress import settle_rows, stress_and_gradient

SETTLE_STEPS, SETTLE_TOL = 300, 1e-6


class MDS(ClassNamePrefixFeaturesOutMixin, TransformerMixin, IterativeMixin, BaseEstimator):
    r"""Points of few dimensions whose distances are those of the samples.

    Metric scaling minimises the stress :math:`\sum_{i<j} (\delta_{ij} - |y_i - y_j|)^2` by
    majorisation: every step moves each point to the mean of where the others would have it,
    and never raises the stress (SMACOF [1]_). Classical scaling instead takes the leading
    eigenvectors of the centred matrix of :math:`-\delta_{ij}^2 / 2`, without iteration; for
    Euclidean distances its result is that of PCA. Any rotation or shift of the result is as
    good.

    Parameters
    ----------
    n_components : int, default=2
        Dimensions of the embedding.
    kind : {"metric", "classical"}, default="metric"
        Least stress, or classical scaling (principal coordinates).
    n_init : int, default=1
        Random starts of "metric", of which the best counts.
    init : {"classical", "random"}, default="classical"
        Whether the first start of "metric" is classical scaling; further ones are random.
    max_iter : int, default=300
        Largest number of steps of each start.
    eps : float, default=1e-6
        It stops when the stress falls by less than this share of the sum of squared
        distances.
    metric : str or callable, default="euclidean"
        Distance between samples; "precomputed" takes the distances as X.
    random_state : int, RandomState, Generator or None, default=None
        Draws the random starts.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        Coordinates of the samples.
    stress_ : float
        Sum over pairs of the squared errors of the distances.
    normalized_stress_ : float
        Root of the stress over the sum of squared distances: 0 is perfect, 0.05 good, 0.2 poor.
    eigenvalues_ : ndarray of shape (n_components,)
        Eigenvalues of "classical".
    smallest_eigenvalue_ : float
        Smallest eigenvalue of all, of "classical"; clearly negative where no points of a
        Euclidean space have these distances.
    history_ : dict of str to list of float
        Stress over the sum of squared distances, by step, under ``"loss"``.
    n_iter_ : int
        Steps of the best start; 1 for "classical".
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    References
    ----------
    .. [1] I. Borg and P. Groenen, "Modern Multidimensional Scaling", Springer, 2005.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from shallows.reduce import MDS
    >>> X, y = load_iris(return_X_y=True)
    >>> model = MDS().fit(X)
    >>> round(model.normalized_stress_, 3)
    0.033
    >>> model.transform(X[:3] + 0.1).shape
    (3, 2)
    """

    def __init__(
        self,
        n_components: PositiveInt = 2,
        *,
        kind: Literal["metric", "classical"] = "metric",
        n_init: PositiveInt = 1,
        init: Literal["classical", "random"] = "classical",
        max_iter: PositiveInt = 300,
        eps: NonNegativeFloat = 1e-6,
        metric: Metric = "euclidean",
        random_state: RandomState = None,
    ):
        self.n_components = n_components
        self.kind = kind
        self.n_init = n_init
        self.init = init
        self.max_iter = max_iter
        self.eps = eps
        self.metric = metric
        self.random_state = random_state

    def fit(self, X, y=None):
        """Embed the samples.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples, or distances between them where precomputed.
        y : None
            Ignored.

        Returns
        -------
        self : MDS
            The fitted estimator.
        """
        check_params(self)
        X, _ = check_unlabelled(self, X)
        at_most(self, "n_components", len(X), "n_samples =")
        distances = all_distances(self, X, self.metric)
        total = max(float(np.sum(distances**2)) / 2, np.finfo(float).tiny)

        scaled = (None, None, None)
        if self.kind == "classical" or self.init == "classical":
            scaled = classical_scaling(distances, self.n_components)
        with hold_threads():
            if self.kind == "classical":
                embedding = self._keep_classical(distances, scaled, total, X.dtype)
            else:
                embedding = self._descend(distances, scaled[0], total)
            self.stress_ = float(stress_and_gradient(distances, _by_dims(embedding))[0])
        self.normalized_stress_ = float(np.sqrt(self.stress_ / total))
        self.embedding_ = embedding.astype(X.dtype)
        self._X_fit = None if self.metric == "precomputed" else np.array(X)
        return self

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

    def transform(self, X):
        """Place new samples among the embedded ones, which stay where they are.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples, or their distances to all training samples where precomputed.

        Returns
        -------
        embedding : ndarray of shape (n_samples, n_components)
            Coordinates of least stress, or classical coordinates. A training sample keeps
            its own.
        """
        X = check_new(self, X)
        fixed = self.embedding_.astype(np.float64)
        placed = np.empty((len(X), fixed.shape[1]))

        def block(rows):
            distances = new_distances(X[rows], self._X_fit, self.metric)
            if self.kind == "classical":
                placed[rows] = place_by_distances(
                    distances, self._mean_squares, fixed, self.eigenvalues_.astype(np.float64)
                )
                return
            # Between the nearest few, never exactly upon one.
            near = np.argsort(distances, axis=1, kind="stable")[:, :3]
            start = fixed[near].mean(axis=1)
            settle_rows(distances, fixed, start, SETTLE_STEPS, SETTLE_TOL)
            placed[rows] = start

        map_blocks(block, len(X), 256)
        keep_known(placed, X, self._X_fit, self.metric, fixed)
        return placed.astype(X.dtype)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.metric == "precomputed"
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    @property
    def _n_features_out(self):
        return self.embedding_.shape[1]

    def _keep_classical(self, distances, scaled, total, dtype):
        coordinates, values, smallest = scaled
        warn_unless_positive(self, values)
        run = Training(self, 1)
        for _ in run:
            loss = stress_and_gradient(distances, _by_dims(coordinates))[0]
            run.record(loss=loss / total)
        self.history_, self.n_iter_ = run.history, run.n_iter
        self.eigenvalues_ = values.astype(dtype)
        self.smallest_eigenvalue_ = smallest
        self._mean_squares = np.mean(distances**2, axis=1)
        return coordinates

    def _descend(self, distances, first, total):
        """Return the best of all starts; each runs until its stress stops falling."""
        rng = as_generator(self.random_state)
        size = np.sqrt(total / max(len(distances), 1))
        run = Training(self, self.max_iter * self.n_init)
        place, begun, ends = self._start(first, rng, distances, size), 0, []
        for _ in run:
            stress, gradient = stress_and_gradient(distances, place)
            run.record(loss=stress / total)
            losses = run.history["loss"][begun:]
            settled = len(losses) > 1 and losses[-2] - losses[-1] < self.eps
            place = place - gradient / (2 * len(distances))
            if not settled and len(losses) < self.max_iter:
                continue
            ends.append((losses[-1], len(ends), settled, slice(begun, run.n_iter), place.T))
            if len(ends) == self.n_init:
                run.stop("tol")
            place, begun = self._start(None, rng, distances, size), run.n_iter
        _, _, settled, steps, embedding = min(ends)
        if not settled and self.eps > 0:
            warnings.warn(
                f"MDS stopped after max_iter={self.max_iter} steps before it converged. "
                "Raise max_iter or eps.",
                ConvergenceWarning,
                stacklevel=3,
            )
        self.history_ = {"loss": run.history["loss"][steps]}
        self.n_iter_ = len(self.history_["loss"])
        return embedding

    def _start(self, first, rng, distances, size):
        if first is not None:
            return _by_dims(first)
        drawn = rng.standard_normal((self.n_components, len(distances)))
        return drawn * size / np.sqrt(2 * self.n_components * len(distances))


def _by_dims(coordinates):
    return np.ascontiguousarray(coordinates.T)
