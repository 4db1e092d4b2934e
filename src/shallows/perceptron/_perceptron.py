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
    NonNegativeFloat,
    PositiveFloat,
    PositiveInt,
    check_params,
)
from shallows._core.contract.rng import RandomState, as_generator
from shallows._core.contract.training import IterativeMixin, Training
from shallows._core.numerics.compile import compiled, unsigned
from shallows._core.numerics.threads import map_blocks
from shallows.perceptron._linear import (
    LinearClassifier,
    append_part,
    check_part,
    check_weighted,
    of_all_samples,
    signs,
)
from shallows.perceptron._order import shuffle, woven_runs
from shallows.perceptron._sparse_runs import (
    FEW,
    PAYS,
    RoundedRows,
    ShuffledRows,
    rounded_epoch,
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
    margin : float, default=0.0
        The value :math:`c` that a sample must exceed to be left alone.
    fit_intercept : bool, default=True
        Whether to learn :math:`b`, as the weight of a constant input 1.
    eta0 : float, default=1.0
        Learning rate :math:`\eta`, constant. From zero weights with `margin` 0 it scales the
        weights and changes nothing else; with a margin :math:`c` a run is that of rate 1 with
        margin :math:`c / \eta`, scaled. ``eta0=1 / n_features`` is the convention of
        statistical physics.
    init : {"zero", "random"}, default="zero"
        Weights at the start: zero, or standard normal.
    average : bool, default=False
        Whether to predict with the average of the weights over all visits of samples, which
        generalises better where the data are not separable.
    max_iter : int, default=1000
        Largest number of passes over the data.
    tol : float or None, default=1e-3
        Training stops when the watched value improves by less than this in `n_iter_no_change`
        epochs in a row. With None all `max_iter` epochs run, unless one has no mistakes; there is
        no warning if mistakes remain, see ``history_["updates"]``.
    n_iter_no_change : int, default=20
        Epochs without improvement that end the training. The share of mistakes jumps about
        long before separable data are learned: be patient.
    validation_fraction : float or None, default=None
        Share of the data held out to watch the accuracy on; the weights of the best
        epoch are kept. With None the share of mistakes is watched.
    shuffle : bool, default=True
        Whether to visit the samples of each epoch in a new random order. Large sparse data are
        copied in a random order once; then 4 runs of 256 rows each are drawn and visited in turns.
        Once mistakes are few, single precision decides where its rounding can't matter.
    class_weight : dict, "balanced" or None, default=None
        Weight of each class, a factor of the weights of its samples.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the order of the samples and random initial weights.

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
        margin: NonNegativeFloat = 0.0,
        *,
        fit_intercept: bool = True,
        eta0: PositiveFloat = 1.0,
        init: Literal["zero", "random"] = "zero",
        average: bool = False,
        max_iter: PositiveInt = 1000,
        tol: NonNegativeFloat | None = 1e-3,
        n_iter_no_change: PositiveInt = 20,
        validation_fraction: Fraction | None = None,
        shuffle: bool = True,
        class_weight: dict | Literal["balanced"] | None = None,
        random_state: RandomState = None,
    ):
        self.margin = margin
        self.fit_intercept = fit_intercept
        self.eta0 = eta0
        self.init = init
        self.average = average
        self.max_iter = max_iter
        self.tol = tol
        self.n_iter_no_change = n_iter_no_change
        self.validation_fraction = validation_fraction
        self.shuffle = shuffle
        self.class_weight = class_weight
        self.random_state = random_state

    def fit(self, X, y, sample_weight=None):
        """Learn from the samples, epoch after epoch.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each sample, a factor of its steps.

        Returns
        -------
        self : Perceptron
            The fitted estimator.
        """
        check_params(self)
        X, y, weights, took_part = check_weighted(self, X, y, sample_weight)
        rng = as_generator(self.random_state)
        held_out = None
        if self.validation_fraction is not None:
            rows = np.arange(len(y))
            _, (rows, *rest) = hold_out(
                rows, y, weights, self.validation_fraction, rng, stratify=True
            )
            held_out, weights[rows] = (X[rows], *rest), 0.0

        self._start(X, rng)
        signed, order = self._signed(X, y, weights), np.flatnonzero(weights)
        visited, samples = X, np.arange(len(y))
        in_runs = self.shuffle and issparse(X) and X.size in PAYS
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
            if in_runs:
                if isinstance(visited, ShuffledRows) and shares.max() < FEW:
                    visited = rounded_rows(visited)
                order = woven_runs(len(order), RUN, RUNS_AT_ONCE, rng)
            elif self.shuffle:
                shuffle(order, rng)
            learning = np.flatnonzero(shares)
            mistaken = self._epoch(visited, signed, order, learning, self._strengths)
            shares[learning] = mistaken / total
            if not shares.any():
                run.stop("no mistakes")
            updates = self._strengths.sum() - self.n_updates_
            score = None if held_out is None else self._accuracy(*held_out)
            run.record(self._loss(shares), score, updates=updates)
            self.n_updates_ += int(updates)
        self.history_, self.n_iter_ = run.history, run.n_iter
        self.coef_, self.intercept_ = self.coef_.copy(), self.intercept_.copy()
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

    def _signed(self, X, y, weights):
        """Return the weights of the samples with the signs of their labels, for each model."""
        return (signs(y, len(self.classes_)) * weights).astype(X.dtype)

    def _epoch(self, X, signed, order, models, strengths):
        """Visit the samples once for each of `models`; return the weights of their mistakes."""
        visit = partial(self._visit, X, signed, order, models, strengths)
        models_per_block = 1 if X.size >= THREADS_PAY_FROM else len(models)
        mistaken = np.concatenate(map_blocks(visit, len(models), models_per_block))
        self._visits[models] += len(order)

        w = self._weights
        if self.average:
            w = (w - self._drift / np.maximum(self._visits, 1)[:, None]).astype(w.dtype)
        self.coef_, self.intercept_ = w[:, :-1], w[:, -1]
        return mistaken

    def _visit(self, X, signed, order, models, strengths, block):
        number = self._weights.dtype.type
        constants = number(self.margin), number(self.eta0), number(self.fit_intercept)
        mistaken = []
        for k in models[block]:
            state = self._visits[k], self._weights[k], self._drift[k], strengths[k]
            task = signed[k], order, *constants, *state
            if isinstance(X, RoundedRows):
                mistaken.append(rounded_epoch(*X, *task))
            elif isinstance(X, ShuffledRows):
                mistaken.append(csr_epoch(*X, *task))
            elif issparse(X):
                rows = X.data, unsigned(X.indices), unsigned(X.indptr)
                mistaken.append(csr_epoch(*rows, *task))
            else:
                mistaken.append(dense_epoch(X, *task))
        return mistaken

    def _loss(self, shares):
        """Return the mean share of mistakes, or NaN where weights have overflowed."""
        with np.errstate(over="ignore", invalid="ignore"):
            fine = np.isfinite(self.coef_.sum())
        return shares.sum() / len(shares) if fine else np.nan


