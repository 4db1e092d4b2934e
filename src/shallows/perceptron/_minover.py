"""Optimal stability by learning the least stable sample."""

from __future__ import annotations

import warnings
from typing import Literal

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning

from shallows._core.contract.data import check_labelled
from shallows._core.contract.params import (
    NonNegativeFloat,
    PositiveFloat,
    PositiveInt,
    check_params,
)
from shallows._core.contract.training import IterativeMixin, Training
from shallows.perceptron._least_stable import Problem
from shallows.perceptron._linear import LinearClassifier, of_all_samples, signs

LARGEST_GRAM = 2**25  # entries; with more samples potentials are computed anew in every step


class MinOver(LinearClassifier, IterativeMixin, BaseEstimator):
    r"""Linear classifier that always learns the sample of minimal overlap.

    With labels :math:`S = \pm 1` and potentials :math:`E = S (w \cdot x + b)`, each step adds the
    labelled sample of the smallest :math:`E` to the weights [1]_. On separable data their
    direction converges to that of optimal stability :math:`\kappa = \min E / |w|`, slowly: use
    `AdaTron` for precision. On other data it is of no use. The length of the weights grows for
    ever. Every step also bounds the largest stability from above, by the length of the weights
    over the number of steps, so that the distance to the optimum is known. With more than two
    classes, each class is trained against the rest.

    Parameters
    ----------
    margin : float or None, default=None
        Training ends when all potentials reach this value. With None it goes on, which alone
        leads to optimal stability.
    stop : {"angle", "stability", "gap"}, default="gap"
        What must fall below `tol`: the angle over :math:`\pi` by which the weights turn in an
        epoch, the sum of squared changes of the stabilities of all samples in an epoch, or the
        share by which :math:`\kappa^2` lies below its upper bound, which ends at the very step.
    fit_intercept : bool, default=True
        Whether to learn :math:`b`, as the weight of a constant input 1, which counts in
        :math:`|w|`.
    max_iter : int, default=1000
        Largest number of epochs of as many steps as there are samples.
    tol : float or None, default=1e-2
        Training stops when what `stop` names falls below this. With None all `max_iter` epochs
        run.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Weights, one row for two classes, else one row per class.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Intercepts :math:`b`.
    embedding_strengths_ : ndarray of shape (n_samples,) or (n_classes, n_samples)
        How often each sample was learned; ``coef_`` is the sum of strength, label and sample.
    stability_ : ndarray of shape (1,) or (n_classes,)
        Smallest distance of a sample to the hyperplane, negative on the wrong side.
    history_ : dict of str to list of float
        Per epoch, the mean over classes of ``"stability"`` of the learned problem (with the
        constant input part of it), its upper bound ``"bound"``, and as ``"loss"`` what `stop`
        names.
    n_iter_ : int
        Epochs run.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    References
    ----------
    .. [1] W. Krauth and M. Mezard, "Learning algorithms with optimal stability in neural
       networks", Journal of Physics A 20, L745-L752, 1987.

    Examples
    --------
    >>> from shallows.perceptron import MinOver
    >>> X, y = [[2, 0], [0, 1], [-1, -1], [-2, 0]], [1, 1, 0, 0]
    >>> model = MinOver(fit_intercept=False, tol=1e-3).fit(X, y)
    >>> model.stability_.round(2)
    array([0.89])
    """

    def __init__(
        self,
        margin: PositiveFloat | None = None,
        *,
        stop: Literal["angle", "stability", "gap"] = "gap",
        fit_intercept: bool = True,
        max_iter: PositiveInt = 1000,
        tol: NonNegativeFloat | None = 1e-2,
    ):
        self.margin = margin
        self.stop = stop
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol

    def fit(self, X, y):
        """Learn the least stable sample, step after step.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples,)
            Class labels.

        Returns
        -------
        self : MinOver
            The fitted estimator.
        """
        check_params(self)
        X, y, _ = check_labelled(self, X, y, sparse=True)
        gram = self._gram(X) if len(y) ** 2 <= LARGEST_GRAM else None
        problems = [Problem(S) for S in signs(y, len(self.classes_))]
        learning, data = problems, {"X": X, "y": self.classes_[y]}
        # `stop` decides, not the progress of the loss
        run = Training(self, self.max_iter, state=lambda: self._planes(X, problems), **data)
        for _ in run:
            for problem in learning:
                self._learn(problem, X, gram)
            run.record(
                sum(problem.left for problem in problems) / len(problems),
                stability=sum(problem.stability for problem in problems) / len(problems),
                bound=sum(problem.bound for problem in problems) / len(problems),
            )
            learning = [problem for problem in learning if not self._has_learned(problem)]
            if not learning:
                run.stop(self.stop)
        if run.stopped_by == "max_iter" and self.tol is not None:
            self._warn(np.array([p in learning and p.stability <= 0 for p in problems]))
        self.history_, self.n_iter_ = run.history, run.n_iter
        for name, value in self._planes(X, problems).items():
            setattr(self, name, value)
        return self

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True  # where a class can't be separated from the rest
        return tags

    def _warn(self, unseparated):
        """Tell why training ended, and of classes that are not separated from the rest yet."""
        advice = "Raise max_iter, raise tol, or scale the data."
        if unseparated.any():
            which = "the classes"
            if len(unseparated) > 1:
                which = ", ".join(map(repr, self.classes_[unseparated].tolist())) + " from the rest"
            advice = (
                f"No hyperplane found separates {which}; ask shallows.perceptron.separability "
                "whether there is one, or use Pocket or AdaTron, which allow errors."
            )
        warnings.warn(
            f"MinOver stopped after max_iter={self.max_iter} epochs before it converged. {advice}",
            ConvergenceWarning,
            stacklevel=3,
        )

    def _gram(self, X):
        X = X.astype(np.float64, copy=False)
        gram = X @ X.T
        gram = np.ascontiguousarray(gram.toarray() if issparse(gram) else gram)
        gram += float(self.fit_intercept)
        return gram

    def _learn(self, problem, X, gram):
        """Run an epoch, and measure what `stop` names."""
        margin = np.inf if self.margin is None else float(self.margin)
        gap = -np.inf if self.tol is None or self.stop != "gap" else float(self.tol)
        earlier = None if self.stop == "gap" else problem.state()
        if gram is None:
            problem.learn_from(X, float(self.fit_intercept), margin, gap)
        else:
            problem.learn(gram, margin, gap)
        if self.stop == "gap":
            problem.left = problem.gap
        else:
            measure = problem.angle if self.stop == "angle" else problem.restlessness
            problem.left = measure(earlier)

    def _has_learned(self, problem):
        close = self.tol is not None and problem.left <= self.tol
        return close or (self.margin is not None and problem.lowest >= self.margin)

    def _planes(self, X, problems):
        """Return the attributes that the counts stand for."""
        counts = np.array([problem.counts for problem in problems])
        signed = counts * [problem.S for problem in problems]
        weights = np.asarray(signed @ X, dtype=np.float64)
        offsets = self.fit_intercept * signed.sum(axis=1)
        lowest = np.array([problem.lowest for problem in problems])
        lengths = np.linalg.norm(weights, axis=1)
        return {
            "coef_": weights.astype(X.dtype),
            "intercept_": offsets.astype(X.dtype),
            "embedding_strengths_": of_all_samples(counts, None),
            "stability_": (lowest / np.where(lengths > 0, lengths, np.inf)).astype(X.dtype),
        }
