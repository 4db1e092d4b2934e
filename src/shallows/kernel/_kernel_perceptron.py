"""Kernel perceptron."""

from __future__ import annotations

import numpy as np
from sklearn.base import BaseEstimator

from shallows._core.contract.data import check_labelled
from shallows._core.contract.params import FiniteFloat, PositiveInt, check_params
from shallows._core.contract.rng import RandomState, as_generator
from shallows._core.contract.training import IterativeMixin, Training
from shallows._core.numerics.compile import compiled
from shallows._core.numerics.threads import block_slices
from shallows.kernel._one_versus_rest import (
    KernelClassifier,
    like,
    one_versus_rest,
)
from shallows.kernel._resolve import Degree, Gamma, KernelName, resolve_kernel

TOGETHER = 1000  # samples of which all pairs have their kernel values at hand


class KernelPerceptron(KernelClassifier, IterativeMixin, BaseEstimator):
    r"""Rosenblatt's perceptron in the feature space of a kernel.

    A sample that is misclassified by :math:`f(x) = \sum_i c_i (k(x_i, x) + 1)` gets its
    coefficient raised by its label [1]_; the 1 is the perceptron's constant input. If the classes
    are separable in feature space, as those of distinct points are for a Gaussian kernel, it makes
    finitely many mistakes. Several classes are learned one against the rest. It learns from each
    sample as it comes, so `partial_fit` takes samples part by part.

    Parameters
    ----------
    kernel : str or callable, default="rbf"
        The kernel. A callable takes two arrays of rows and returns the matrix of values.
    degree : int, default=3
        Power of the polynomial kernel.
    gamma : "scale", "auto" or float, default="scale"
        Coefficient of all kernels but the linear: "scale" is 1 / (n_features * X.var()), "auto"
        1 / n_features.
    coef0 : float, default=0.0
        Constant of the polynomial and the sigmoid kernel.
    max_iter : int, default=100
        Largest number of passes over the data; it stops after a pass without mistakes.
    shuffle : bool, default=True
        Whether each pass has its own random order.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the order of the samples.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    support_ : ndarray of shape (n_SV,)
        Rows of the samples with a coefficient, counted over all parts.
    support_vectors_ : ndarray or CSR array of shape (n_SV, n_features)
        These samples; empty for a precomputed kernel.
    dual_coef_ : ndarray of shape (n_columns, n_SV)
        Signed coefficients, one row per class; with two classes one row, for ``classes_[1]``.
    intercept_ : ndarray of shape (n_columns,)
        Offsets.
    history_ : dict of str to list of float
        The share of mistakes of each pass or part under ``"loss"``.
    n_iter_ : int
        Passes run, and parts given.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    References
    ----------
    .. [1] M. Aizerman, E. Braverman and L. Rozonoer, "Theoretical foundations of the potential
       function method in pattern recognition learning", 1964.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from shallows.kernel import KernelPerceptron
    >>> X, y = load_iris(return_X_y=True)
    >>> KernelPerceptron(random_state=0).fit(X, y).score(X, y) > 0.9
    True
    """

    def __init__(
        self,
        *,
        kernel: KernelName = "rbf",
        degree: Degree = 3,
        gamma: Gamma = "scale",
        coef0: FiniteFloat = 0.0,
        max_iter: PositiveInt = 100,
        shuffle: bool = True,
        random_state: RandomState = None,
    ):
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.max_iter = max_iter
        self.shuffle = shuffle
        self.random_state = random_state

    def fit(self, X, y):
        """Learn the coefficients.

        Parameters
        ----------
        X : array-like or CSR array of shape (n_samples, n_features)
            Training samples, or their Gram matrix for a precomputed kernel.
        y : array-like of shape (n_samples,)
            Class labels.

        Returns
        -------
        self : KernelPerceptron
            The fitted estimator.
        """
        check_params(self)
        X, gram, signs, _, used = self._prepare(X, y)
        gram = gram + 1.0  # a constant feature is the threshold
        rng = as_generator(self.random_state)

        counts, fields = np.zeros((2, *signs.shape))
        order = np.arange(len(gram))
        run = Training(self, self.max_iter, X=X, y=y)
        for _ in run:
            if self.shuffle:
                rng.shuffle(order)
            mistakes = perceptron_pass(gram, signs, order, counts, fields)
            run.record(mistakes / signs.size)
            if mistakes == 0:
                run.stop("no mistakes")
        self.history_, self.n_iter_ = run.history, run.n_iter
        coefficients = counts * signs
        self._keep_support(X, used, coefficients, coefficients.sum(axis=1))
        return self

    def partial_fit(self, X, y, classes=None):
        """Visit the given samples once, in their order.

        Samples with mistakes join the support vectors; one that was given before counts as new.
        The kernel is that of the first call: give `gamma` as a number where the variance of its
        samples is not that of all.

        Parameters
        ----------
        X : array-like or CSR array of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples,)
            Class labels.
        classes : array-like of shape (n_classes,), default=None
            All labels that will ever come; needed in the first call only.

        Returns
        -------
        self : KernelPerceptron
            The estimator after these samples.
        """
        check_params(self)
        if self.kernel == "precomputed":
            raise ValueError(
                "KernelPerceptron: partial_fit evaluates the kernel between new and earlier "
                "samples, got kernel='precomputed'. Name a kernel, or give the whole Gram matrix "
                "to fit."
            )
        first = not hasattr(self, "dual_coef_")
        X, y, _ = check_labelled(self, X, y, sparse=True, classes=classes, reset=first)
        signs = one_versus_rest(y, len(self.classes_))
        if first:
            options = self.gamma, self.degree, self.coef0
            self._kernel = resolve_kernel(self, self.kernel, X, *options)
            nothing = np.zeros((len(signs), 0))
            self._keep_support(X[:0], np.arange(0), nothing, nothing.sum(axis=1))
            self.history_, self.n_iter_ = {"loss": []}, 0
        X = like(self.support_vectors_, X)
        mistakes = sum(
            self._visit(X[rows], np.ascontiguousarray(signs[:, rows]))
            for rows in block_slices(len(y), TOGETHER)
        )
        self.history_["loss"].append(mistakes / signs.size)
        self.n_iter_ += 1
        return self

    def _visit(self, X, signs):
        """Learn from a few more samples, add to the support vectors, return the mistakes."""
        counts = np.zeros(signs.shape)
        fields = np.repeat(self.intercept_[:, None].astype(np.float64), signs.shape[1], axis=1)
        if len(self.support_):
            fields += self._kernel.matmul(X, self.support_vectors_, self.dual_coef_.T).T
        gram = self._kernel(X).astype(np.float64) + 1.0
        mistakes = perceptron_pass(gram, signs, np.arange(len(gram)), counts, fields)
        self._add_support(X, counts * signs)
        return mistakes


@compiled
def perceptron_pass(gram, signs, order, counts, fields):
    """Visit the samples in `order`, change `counts` and `fields` in place, return the mistakes."""
    mistakes = 0
    for k in range(signs.shape[0]):
        for i in order:
            if signs[k, i] * fields[k, i] <= 0.0:
                # Embedding form: the sample's count goes up, and all fields by the kernel with it.
                mistakes += 1
                counts[k, i] += 1.0
                for j in range(len(gram)):
                    fields[k, j] += signs[k, i] * gram[i, j]
    return mistakes
