"""The pocket algorithm: a perceptron that remembers its best weights."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from scipy.sparse import csr_matrix, issparse
from sklearn.base import BaseEstimator

from shallows._core.contract.params import PositiveInt, check_params
from shallows._core.contract.rng import RandomState, as_generator
from shallows._core.contract.training import IterativeMixin, Training
from shallows._core.numerics.compile import compiled
from shallows._core.numerics.csr import CsrRows
from shallows.perceptron._linear import LinearClassifier, check_weighted, signs


class Pocket(LinearClassifier, IterativeMixin, BaseEstimator):
    """Linear classifier with few errors on data that no hyperplane separates.

    Rosenblatt's perceptron learns from samples drawn at random, and the weights with the fewest
    errors met so far are kept in the pocket [1]_. The number of errors in the pocket never rises,
    and with probability one it reaches the least possible in the long run, though nothing is known
    about how long that takes; on separable data it reaches zero. With more than two classes, each
    class is trained against the rest.

    A field of exactly zero counts as an error.

    Parameters
    ----------
    check : {"long runs", "every update"}, default="long runs"
        When the errors of new weights are counted, which takes a pass over the data:
        once they have answered more samples in a row correctly than those in the pocket did,
        or always.
    fit_intercept : bool, default=True
        Whether to learn an intercept, as the weight of a constant input 1.
    max_iter : int, default=100
        Number of epochs, each of as many random samples as there are; training ends before if
        no errors are left.
    class_weight : dict, "balanced" or None, default=None
        Weight of each class, a factor of the weights of its samples.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the choice of the samples.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Weights in the pocket, one row for two classes, else one row per class.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Intercepts in the pocket.
    n_errors_ : ndarray of shape (1,) or (n_classes,)
        Errors of the weights in the pocket; with sample weights, the sum of these.
    history_ : dict of str to list of float
        Per epoch the number of ``"updates"`` and of ``"checks"``, and as ``"loss"`` the share
        of errors of the weights in the pocket, the mean over classes.
    n_iter_ : int
        Epochs run.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    Notes
    -----
    A weight of a sample counts in the errors and is a factor of its chance to be drawn.

    References
    ----------
    .. [1] S. I. Gallant, "Perceptron-based learning algorithms", IEEE Transactions on Neural
       Networks 1, 179-191, 1990.

    Examples
    --------
    >>> from shallows.perceptron import Pocket
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    >>> model = Pocket(random_state=0).fit(X, y)
    >>> model.n_errors_
    array([1.])
    """

    def __init__(
        self,
        check: Literal["long runs", "every update"] = "long runs",
        *,
        fit_intercept: bool = True,
        max_iter: PositiveInt = 100,
        class_weight: dict | Literal["balanced"] | None = None,
        random_state: RandomState = None,
    ):
        self.check = check
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.class_weight = class_weight
        self.random_state = random_state

    def fit(self, X, y, sample_weight=None):
        """Learn from random samples and keep the best weights.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each sample.

        Returns
        -------
        self : Pocket
            The fitted estimator.
        """
        check_params(self)
        X, y, weights, _ = check_weighted(self, X, y, sample_weight)
        labels = signs(y, len(self.classes_))
        rng = as_generator(self.random_state)

        rows = _rows(X)
        w = np.zeros((len(labels), X.shape[1] + 1))
        pocket = np.zeros_like(w)
        errors, runs = np.full(len(labels), weights.sum()), np.zeros((len(labels), 2), np.int64)
        self._set_planes(X.dtype, pocket)
        run = Training(
            self,
            self.max_iter,
            state=("coef_", "intercept_"),
            X=X,
            y=self.classes_[y],
            sample_weight=weights,
        )
        for _ in run:
            # An epoch: as many draws by weight as there are samples, for each class that errs
            # still.
            drawn = rng.choice(len(y), size=len(y), p=weights / weights.sum())
            counts = np.zeros(2, dtype=np.int64)
            for k in np.flatnonzero(errors):
                errors[k] = draw(
                    rows,
                    labels[k],
                    weights,
                    drawn,
                    bias=float(self.fit_intercept),
                    check_always=self.check == "every update",
                    errors=errors[k],
                    learned=Learned(w[k], pocket[k], runs[k], counts),
                )
            self._set_planes(X.dtype, pocket)
            if not errors.any():
                run.stop("no errors")
            loss = errors.mean() / weights.sum()
            run.record(loss, updates=counts[0], checks=counts[1])
        self.history_, self.n_iter_ = run.history, run.n_iter
        self.n_errors_ = errors.astype(X.dtype)
        return self

    def _set_planes(self, dtype, pocket):
        self.coef_, self.intercept_ = pocket[:, :-1].astype(dtype), pocket[:, -1].astype(dtype)


def _rows(X):
    """Return compressed rows; those of a dense matrix have no columns."""
    if issparse(X):
        return CsrRows.of(csr_matrix(X))
    starts = np.arange(X.shape[0] + 1, dtype=np.uint64) * np.uint64(X.shape[1])
    return CsrRows(X.reshape(-1), np.zeros(0, dtype=np.uint32), starts)


class Learned(NamedTuple):
    """What one class has learned; a pass changes it in place.

    `w` and `pocket` are the weights now and the best so far. `runs` contains how many answers in a
    row were right since the last update, and the same for the weights in the pocket; `counts` the
    updates and checks.
    """

    w: np.ndarray
    pocket: np.ndarray
    runs: np.ndarray
    counts: np.ndarray


@compiled
def field_of(rows, i, bias, w):
    """Return the field of sample `i`."""
    data, columns, starts = rows
    start, stop = starts[i], starts[i + 1]
    field = 0.0
    if len(columns) > 0:
        for j in range(start, stop):
            field += data[j] * w[columns[j]]
    else:
        for j in range(stop - start):
            field += data[start + j] * w[j]
    return field + bias * w[len(w) - 1]


@compiled
def learn(rows, i, step, bias, w):
    """Add `step` times sample `i` to `w`."""
    data, columns, starts = rows
    start, stop = starts[i], starts[i + 1]
    if len(columns) > 0:
        for j in range(start, stop):
            w[columns[j]] += step * data[j]
    else:
        for j in range(stop - start):
            w[j] += step * data[start + j]
    w[len(w) - 1] += step * bias


@compiled
def draw(rows, S, weights, drawn, bias, check_always, errors, learned):
    """Learn from the samples drawn; change `learned` in place, return the pocket's errors."""
    w, pocket, runs, counts = learned
    for i in drawn:
        # Rosenblatt's step where the answer is wrong; else the run of right answers goes on.
        right = S[i] * field_of(rows, i, bias, w) > 0.0
        if right:
            runs[0] += 1
        else:
            learn(rows, i, S[i], bias, w)
            runs[0] = 0
            counts[0] += 1

        # Count the errors on all samples after each update, or when the run is the longest so far.
        if (check_always and not right) or (not check_always and runs[0] == runs[1] + 1):
            counts[1] += 1
            found = 0.0
            for m in range(len(S)):
                if not S[m] * field_of(rows, m, bias, w) > 0.0:
                    found += weights[m]
                    if found >= errors:
                        break

            # Ratchet: only fewer errors replace what is in the pocket.
            if found < errors:
                errors = found
                for j in range(len(w)):
                    pocket[j] = w[j]
                runs[1] = runs[0]
                if errors == 0.0:
                    return errors
    return errors