@compiled
def dense_epoch(X, signed, order, margin, eta, bias, visits, w, drift, strengths):
    """Visit samples in `order`, move `w` in place, return the weight of the mistakes.

    `signed` holds the weight of each sample with the sign of its label. The last entry of `w`
    belongs to a constant input `bias`, 1 or 0. After `visits` visits the average of `w` over
    them is ``w - drift / visits``; an empty `drift` is not kept.
    """
    n_features = X.shape[1]
    mistaken = 0.0
    for i in order:
        field = bias * w[n_features]
        for j in range(n_features):
            field += X[i, j] * w[j]
        step = eta * signed[i]
        if step < 0.0:
            field = -field
        if not field > margin:
            for j in range(n_features):
                w[j] += step * X[i, j]
            w[n_features] += step * bias
            if len(drift) > 0:
                for j in range(n_features):
                    drift[j] += visits * step * X[i, j]
                drift[n_features] += visits * step * bias
            strengths[i] += 1
            mistaken += abs(signed[i])
        visits += 1
    return mistaken


@compiled
def csr_epoch(data, columns, starts, signed, order, margin, eta, bias, visits, w, drift, strengths):
    """Do as `dense_epoch` with rows in compressed sparse form."""
    last = len(w) - 1
    mistaken = 0.0
    for i in order:
        start, end = starts[i], starts[i + 1]
        field = bias * w[last]
        for k in range(start, end):
            field += data[k] * w[columns[k]]
        step = eta * signed[i]
        if step < 0.0:
            field = -field
        if not field > margin:
            for k in range(start, end):
                w[columns[k]] += step * data[k]
            w[last] += step * bias
            if len(drift) > 0:
                for k in range(start, end):
                    drift[columns[k]] += visits * step * data[k]
                drift[last] += visits * step * bias
            strengths[i] += 1
            mistaken += abs(signed[i])
        visits += 1
    return mistaken
