"""Perceptron learning by four modulation functions, one sample at a time."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator

from shallows._core.contract.params import (
    NonNegativeFloat,
    PositiveFloat,
    PositiveInt,
    check_params,
)
from shallows._core.contract.rng import RandomState, as_generator
from shallows._core.contract.training import IterativeMixin, Training
from shallows._core.numerics.compile import compiled
from shallows._core.numerics.csr import CsrRows
from shallows.perceptron._linear import (
    LinearClassifier,
    append_part,
    check_part,
    check_weighted,
    of_all_samples,
    signs,
)

RULES = ("hebb", "rosenblatt", "delta", "power")
HEBB, ROSENBLATT, DELTA, POWER = range(4)  # as compiled loops take them


class HebbianPerceptron(LinearClassifier, IterativeMixin, BaseEstimator):
    r"""Linear classifier that adds labelled samples to its weights, each by some factor.

    With labels :math:`S = \pm 1` and the potential :math:`E = S (w \cdot x + b)`, each visit
    moves the weights by :math:`\eta f(E) S x`. The modulation function :math:`f` makes the
    method:

    - ``"hebb"``: :math:`f = 1`; one pass gives Hebb's rule, the sum of the labelled samples
    - ``"rosenblatt"``: :math:`f = 1` where :math:`E \leq c`, else 0
    - ``"delta"``: :math:`f = c - E`, the delta rule of Widrow and Hoff
    - ``"power"``: :math:`f = k (c - E)^{k - 1}` where :math:`E < c`, else 0; a step of
      descent in the cost :math:`(c - E)^k`

    With more than two classes, each class is trained against the rest.

    Parameters
    ----------
    modulation : {"hebb", "rosenblatt", "delta", "power"}, default="hebb"
        The function :math:`f`.
    form : {"weights", "embedding"}, default="weights"
        What a visit changes: the weights, or the embedding strength :math:`a` of the sample,
        by :math:`\eta f(E)`, while potentials come from the scalar products of all samples. Both
        give the same weights after every visit; the second keeps a matrix of them.
    margin : float, default=0.0
        The value :math:`c`; the delta rule needs one above 0, usually 1.
    power : float, default=2.0
        Exponent :math:`k` of ``"power"``, 1 or more; 1 is Rosenblatt's rule.
    fit_intercept : bool, default=True
        Whether to learn :math:`b`, as the weight of a constant input 1.
    eta0 : float, default=1.0
        Learning rate :math:`\eta`. ``1 / n_features`` is the convention of statistical physics.
    max_iter : int, default=1
        Number of passes over the data; training ends before if a pass changes nothing.
    shuffle : bool, default=False
        Whether to visit the samples of each pass in a new random order.
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
        Sum of the factors :math:`\eta f(E)` of each sample of the last call; after `fit` the
        weights are the sum of strength, label and sample.
    history_ : dict of str to list of float
        Per pass, as ``"loss"``, the weighted mean of :math:`(c - E)^2` over samples with
        :math:`E < c`, each seen when visited; and of the same over all, ``"error"``.
    n_iter_ : int
        Passes run.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    References
    ----------
    .. [1] F. Vallet, "The Hebb rule for learning linearly separable Boolean functions: learning
       and generalization", Europhysics Letters 8, 747-751, 1989.

    Examples
    --------
    >>> from shallows.perceptron import HebbianPerceptron
    >>> X, y = [[1, 1], [1, -1], [-1, 1], [-1, -1]], [1, 1, -1, -1]
    >>> HebbianPerceptron(fit_intercept=False).fit(X, y).coef_
    array([[4., 0.]])
    """

    def __init__(
        self,
        modulation: Literal["hebb", "rosenblatt", "delta", "power"] = "hebb",
        *,
        form: Literal["weights", "embedding"] = "weights",
        margin: NonNegativeFloat = 0.0,
        power: PositiveFloat = 2.0,
        fit_intercept: bool = True,
        eta0: PositiveFloat = 1.0,
        max_iter: PositiveInt = 1,
        shuffle: bool = False,
        class_weight: dict | Literal["balanced"] | None = None,
        random_state: RandomState = None,
    ):
        self.modulation = modulation
        self.form = form
        self.margin = margin
        self.power = power
        self.fit_intercept = fit_intercept
        self.eta0 = eta0
        self.max_iter = max_iter
        self.shuffle = shuffle
        self.class_weight = class_weight
        self.random_state = random_state

    def fit(self, X, y, sample_weight=None):
        """Visit all samples, pass after pass.

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
        self : HebbianPerceptron
            The fitted estimator.
        """
        self._check()
        X, y, weights, took_part = check_weighted(self, X, y, sample_weight)
        rng = as_generator(self.random_state)
        labels = signs(y, len(self.classes_))

        self._weights = np.zeros((len(labels), X.shape[1] + 1))
        strengths = np.zeros(labels.shape)
        order = np.arange(len(y))
        # One class against the rest, for each class.
        run = Training(
            self,
            self.max_iter,
            state=("coef_", "intercept_"),
            X=X,
            y=self.classes_[y],
            sample_weight=weights,
        )
        for _ in run:
            if self.shuffle:
                rng.shuffle(order)
            before = strengths.copy()
            run.record(**self._pass(X, labels, weights, order, strengths))
            if np.array_equal(before, strengths):
                run.stop("nothing changed")
        self.history_, self.n_iter_ = run.history, run.n_iter
        self.embedding_strengths_ = of_all_samples(strengths.astype(X.dtype), took_part)
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
        self : HebbianPerceptron
            The estimator after these samples.
        """
        self._check()
        X, y, weights, took_part, first = check_part(self, X, y, sample_weight, classes)
        labels = signs(y, len(self.classes_))
        if first:
            self._weights = np.zeros((len(labels), X.shape[1] + 1))
            self.history_, self.n_iter_ = {"loss": [], "error": []}, 0
        strengths = np.zeros(labels.shape)
        append_part(self, **self._pass(X, labels, weights, np.arange(len(y)), strengths))
        self.embedding_strengths_ = of_all_samples(strengths.astype(X.dtype), took_part)
        return self

    def _check(self):
        check_params(self)
        if self.modulation == "delta" and self.margin == 0:
            raise ValueError(
                'HebbianPerceptron: modulation="delta" with margin=0 leaves zero weights as they '
                "are. Set margin=1."
            )
        if self.modulation == "power" and self.power < 1:
            raise ValueError(
                f"HebbianPerceptron: power must be 1 or more, got {self.power}; below 1 a step "
                "grows without bound near the margin."
            )

    def _pass(self, X, labels, weights, order, strengths):
        """Visit the samples once for each class; set the plane, return the means."""
        modulation = Modulation(
            code=RULES.index(self.modulation),
            power=float(self.power),
            margin=float(self.margin),
            eta=float(self.eta0),
            bias=float(self.fit_intercept),
        )
        look = embed if self.form == "embedding" else visit
        sums = [
            look(X, S, weights, order, modulation, w, a)
            for S, w, a in zip(labels, self._weights, strengths, strict=True)
        ]
        self.coef_ = self._weights[:, :-1].astype(X.dtype)
        self.intercept_ = self._weights[:, -1].astype(X.dtype)
        below, error = np.mean(sums, axis=0) / weights.sum()
        return {"loss": float(below), "error": float(error)}


