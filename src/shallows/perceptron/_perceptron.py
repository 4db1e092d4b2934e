"""Rosenblatt's perceptron."""

from __future__ import annotations

from functools import partial
from typing import Literal

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator

from shallows._core.contract.data import hold_out
from shallows._core.contract.params import (
    Fraction,
    NJobs,
    NonNegativeFloat,
    PositiveFloat,
    PositiveInt,
    Probability,
    Verbose,
    check_params,
)
from shallows._core.contract.rng import RandomState, as_generator
from shallows._core.contract.training import IterativeMixin, Training
from shallows._core.numerics.compile import unsigned
from shallows._core.numerics.csr import CsrRows
from shallows._core.numerics.threads import map_blocks, uses_jobs
from shallows.perceptron._epochs import Learned, Rule, csr_epoch, dense_epoch, rounded_epoch
from shallows.perceptron._linear import (
    LinearClassifier,
    append_part,
    check_part,
    check_weighted,
    of_all_samples,
    signs,
)
from shallows.perceptron._order import shuffle, woven_runs
from shallows.perceptron._penalised import (
    Shrinkage,
    SparseRows,
    penalised_csr_epoch,
    penalised_epoch,
)
from shallows.perceptron._sparse_runs import (
    FEW,
    PAYS,
    RoundedRows,
    rounded_rows,
    shuffled_rows,
)

THREADS_PAY_FROM = 2**17  # stored values of X; below, starting threads costs more than an epoch
RUN, RUNS_AT_ONCE = 256, 4  # of sparse rows that are visited in turns


