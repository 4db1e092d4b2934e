"""Multi-dimensional scaling."""

from __future__ import annotations

import warnings
from typing import Literal

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_array

from shallows._core.contract.data import check_new, check_unlabelled
from shallows._core.contract.params import (
    NJobs,
    NonNegativeFloat,
    NumberArray,
    PositiveInt,
    Verbose,
    check_params,
)
from shallows._core.contract.rng import RandomState, as_generator
from shallows._core.contract.training import IterativeMixin, Training
from shallows._core.numerics.named_distance import resolve_metric
from shallows._core.numerics.neighbors import Metric
from shallows._core.numerics.threads import hold_threads, map_blocks, uses_jobs
from shallows.reduce._argument_checks import at_most
from shallows.reduce._disparities import Disparities
from shallows.reduce._embedding import Embedding
from shallows.reduce._known import keep_known
from shallows.reduce._scaling import (
    all_distances,
    classical_scaling,
    new_distances,
    place_by_distances,
    warn_unless_positive,
)
from shallows.reduce._stress import place_by_stress, stress_and_gradient


class MDS(Embedding, IterativeMixin, BaseEstimator):
    r"""Points of few dimensions whose distances are those of the samples.

    Metric scaling minimises the stress :math:`\sum_{i<j} (\delta_{ij} - |y_i - y_j|)^2` by
    majorisation: every step moves each point to the mean of where the others would have it,
    and never raises the stress (SMACOF [1]_). Classical scaling instead takes the leading
    eigenvectors of the centred matrix of :math:`-\delta_{ij}^2 / 2`, without iteration; for
    Euclidean distances its result is that of PCA. Nonmetric scaling keeps only the order of
    the distances [2]_: in every step those of the points are fitted by a monotone function of
    :math:`\delta`, and the stress is that of the fit. Any rotation or shift of the result is
    as good.

    Parameters
    ----------
    n_components : int, default=2
        Dimensions of the embedding.
    metric_mds : bool, default=True
        Whether the stress is that of the distances, or of their order alone (nonmetric
        scaling).
    n_init : int, default=1
        Starts, unless "classical"; the best one counts.
    init : {"random", "classical_mds", "warn"} or ndarray, default="warn"
        Whether the first start is random, as with "warn", classical scaling, also called
        "classical", or these points of shape (n_samples, n_components); further ones are random.
    max_iter : int, default=300
        Largest number of steps of each start.
    verbose : int or bool, default=0
        Whether to report the stress of each step.
    eps : float, default=1e-6
        It stops when the stress falls by less than this share of the sum of squared
        distances.
    n_jobs : int or None, default=None
        Number of threads: None takes as many as the process may use, -1 all cores.
    random_state : int, RandomState, Generator or None, default=None
        Draws the random starts.
    dissimilarity : {"euclidean", "precomputed"}, default="deprecated"
        Another name of `metric`, as scikit-learn had it.
    metric : str or callable, default="euclidean"
        Distance between samples; "precomputed" takes the distances as X.
    metric_params : dict or None, default=None
        Parameters of the metric: `p` and `w`, weights of the features, of a Minkowski
        distance; keyword arguments of a function.
    normalized_stress : "auto" or bool, default="auto"
        Whether `stress_` is normalized, as `normalized_stress_` always is; "auto" does so
        for nonmetric scaling.
    kind : {"metric", "nonmetric", "classical"} or None, default=None
        Least stress, least stress of the order alone, or classical scaling (principal
        coordinates); None leaves it to `metric_mds`.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        Coordinates of the samples.
    stress_ : float
        Sum over pairs of the squared errors of the distances; for "nonmetric" of what is left
        of them after the monotone fit, see `normalized_stress`.
    dissimilarity_matrix_ : ndarray of shape (n_samples, n_samples)
        Distances of the samples.
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
    .. [2] J. Kruskal, "Multidimensional scaling by optimizing goodness of fit to a nonmetric
       hypothesis", Psychometrika 29, 1-27, 1964.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from shallows.reduce import MDS
    >>> X, y = load_iris(return_X_y=True)
    >>> model = MDS(init="classical_mds").fit(X)
    >>> round(model.normalized_stress_, 3)
    0.033
    >>> model.transform(X[:3] + 0.1).shape
    (3, 2)
    """

    def __init__(
        self,
        n_components: PositiveInt = 2,
        *,
        metric_mds: bool = True,
        n_init: PositiveInt = 1,
        init: Literal["warn", "random", "classical_mds", "classical"] | NumberArray = "warn",
        max_iter: PositiveInt = 300,
        verbose: Verbose = 0,
        eps: NonNegativeFloat = 1e-6,
        n_jobs: NJobs = None,
        random_state: RandomState = None,
        dissimilarity: Literal["euclidean", "precomputed", "deprecated"] = "deprecated",
        metric: Metric = "euclidean",
        metric_params: dict | None = None,
        normalized_stress: bool | Literal["auto"] = "auto",
        kind: Literal["metric", "nonmetric", "classical"] | None = None,
    ):
        self.n_components = n_components
        self.metric_mds = metric_mds
        self.n_init = n_init
        self.init = init
        self.max_iter = max_iter
        self.verbose = verbose
        self.eps = eps
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.dissimilarity = dissimilarity
        self.metric = metric
        self.metric_params = metric_params
        self.normalized_stress = normalized_stress
        self.kind = kind

    @uses_jobs
    def fit(self, X, y=None, init=None):
        """Embed the samples.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples, or distances between them where precomputed.
        y : None
            Ignored.
        init : ndarray of shape (n_samples, n_components), default=None
            Points of the first start, in place of `init` of the constructor.

        Returns
        -------
        self : MDS
            The fitted estimator.
        """
        check_params(self)
        X, _ = check_unlabelled(self, X)
        at_most(self, "n_components", len(X), "n_samples =")
        kind = self._kind()
        if kind == "nonmetric" and len(X) < 2:
            raise ValueError("MDS: kind='nonmetric' needs at least 2 samples, got n_samples=1.")
        metric = self.metric if self.dissimilarity == "deprecated" else self.dissimilarity
        metric = self._metric = resolve_metric("MDS", metric, X, params=self.metric_params)
        distances = all_distances(self, X, metric)
        total = max(float(np.sum(distances**2)) / 2, np.finfo(float).tiny)

        with hold_threads():
            if kind == "classical":
                embedding = self._keep_classical(distances, total, X.dtype)
            else:
                embedding = self._descend(distances, total, self.init if init is None else init)
        self.normalized_stress_ = float(np.sqrt(self.stress_ / total))
        normalized = self.normalized_stress
        if kind == "nonmetric" if normalized == "auto" else normalized:
            self.stress_ = self.normalized_stress_
        self.embedding_ = embedding.astype(X.dtype)
        self.dissimilarity_matrix_ = distances.astype(X.dtype, copy=False)
        self._X_fit = None if metric == "precomputed" else np.array(X)
        return self

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
        placed = (
            self._place_classical(X, fixed)
            if self._kind() == "classical"
            else place_by_stress(X, self._X_fit, self._metric, fixed, curve=self._curve)
        )
        keep_known(placed, X, self._X_fit, self._metric, fixed)
        return placed.astype(X.dtype)

    def _kind(self):
        return self.kind or ("metric" if self.metric_mds else "nonmetric")

    def _place_classical(self, X, fixed):
        values = self.eigenvalues_.astype(np.float64)

        def block(rows):
            distances = new_distances(X[rows], self._X_fit, self._metric)
            return place_by_distances(distances, self._mean_squares, fixed, values)

        return np.concatenate(map_blocks(block, len(X), 256))

    def _keep_classical(self, distances, total, dtype):
        coordinates, values, smallest = classical_scaling(distances, self.n_components)
        warn_unless_positive(self, values)
        run = Training(self, 1)
        for _ in run:
            self.stress_ = float(stress_and_gradient(distances, _by_dims(coordinates))[0])
            run.record(loss=self.stress_ / total)
        self.history_, self.n_iter_ = run.history, run.n_iter
        self.eigenvalues_ = values.astype(dtype)
        self.smallest_eigenvalue_ = smallest
        self._mean_squares = np.mean(distances**2, axis=1)
        return coordinates

    def _descend(self, distances, total, init):
        """Return the best of all starts; each runs until its stress stops falling."""
        rng, n = as_generator(self.random_state), len(distances)
        fit_order = Disparities(distances) if self._kind() == "nonmetric" else None
        drawn = isinstance(init, str) and init in ("random", "warn")
        run = Training(self, self.max_iter)
        for number in run.starts(range(self.n_init)):
            if number or drawn:
                place = self._drawn(n, total, rng)
            else:
                place = self._first(distances, init)
            loss = np.inf
            for _ in run.epochs():
                wanted = fit_order(place) if fit_order else distances
                stress, gradient = stress_and_gradient(wanted, place)
                last, loss = loss, float(stress) / total
                run.record(loss)
                place = place - gradient / (2 * n)
                if last - loss < self.eps:
                    run.stop("tol")
            run.keep(place)
        best = run.best()
        if not best.converged and self.eps > 0:
            warnings.warn(
                f"MDS stopped after max_iter={self.max_iter} steps before it converged. "
                "Raise max_iter or eps.",
                ConvergenceWarning,
                stacklevel=3,
            )
        self.history_, self.n_iter_, place = best.history, best.n_iter, best.result
        wanted = fit_order(place) if fit_order else distances
        self._curve = fit_order.curve(place) if fit_order else None
        self.stress_ = float(stress_and_gradient(wanted, place)[0])
        return place.T

    def _first(self, distances, init):
        """Return a first start that is not random, with one row per dimension."""
        n = len(distances)
        if not isinstance(init, str):
            start = check_array(init, dtype=np.float64)
            if start.shape != (n, self.n_components):
                raise ValueError(
                    f"MDS: init must have shape {(n, self.n_components)}, got {start.shape}."
                )
            return _by_dims(start)
        return _by_dims(classical_scaling(distances, self.n_components)[0])

    def _drawn(self, n, total, rng):
        return rng.standard_normal((self.n_components, n)) * np.sqrt(
            total / (2 * self.n_components * n**2)
        )


def _by_dims(coordinates):
    return np.ascontiguousarray(coordinates.T)