class Modulation(NamedTuple):
    """The rule: which modulation function with which power, below which margin, how large a step.

    `bias` is the constant input, 1 or 0.
    """

    code: int
    power: float
    margin: float
    eta: float
    bias: float


def visit(X, S, weights, order, modulation, w, strengths):
    """Visit samples in `order` and change `w` and `strengths`; see `dense_visits`."""
    if issparse(X):
        return csr_visits(CsrRows.of(X), S, weights, order, modulation, w, strengths)
    return dense_visits(X, S, weights, order, modulation, w, strengths)


def embed(X, S, weights, order, modulation, w, strengths):
    """Do the same by the scalar products of the samples; `w` is summed up at the end."""
    bias = modulation.bias
    # The constant input adds a constant to all products of samples.
    gram = X @ X.T
    gram = np.asarray(gram.toarray() if issparse(gram) else gram, dtype=np.float64)
    gram += bias
    fields = np.asarray(X @ w[:-1] + bias * w[-1], dtype=np.float64)
    before = strengths.copy()
    sums = embedded_visits(gram, fields, S, weights, order, modulation, strengths)
    # w = sum of strength, label and input (embedding form).
    signed = (strengths - before) * S
    w[:-1] += signed @ X
    w[-1] += bias * signed.sum()
    return sums


