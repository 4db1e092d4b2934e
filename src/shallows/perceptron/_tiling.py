"""Parity machine that grows until it has learned every example."""

from __future__ import annotations

import numpy as np
from sklearn.base import BaseEstimator

from shallows._core.compile import compiled
from shallows._core.data import check_labelled, check_new
from shallows._core.params import PositiveInt, check_params
from shallows._core.rng import RandomState, as_generator
from shallows.perceptron._linear import signs
from shallows.perceptron._machine import MachineClassifier, by_model, distances, parity_margin

EQUAL = 1e-9  # relative difference of squared lengths that counts as none


class TilingParityMachine(MachineClassifier, BaseEstimator):
    r"""Parity machine that adds units until all training examples are right.

    The first unit learns the labels. Every further one learns where the machine so far is right
    (+1) and where it is wrong (-1); multiplied to the output it corrects what it gets right. Each
    unit is a perceptron with a pocket. Where none is found that lowers the number of errors, a
    grandmother unit, which knows a single example, corrects that one, see `grandmother_unit`. So
    the errors fall with every unit, and any labeling of distinct inputs is learned with at most
    as many units as examples [1]_.

    A grandmother needs inputs of equal length. Others are lifted to a sphere first: an additional
    input makes up for the length missing to that of the longest one, as seen from the mean.

    Parameters
    ----------
    max_units : int or None, default=None
        Largest number of units, perhaps before all errors are gone. None sets no limit.
    epochs_per_unit : int, default=100
        Passes over the data for each unit.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the order of the samples.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    machines_ : list of ndarray of shape (n_units, n_inputs + 1)
        Weights of the units, the bias last; one machine for two classes, else one per class.
        The inputs are the features and, where they were lifted, one more.
    n_errors_ : list of list of int
        Errors of each machine on the training set, after every unit.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    References
    ----------
    .. [1] M. Biehl and M. Opper, "Tilinglike learning in the parity machine", Physical Review A
       44, 6888-6894, 1991.

    Examples
    --------
    >>> import numpy as np
    >>> from shallows.perceptron import TilingParityMachine
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.standard_normal((40, 3)), rng.integers(0, 2, 40)
    >>> model = TilingParityMachine(random_state=0).fit(X, y)
    >>> model.score(X, y)
    1.0
    """

    def __init__(
        self,
        max_units: PositiveInt | None = None,
        *,
        epochs_per_unit: PositiveInt = 100,
        random_state: RandomState = None,
    ):
        self.max_units = max_units
        self.epochs_per_unit = epochs_per_unit
        self.random_state = random_state

    def fit(self, X, y):
        """Add units until there are no errors.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training samples; equal ones must have equal labels.
        y : array-like of shape (n_samples,)
            Class labels.

        Returns
        -------
        self : TilingParityMachine
            The fitted estimator.
        """
        check_params(self)
        X, y, _ = check_labelled(self, X, y)
        _refuse_contradictions(X, y)
        rng = as_generator(self.random_state)
        inputs = self._fit_sphere(X.astype(float))

        targets = signs(y, len(self.classes_))
        grown = [self._grow(inputs, target, rng) for target in targets]
        self.machines_ = [weights for weights, _ in grown]
        self.n_errors_ = [errors for _, errors in grown]
        return self

    def decision_function(self, X):
        """Return the distance to the nearest hyperplane, with the sign of the output.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        values : ndarray of shape (n_samples,) or (n_samples, n_classes)
            With two classes, positive values stand for ``classes_[1]``. Distances are those in
            the space of the inputs, lifted or not.
        """
        X = check_new(self, X)
        inputs = self._on_sphere(X.astype(float))
        margins = [parity_margin(distances(inputs, weights[None]))[0] for weights in self.machines_]
        return by_model(np.array(margins, dtype=X.dtype))

    def _grow(self, inputs, target, rng):
        """Return the weights of the units and the errors left after each."""
        extended = np.column_stack([inputs, np.ones(len(inputs))])
        output, units, errors = np.ones(len(target)), [], [len(target)]
        most = len(target) if self.max_units is None else self.max_units
        while errors[-1] > 0 and len(units) < most:
            labels = output * target if units else target
            unit = self._pocket(extended, labels, rng)
            states = _states(inputs, unit)
            if units and np.sum(states != labels) >= errors[-1]:
                w, theta = grandmother_unit(inputs, int(np.argmin(labels)))
                unit = np.append(w, -theta)
                states = _states(inputs, unit)
            output = output * states
            units.append(unit)
            errors.append(int(np.sum(output != target)))
        return np.array(units), errors[1:]

    def _pocket(self, extended, labels, rng):
        """Return the weights with the fewest errors of a perceptron's run."""
        w = np.zeros(extended.shape[1])
        w[-1] = 1.0 if labels.sum() >= 0 else -1.0
        best, fewest = w.copy(), int(np.sum(labels != w[-1]))
        for _ in range(self.epochs_per_unit):
            fewest = pocket_epoch(extended, labels, rng.permutation(len(labels)), w, best, fewest)
            if fewest == 0:
                break
        return best

    def _fit_sphere(self, X):
        squared = (X**2).sum(axis=1)
        self._equal_lengths = bool(np.ptp(squared) <= EQUAL * squared.max())
        self._centre = X.mean(axis=0)
        self._radius = float(np.sqrt(((X - self._centre) ** 2).sum(axis=1).max()))
        return self._on_sphere(X)

    def _on_sphere(self, X):
        if self._equal_lengths:
            return X
        moved = X - self._centre
        missing = np.maximum(self._radius**2 - (moved**2).sum(axis=1), 0)
        return np.column_stack([moved, np.sqrt(missing)])


