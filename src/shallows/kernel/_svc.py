"""Support vector classifier."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from shallows._core.contract.data import check_labelled
from shallows._core.contract.params import FiniteFloat, PositiveFloat, Range, Verbose, check_params
from shallows._core.contract.rng import RandomState, as_generator
from shallows._core.contract.training import IterativeMixin
from shallows.kernel._class_pairs import (
    class_pairs,
    count_votes,
    held_out_decisions,
    members_of,
    pair_places,
    rows_of_pairs,
)
from shallows.kernel._gram_rows import Points
from shallows.kernel._kernel_machine import (
    MEGABYTE,
    NO_LIMIT,
    drop_columns,
    expand_support,
    rows_given,
    rows_in_use,
    set_tags,
    solve_all,
    support_samples,
)
from shallows.kernel._platt import couple, fit_sigmoid
from shallows.kernel._resolve import Degree, Gamma, KernelName, resolve_kernel
from shallows.kernel._smo import Problem, feasible_start


def _has_probability(model):
    return model.probability is True


class SVC(ClassifierMixin, IterativeMixin, BaseEstimator):
    r"""Classifier with the widest soft margin in the feature space of a kernel.

    It minimises :math:`|w|^2 / 2 + C \sum_i \max(0, 1 - y_i f(x_i))` through the dual problem
    [1]_, whose solution :math:`f(x) = \sum_i \beta_i k(x_i, x) + b` needs the support vectors
    alone. The dual is solved by sequential minimal optimisation on working sets: the worst
    violators get their kernel rows in one matrix product, and pairs of second-order gain [2]_
    are improved between them. More than two classes are told apart pair by pair.

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
    shrinking : bool, default=True
        Whether samples held at a bound are left aside until the others have converged.
    probability : bool, default="deprecated"
        Whether to fit Platt's sigmoid to decision values of 5-fold cross-validation, for
        `predict_proba`.
    tol : float, default=1e-3
        Largest violation of the optimality conditions that is accepted.
    cache_size : float, default=200
        Megabytes for kernel values, kept in single precision. Pairs of classes share the whole
        Gram matrix where it fits, else the blocks within classes where these fit; pairs whose
        kernel values find no room beside those of others wait for their turn.
    class_weight : dict, "balanced" or None, default=None
        Factors of C by class; "balanced" makes all classes weigh the same.
    verbose : int or bool, default=False
        Whether to report the loss after each working set.
    max_iter : int, default=-1
        Largest number of working sets of a pair of classes; -1 for no limit.
    decision_function_shape : {"ovr", "ovo"}, default="ovr"
        Whether decisions of several classes come by class or by pair.
    break_ties : bool, default=False
        Whether `predict` breaks ties of the vote by the decision values, for "ovr".
    random_state : int, RandomState, Generator or None, default=None
        Seeds the folds of `probability`; nothing else is random.
    warm_start : bool, default=False
        Whether a refit starts from the present solution, for a path over C on the same data.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    support_ : ndarray of shape (n_SV,)
        Rows of the support vectors, class by class.
    support_vectors_ : ndarray or CSR array of shape (n_SV, n_features)
        Support vectors; empty for a precomputed kernel.
    n_support_ : ndarray of shape (n_classes,)
        Number of support vectors of each class.
    dual_coef_ : ndarray of shape (n_classes - 1, n_SV)
        Signed coefficients; in column of a class its pairs with the other classes, in order.
    intercept_ : ndarray of shape (n_pairs,)
        Offsets.
    class_weight_ : ndarray of shape (n_classes,)
        Factors of C.
    fit_status_ : int
        0, or 1 where `max_iter` ended the training.
    shape_fit_ : tuple of int
        Numbers of samples and features of the training data.
    probA_, probB_ : ndarray of shape (n_pairs,)
        Platt's sigmoids; empty without `probability`.
    history_ : dict of str to list of float
        After each working set, summed over pairs of classes: the negative dual value under
        ``"loss"``, the duality gap under ``"gap"`` (an estimate while samples are left aside), and
        the largest violation under ``"kkt"``, of the pairs begun.
    n_iter_ : int
        Working sets solved one after the other; pairs side by side count once.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    References
    ----------
    .. [1] C. Cortes and V. Vapnik, "Support-vector networks", 1995.
    .. [2] R.-E. Fan, P.-H. Chen and C.-J. Lin, "Working set selection using second order
       information for training support vector machines", 2005.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from shallows.kernel import SVC
    >>> X, y = load_iris(return_X_y=True)
    >>> SVC().fit(X, y).score(X, y) > 0.95
    True
    """

    def __init__(
        self,
        C: PositiveFloat = 1.0,
        *,
        kernel: KernelName = "rbf",
        degree: Degree = 3,
        gamma: Gamma = "scale",
        coef0: FiniteFloat = 0.0,
        shrinking: bool = True,
        probability: bool | Literal["deprecated"] = "deprecated",
        tol: PositiveFloat = 1e-3,
        cache_size: PositiveFloat = 200,
        class_weight: dict | Literal["balanced"] | None = None,
        verbose: Verbose = False,
        max_iter: Annotated[int, Range(-1)] = -1,
        decision_function_shape: Literal["ovr", "ovo"] = "ovr",
        break_ties: bool = False,
        random_state: RandomState = None,
        warm_start: bool = False,
    ):
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.shrinking = shrinking
        self.probability = probability
        self.tol = tol
        self.cache_size = cache_size
        self.class_weight = class_weight
        self.verbose = verbose
        self.max_iter = max_iter
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties
        self.random_state = random_state
        self.warm_start = warm_start

    def fit(self, X, y, sample_weight=None):
        """Find the support vectors.

        Parameters
        ----------
        X : array-like or CSR array of shape (n_samples, n_features)
            Training samples, or their Gram matrix for a precomputed kernel.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Factors of C by sample.

        Returns
        -------
        self : SVC
            The fitted estimator.
        """
        check_params(self)
        earlier = self._earlier_solution() if self.warm_start else None
        X, y, weights = check_labelled(self, X, y, sample_weight, sparse=True)
        used = rows_in_use(sample_weight, len(y))
        X = drop_columns(self, X, used)
        if len(self.classes_) > 2:  # kernel values of a pair of classes lie close together
            order = np.argsort(y, kind="stable")
            X = X[np.ix_(order, order)] if self.kernel == "precomputed" else X[order]
            y, weights, used = y[order], weights[order], used[order]
        options = self.gamma, self.degree, self.coef0, weights
        self._kernel = resolve_kernel(self, self.kernel, X, *options)
        class_weights = self._class_weights(y, weights)
        self.class_weight_ = class_weights.astype(X.dtype)
        caps = self.C * weights * class_weights[y]

        points = Points(type(self).__name__, self._kernel, X, self.cache_size * MEGABYTE)
        self._pairs = class_pairs(len(self.classes_))
        members = members_of(y, self._pairs)
        rows, at_once = rows_of_pairs(points, y, self._pairs, members)
        problems = [
            self._problem(points, y, caps, earlier, used, number, members[number], rows[number])
            for number in range(len(members))
        ]
        losses = [_HingeLoss(problem) for problem in problems]
        solve_all(self, problems, losses, X, self.classes_[y], at_once)
        self._keep(X, y, used, problems)
        self.shape_fit_ = rows_given(sample_weight, len(y)), X.shape[1]
        self.fit_status_ = int(not all(problem.converged for problem in problems))
        self._fit_sigmoids(points, problems, weights)
        return self

    def predict(self, X):
        """Return the class that wins most pairs.

        Parameters
        ----------
        X : array-like or CSR array of shape (n_samples, n_features)
            Samples, or kernel values between them and all training samples.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Class labels.
        """
        decisions = self._pair_decisions(X)
        if len(self.classes_) == 2:
            return self.classes_[(decisions[:, 0] > 0).astype(np.intp)]
        votes, confidence = count_votes(decisions, self._pairs, len(self.classes_))
        if self.break_ties:
            if self.decision_function_shape == "ovo":
                raise ValueError(
                    'SVC: break_ties=True needs decision_function_shape="ovr", got "ovo".'
                )
            votes = votes + confidence
        return self.classes_[votes.argmax(axis=1)]

    def decision_function(self, X):
        """Return the signed distances to the margins, by class or by pair of classes.

        Parameters
        ----------
        X : array-like or CSR array of shape (n_samples, n_features)
            Samples, or kernel values between them and all training samples.

        Returns
        -------
        values : ndarray of shape (n_samples,), (n_samples, n_classes) or (n_samples, n_pairs)
            With two classes, positive for ``classes_[1]``. By pair, positive for the first class
            of the pair. By class, the votes with the summed decisions as fraction.
        """
        decisions = self._pair_decisions(X)
        if len(self.classes_) == 2:
            return decisions[:, 0]
        if self.decision_function_shape == "ovo":
            return decisions
        votes, confidence = count_votes(decisions, self._pairs, len(self.classes_))
        return (votes + confidence).astype(decisions.dtype)

    @available_if(_has_probability)
    def predict_proba(self, X):
        """Return class probabilities by Platt's sigmoids, coupled over all pairs.

        Parameters
        ----------
        X : array-like or CSR array of shape (n_samples, n_features)
            Samples, or kernel values between them and all training samples.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            Columns in the order of `classes_`.
        """
        decisions = self._pair_decisions(X)
        chances = expit(-(decisions * self.probA_ + self.probB_).astype(np.float64))
        found = couple(self._pairs, chances, len(self.classes_))
        return found.astype(decisions.dtype)

    @available_if(_has_probability)
    def predict_log_proba(self, X):
        """Return the logarithms of `predict_proba`.

        Parameters
        ----------
        X : array-like or CSR array of shape (n_samples, n_features)
            Samples, or kernel values between them and all training samples.

        Returns
        -------
        logarithms : ndarray of shape (n_samples, n_classes)
            Columns in the order of `classes_`.
        """
        return np.log(self.predict_proba(X))

    def __sklearn_tags__(self):
        return set_tags(self, super().__sklearn_tags__())

    @property
    def coef_(self):
        """Weights of the features for the linear kernel, one row per pair."""
        if self.kernel != "linear":
            raise AttributeError("coef_ exists for the linear kernel only.")
        return self._pair_coefficients().T @ self.support_vectors_

    def _class_weights(self, y, weights):
        if self.class_weight is None:
            return np.ones(len(self.classes_))
        if self.class_weight == "balanced":
            totals = np.bincount(y, weights)
            return weights.sum() / (len(totals) * totals)
        classes = self.classes_.tolist()
        unknown = [label for label in self.class_weight if label not in classes]
        if unknown and not all(label in self.class_weight for label in classes):
            raise ValueError(
                f"SVC: class_weight names {unknown[0]!r}, which is not one of the classes "
                f"{classes}."
            )
        factors = np.array([float(self.class_weight.get(label, 1.0)) for label in classes])
        if not np.all(np.isfinite(factors) & (factors > 0)):
            raise ValueError(
                f"SVC: class_weight must hold positive finite numbers, got {self.class_weight!r}. "
                "Leave the samples of a class out to ignore it."
            )
        return factors

    def _problem(self, points, y, caps, earlier, used, number, members, open_rows):
        targets = np.where(y[members] == self._pairs[number][0], 1.0, -1.0)
        bounds = targets * caps[members]
        low, high = np.minimum(bounds, 0.0), np.maximum(bounds, 0.0)
        start = None
        if earlier is not None and number < earlier.shape[1]:
            rows = used[members]
            known = np.where(rows < len(earlier), rows, 0)
            start = np.where(rows < len(earlier), earlier[known, number], 0.0)
            start = feasible_start(start * self.C, low, high)
        options = 0.0, self.tol, self.shrinking, start, open_rows
        return Problem(points, members, targets, low, high, *options)

    def _earlier_solution(self):
        """Return the present coefficients over C, by row of the data and pair."""
        if not hasattr(self, "dual_coef_"):
            return None
        coefficients = np.zeros((self.shape_fit_[0], len(self._pairs)))
        coefficients[self.support_] = self._pair_coefficients() / self._fitted_C
        return coefficients

    def _keep(self, X, y, used, problems):
        """Store the solution in scikit-learn's layout."""
        dual = np.zeros((len(self.classes_) - 1, len(y)))
        for pair, problem in zip(self._pairs, problems, strict=True):
            low, high = sorted(pair)
            lower = y[problem.members] == low
            dual[high - 1, problem.members[lower]] = problem.coef[lower]
            dual[low, problem.members[~lower]] = problem.coef[~lower]
        support = np.flatnonzero(dual.any(axis=0))
        support = support[np.argsort(y[support], kind="stable")]
        self.n_support_ = np.bincount(y[support], minlength=len(self.classes_)).astype(np.int32)
        self.dual_coef_ = np.ascontiguousarray(dual[:, support], dtype=X.dtype)
        self.intercept_ = np.array([problem.intercept for problem in problems], dtype=X.dtype)
        self.support_ = used[support].astype(np.int32)
        self.support_vectors_ = support_samples(self, X, support)
        self._fitted_C, self._n_members = self.C, len(y)

    def _fit_sigmoids(self, points, problems, weights):
        dtype = self.dual_coef_.dtype
        self.probA_ = self.probB_ = np.empty(0, dtype=dtype)
        if self.probability is not True:
            return
        rng = as_generator(self.random_state)
        limit = NO_LIMIT if self.max_iter == -1 else self.max_iter
        found = [
            fit_sigmoid(
                held_out_decisions(points, problem, rng, limit),
                problem.targets > 0,
                weights[problem.members],
            )
            for problem in problems
        ]
        self.probA_, self.probB_ = np.array(found, dtype=dtype).T.copy()

    def _pair_decisions(self, X):
        """Return a column per pair, positive for its first class."""
        check_is_fitted(self)
        values = expand_support(self, self._kernel, X, self._pair_coefficients())
        return values + self.intercept_.astype(values.dtype)

    def _pair_coefficients(self):
        """Spread `dual_coef_` out to one column per pair."""
        shape = self.dual_coef_.shape[1], len(self._pairs)
        coefficients = np.zeros(shape, dtype=self.dual_coef_.dtype)
        for k, low, high, in_low, in_high in pair_places(self._pairs, self.n_support_):
            coefficients[in_low, k] = self.dual_coef_[high - 1, in_low]
            coefficients[in_high, k] = self.dual_coef_[low, in_high]
        return coefficients


class _HingeLoss:
    """The primal loss of a problem as a function of its decision values."""

    def __init__(self, problem):
        self.targets, self.caps = problem.targets, problem.high - problem.low

    def __call__(self, decisions):
        return float(self.caps @ np.maximum(1 - self.targets * decisions, 0.0))