@compiled
def modulated(missing, code, power):
    """Return the modulation function of what a potential misses to the margin."""
    if code == HEBB:
        return 1.0
    if code == DELTA:
        return missing
    if missing < 0.0 or (missing == 0.0 and code == POWER):
        return 0.0
    return 1.0 if code == ROSENBLATT else power * missing ** (power - 1.0)


@compiled
def dense_visits(X, S, weights, order, modulation, w, strengths):
    """Visit samples in `order`, change `w` and `strengths` in place.

    The last entry of `w` belongs to the constant input. Returns the weighted sums of squared
    distances to the margin, of samples below it and of all.
    """
    code, power, margin, eta, bias = modulation
    n_features = X.shape[1]
    below, error = 0.0, 0.0
    for i in order:
        # What the potential S (w'x + b) misses to the margin.
        field = bias * w[n_features]
        for j in range(n_features):
            field += X[i, j] * w[j]
        missing = margin - S[i] * field
        error += weights[i] * missing * missing
        if missing > 0.0:
            below += weights[i] * missing * missing

        # A Hebbian step, w + eta f(missing) S x, with the modulation function f.
        strength = eta * weights[i] * modulated(missing, code, power)
        if strength != 0.0:
            step = strength * S[i]
            for j in range(n_features):
                w[j] += step * X[i, j]
            w[n_features] += step * bias
            strengths[i] += strength
    return below, error


@compiled
def embedded_visits(gram, fields, S, weights, order, modulation, strengths):
    """Do as `dense_visits` with products of samples; change `fields` and `strengths` in place."""
    code, power, margin, eta, _ = modulation
    below, error = 0.0, 0.0
    for i in order:
        missing = margin - S[i] * fields[i]
        error += weights[i] * missing * missing
        if missing > 0.0:
            below += weights[i] * missing * missing

        # The step changes all fields by the products with this sample.
        strength = eta * weights[i] * modulated(missing, code, power)
        if strength != 0.0:
            for k in range(len(fields)):
                fields[k] += strength * S[i] * gram[i, k]
            strengths[i] += strength
    return below, error


@compiled
def csr_visits(rows, S, weights, order, modulation, w, strengths):
    """Do as `dense_visits` with rows in compressed sparse form."""
    data, columns, starts = rows
    code, power, margin, eta, bias = modulation
    last = len(w) - 1
    below, error = 0.0, 0.0
    for i in order:
        # What the potential misses to the margin, from the stored values alone.
        field = bias * w[last]
        for j in range(starts[i], starts[i + 1]):
            field += data[j] * w[columns[j]]
        missing = margin - S[i] * field
        error += weights[i] * missing * missing
        if missing > 0.0:
            below += weights[i] * missing * missing

        # The Hebbian step.
        strength = eta * weights[i] * modulated(missing, code, power)
        if strength != 0.0:
            step = strength * S[i]
            for j in range(starts[i], starts[i + 1]):
                w[columns[j]] += step * data[j]
            w[last] += step * bias
            strengths[i] += strength
    return below, error