def grandmother_unit(X, index: int):
    r"""Return weights and threshold of a unit that knows a single example.

    With inputs of equal length, :math:`|x|^2 = \Gamma`, and
    :math:`0 < \delta < \Gamma - \max x \cdot x'`, the unit :math:`w = -x`,
    :math:`\theta = \delta - \Gamma` gives -1 for the example :math:`x` and +1 for all others.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Examples of equal length, of which the chosen one occurs once.
    index : int
        The example to know.

    Returns
    -------
    w : ndarray of shape (n_features,)
        Weights.
    theta : float
        Threshold; the unit's state is the sign of ``w @ x - theta``.

    Examples
    --------
    >>> import numpy as np
    >>> from shallows.perceptron import grandmother_unit
    >>> X = np.array([[1, 1], [1, -1], [-1, 1], [-1, -1]])
    >>> w, theta = grandmother_unit(X, 2)
    >>> np.sign(X @ w - theta)
    array([ 1.,  1., -1.,  1.])
    """
    X = np.asarray(X, dtype=float)
    if X.ndim != 2 or not -len(X) <= index < len(X):
        raise ValueError(
            f"grandmother_unit: X must have shape (n_samples, n_features) and index must name one "
            f"of its rows, got shape {X.shape} and index {index}."
        )
    squared = (X**2).sum(axis=1)
    if np.ptp(squared) > EQUAL * squared.max():
        raise ValueError(
            "grandmother_unit: examples must have equal lengths, got squared lengths from "
            f"{squared.min():.6g} to {squared.max():.6g}. Normalise them first."
        )
    own = X[index]
    gaps = ((X - own) ** 2).sum(axis=1) / 2  # the squared length less the overlap
    gaps[index] = np.inf
    nearest = int(np.argmin(gaps))
    if gaps[nearest] <= EQUAL * squared.max():
        raise ValueError(
            f"grandmother_unit: examples {index} and {nearest} are equal, so no unit can tell them "
            "apart. Drop one."
        )
    delta = min(gaps[nearest], squared[index]) / 2
    return -own, float(delta - squared[index])


def _states(inputs, unit):
    return np.where(distances(inputs, unit[None, None])[0, :, 0] > 0, 1.0, -1.0)


def _refuse_contradictions(X, y):
    _, groups = np.unique(X, axis=0, return_inverse=True)
    groups = groups.ravel()
    order = np.lexsort((y, groups))
    same = (np.diff(groups[order]) == 0) & (np.diff(y[order]) != 0)
    if same.any():
        first = int(np.argmax(same))
        one, other = sorted(order[first : first + 2].tolist())
        raise ValueError(
            f"TilingParityMachine: examples {one} and {other} are equal and have different class "
            "labels, which no machine can learn. Drop one of them."
        )


@compiled
def pocket_epoch(X, labels, order, w, best, fewest):
    """Run a perceptron over the examples, in place; keep in `best` the weights that err least.

    Weights are counted on all examples when they have survived longer than any before in this
    epoch, at most once per update. Returns the number of errors of `best`.
    """
    n_samples, n_features = X.shape
    survived, longest, counted = 0, 0, False
    for i in order:
        field = 0.0
        for j in range(n_features):
            field += X[i, j] * w[j]
        if (field > 0) == (labels[i] > 0):
            survived += 1
            if survived > longest and not counted:
                longest, counted = survived, True
                errors = 0
                for p in range(n_samples):
                    value = 0.0
                    for j in range(n_features):
                        value += X[p, j] * w[j]
                    if (value > 0) != (labels[p] > 0):
                        errors += 1
                if errors < fewest:
                    fewest = errors
                    best[:] = w
        else:
            survived, counted = 0, False
            for j in range(n_features):
                w[j] += labels[i] * X[i, j]
    return fewest
