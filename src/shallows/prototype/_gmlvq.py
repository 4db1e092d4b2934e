"""Generalized matrix LVQ: prototypes and a distance are learned together."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin

from shallows._core.contract.params import (
    NonNegativeFloat,
    PositiveFloat,
    PositiveInt,
    Range,
    check_params,
    check_value,
)
from shallows._core.contract.rng import RandomState, as_generator
from shallows._core.contract.training import IterativeMixin, Training
from shallows.prototype._cost_descent import (
    Progress,
    Solver,
    Tolerance,
    descend,
    steepness,
    tolerance,
)
from shallows.prototype._gmlvq_steps import Owners, Place
from shallows.prototype._map_charts import RelevanceChartMixin
from shallows.prototype._matrix_cost import GMLVQCost, matrix_distances
from shallows.prototype._matrix_start import start_matrix
from shallows.prototype._nearest import NearestPrototypeMixin, check_queries
from shallows.prototype._partial_fit import PartialFitMixin
from shallows.prototype._start import PrototypesPerClass, Start, check_samples, fill_missing

LOCAL_SHARE = 0.1  # of a stochastic step, where matrices are local
EARLY = 2e-3  # gain of an epoch that ends training where samples are few
SHRINKAGE = 0.1  # of the first spread towards a sphere: what looks narrow may do so by chance


class GMLVQ(
    ClassNamePrefixFeaturesOutMixin,
    RelevanceChartMixin,
    PartialFitMixin,
    NearestPrototypeMixin,
    TransformerMixin,
    IterativeMixin,
    BaseEstimator,
):
    r"""Prototypes of classes, and the distance in which they separate the classes best.

    The squared distance of a sample x to a prototype w is :math:`(x - w)^\top \Lambda (x - w)`
    with :math:`\Lambda = \Omega^\top \Omega` and trace 1. :math:`\Omega` and the prototypes
    minimise the mean of :math:`\Phi(e)` as in `GLVQ` [1]_. The diagonal of :math:`\Lambda` says
    how much each feature counts, and the projection on its leading directions (`transform`) shows
    the classes apart. Distances ignore missing values (NaN).

    `fit` starts with the distance in which the samples spread alike in all directions about the
    prototypes of their classes, nearly that of linear discriminant analysis; `partial_fit`, whose
    first block may be small, with Euclid's.

    Scale the features to unit variance: otherwise the relevances hold their units.

    Parameters
    ----------
    n_prototypes : int or array-like of shape (n_classes,), default=1
        Prototypes per class, or as many as given for each, in the order of `classes_`.
    rank : int or None, default=None
        Rows of :math:`\Omega`, which bound the rank of :math:`\Lambda` [2]_; 2 gives a map of the
        data. With None as many as features.
    local : {"class", "prototype"} or None, default=None
        Whether each class or each prototype has a matrix of its own; all share one with None.
    regularization : float, default=0.0
        Strength a of the penalty :math:`-\frac{a}{2} \ln \det \Omega \Omega^\top`, which keeps
        directions from vanishing [3]_.
    gamma : float or None, default=2.0
        Steepness of the cost :math:`\Phi(e) = 1 / (1 + \exp(-\gamma e))`: the larger it
        is, the more the cost counts errors. With None the cost is :math:`e` itself.
    solver : {"sgd", "waypoint", "lbfgs"}, default="lbfgs"
        How the cost is minimised: with "sgd" sample by sample in random order, and with an average
        of the prototypes over the epochs of each step size that gives late epochs more weight;
        with "waypoint" by gradient steps on the whole cost, which shrink when they zigzag
        (waypoint averaging); with "lbfgs" by limited-memory BFGS.
    learning_rate : float, default=0.05
        Step size of the first epoch, in units of the total variance of the data, so
        that it does not depend on their scale; divided by ten when it no longer lowers the cost.
        For "waypoint" the length of the first step; "lbfgs" needs none. A step sample by
        sample is divided by the prototypes per class, or by ten where `local`, since more
        prototypes and own matrices shrink distances, and slopes grow as distances shrink.
    relevance_rate : float, default=4.0
        Step size of :math:`\Omega` for "sgd", as a multiple of that of the prototypes divided by
        the number of features: the slopes by :math:`\Omega` grow with that number.
    max_iter : int, default=200
        Largest number of passes over the data.
    tol : float, "auto" or None, default="auto"
        Training stops when the watched value improves by less than this in five epochs in a row,
        "sgd" when smaller steps bring no more either. With None all `max_iter` epochs run. "auto"
        is 2e-3, which stops early, since a matrix has many parameters, or, if smaller,
        :math:`\min(1, 2 p / n) / n` with p numbers learned from n samples: a tolerance that
        shrinks with the number of samples, because the training cost then estimates the true cost
        better.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the initial prototypes and the order of the samples.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    prototypes_ : ndarray of shape (n_total, n_features)
        Positions of the prototypes.
    prototype_labels_ : ndarray of shape (n_total,)
        Index into `classes_` of each prototype.
    omega_ : ndarray of shape (rank, n_features) or (n_matrices, rank, n_features)
        :math:`\Omega`, one per class or prototype where `local`.
    relevance_matrix_ : ndarray of shape (n_features, n_features)
        :math:`\Lambda`, the mean of all where `local`.
    relevances_ : ndarray of shape (n_features,)
        Its diagonal; the sum is 1.
    eigenvalues_ : ndarray of shape (n_components,)
        Its eigenvalues from large to small, at most `rank` of them unless `local`.
    components_ : ndarray of shape (n_components, n_features)
        Directions of `transform`: eigenvectors times the roots of their eigenvalues.
    mean_ : ndarray of shape (n_features,)
        Mean of the training data, the origin of `transform`.
    history_ : dict of str to list of float
        The mean cost of each epoch under ``"loss"``.
    n_iter_ : int
        Epochs run.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    References
    ----------
    .. [1] P. Schneider, M. Biehl and B. Hammer, "Adaptive relevance matrices in learning
       vector quantization", Neural Computation 21, 3532-3561, 2009.
    .. [2] K. Bunte et al., "Limited rank matrix learning, discriminative dimension reduction
       and visualization", Neural Networks 26, 159-173, 2012.
    .. [3] P. Schneider et al., "Regularization in matrix relevance learning", IEEE
       Transactions on Neural Networks 21, 831-840, 2010.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.preprocessing import scale
    >>> from shallows.prototype import GMLVQ
    >>> X, y = load_iris(return_X_y=True)
    >>> model = GMLVQ(random_state=0).fit(scale(X), y)
    >>> model.score(scale(X), y) > 0.96
    True
    >>> bool(model.relevances_[2:].sum() > 0.6)
    True
    >>> model.transform(scale(X), n_components=2).shape
    (150, 2)
    """

    def __init__(
        self,
        n_prototypes: PrototypesPerClass = 1,
        *,
        rank: PositiveInt | None = None,
        local: Literal["class", "prototype"] | None = None,
        regularization: NonNegativeFloat = 0.0,
        gamma: PositiveFloat | None = 2.0,
        solver: Solver = "lbfgs",
        learning_rate: PositiveFloat = 0.05,
        relevance_rate: NonNegativeFloat = 4.0,
        max_iter: PositiveInt = 200,
        tol: Tolerance = "auto",
        random_state: RandomState = None,
    ):
        self.n_prototypes = n_prototypes
        self.rank = rank
        self.local = local
        self.regularization = regularization
        self.gamma = gamma
        self.solver = solver
        self.learning_rate = learning_rate
        self.relevance_rate = relevance_rate
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def fit(self, X, y, sample_weight=None):
        """Find prototypes and relevances.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training samples; NaN for missing values.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each sample in the cost.

        Returns
        -------
        self : GMLVQ
            The fitted estimator.
        """
        check_params(self)
        samples = check_samples(self, X, y, sample_weight)
        rng = as_generator(self.random_state)

        # Prototypes and the matrix Omega of (x - w)' Omega' Omega (x - w) are learned together.
        start = self._begin(samples, rng, shrinkage=SHRINKAGE)
        n_numbers = start.prototypes.size + start.omegas.size
        run = Training(
            self,
            self.max_iter,
            tolerance(self.tol, n_numbers, samples, largest=EARLY),
            patience=5,
            state=("prototypes_", "_omegas"),
            **samples.given(self.classes_),
        )
        descend(
            self._rule(),
            start,
            samples.balanced(),
            Progress(run, self._store),
            solver=self.solver,
            rate=self.learning_rate,
            rng=rng,
        )
        self._keep(self._place())
        self.history_, self.n_iter_ = run.history, run.n_iter
        return self

    def transform(self, X, n_components=None):
        r"""Project on the directions of :math:`\Lambda`, the most discriminative first.

        Unless `local`, squared distances between projections are those of the model. A missing
        value is replaced by the mean of its feature.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.
        n_components : int or None, default=None
            Number of directions, such as 2 for a map; all with None, as `set_output` needs.

        Returns
        -------
        Z : ndarray of shape (n_samples, n_components)
            Projections.
        """
        X = check_queries(self, X)
        allowed = Annotated[int, Range(1, len(self.components_))] | None
        check_value("GMLVQ.transform", "n_components", allowed, n_components)
        mean, components = (a.astype(X.dtype, copy=False) for a in (self.mean_, self.components_))
        return np.where(np.isnan(X), X.dtype.type(0), X - mean) @ components[:n_components].T

    @property
    def _n_features_out(self):
        return len(self.components_)

    def _begin(self, samples, rng, shrinkage=1.0):
        """Place the prototypes and the first matrices, which are spheres at shrinkage 1.

        A first block of `partial_fit` may be too small to show how samples spread.
        """
        prototypes, labels = super()._begin(samples, rng), self.prototype_labels_
        n_features = samples.X.shape[1]
        rank = self.rank or n_features
        if rank > n_features:
            raise ValueError(
                f"GMLVQ: rank must be at most the number of features, {n_features}, got {rank}."
            )
        filled = fill_missing(samples.X, samples.weights)
        self.mean_ = np.average(filled, 0, samples.weights).astype(samples.X.dtype)
        # One matrix for all, for each class, or for each prototype.
        shared, each = np.zeros_like(labels), np.arange(len(labels))
        self._groups = {None: shared, "class": labels, "prototype": each}[self.local]
        omega = start_matrix(samples, Start(prototypes, labels, self._spread), rank, shrinkage)
        omegas = np.repeat(omega[None], self._groups.max() + 1, axis=0)
        self._omegas = omegas.astype(samples.X.dtype)
        return self._place()

    def _rule(self):
        labels = self.prototype_labels_
        return GMLVQCost(
            Owners(labels, self._groups),
            shape=self._omegas.shape,
            gamma=steepness(self.gamma),
            scale=self._spread.scale,
            penalty=self.regularization,
            pace=LOCAL_SHARE if self.local else len(self.classes_) / len(labels),
            relevance_rate=self.relevance_rate,
        )

    def _distances(self, X):
        place = (part.astype(X.dtype, copy=False) for part in self._place())
        return matrix_distances(X, *place, self._groups)

    def _place(self):
        return Place(self.prototypes_, self._omegas)

    def _store(self, place):
        self.prototypes_, self._omegas = place

    def _keep(self, place):
        """Set prototypes and matrices, and what is read off the matrices."""
        self._store(place)
        self.omega_ = self._omegas.copy() if self.local else self._omegas[0].copy()
        stacked = self._omegas.reshape(-1, self._omegas.shape[2]) / len(self._omegas) ** 0.5
        _, roots, directions = np.linalg.svd(stacked, full_matrices=False)
        signs = np.sign(directions[np.arange(len(roots)), np.abs(directions).argmax(axis=1)])
        self.components_ = (roots * signs)[:, None] * directions
        self.eigenvalues_ = roots**2
        self.relevance_matrix_ = stacked.T @ stacked
        self.relevances_ = self.relevance_matrix_.diagonal().copy()
