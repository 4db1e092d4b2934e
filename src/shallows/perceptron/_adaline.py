"""The adaptive linear neuron."""

from __future__ import annotations

from typing import Literal

import numpy as np
from scipy import linalg
from scipy.sparse import csr_matrix, hstack, issparse
from scipy.sparse.linalg import lsqr
from sklearn.base import BaseEstimator

from shallows._core.contract.params import (
    NonNegativeFloat,
    PositiveFloat,
    PositiveInt,
    check_params,
)
from shallows._core.contract.rng import RandomState, as_generator
from shallows._core.contract.training import IterativeMixin, Training
from shallows.perceptron._hebbian import DELTA, Modulation, visit
from shallows.perceptron._linear import (
    LinearClassifier,
    append_part,
    check_part,
    check_weighted,
    of_all_samples,
    signs,
)

PATIENCE = 5
SOUND = 1e-5  # inverse condition down to which one refinement restores full precision
SAFE_SHARE = 0.1  # of the largest rate at which single steps can't overshoot


class Adaline(LinearClassifier, IterativeMixin, BaseEstimator):
    r"""Linear classifier whose fields come as near to the labels as least squares allows.

    With labels :math:`S = \pm 1` the potentials :math:`E = S (w \cdot x + b)` should all be 1, and
    the cost is :math:`\frac{1}{2} \sum (1 - E)^2 = \frac{1}{2} \sum (S - w \cdot x - b)^2` [1]_.
    It is a regression on the labels: quick and stable on noisy data, but it counts a sample far on
    the right side as an error, so that it may fail to separate separable data. With more than two
    classes, each class is trained against the rest.

    Parameters
    ----------
    solver : {"direct", "batch", "sequential"}, default="direct"
        ``"direct"``: the shortest least-squares solution. ``"batch"``: gradient descent, which
        converges to the same from zero weights. ``"sequential"``: the delta rule, one sample
        at a time; with a constant rate it ends in a cycle around the solution at a distance
        proportional to the rate, unless all potentials can be 1.
    fit_intercept : bool, default=True
        Whether to learn :math:`b`, as the weight of a constant input 1.
    eta0 : float or None, default=None
        Learning rate. ``"batch"`` converges below 2 over the largest eigenvalue of
        :math:`\sum x x^T`, ``"sequential"`` below 2 over the largest :math:`|x|^2`. With None
        ``"batch"`` takes the optimal step along each gradient, and ``"sequential"`` 0.1 over
        the largest :math:`|x|^2`.
    max_iter : int, default=1000
        Largest number of passes over the data.
    tol : float or None, default=1e-4
        ``"batch"`` stops when the gradient has shrunk to this share of its first length,
        ``"sequential"`` when the cost improves by less than this share of the cost of zero
        weights in five passes in a row. With None all `max_iter` passes run.
    shuffle : bool, default=True
        Whether ``"sequential"`` visits the samples of each pass in a new random order.
    class_weight : dict, "balanced" or None, default=None
        Weight of each class, a factor of the weights of its samples.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the order of the samples.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Weights, one row for two classes, else one row per class.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Intercepts :math:`b`.
    embedding_strengths_ : ndarray of shape (n_samples,) or (n_classes, n_samples)
        Strengths, of any sign, with ``coef_`` the sum of strength, label and sample. Not
        with ``solver="direct"``, which works without them.
    history_ : dict of str to list of float
        Per pass, as ``"loss"``, half the weighted mean of :math:`(1 - E)^2`; of the sequential
        solver as seen in passing.
    n_iter_ : int
        Passes run; 1 with ``solver="direct"``.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    References
    ----------
    .. [1] B. Widrow and M. E. Hoff, "Adaptive switching circuits", IRE WESCON Convention
       Record 4, 96-104, 1960.

    Examples
    --------
    >>> from shallows.perceptron import Adaline
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1]
    >>> model = Adaline().fit(X, y)
    >>> model.coef_.round(6), model.intercept_.round(6)
    (array([[1., 1.]]), array([-1.5]))
    """

    def __init__(
        self,
        solver: Literal["direct", "batch", "sequential"] = "direct",
        *,
        fit_intercept: bool = True,
        eta0: PositiveFloat | None = None,
        max_iter: PositiveInt = 1000,
        tol: NonNegativeFloat | None = 1e-4,
        shuffle: bool = True,
        class_weight: dict | Literal["balanced"] | None = None,
        random_state: RandomState = None,
    ):
        self.solver = solver
        self.fit_intercept = fit_intercept
        self.eta0 = eta0
        self.max_iter = max_iter
        self.tol = tol
        self.shuffle = shuffle
        self.class_weight = class_weight
        self.random_state = random_state

    def fit(self, X, y, sample_weight=None):
        """Find the weights.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each sample in the cost.

        Returns
        -------
        self : Adaline
            The fitted estimator.
        """
        check_params(self)
        X, y, weights, took_part = check_weighted(self, X, y, sample_weight)
        labels = signs(y, len(self.classes_))

        self._weights = np.zeros((len(labels), X.shape[1] + 1))
        self._rate = self._safe_rate(X, weights)
        strengths = np.zeros(labels.shape)
        self._set_planes(X.dtype)
        sequential = self.solver == "sequential"
        run = Training(
            self,
            1 if self.solver == "direct" else self.max_iter,
            self.tol if self.solver != "direct" else None,
            patience=PATIENCE if sequential else self.max_iter + 1,
            state=("coef_", "intercept_"),
            X=X,
            y=self.classes_[y],
            sample_weight=weights,
        )
        solve = {"direct": self._direct, "batch": self._batch, "sequential": self._sequential}
        with np.errstate(over="ignore", invalid="ignore"):  # a loss that overflows is an error
            solve[self.solver](X, labels, weights, strengths, run)
        self.history_, self.n_iter_ = run.history, run.n_iter
        if self.solver != "direct":
            self.embedding_strengths_ = of_all_samples(strengths.astype(X.dtype), took_part)
        return self

    def partial_fit(self, X, y, classes=None, sample_weight=None):
        """Visit the given samples once in their order, whatever the solver.

        Without `eta0` the rate is that of the first call, 0.1 over the largest :math:`|x|^2` seen
        in it. Give `eta0` if later samples may be more than four times as long; if the weights
        overflow, a FloatingPointError is raised.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples,)
            Class labels.
        classes : array-like of shape (n_classes,), default=None
            All labels that will ever come; needed in the first call only.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each sample, a factor of its steps.

        Returns
        -------
        self : Adaline
            The estimator after these samples.
        """
        check_params(self)
        X, y, weights, took_part, first = check_part(self, X, y, sample_weight, classes)
        labels = signs(y, len(self.classes_))
        if first:
            self._weights = np.zeros((len(labels), X.shape[1] + 1))
            self._rate = self._safe_rate(X, weights)
            self.history_, self.n_iter_ = {"loss": []}, 0
        strengths, order = np.zeros(labels.shape), np.arange(len(y))
        loss = self._visit(X, labels, weights, order, strengths)
        self._set_planes(X.dtype)
        append_part(self, loss)
        self.embedding_strengths_ = of_all_samples(strengths.astype(X.dtype), took_part)
        return self

    def _direct(self, X, labels, weights, strengths, run):
        for _ in run:
            roots = np.sqrt(weights)[:, None]
            constant = np.full((len(weights), 1), float(self.fit_intercept))
            if issparse(X):
                rows = hstack([X, csr_matrix(constant)], format="csr").multiply(roots).tocsr()
                exact = {"atol": 1e-14, "btol": 1e-14, "conlim": 0, "iter_lim": 10 * max(X.shape)}
                self._weights = np.stack([lsqr(rows, S * roots[:, 0], **exact)[0] for S in labels])
            else:
                rows = np.hstack([X, constant]) * roots
                self._weights = _least_squares(rows, labels.T * roots).T
            self._set_planes(X.dtype)
            run.record(self._loss(self._missing(X, labels), weights))

    def _batch(self, X, labels, weights, strengths, run):
        missing, first = self._missing(X, labels), None
        for _ in run:
            # Steepest descent on sum_i w_i (1 - S_i f_i)^2 / 2, the Adaline's cost.
            pull = weights * missing
            gradients = self._summed(X, labels * pull)
            lengths = np.linalg.norm(gradients, axis=1)
            first = lengths if first is None else first
            rates = self._rates(X, weights, gradients)
            self._weights += rates[:, None] * gradients
            # The same step in the dual: each sample's strength grows by what it misses.
            strengths += rates[:, None] * pull
            self._set_planes(X.dtype)
            missing = self._missing(X, labels)
            run.record(self._loss(missing, weights))
            if self.tol is not None and (lengths <= self.tol * first).all():
                run.stop("gradient")

    def _sequential(self, X, labels, weights, strengths, run):
        rng, order = as_generator(self.random_state), np.arange(len(weights))
        for _ in run:
            if self.shuffle:
                rng.shuffle(order)
            loss = self._visit(X, labels, weights, order, strengths)
            self._set_planes(X.dtype)
            run.record(loss)

    def _visit(self, X, labels, weights, order, strengths):
        bias = float(self.fit_intercept)
        rule = Modulation(DELTA, power=1.0, margin=1.0, eta=self._rate, bias=bias)
        sums = [
            visit(X, S, weights, order, rule, w, a)[1]
            for S, w, a in zip(labels, self._weights, strengths, strict=True)
        ]
        return float(np.mean(sums) / weights.sum() / 2)

    def _missing(self, X, labels):
        """Return what each potential misses to 1, in double precision."""
        fields = (X @ self._weights[:, :-1].T + self._weights[:, -1]).T
        return 1 - labels * fields

    def _summed(self, X, signed):
        """Return the sums of the rows, with the constant input, times the given factors."""
        sums = np.asarray(signed @ X, dtype=np.float64)
        return np.hstack([sums, self.fit_intercept * signed.sum(1, keepdims=True)])

    def _rates(self, X, weights, gradients):
        if self.eta0 is not None:
            return np.full(len(gradients), float(self.eta0))
        along = X @ gradients[:, :-1].T + gradients[:, -1]
        curvatures = np.einsum("ik,ik,i->k", along, along, weights)
        squares = np.einsum("kj,kj->k", gradients, gradients)
        return np.divide(squares, curvatures, out=np.zeros_like(squares), where=curvatures > 0)

    def _safe_rate(self, X, weights):
        if self.eta0 is not None:
            return float(self.eta0)
        squares = X.multiply(X).sum(axis=1) if issparse(X) else np.einsum("ij,ij->i", X, X)
        largest = np.max((np.asarray(squares).ravel() + self.fit_intercept) * weights)
        return float(SAFE_SHARE / largest) if largest > 0 else 1.0

    def _loss(self, missing, weights):
        return float(np.mean(missing**2 @ weights) / weights.sum() / 2)

    def _set_planes(self, dtype):
        self.coef_ = self._weights[:, :-1].astype(dtype)
        self.intercept_ = self._weights[:, -1].astype(dtype)


def _least_squares(rows, targets):
    """Return the shortest solution, from the smaller normal equations where these are sound."""
    if len(rows) >= 4 * rows.shape[1]:
        try:
            factor = linalg.cho_factor(rows.T @ rows, check_finite=False)
        except linalg.LinAlgError:
            factor = (np.zeros((1, 1)), False)
        diagonal = np.abs(factor[0].diagonal())
        if diagonal.min() > SOUND * diagonal.max():
            found = linalg.cho_solve(factor, rows.T @ targets)
            return found + linalg.cho_solve(factor, rows.T @ (targets - rows @ found))
    return linalg.lstsq(rows, targets, check_finite=False)[0]
