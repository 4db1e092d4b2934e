"""Optimal stability by learning the least stable sample."""

from __future__ import annotations

import warnings
from typing import Literal

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning

from shallows._core.compile import compiled
from shallows._core.data import check_labelled
from shallows._core.params import NonNegativeFloat, PositiveFloat, PositiveInt, check_params
from shallows._core.training import IterativeMixin, Training
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
    classes each class learns on its own to tell itself from the rest.

    Parameters
    ----------
    margin : float or None, default=None
        Training ends when all potentials reach this value. With None it goes on, which alone
        leads to optimal stability.
    stop : {"angle", "stability", "gap"}, default="gap"
        What must fall below `tol`: the angle over :math:`\pi` by which the weights turn in an
        epoch, the sum of squared changes of the stabilities of all samples in an epoch, or the
        share by which :math:`\kappa^2` lies below its upper bound.
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
        labels = signs(y, len(self.classes_))
        gram = self._gram(X) if len(y) ** 2 <= LARGEST_GRAM else None
        counts = np.zeros(labels.shape, dtype=np.int64)
        potentials = np.zeros(labels.shape)
        learning = np.ones(len(labels), dtype=bool)
        self._weights = np.zeros((len(labels), X.shape[1] + 1))
        self._set_planes(X, labels, counts)
        before = self._stabilities(X, labels)
        # `stop` decides, not the progress of the loss
        run = Training(self, self.max_iter, state=("coef_", "intercept_"), X=X, y=self.classes_[y])
        for _ in run:
            for k in np.flatnonzero(learning):
                self._steps(X, labels[k], gram, potentials[k], counts[k])
            turned = self._set_planes(X, labels, counts)
            after = self._stabilities(X, labels)
            lowest, bounds = after.min(axis=1), self._lengths() / np.maximum(counts.sum(1), 1)
            measures = {
                "angle": turned,
                "stability": ((after - before) ** 2).sum(1),
                "gap": 1 - np.sign(lowest) * _ratios(lowest, bounds) ** 2,
            }
            before = after
            run.record(measures[self.stop].mean(), stability=lowest.mean(), bound=bounds.mean())
            if self.tol is not None:
                learning &= measures[self.stop] > self.tol
            if self.margin is not None:
                learning &= (lowest * self._lengths()) < self.margin
            if not learning.any():
                run.stop(self.stop)
        if run.stopped_by == "max_iter" and self.tol is not None:
            self._warn(learning & (lowest <= 0))
        self.history_, self.n_iter_ = run.history, run.n_iter
        self.embedding_strengths_ = of_all_samples(counts, None)
        lengths = np.linalg.norm(self._weights[:, :-1], axis=1)
        lowest = after.min(axis=1) * self._lengths()
        self.stability_ = _ratios(lowest, lengths).astype(X.dtype)
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
        gram = X @ X.T
        gram = gram.toarray() if issparse(gram) else gram
        return np.ascontiguousarray(gram, dtype=np.float64) + float(self.fit_intercept)

    def _steps(self, X, S, gram, potentials, counts):
        margin = np.inf if self.margin is None else float(self.margin)
        if gram is not None:
            learn_least_stable(gram, S, margin, len(S), potentials, counts)
            return
        for _ in range(len(S)):
            least = int(potentials.argmin())
            if potentials[least] >= margin:
                return
            counts[least] += 1
            row = X[[least]].toarray()[0] if issparse(X) else X[least]
            potentials += S * S[least] * (X @ row + float(self.fit_intercept))

    def _set_planes(self, X, labels, counts):
        """Set the weights; return the angles over pi by which they turned."""
        signed = labels * counts
        sums = np.asarray(signed @ X, dtype=np.float64)
        weights = np.hstack([sums, self.fit_intercept * signed.sum(1, keepdims=True)])
        scales = self._lengths() * np.linalg.norm(weights, axis=1)
        cosines = _ratios(np.einsum("kj,kj->k", self._weights, weights), scales)
        self._weights = weights
        self.coef_, self.intercept_ = (
            part.astype(X.dtype) for part in (weights[:, :-1], weights[:, -1])
        )
        return np.arccos(np.clip(cosines, -1, 1)) / np.pi

    def _stabilities(self, X, labels):
        fields = (X @ self._weights[:, :-1].T + self._weights[:, -1]).T
        return _ratios(labels * fields, self._lengths()[:, None])

    def _lengths(self):
        return np.linalg.norm(self._weights, axis=1)


def _ratios(values, scales):
    """Return values over scales, 0 where the scale is."""
    return values / np.where(scales > 0, scales, np.inf)


@compiled
def learn_least_stable(gram, S, margin, n_steps, potentials, counts):
    """Learn the sample of the smallest potential, step after step, in place."""
    least = np.argmin(potentials)
    for _ in range(n_steps):
        if potentials[least] >= margin:
            return
        counts[least] += 1
        chosen, smallest = least, np.inf
        for i in range(len(S)):
            potentials[i] += S[chosen] * S[i] * gram[chosen, i]
            if potentials[i] < smallest:
                smallest, least = potentials[i], i