class Perceptron(LinearClassifier, IterativeMixin, BaseEstimator):
    r"""Linear classifier that learns from its mistakes, one sample at a time.

    With labels :math:`S = \pm 1` and the local field :math:`h = w \cdot x + b`, a sample is a
    mistake where :math:`S h \leq c`, and only then :math:`w` moves, by :math:`\eta S x` [1]_. An
    epoch without a mistake ends the training: every sample then has :math:`S h > c`. On linearly
    separable data this happens after finitely many updates, whatever the order of the samples.
    With more than two classes, each class is trained against the rest, and the largest field
    decides.

    Equality counts as a mistake, or zero weights would never move. In prediction a field of
    exactly zero means the first class, as in scikit-learn.

    Parameters
    ----------
    penalty : {"l1", "l2", "elasticnet"} or None, default=None
        Penalty on the weights: each visit shrinks them, l2 by a factor, l1 by a length.
    alpha : float, default=0.0001
        Strength of `penalty`.
    l1_ratio : float, default=0.15
        Share of l1 in "elasticnet".
    fit_intercept : bool, default=True
        Whether to learn :math:`b`, as the weight of a constant input 1.
    max_iter : int, default=1000
        Largest number of passes over the data.
    tol : float or None, default=1e-3
        Training stops when the watched value improves by less than this in `n_iter_no_change`
        epochs in a row. With None all `max_iter` epochs run, unless one has no mistakes; there is
        no warning if mistakes remain, see ``history_["updates"]``.
    shuffle : bool, default=True
        Whether to visit the samples of each epoch in a new random order. Large sparse data are
        copied in a random order once; then 4 runs of 256 rows each are drawn and visited in turns.
        Once mistakes are few, single precision decides where its rounding can't matter.
    verbose : int or bool, default=0
        Whether to report the mistakes of each epoch.
    eta0 : float, default=1.0
        Learning rate :math:`\eta`, constant. From zero weights with `margin` 0 it scales the
        weights and changes nothing else; with a margin :math:`c` a run is that of rate 1 with
        margin :math:`c / \eta`, scaled. ``eta0=1 / n_features`` is the convention of
        statistical physics.
    n_jobs : int or None, default=None
        Number of threads: None takes as many as the process may use, -1 all cores.
    random_state : int, RandomState, Generator or None, default=0
        Seeds the order of the samples and random initial weights.
    early_stopping : bool, default=False
        Whether to hold data out and watch the accuracy on them; the weights of the best
        epoch are kept. Otherwise the share of mistakes is watched.
    validation_fraction : float or None, default=0.1
        Share of the data held out to watch the accuracy on; the weights of the best
        epoch are kept. With None the share of mistakes is watched.
    n_iter_no_change : int, default=5
        Epochs without improvement that end the training. The share of mistakes jumps about
        long before separable data are learned: be patient.
    class_weight : dict, "balanced" or None, default=None
        Weight of each class, a factor of the weights of its samples.
    warm_start : bool, default=False
        Whether `fit` goes on from the weights found before.
    margin : float, default=0.0
        The value :math:`c` that a sample must exceed to be left alone.
    init : {"zero", "random"}, default="zero"
        Weights at the start: zero, or standard normal.
    average : bool, default=False
        Whether to predict with the average of the weights over all visits of samples, which
        generalises better where the data are not separable.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Weights, one row for two classes, else one row per class.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Intercepts :math:`b`.
    embedding_strengths_ : ndarray of shape (n_samples,) or (n_classes, n_samples)
        How many updates each sample of the last call caused. From zero weights, without
        averaging, ``coef_`` is `eta0` times the sum of strength, label, weight and sample.
    n_updates_ : int
        Number of updates in all.
    history_ : dict of str to list of float
        Per epoch the number of ``"updates"`` and as ``"loss"`` the share of mistakes: their
        weight over that of all samples, each judged when visited, the mean over classes;
        and ``"val_score"`` where watched, NaN for calls of `partial_fit`.
    n_iter_ : int
        Epochs run.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    Notes
    -----
    A mistake of a sample with weight :math:`v` moves the weights by :math:`\eta v S x`. A
    weight of 2 is one step of double length, not two visits, so it differs from repeating the
    sample.

    References
    ----------
    .. [1] F. Rosenblatt, "The perceptron: a probabilistic model for information storage and
       organization in the brain", Psychological Review 65, 386-408, 1958.

    Examples
    --------
    >>> from shallows.perceptron import Perceptron
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1]
    >>> model = Perceptron(tol=None, shuffle=False).fit(X, y)
    >>> model.predict(X)
    array([0, 0, 0, 1])
    >>> model.n_updates_
    18
    """

    def __init__(
        self,
        *,
        penalty: Literal["l1", "l2", "elasticnet"] | None = None,
        alpha: NonNegativeFloat = 0.0001,
        l1_ratio: Probability = 0.15,
        fit_intercept: bool = True,
        max_iter: PositiveInt = 1000,
        tol: NonNegativeFloat | None = 1e-3,
        shuffle: bool = True,
        verbose: Verbose = 0,
        eta0: PositiveFloat = 1.0,
        n_jobs: NJobs = None,
        random_state: RandomState = 0,
        early_stopping: bool = False,
        validation_fraction: Fraction = 0.1,
        n_iter_no_change: PositiveInt = 5,
        class_weight: dict | Literal["balanced"] | None = None,
        warm_start: bool = False,
        margin: NonNegativeFloat = 0.0,
        init: Literal["zero", "random"] = "zero",
        average: bool = False,
    ):
        self.penalty = penalty
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.shuffle = shuffle
        self.verbose = verbose
        self.eta0 = eta0
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.margin = margin
        self.init = init
        self.average = average

    @uses_jobs
    def fit(self, X, y, coef_init=None, intercept_init=None, sample_weight=None):
        """Learn from the samples, epoch after epoch.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples,)
            Class labels.
        coef_init : array-like of shape (n_classes, n_features), default=None
            First weights; one row for two classes.
        intercept_init : array-like of shape (n_classes,), default=None
            First intercepts.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each sample, a factor of its steps.

        Returns
        -------
        self : Perceptron
            The fitted estimator.
        """
        check_params(self)
        earlier = self._earlier_weights()
        X, y, weights, took_part = check_weighted(self, X, y, sample_weight)
        rng = as_generator(self.random_state)
        # Held-out samples keep their place and get the weight 0, so that nobody learns from them.
        held_out = None
        if self.early_stopping:
            rows = np.arange(len(y))
            _, (rows, *rest) = hold_out(
                rows, y, weights, self.validation_fraction, rng, stratify=True
            )
            held_out, weights[rows] = (X[rows], *rest), 0.0

        self._start(X, rng)
        self._go_on(earlier, coef_init, intercept_init)
        signed, order = self._signed(X, y, weights), np.flatnonzero(weights)

        # Sparse rows beyond the cache are copied in random order once, and visited in runs.
        visited, samples = X, np.arange(len(y))
        in_runs = self.shuffle and issparse(X) and X.size in PAYS and self.penalty is None
        if in_runs:
            samples, order = order, np.arange(len(order))
            shuffle(samples, rng)
            visited, signed = shuffled_rows(X, samples), signed[:, samples]
        self._strengths = np.zeros(signed.shape, dtype=np.int64)
        shares, total = np.ones(len(signed)), weights.sum()
        state = "coef_", "intercept_", "_weights", "_drift", "_visits", "_strengths"
        run = Training(
            self,
            self.max_iter,
            self.tol,
            patience=self.n_iter_no_change,
            state=state,
            X=X,
            y=self.classes_[y],
            sample_weight=weights,
        )
        for _ in run:
            # Rounded rows pay off once mistakes are few.
            if in_runs:
                if isinstance(visited, CsrRows) and shares.max() < FEW:
                    visited = rounded_rows(visited)
                order = woven_runs(len(order), RUN, RUNS_AT_ONCE, rng)
            elif self.shuffle:
                shuffle(order, rng)
            learning = np.flatnonzero(shares) if self.penalty is None else np.arange(len(shares))
            mistaken = self._epoch(visited, signed, order, learning, self._strengths)
            shares[learning] = mistaken / total
            if not shares.any() and self.penalty is None:
                run.stop("no mistakes")
            updates = self._strengths.sum() - self.n_updates_
            score = None if held_out is None else self._accuracy(*held_out)
            run.record(self._loss(shares), score, updates=updates)
            self.n_updates_ += int(updates)
        self.history_, self.n_iter_ = run.history, run.n_iter
        self.coef_, self.intercept_ = self.coef_.copy(), self.intercept_.copy()

        # Strengths in the order of the samples as given.
        strengths = np.zeros((len(signed), len(y)), dtype=np.int64)
        strengths[:, samples] = self._strengths
        self.embedding_strengths_ = of_all_samples(strengths, took_part)
        del self._strengths
        return self

    def partial_fit(self, X, y, classes=None, sample_weight=None):
        """Visit the given samples once, in their order.

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
        self : Perceptron
            The estimator after these samples.
        """
        check_params(self)
        X, y, weights, took_part, first = check_part(self, X, y, sample_weight, classes)
        if first:
            self._start(X, as_generator(self.random_state))
            self.history_, self.n_iter_ = {"loss": [], "updates": []}, 0
        X = X.astype(self._weights.dtype, copy=False)

        models = np.arange(len(self._weights))
        strengths = np.zeros((len(models), len(y)), dtype=np.int64)
        signed = self._signed(X, y, weights)
        mistaken = self._epoch(X, signed, np.flatnonzero(weights), models, strengths)
        self.coef_, self.intercept_ = self.coef_.copy(), self.intercept_.copy()
        append_part(self, self._loss(mistaken / weights.sum()), updates=strengths.sum())
        self.n_updates_ += int(strengths.sum())
        self.embedding_strengths_ = of_all_samples(strengths, took_part)
        return self

    def _start(self, X, rng):
        """Set the weights, with the intercepts in the last column."""
        n_models = 1 if len(self.classes_) == 2 else len(self.classes_)
        shape = n_models, X.shape[1] + 1
        self._weights = np.zeros(shape, X.dtype)
        if self.init == "random":
            self._weights[:] = rng.normal(size=shape)
            self._weights[:, -1] *= self.fit_intercept
        self._drift = np.zeros(shape if self.average else (n_models, 0))
        self._visits, self.n_updates_ = np.zeros(n_models, dtype=np.int64), 0
        self._shrinkage = None
        if self.penalty is not None:
            if self.average:
                raise ValueError(
                    "Perceptron: average=True goes with penalty=None only, got penalty="
                    f"{self.penalty!r}."
                )
            share = {"l1": 1.0, "l2": 0.0, "elasticnet": self.l1_ratio}[self.penalty]
            step = self.eta0 * self.alpha
            self._shrinkage = Shrinkage(max(0.0, 1 - (1 - share) * step), share * step)
            self._debts = np.zeros((n_models, X.shape[1] + 1))

    def _earlier_weights(self):
        """Return the weights to go on from, and the classes that they are of."""
        if not (self.warm_start and hasattr(self, "coef_")):
            return None
        return self.classes_, self.coef_, self.intercept_

    def _go_on(self, earlier, coef, intercept):
        """Put given weights, or those of an earlier fit, in place of the first ones."""
        shape = len(self._weights), self._weights.shape[1] - 1
        if earlier is not None and np.array_equal(earlier[0], self.classes_):
            if earlier[1].shape != shape:
                raise ValueError(
                    f"Perceptron: warm_start=True goes on with weights of shape "
                    f"{earlier[1].shape}, but the data ask for {shape}. Set warm_start=False."
                )
            self._weights[:, :-1], self._weights[:, -1] = earlier[1:]
        if coef is not None:
            coef = np.atleast_2d(np.asarray(coef, dtype=np.float64))
            if coef.shape != shape:
                raise ValueError(
                    f"Perceptron: coef_init must have shape {shape}, got {coef.shape}."
                )
            self._weights[:, :-1] = coef
        if intercept is not None:
            offset = np.atleast_1d(np.asarray(intercept, dtype=np.float64))
            if offset.shape != shape[:1]:
                raise ValueError(
                    f"Perceptron: intercept_init must have shape {shape[:1]}, got {offset.shape}."
                )
            self._weights[:, -1] = offset

    def _signed(self, X, y, weights):
        """Return the weights of the samples with the signs of their labels, for each model."""
        return (signs(y, len(self.classes_)) * weights).astype(X.dtype)

    def _epoch(self, X, signed, order, models, strengths):
        """Visit the samples once for each of `models`; return the weights of their mistakes."""
        visit = partial(self._visit, X, signed, order, models, strengths)
        models_per_block = 1 if X.size >= THREADS_PAY_FROM else len(models)
        mistaken = np.concatenate(map_blocks(visit, len(models), models_per_block))
        self._visits[models] += len(order)

        # The average over all visits so far: w - drift / visits.
        w = self._weights
        if self.average:
            w = (w - self._drift / np.maximum(self._visits, 1)[:, None]).astype(w.dtype)
        self.coef_, self.intercept_ = w[:, :-1], w[:, -1]
        return mistaken

    def _visit(self, X, signed, order, models, strengths, block):
        number, rows, epoch = self._weights.dtype.type, X, dense_epoch
        rule = Rule(number(self.margin), number(self.eta0), number(self.fit_intercept))
        if isinstance(X, RoundedRows):
            epoch = rounded_epoch
        elif isinstance(X, CsrRows):
            epoch = csr_epoch
        elif issparse(X):
            rows, epoch = CsrRows.of(X), csr_epoch
        mistaken = []
        if self._shrinkage is not None:
            rows = SparseRows(X.data, unsigned(X.indices), unsigned(X.indptr)) if issparse(X) else X
            visit = penalised_csr_epoch if issparse(X) else penalised_epoch
            for k in models[block]:
                debts, strength = self._debts[k], strengths[k]
                task = signed[k], order, *rule, self._shrinkage
                mistaken.append(visit(rows, *task, self._weights[k], debts, strength))
            return mistaken
        for k in models[block]:
            learned = Learned(self._weights[k], self._drift[k], strengths[k])
            mistaken.append(epoch(rows, signed[k], order, rule, self._visits[k], learned))
        return mistaken

    @property
    def t_(self):
        """Number of visits of samples, and one."""
        return 1.0 + self.n_iter_ * self.embedding_strengths_.shape[-1]

    def _loss(self, shares):
        """Return the mean share of mistakes, or NaN where weights have overflowed."""
        with np.errstate(over="ignore", invalid="ignore"):
            fine = np.isfinite(self.coef_.sum())
        return shares.sum() / len(shares) if fine else np.nan
