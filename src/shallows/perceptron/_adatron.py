"""The perceptron of optimal stability, with or without errors."""

from __future__ import annotations

import warnings
from functools import partial
from typing import Annotated, Literal

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning

from shallows._core.contract.params import (
    NonNegativeFloat,
    PositiveFloat,
    PositiveInt,
    Range,
    check_params,
)
from shallows._core.contract.rng import RandomState, as_generator
from shallows._core.contract.training import IterativeMixin, Training
from shallows._core.numerics.threads import hold_threads, map_blocks
from shallows.perceptron._dual_ascent import DualAscent
from shallows.perceptron._linear import LinearClassifier, check_weighted, of_all_samples, signs

THREADS_PAY_FROM = 2**17  # stored values of X; below, starting threads costs more than a sweep
MEASURED_IN_EVERY_SWEEP = 2**16  # stored values of X; above, only when the end is near
INSEPARABLE = (
    "AdaTron: C=None allows no errors, but no hyperplane separates {}. Set C, or ask "
    "shallows.perceptron.separability which samples contradict each other."
)


class AdaTron(LinearClassifier, IterativeMixin, BaseEstimator):
    r"""Linear classifier with the widest margin between the classes.

    With labels :math:`S = \pm 1` the stability of a hyperplane is the smallest distance
    :math:`\kappa = \min S (w \cdot x + b) / |w|` of a sample to it. The hard problem
    (``C=None``) asks for the largest :math:`\kappa`, that is, for the shortest :math:`w` with
    all potentials :math:`E = S (w \cdot x + b) \geq 1`; then :math:`\kappa = 1 / |w|`. The soft
    problem allows errors and minimises :math:`|w|^2 / 2 + C \sum \max(0, 1 - E)`.

    The weights are a sum of the samples, :math:`w = \sum a S x`, with embedding strengths :math:`0
    \leq a \leq C`. AdaTron [1]_ changes one strength after the other by :math:`\eta (1 - E) /
    |x|^2` within these bounds, which is coordinate ascent in the dual problem and raises its value
    in every step. Samples that stay at a bound are left out until the end [2]_. Where samples are
    many and features few, and some sweeps have not been enough, the strengths of a smoothed soft
    problem, found by Newton's method, are taken as a new start. With more than two classes, each
    class is trained against the rest, and the largest field decides.

    Parameters
    ----------
    C : float or None, default=1.0
        Largest embedding strength, the price of an error. With None no error is allowed; the
        strengths of a class that can't be separated from the rest then grow until its training
        ends with a warning.
    threshold : {"exact", "clamped", "none"}, default="exact"
        ``"exact"``: :math:`b` is free. ``"clamped"``: :math:`b` is the weight of a constant
        input `clamp` and counts in :math:`|w|`, as in scikit-learn's LinearSVC; quicker, but the
        margin is not the widest. ``"none"``: the hyperplane passes through the origin.
    clamp : float, default=1.0
        The constant input of ``threshold="clamped"``. The larger, the nearer to ``"exact"``.
    update : {"sequential", "parallel"}, default="sequential"
        ``"parallel"``: all strengths change at once, by :math:`\eta (1 - E) / \lambda` with
        :math:`\lambda` the largest eigenvalue of the scalar products of all samples. Slow, and
        as simple as gradient ascent.
    eta0 : float, default=1.0
        Rate :math:`\eta` between 0 and 2, within which the dual value rises. With 1 each
        sequential step maximises it.
    max_iter : int, default=1000
        Largest number of sweeps over the data.
    tol : float or None, default=1e-3
        Training stops when the duality gap falls below this share of the cost, which is then
        at most so far above its minimum. With None all `max_iter` sweeps run.
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
        Thresholds :math:`b`.
    embedding_strengths_ : ndarray of shape (n_samples,) or (n_classes, n_samples)
        Strengths :math:`a`, with ``coef_`` the sum of strength, label and sample.
    support_ : ndarray of shape (n_support,)
        Indices of the samples with a strength above zero, for some class. All others could
        be left out without changing the result.
    stability_ : ndarray of shape (1,) or (n_classes,)
        :math:`\kappa`, negative where a sample lies on the wrong side.
    dual_gap_ : ndarray of shape (1,) or (n_classes,)
        Duality gap as a share of the cost, a proven bound.
    history_ : dict of str to list of float
        Per sweep, the mean over classes: ``"loss"``, the negative of the dual value, and as
        last measured ``"gap"`` and ``"stability"``; both are measured in every sweep of small
        data, else when the end is near.
    n_iter_ : int
        Sweeps run.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    Notes
    -----
    A weight of a sample is a factor of its `C`, so it means the same as repeating the sample;
    in the hard problem it changes nothing unless it is zero. In the convention of statistical
    physics, :math:`w = N^{-1} \sum x^\mu \xi^\mu S^\mu`, strengths are `n_features` times as
    large.

    References
    ----------
    .. [1] J. K. Anlauf and M. Biehl, "The AdaTron: an adaptive perceptron algorithm",
       Europhysics Letters 10, 687-692, 1989.
    .. [2] C.-J. Hsieh, K.-W. Chang, C.-J. Lin, S. S. Keerthi and S. Sundararajan, "A dual
       coordinate descent method for large-scale linear SVM", ICML 25, 408-415, 2008.

    Examples
    --------
    >>> from shallows.perceptron import AdaTron
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1]
    >>> model = AdaTron(C=None, tol=1e-9, random_state=0).fit(X, y)
    >>> model.coef_.round(6), model.intercept_.round(6), model.stability_.round(6)
    (array([[2., 2.]]), array([-3.]), array([0.353553]))
    >>> model.support_
    array([1, 2, 3])
    """

    def __init__(
        self,
        C: PositiveFloat | None = 1.0,
        *,
        threshold: Literal["exact", "clamped", "none"] = "exact",
        clamp: PositiveFloat = 1.0,
        update: Literal["sequential", "parallel"] = "sequential",
        eta0: Annotated[float, Range(0, 2, open="both")] = 1.0,
        max_iter: PositiveInt = 1000,
        tol: NonNegativeFloat | None = 1e-3,
        class_weight: dict | Literal["balanced"] | None = None,
        random_state: RandomState = None,
    ):
        self.C = C
        self.threshold = threshold
        self.clamp = clamp
        self.update = update
        self.eta0 = eta0
        self.max_iter = max_iter
        self.tol = tol
        self.class_weight = class_weight
        self.random_state = random_state

    def fit(self, X, y, sample_weight=None):
        """Find the embedding strengths.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each sample, a factor of its `C`.

        Returns
        -------
        self : AdaTron
            The fitted estimator.
        """
        check_params(self)
        X, y, weights, took_part = check_weighted(self, X, y, sample_weight)
        caps = np.full(len(y), np.inf) if self.C is None else self.C * weights
        labels = signs(y, len(self.classes_))
        rngs = as_generator(self.random_state).spawn(len(labels))

        problems = [DualAscent(X, S, caps, self.threshold, self.clamp) for S in labels]
        self._set_planes(X.dtype, problems)
        # The gap decides, not the progress of the loss
        run = Training(
            self,
            self.max_iter,
            self.tol,
            patience=self.max_iter + 1,
            state=("coef_", "intercept_"),
            X=X,
            y=self.classes_[y],
            sample_weight=weights,
        )
        with hold_threads():
            for _ in run:
                sweep = partial(self._sweep, problems, rngs)
                models_per_block = 1 if X.size >= THREADS_PAY_FROM else len(problems)
                map_blocks(sweep, len(problems), models_per_block)
                self._set_planes(X.dtype, problems)
                if not any(map(self._learns, problems)):
                    run.stop("gap")
                run.record(
                    -np.mean([problem.dual for problem in problems]),
                    gap=np.mean([problem.gap for problem in problems]),
                    stability=np.mean([problem.stability for problem in problems]),
                )
        self.history_, self.n_iter_ = run.history, run.n_iter
        self._warn_of_hopeless(problems)
        self._set_solutions(X.dtype, [problem.solution() for problem in problems], took_part)
        return self

    def _sweep(self, problems, rngs, block):
        tol = self.tol or 0.0
        for problem, rng in zip(problems[block], rngs[block], strict=True):
            if not self._learns(problem):
                continue
            if self.update == "parallel":
                problem.advance_in_parallel(self.eta0)
            else:
                small = problem.X.size <= MEASURED_IN_EVERY_SWEEP
                problem.advance(rng, self.eta0, tol, measure=small)

    def _learns(self, problem):
        return not (problem.hopeless or (self.tol is not None and problem.gap <= self.tol))

    def _warn_of_hopeless(self, problems):
        hopeless = [problem.hopeless for problem in problems]
        if any(hopeless):
            which = "the classes"
            if len(problems) > 1:
                which = ", ".join(map(repr, self.classes_[hopeless].tolist())) + " from the rest"
            warnings.warn(INSEPARABLE.format(which), ConvergenceWarning, stacklevel=3)

    def _set_planes(self, dtype, problems):
        planes = [problem.plane() for problem in problems]
        self.coef_ = np.array([coef for coef, _ in planes], dtype=dtype)
        self.intercept_ = np.array([intercept for _, intercept in planes], dtype=dtype)

    def _set_solutions(self, dtype, solutions, took_part):
        self.coef_ = np.array([found.coef for found in solutions], dtype=dtype)
        self.intercept_ = np.array([found.intercept for found in solutions], dtype=dtype)
        self.stability_ = np.array([found.stability for found in solutions], dtype=dtype)
        self.dual_gap_ = np.array([found.gap for found in solutions], dtype=dtype)
        strengths = np.array([found.strengths for found in solutions], dtype=dtype)
        self.embedding_strengths_ = of_all_samples(strengths, took_part)
        self.support_ = np.flatnonzero(np.atleast_2d(self.embedding_strengths_).any(axis=0))
