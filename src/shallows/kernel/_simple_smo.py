"""Sequential minimal optimisation in its simplest form, for teaching."""

from __future__ import annotations

import warnings
from typing import Literal

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning

from shallows._core.contract.params import FiniteFloat, PositiveFloat, PositiveInt, check_params
from shallows._core.contract.rng import RandomState, as_generator
from shallows._core.contract.training import IterativeMixin, Training
from shallows._core.numerics.compile import compiled
from shallows.kernel._one_versus_rest import KernelClassifier
from shallows.kernel._resolve import Degree, Gamma, KernelName

LEAST_CHANGE = 1e-5
ROUNDING = 1e-12
SWEEPS_AT_ONCE = 16  # whose partners are drawn together; a draw of few costs more than a sweep


class SimpleSMO(KernelClassifier, IterativeMixin, BaseEstimator):
    r"""Support vector classifier by simplified sequential minimal optimisation.

    A sweep visits all samples; one that violates the optimality conditions is paired with a
    partner at random, and the two strengths move to the best point of the line that keeps
    :math:`\sum a_i y_i = 0` [1]_. It is the textbook form: `SVC` finds the same solution in far
    less time. With ``stop="idle"`` it ends after some sweeps without a change, which may be well
    short of the optimum, as a random partner may fail to help; ``stop="kkt"`` sweeps on until the
    conditions hold. Several classes are learned one against the rest.

    Parameters
    ----------
    C : float, default=1.0
        Cost of margin violations; the larger, the closer the fit.
    kernel : str or callable, default="rbf"
        The kernel. A callable takes two arrays of rows and returns the matrix of values.
    degree : int, default=3
        Power of the polynomial kernel.
    gamma : "scale", "auto" or float, default="scale"
        Coefficient of all kernels but the linear: "scale" is 1 / (n_features * X.var()), "auto"
        1 / n_features.
    coef0 : float, default=0.0
        Constant of the polynomial and the sigmoid kernel.
    stop : {"idle", "kkt"}, default="idle"
        When to end.
    n_idle : int, default=5
        Sweeps in a row without a change that end the training, for "idle".
    tol : float, default=1e-3
        Largest violation of the optimality conditions that is accepted.
    max_iter : int, default=10000
        Largest number of sweeps.
    random_state : int, RandomState, Generator or None, default=None
        Draws the partners.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    support_ : ndarray of shape (n_SV,)
        Rows of the samples with a coefficient.
    support_vectors_ : ndarray or CSR array of shape (n_SV, n_features)
        These samples; empty for a precomputed kernel.
    dual_coef_ : ndarray of shape (n_columns, n_SV)
        Signed coefficients, one row per class; with two classes one row, for ``classes_[1]``.
    intercept_ : ndarray of shape (n_columns,)
        Offsets.
    history_ : dict of str to list of float
        After each sweep, the negative dual value summed over classes under ``"loss"``, the
        largest violation under ``"kkt"``, and the pairs changed under ``"changed"``.
    n_iter_ : int
        Sweeps run.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    References
    ----------
    .. [1] J. Platt, "Sequential minimal optimization", 1998.

    Examples
    --------
    >>> from shallows.kernel import SimpleSMO
    >>> model = SimpleSMO(kernel="linear", random_state=0).fit([[-1.0], [1.0]], [-1, 1])
    >>> model.dual_coef_
    array([[-0.5,  0.5]])
    """

    def __init__(
        self,
        C: PositiveFloat = 1.0,
        *,
        kernel: KernelName = "rbf",
        degree: Degree = 3,
        gamma: Gamma = "scale",
        coef0: FiniteFloat = 0.0,
        stop: Literal["idle", "kkt"] = "idle",
        n_idle: PositiveInt = 5,
        tol: PositiveFloat = 1e-3,
        max_iter: PositiveInt = 10_000,
        random_state: RandomState = None,
    ):
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.stop = stop
        self.n_idle = n_idle
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    def fit(self, X, y, sample_weight=None):
        """Learn the strengths.

        Parameters
        ----------
        X : array-like or CSR array of shape (n_samples, n_features)
            Training samples, or their Gram matrix for a precomputed kernel.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Factors of C by sample; a weight of 0 removes the sample.

        Returns
        -------
        self : SimpleSMO
            The fitted estimator.
        """
        check_params(self)
        X, gram, signs, weights, used = self._prepare(X, y, sample_weight)
        caps = self.C * weights

        strengths, fields = np.zeros((2, *signs.shape))
        offsets, idle = np.zeros(len(signs)), 0
        draws = _draw_partners(as_generator(self.random_state), signs.shape)
        run = Training(self, self.max_iter, X=X, y=y)
        for _ in run:
            changed, dual, worst = smo_sweep(
                gram, signs, caps, self.tol, next(draws), strengths, fields, offsets
            )
            run.record(-dual, kkt=worst, changed=changed)
            idle = 0 if changed else idle + 1
            # A pair needs half of the tolerance on either side of the offset.
            if (self.stop == "idle" and idle >= self.n_idle) or worst <= 2 * self.tol:
                run.stop("tol")
        self.history_, self.n_iter_ = run.history, run.n_iter
        self._warn_if_unfinished(run)
        self._keep_support(X, used, strengths * signs, -offsets)
        return self

    def _warn_if_unfinished(self, run):
        if run.stopped_by == "max_iter":
            warnings.warn(
                f"SimpleSMO stopped after max_iter={self.max_iter} sweeps before it converged. "
                "Raise max_iter, raise tol, or use SVC.",
                ConvergenceWarning,
                stacklevel=4,
            )


