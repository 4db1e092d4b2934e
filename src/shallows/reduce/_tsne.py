"""Stochastic neighbour embedding."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
from sklearn.base import BaseEstimator

from shallows._core.contract.data import check_new, check_unlabelled
from shallows._core.contract.params import (
    NJobs,
    NonNegativeFloat,
    NumberArray,
    PositiveFloat,
    PositiveInt,
    Probability,
    Range,
    Verbose,
    check_params,
)
from shallows._core.contract.rng import RandomState, as_generator
from shallows._core.contract.training import IterativeMixin, Training
from shallows._core.numerics.named_distance import resolve_metric
from shallows._core.numerics.neighbors import Metric, NeighborIndex
from shallows._core.numerics.threads import hold_threads, map_blocks, uses_jobs
from shallows.reduce._affinities import conditional_probabilities, joint_probabilities
from shallows.reduce._divergence import Divergence
from shallows.reduce._embedding import Embedding
from shallows.reduce._forces import settle_new
from shallows.reduce._known import keep_known
from shallows.reduce._neighbor_graph import nearest_others
from shallows.reduce._spectrum import by_shape, largest_positive

EXAGGERATED = 250
MEASURE_EVERY = 10
SETTLE_STEPS = 40
FURTHEST = 1e15  # squares of distances stay finite in single precision
START_DEVIATION = 1e-4


class TSNE(Embedding, IterativeMixin, BaseEstimator):
    r"""Picture of the data in which neighbours stay neighbours.

    A sample picks another as its neighbour with a probability :math:`p_{ij}` that falls off
    as a Gaussian of their distance, as wide as to make the number of neighbours about
    `perplexity`. Points in the plane pick one another with :math:`q_{ij}` proportional to
    :math:`1 / (1 + |y_i - y_j|^2)` (t-SNE [1]_) or to a Gaussian (SNE). They are moved by
    gradient descent until the divergence :math:`\sum p \log(p / q)` is small. Distances and
    sizes of groups in the picture mean little.

    A few thousand samples repel pair by pair. Beyond, repulsion in the plane is a convolution
    that Fourier transforms on a grid sum up in a time proportional to the number of samples
    [2]_; in one or three dimensions far groups of points count as one (Barnes and Hut [3]_).
    New samples are placed by `transform` with the picture held fixed.

    Parameters
    ----------
    n_components : int, default=2
        Dimensions of the embedding, at most 3.
    perplexity : float, default=30.0
        Effective number of neighbours, less than the number of samples.
    early_exaggeration : float, default=12.0
        Attraction is this many times stronger in the first 250 steps.
    learning_rate : float or "auto", default="auto"
        Step size; "auto" is a quarter of the number of samples, divided by
        `early_exaggeration` as long as this lasts, and at least 50. For the Gaussian kernel it
        is a tenth of the divided one throughout.
    max_iter : int, default=1000
        Number of steps.
    n_iter_without_progress : int, default=300
        Steps after the first 250 without a new least divergence that end the training; the
        divergence is measured every tenth step.
    min_grad_norm : float, default=1e-7
        Training ends when the gradient is shorter than this.
    metric : str or callable, default="euclidean"
        Distance between samples; "precomputed" takes the distances as X.
    metric_params : dict or None, default=None
        Parameters of the metric: `p` and `w`, weights of the features, of a Minkowski
        distance; keyword arguments of a function.
    init : {"pca", "random"} or ndarray, default="pca"
        Start with the principal components, with random points, which precomputed distances
        take for "pca" too, or with these points of shape (n_samples, n_components).
    verbose : int or bool, default=0
        Whether to report the divergence of each step.
    random_state : int, RandomState, Generator or None, default=None
        Draws the random start.
    method : {"auto", "fft", "barnes_hut", "exact"}, default="auto"
        "exact" takes every pair for a possible neighbour and sums all repulsion in double
        precision; the others keep three times `perplexity` neighbours. "fft" needs two
        dimensions. "auto" sums all repulsion, in single precision, for up to 12,000 samples in
        two dimensions and 25,000 in others, then takes "fft" or "barnes_hut".
    angle : float, default=0.5
        For "barnes_hut": a group of points counts as one where its width is below this times
        its distance.
    n_jobs : int or None, default=None
        Number of threads: None takes as many as the process may use, -1 all cores.
    kernel : {"student", "gaussian"}, default="student"
        t-SNE or SNE; SNE sums over all pairs.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        Coordinates of the samples.
    kl_divergence_ : float
        Divergence at the end.
    learning_rate_ : float
        Step size after the first 250 steps.
    history_ : dict of str to list of float
        The divergence by step under ``"loss"``, exaggerated in the first 250 steps;
        measured every tenth step and repeated in between.
    n_iter_ : int
        Steps made.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    References
    ----------
    .. [1] L. van der Maaten and G. Hinton, "Visualizing data using t-SNE", Journal of Machine
       Learning Research 9, 2579-2605, 2008.
    .. [2] G. Linderman, M. Rachh, J. Hoskins, S. Steinerberger and Y. Kluger, "Fast
       interpolation-based t-SNE for improved visualization of single-cell RNA-seq data",
       Nature Methods 16, 243-245, 2019.
    .. [3] L. van der Maaten, "Accelerating t-SNE using tree-based algorithms", Journal of
       Machine Learning Research 15, 3221-3245, 2014.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.manifold import trustworthiness
    >>> from shallows.reduce import TSNE
    >>> X, y = load_iris(return_X_y=True)
    >>> model = TSNE(max_iter=400).fit(X)
    >>> bool(trustworthiness(X, model.embedding_) > 0.97)
    True
    >>> model.transform(X[:3] + 0.1).shape
    (3, 2)
    """

    def __init__(
        self,
        n_components: Annotated[int, Range(1, 3)] = 2,
        *,
        perplexity: PositiveFloat = 30.0,
        early_exaggeration: PositiveFloat = 12.0,
        learning_rate: PositiveFloat | Literal["auto"] = "auto",
        max_iter: PositiveInt = 1000,
        n_iter_without_progress: Annotated[int, Range(-1)] = 300,
        min_grad_norm: NonNegativeFloat = 1e-7,
        metric: Metric = "euclidean",
        metric_params: dict | None = None,
        init: Literal["pca", "random"] | NumberArray = "pca",
        verbose: Verbose = 0,
        random_state: RandomState = None,
        method: Literal["auto", "fft", "barnes_hut", "exact"] = "auto",
        angle: Probability = 0.5,
        n_jobs: NJobs = None,
        kernel: Literal["student", "gaussian"] = "student",
    ):
        self.n_components = n_components
        self.perplexity = perplexity
        self.early_exaggeration = early_exaggeration
        self.learning_rate = learning_rate
        self.max_iter = max_iter
        self.n_iter_without_progress = n_iter_without_progress
        self.min_grad_norm = min_grad_norm
        self.metric = metric
        self.metric_params = metric_params
        self.init = init
        self.verbose = verbose
        self.random_state = random_state
        self.method = method
        self.angle = angle
        self.n_jobs = n_jobs
        self.kernel = kernel

    @uses_jobs
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
        self : TSNE
            The fitted estimator.
        """
        check_params(self)
        X, _ = check_unlabelled(self, X)
        self._check_request(len(X))
        metric = resolve_metric("TSNE", self.metric, X, params=self.metric_params)
        self._metric = metric
        distances, index = nearest_others(X, self._n_neighbors(len(X)), metric)
        joint = joint_probabilities(distances, index, self.perplexity)
        start = self._start(X, as_generator(self.random_state))
        self.learning_rate_ = self._rate(len(X), 1.0)
        with hold_threads():
            embedding = self._descend(joint, start)
        self.embedding_ = embedding.astype(X.dtype)
        self._X_fit = None if self.metric == "precomputed" else np.array(X)
        return self

    @uses_jobs
    def transform(self, X):
        """Place new samples in the picture, each by itself, with all else held fixed.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples, or their distances to all training samples where precomputed.

        Returns
        -------
        embedding : ndarray of shape (n_samples, n_components)
            Coordinates; a training sample keeps its own.
        """
        X = check_new(self, X)
        fixed = self.embedding_.astype(np.float64)
        known = NeighborIndex(fixed if self._X_fit is None else self._X_fit, self._metric)
        count = min(self._n_neighbors(len(fixed) + 1), len(fixed))
        distances, index = known.query(X, count)
        perplexity = min(self.perplexity, count * 0.9)
        conditional = conditional_probabilities(distances.astype(np.float64) ** 2, perplexity)
        # Start at the weighted mean of the neighbours, then descend with the fit held fixed.
        placed = np.einsum("ij,ijk->ik", conditional, fixed[index])

        def block(rows):
            settle_new(conditional[rows], index[rows], fixed, placed[rows], SETTLE_STEPS)

        map_blocks(block, len(X), 64)
        keep_known(placed, X, self._X_fit, self._metric, fixed)
        return placed.astype(X.dtype)

    def _n_neighbors(self, n_samples):
        if self.method == "exact":
            return n_samples - 1
        return min(n_samples - 1, int(3 * self.perplexity + 1))

    def _check_request(self, n_samples):
        if self.perplexity >= n_samples:
            raise ValueError(
                f"TSNE: perplexity ({self.perplexity:g}) must be less than n_samples ({n_samples})."
            )
        if self.kernel == "gaussian" and self.method in ("barnes_hut", "fft"):
            raise ValueError(f"TSNE: kernel='gaussian' has no method={self.method!r}; use 'auto'.")
        if self.method == "fft" and self.n_components != 2:
            raise ValueError(
                f"TSNE: method='fft' needs n_components=2, got {self.n_components}; use 'auto'."
            )

    def _rate(self, n_samples, factor):
        if self.learning_rate != "auto":
            return float(self.learning_rate)
        # Only the Student kernel weakens the pull of far points and bears longer steps.
        if self.kernel == "gaussian":
            return n_samples / self.early_exaggeration / 40
        return max(n_samples / factor / 4, 50.0)

    def _start(self, X, rng):
        """Return the first points, of standard deviation 1e-4 along the first axis."""
        shape = len(X), self.n_components
        if not isinstance(self.init, str):
            start = np.array(self.init, dtype=np.float64)
            if start.shape != shape:
                raise ValueError(f"TSNE: init must have shape {shape}, got {start.shape}.")
            return start
        if self.init == "random" or self.metric == "precomputed":
            return START_DEVIATION * rng.standard_normal(shape)
        spectrum = by_shape(X, None)
        vectors = largest_positive(spectrum.vectors[: self.n_components])
        start = np.zeros(shape)
        start[:, : len(vectors)] = (X - spectrum.mean) @ vectors.T
        return start * (START_DEVIATION / max(start[:, 0].std(), np.finfo(float).tiny))

    def _descend(self, joint, embedding):
        """Follow the gradient with momentum and a gain for each coordinate."""
        divergence = Divergence(joint, method=self.method, kernel=self.kernel, angle=self.angle)
        speed, gains = np.zeros_like(embedding), np.ones_like(embedding)
        run, loss = Training(self, self.max_iter), 0.0
        best, improved_at = np.inf, EXAGGERATED
        for step in run:
            early = step <= EXAGGERATED
            factor = self.early_exaggeration if early else 1.0
            rate = self._rate(len(embedding), factor)
            if step == EXAGGERATED + 1:  # what was learned about exaggerated forces is void
                speed, gains = np.zeros_like(embedding), np.ones_like(embedding)
            measure = (step - 1) % MEASURE_EVERY == 0
            value, gradient = divergence(embedding, factor, measure=measure)
            loss = value if measure else loss
            run.record(loss=loss)
            if measure and not early:
                if loss < best:
                    best, improved_at = loss, step
                elif step - improved_at > self.n_iter_without_progress:
                    run.stop("no progress")
                if np.linalg.norm(gradient) <= self.min_grad_norm:
                    run.stop("gradient")
            gains = np.where(speed * gradient < 0, gains + 0.2, np.maximum(gains * 0.8, 0.01))
            speed = (0.5 if early else 0.8) * speed - rate * gains * gradient
            embedding = embedding + speed
            if not np.abs(embedding).max() < FURTHEST:
                raise FloatingPointError(
                    f"TSNE: points flew apart in step {step}. Lower learning_rate."
                )
        self.history_, self.n_iter_ = run.history, run.n_iter
        self.kl_divergence_ = float(divergence(embedding)[0])
        return embedding
