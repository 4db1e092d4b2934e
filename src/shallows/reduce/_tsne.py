"""Stochastic neighbour embedding."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin

from shallows._core.data import check_new, check_unlabelled
from shallows._core.neighbors import Metric, NeighborIndex
from shallows._core.params import PositiveFloat, PositiveInt, Probability, Range, check_params
from shallows._core.rng import RandomState, as_generator
from shallows._core.threads import hold_threads, map_blocks
from shallows._core.training import IterativeMixin, Training
from shallows.reduce._affinities import conditional_probabilities, joint_probabilities
from shallows.reduce._forces import (
    GAUSSIAN,
    STUDENT,
    attract_rows,
    build_tree,
    repel_by_tree,
    repel_rows,
    settle_new,
)
from shallows.reduce._known import keep_known
from shallows.reduce._neighbor_graph import nearest_others
from shallows.reduce._spectrum import by_covariance, by_gram

EXAGGERATED = 250
MEASURE_EVERY = 10
PAIRS_UP_TO = 6000  # all pairs in vector units are quicker than a tree up to here
BLOCK_ROWS = 256
SETTLE_STEPS = 40
FURTHEST = 1e15  # squares of distances stay finite in single precision


class TSNE(ClassNamePrefixFeaturesOutMixin, TransformerMixin, IterativeMixin, BaseEstimator):
    r"""Picture of the data in which neighbours stay neighbours.

    A sample picks another as its neighbour with a probability :math:`p_{ij}` that falls off
    as a Gaussian of their distance, as wide as to make the number of neighbours about
    `perplexity`. Points in the plane pick one another with :math:`q_{ij}` proportional to
    :math:`1 / (1 + |y_i - y_j|^2)` (t-SNE [1]_) or to a Gaussian (SNE). They are moved by
    gradient descent until the divergence :math:`\sum p \log(p / q)` is small. Distances and
    sizes of groups in the picture mean little.

    Up to 6000 samples every pair repels exactly; beyond, far groups of points count as one
    (Barnes and Hut [2]_). New samples are placed by `transform` with the picture held fixed.

    Parameters
    ----------
    n_components : int, default=2
        Dimensions of the embedding, at most 3.
    perplexity : float, default=30.0
        Effective number of neighbours, less than the number of samples.
    early_exaggeration : float, default=12.0
        Attraction is this many times stronger in the first 250 steps.
    learning_rate : float or "auto", default="auto"
        Step size; "auto" is the number of samples over four times `early_exaggeration`, at
        least 50; for the Gaussian kernel a tenth of it.
    max_iter : int, default=1000
        Number of steps.
    metric : str or callable, default="euclidean"
        Distance between samples; "precomputed" takes the distances as X.
    init : {"pca", "random"}, default="pca"
        Start with the principal components, or with random points; these always with
        precomputed distances.
    method : {"auto", "barnes_hut", "exact"}, default="auto"
        "exact" takes every pair for a possible neighbour and sums all repulsion in double
        precision; the others keep three times `perplexity` neighbours. "auto" sums all
        repulsion, in single precision, for up to 6000 samples.
    angle : float, default=0.5
        A group of points counts as one where its width is below this times its distance.
    kernel : {"student", "gaussian"}, default="student"
        t-SNE or SNE; SNE sums over all pairs.
    random_state : int, RandomState, Generator or None, default=None
        Draws the random start.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        Coordinates of the samples.
    kl_divergence_ : float
        Divergence at the end.
    learning_rate_ : float
        Step size in use.
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
    .. [2] L. van der Maaten, "Accelerating t-SNE using tree-based algorithms", Journal of
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
        metric: Metric = "euclidean",
        init: Literal["pca", "random"] = "pca",
        method: Literal["auto", "barnes_hut", "exact"] = "auto",
        angle: Probability = 0.5,
        kernel: Literal["student", "gaussian"] = "student",
        random_state: RandomState = None,
    ):
        self.n_components = n_components
        self.perplexity = perplexity
        self.early_exaggeration = early_exaggeration
        self.learning_rate = learning_rate
        self.max_iter = max_iter
        self.metric = metric
        self.init = init
        self.method = method
        self.angle = angle
        self.kernel = kernel
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
        self : TSNE
            The fitted estimator.
        """
        check_params(self)
        X, _ = check_unlabelled(self, X)
        if self.perplexity >= len(X):
            raise ValueError(
                f"TSNE: perplexity={self.perplexity} must be less than n_samples={len(X)}."
            )
        if self.kernel == "gaussian" and self.method == "barnes_hut":
            raise ValueError("TSNE: kernel='gaussian' has no method='barnes_hut'; use 'auto'.")
        distances, index = nearest_others(X, self._n_neighbors(len(X)), self.metric)
        joint = joint_probabilities(distances, index, self.perplexity)
        start = self._start(X, as_generator(self.random_state))
        auto = len(X) / self.early_exaggeration / 4
        # Only the Student kernel weakens the pull of far points and bears longer steps.
        auto = max(auto, 50.0) if self.kernel == "student" else auto / 10
        self.learning_rate_ = float(auto if self.learning_rate == "auto" else self.learning_rate)

        with hold_threads():
            embedding = self._descend(joint, start)
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
        known = NeighborIndex(fixed if self._X_fit is None else self._X_fit, self.metric)
        count = min(self._n_neighbors(len(fixed) + 1), len(fixed))
        distances, index = known.query(X, count)
        perplexity = min(self.perplexity, count * 0.9)
        conditional = conditional_probabilities(distances.astype(np.float64) ** 2, perplexity)
        placed = np.einsum("ij,ijk->ik", conditional, fixed[index])

        def block(rows):
            settle_new(conditional[rows], index[rows], fixed, placed[rows], SETTLE_STEPS)

        map_blocks(block, len(X), 64)
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

    def _n_neighbors(self, n_samples):
        if self.method == "exact":
            return n_samples - 1
        return min(n_samples - 1, int(3 * self.perplexity + 1))

    def _start(self, X, rng):
        """Return a start of standard deviation 1e-4 along the first axis."""
        if self.init == "random" or self.metric == "precomputed":
            return 1e-4 * rng.standard_normal((len(X), self.n_components))
        spectrum = (by_gram if len(X) < X.shape[1] else by_covariance)(X, None)
        vectors = spectrum.vectors[: self.n_components]
        largest = np.abs(vectors).argmax(axis=1)
        vectors = vectors * np.sign(vectors[np.arange(len(vectors)), largest])[:, None]
        start = np.zeros((len(X), self.n_components))
        start[:, : len(vectors)] = (X - spectrum.mean) @ vectors.T
        return start * (1e-4 / max(start[:, 0].std(), np.finfo(float).tiny))

    def _descend(self, joint, embedding):
        """Follow the gradient with momentum and a gain for each coordinate."""
        speed, gains = np.zeros_like(embedding), np.ones_like(embedding)
        run, loss = Training(self, self.max_iter), 0.0
        for step in run:
            early = step <= EXAGGERATED
            factor = self.early_exaggeration if early else 1.0
            if step == EXAGGERATED + 1:  # what was learned about exaggerated forces is void
                speed, gains = np.zeros_like(embedding), np.ones_like(embedding)
            measure = (step - 1) % MEASURE_EVERY == 0
            divergence, gradient = self._gradient(joint, embedding, factor, measure)
            loss = divergence if measure else loss
            run.record(loss=loss)
            gains = np.where(speed * gradient < 0, gains + 0.2, np.maximum(gains * 0.8, 0.01))
            speed = (0.5 if early else 0.8) * speed - self.learning_rate_ * gains * gradient
            embedding = embedding + speed
            if not np.abs(embedding).max() < FURTHEST:
                raise FloatingPointError(
                    f"TSNE: points flew apart in step {step}. Lower learning_rate."
                )
        self.history_, self.n_iter_ = run.history, run.n_iter
        self.kl_divergence_ = float(self._gradient(joint, embedding, 1.0, True)[0])
        return embedding

    def _gradient(self, joint, embedding, factor, measure):
        """Return the divergence (0 unless measured) and its gradient.

        With a factor on p, what is measured is the divergence of the exaggerated p, whose
        gradient this is.
        """
        n = len(embedding)
        pull, push = np.empty_like(embedding), np.empty_like(embedding)
        kernel = STUDENT if self.kernel == "student" else GAUSSIAN
        by_tree = self.method == "barnes_hut" or (
            self.method == "auto" and kernel == STUDENT and n > PAIRS_UP_TO
        )
        single = np.float64 if self.method == "exact" else np.float32
        columns, tree = np.ascontiguousarray(embedding.T, dtype=single), None
        if by_tree:
            tree = _tree_of(embedding)

        def block(rows):
            near = (
                repel_by_tree(embedding, *tree, self.angle, rows.start, rows.stop, push)
                if by_tree
                else repel_rows(columns, single(1), rows.start, rows.stop, kernel, push)
            )
            starts, ends, weights = joint.indptr, joint.indices, joint.data
            log = attract_rows(
                starts, ends, weights, embedding, rows.start, rows.stop, kernel, measure, pull
            )
            return near, log

        parts = map_blocks(block, n, BLOCK_ROWS)
        normalizer = max(sum(part[0] for part in parts), np.finfo(float).tiny)
        gradient = 4 * (factor * pull - push / normalizer)
        logs = sum(part[1] for part in parts)
        divergence = factor * (logs + np.log(normalizer) + np.log(factor)) if measure else 0.0
        return divergence, gradient


def _tree_of(embedding):
    n, n_dims = embedding.shape
    capacity = (4 * n + 64) * (1 << n_dims) // 2
    parts = (
        np.empty((capacity, n_dims)),
        np.empty(capacity, np.int64),
        np.empty(capacity),
        np.empty(capacity, np.int64),
    )
    used = build_tree(embedding, *parts)
    return tuple(part[:used] for part in parts)