def _draw_partners(rng, shape):
    """Yield the partners of each sweep: for each class and sample one of the other samples."""
    others = max(shape[1] - 1, 1)
    while True:
        yield from rng.integers(0, others, (SWEEPS_AT_ONCE, *shape))


@compiled
def smo_sweep(gram, signs, caps, tol, partners, strengths, fields, offsets):
    """Visit all samples once for each class; change the last three arguments in place.

    `fields` is the expansion without offset; a decision is field less offset. Returns the number
    of pairs changed, and what `judge` finds then.
    """
    changed = 0
    for k in range(signs.shape[0]):
        y, a, f = signs[k], strengths[k], fields[k]
        for i in range(len(y)):
            error_i = f[i] - offsets[k] - y[i]
            too_low = y[i] * error_i < -tol and a[i] < caps[i]
            too_high = y[i] * error_i > tol and a[i] > 0.0
            if len(y) < 2 or not (too_low or too_high):
                continue
            j = partners[k, i] + (partners[k, i] >= i)
            error_j = f[j] - offsets[k] - y[j]
            if y[i] == y[j]:
                low, high = max(0.0, a[i] + a[j] - caps[i]), min(caps[j], a[i] + a[j])
            else:
                low, high = max(0.0, a[j] - a[i]), min(caps[j], caps[i] + a[j] - a[i])
            bend = gram[i, i] + gram[j, j] - 2.0 * gram[i, j]
            if high <= low or bend <= 0.0:
                continue
            new_j = min(max(a[j] + y[j] * (error_i - error_j) / bend, low), high)
            if abs(new_j - a[j]) < LEAST_CHANGE:
                continue
            new_i = a[i] + y[i] * y[j] * (a[j] - new_j)
            # What rounding leaves beside a bound would count as free.
            if new_i < ROUNDING * caps[i]:
                new_i = 0.0
            elif new_i > (1.0 - ROUNDING) * caps[i]:
                new_i = caps[i]
            if new_j > (1.0 - ROUNDING) * caps[j]:
                new_j = caps[j]
            elif new_j < ROUNDING * caps[j]:
                new_j = 0.0
            step_i, step_j = y[i] * (new_i - a[i]), y[j] * (new_j - a[j])
            from_i = offsets[k] + error_i + step_i * gram[i, i] + step_j * gram[i, j]
            from_j = offsets[k] + error_j + step_i * gram[i, j] + step_j * gram[j, j]
            a[i], a[j] = new_i, new_j
            if 0.0 < new_i < caps[i]:
                offsets[k] = from_i
            elif 0.0 < new_j < caps[j]:
                offsets[k] = from_j
            else:
                offsets[k] = (from_i + from_j) / 2
            for m in range(len(y)):
                f[m] += step_i * gram[i, m] + step_j * gram[j, m]
            changed += 1
    dual, worst = judge(signs, caps, strengths, fields)
    return changed, dual, worst


@compiled
def judge(signs, caps, strengths, fields):
    """Return the dual value of all classes, and their largest violation of the conditions.

    That is how far the best coefficient to rise lies above the best to fall.
    """
    dual, worst = 0.0, -np.inf
    for k in range(signs.shape[0]):
        y, a, f = signs[k], strengths[k], fields[k]
        highest, lowest = -np.inf, np.inf
        for i in range(len(y)):
            dual += a[i] * (1.0 - y[i] * f[i] / 2)
            slope = y[i] - f[i]
            below, above = a[i] < caps[i], a[i] > 0.0
            if below if y[i] > 0.0 else above:
                highest = max(highest, slope)
            if above if y[i] > 0.0 else below:
                lowest = min(lowest, slope)
        worst = max(worst, highest - lowest)
    return dual, worst
