"""Kernel AdaTron."""

from __future__ import annotations

import warnings
from typing import Annotated

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning

from shallows._core.contract.params import (
    FiniteFloat,
    PositiveFloat,
    PositiveInt,
    Range,
    check_params,
)
from shallows._core.contract.training import IterativeMixin, Training
from shallows.kernel._adatron_passes import Passes
from shallows.kernel._one_versus_rest import KernelClassifier
from shallows.kernel._resolve import Degree, Gamma, KernelName


class KernelAdaTron(KernelClassifier, IterativeMixin, BaseEstimator):
    r"""Perceptron of optimal stability in the feature space of a kernel, without offset.

    Samples are visited in turn; each strength moves to
    :math:`\min(C, \max(0, a_i + \eta (1 - E_i)))` with the potential
    :math:`E_i = S_i \sum_j a_j S_j k(x_i, x_j)` [1]_. Every step raises the dual value
    :math:`\sum a - a' \Gamma a / 2`. After some passes those over all samples alternate with
    several over the samples whose strengths still move; the last one visits all. Several classes
    are learned one against the rest.
    The kernel :math:`x'z / N` (``kernel="poly", degree=1, gamma="auto"``) gives the AdaTron itself.

    Parameters
    ----------
    C : float or None, default=None
        Largest strength, for a soft margin; None for the hard margin, which needs separable data.
    kernel : str or callable, default="rbf"
        The kernel. A callable takes two arrays of rows and returns the matrix of values.
    degree : int, default=3
        Power of the polynomial kernel.
    gamma : "scale", "auto" or float, default="scale"
        Coefficient of all kernels but the linear: "scale" is 1 / (n_features * X.var()), "auto"
        1 / n_features.
    coef0 : float, default=0.0
        Constant of the polynomial and the sigmoid kernel.
    learning_rate : float, default=1.0
        Step in units of the inverse of the largest k(x, x); below 2, where the dual value rises.
    tol : float, default=1e-3
        Largest violation of the optimality conditions that is accepted.
    max_iter : int, default=1000
        Largest number of passes over the data.

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
        Offsets, always zero.
    history_ : dict of str to list of float
        After each pass, the negative dual value summed over classes under ``"loss"``, and the
        largest violation that it met under ``"kkt"``.
    n_iter_ : int
        Passes run.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    References
    ----------
    .. [1] T.-T. Friess, N. Cristianini and C. Campbell, "The kernel-adatron algorithm", 1998.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from shallows.kernel import KernelAdaTron
    >>> X, y = load_iris(return_X_y=True)
    >>> KernelAdaTron(C=10.0).fit(X, y).score(X, y) > 0.95
    True
    """

    def __init__(
        self,
        C: PositiveFloat | None = None,
        *,
        kernel: KernelName = "rbf",
        degree: Degree = 3,
        gamma: Gamma = "scale",
        coef0: FiniteFloat = 0.0,
        learning_rate: Annotated[float, Range(0, 2, open="both")] = 1.0,
        tol: PositiveFloat = 1e-3,
        max_iter: PositiveInt = 1000,
    ):
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.learning_rate = learning_rate
        self.tol = tol
        self.max_iter = max_iter

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
        self : KernelAdaTron
            The fitted estimator.
        """
        check_params(self)
        X, gram, signs, weights, used = self._prepare(X, y, sample_weight)
        caps = np.full(len(gram), np.inf) if self.C is None else self.C * weights
        step = self.learning_rate / max(
            gram.diagonal().max(), np.finfo(np.float64).tiny
        )  # the curvature along one strength is K_ii

        passes = Passes(gram, signs, caps, step, self.tol)
        run = Training(self, self.max_iter, X=X, y=y)
        for _ in run:
            passes.advance()
            run.record(-passes.dual, kkt=passes.largest)
            if passes.done:
                run.stop("tol")
        passes.reunite()
        self.history_, self.n_iter_ = run.history, run.n_iter
        if run.stopped_by == "max_iter":
            warnings.warn(
                f"KernelAdaTron stopped after max_iter={self.max_iter} passes before it converged. "
                "Raise max_iter or tol; if the data are not separable, set C.",
                ConvergenceWarning,
                stacklevel=2,
            )
        self._keep_support(X, used, passes.strengths * signs, np.zeros(len(signs)))
        return self
