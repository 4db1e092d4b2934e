"""Parity machine that grows until it has learned every example."""

from __future__ import annotations

from typing import Literal

import numpy as np
from sklearn.base import BaseEstimator

from shallows._core.contract.data import check_labelled, check_new
from shallows._core.contract.params import PositiveInt, accepts, check_params
from shallows._core.contract.rng import RandomState, as_generator
from shallows._core.contract.training import IterativeMixin, Training
from shallows._core.numerics.compile import compiled
from shallows.perceptron._dual_ascent import DualAscent
from shallows.perceptron._finite_array import finite_array
from shallows.perceptron._linear import signs
from shallows.perceptron._threshold_machine import (
    MachineClassifier,
    by_model,
    distances,
    parity_margin,
)

EQUAL = 1e-9  # relative difference of squared lengths that counts as none
ROUNDING = 1e-14  # the same where it decides
PRICE = 10.0  # of an error of an AdaTron, in units of one over the squared length of the inputs
SMALLEST_GAP = 1e-3  # where an AdaTron is good enough


class TilingParityMachine(MachineClassifier, IterativeMixin, BaseEstimator):
    r"""Parity machine that adds units until all training examples are right.

    The first unit learns the labels. Every further one learns where the machine so far is right
    (+1) and where it is wrong (-1); multiplied to the output it corrects what it gets right. If
    the new unit does not lower the number of errors, a grandmother unit, which recognises a single
    example, corrects that one, see `grandmother_unit`. So the errors fall with every unit, and any
    labeling of distinct inputs is learned with at most as many units as examples [1]_; distinct to
    double precision, which is about 1e-7 of the distance between the farthest inputs.

    A grandmother needs inputs of equal length. Others are lifted to a sphere first: an additional
    input makes up for the length missing to that of the longest one, as seen from the mean.

    Parameters
    ----------
    max_units : int or None, default=None
        Largest number of units, perhaps before all errors are gone. None sets no limit.
    unit : {"pocket", "adatron"}, default="pocket"
        How a unit learns: as a perceptron that keeps the weights with the fewest errors, see
        `Pocket`, or with the widest margin and errors at a price, see `AdaTron`, which needs
        more units.
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
    history_ : dict of str to list of float
        After every unit, as ``"loss"``, the share of errors, the mean over machines.
    n_iter_ : int
        Units of the largest machine.
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
        unit: Literal["pocket", "adatron"] = "pocket",
        epochs_per_unit: PositiveInt = 100,
        random_state: RandomState = None,
    ):
        self.max_units = max_units
        self.unit = unit
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

        # Inputs on a sphere, with a constant 1 for the thresholds.
        extended = np.column_stack([inputs, np.ones(len(inputs))])
        targets = signs(y, len(self.classes_))
        outputs, units = np.ones_like(targets), [[] for _ in targets]
        self.n_errors_ = [[] for _ in targets]
        most = len(y) if self.max_units is None else self.max_units
        run = Training(self, most, state=("machines_",), X=X, y=self.classes_[y])
        for _ in run:
            # Each machine that errs gets one unit more, which is taught where the parity is wrong.
            for k, target in enumerate(targets):
                if (outputs[k] != target).any() or not units[k]:
                    task = inputs, extended, target, outputs[k], units[k], rng
                    outputs[k] = self._grow(*task)
                    self.n_errors_[k].append(int(np.sum(outputs[k] != target)))
            self.machines_ = [np.array(machine) for machine in units]
            run.record(np.mean(outputs != targets))
            if (outputs == targets).all():
                run.stop("no errors")
        self.history_, self.n_iter_ = run.history, run.n_iter
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
            With two classes, positive values mean ``classes_[1]``. Distances are those in the
            space of the inputs, lifted or not.
        """
        X = check_new(self, X)
        inputs = self._on_sphere(X.astype(float))
        margins = [parity_margin(distances(inputs, weights[None]))[0] for weights in self.machines_]
        return by_model(np.array(margins, dtype=X.dtype))

    def _grow(self, inputs, extended, target, output, units, rng):
        """Add a unit that lowers the errors; return the new output."""
        labels = output * target if units else target
        find = self._pocket if self.unit == "pocket" else self._most_stable
        unit = find(extended, labels, rng)
        states = _states(inputs, unit)
        wrong = np.sum(states != labels)
        if not units and wrong > min(np.sum(labels > 0), np.sum(labels < 0)):
            unit = _constant(extended, labels)
            states = _states(inputs, unit)
        elif units and wrong >= np.sum(labels < 0):
            unit, states = _know_one(inputs, int(np.argmin(labels)))
        units.append(unit)
        return output * states

    def _pocket(self, extended, labels, rng):
        """Return the weights with the fewest errors of a perceptron's run."""
        w = _constant(extended, labels)
        best, fewest = w.copy(), int(np.sum(labels != w[-1]))
        for _ in range(self.epochs_per_unit):
            fewest = pocket_epoch(extended, labels, rng.permutation(len(labels)), w, best, fewest)
            if fewest == 0:
                break
        return best

    def _most_stable(self, extended, labels, rng):
        """Return the weights of an AdaTron with errors at a price."""
        inputs = np.ascontiguousarray(extended[:, :-1])
        if np.ptp(labels) == 0:
            return _constant(extended, labels)
        spread = np.mean((inputs - inputs.mean(axis=0)) ** 2) * inputs.shape[1]
        caps = np.full(len(labels), PRICE / spread)
        problem = DualAscent(inputs, labels, caps, "exact")
        for _ in range(self.epochs_per_unit):
            problem.advance(rng, tol=SMALLEST_GAP, measure=True)
            if problem.gap <= SMALLEST_GAP:
                break
        found = problem.solution()
        return np.append(found.coef, found.intercept)

    def _fit_sphere(self, X):
        squared = (X**2).sum(axis=1)
        self._equal_lengths = bool(np.ptp(squared) <= ROUNDING * squared.max())
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
    X = finite_array("grandmother_unit", "X", X, "n_samples", "n_features")
    if not accepts(int, index) or not -len(X) <= index < len(X):
        raise ValueError(
            f"grandmother_unit: index must name one of the {len(X)} rows of X, got {index!r}."
        )
    squared = (X**2).sum(axis=1)
    if np.ptp(squared) > EQUAL * squared.max():
        raise ValueError(
            "grandmother_unit: examples must have equal lengths, got squared lengths from "
            f"{squared.min():.6g} to {squared.max():.6g}. Normalise them first."
        )

    # The plane between this example and the nearest other one.
    gaps = _gaps(X, index)
    gaps[index] = np.inf
    nearest = int(np.argmin(gaps))
    if gaps[nearest] <= ROUNDING * squared.max():
        equal = np.array_equal(X[index], X[nearest])
        raise ValueError(
            f"grandmother_unit: examples {index} and {nearest} are "
            f"{'equal' if equal else 'too close'}, so no unit can tell them apart. Drop one."
        )
    delta = min(gaps[nearest], squared[index]) / 2
    return -X[index], float(delta - squared[index])


def _gaps(X, index):
    """Return the squared length of an example less its overlaps, exact for near ones too."""
    own = X[index]
    apart = X - own
    return (apart**2).sum(axis=1) / 2 - np.einsum("ij,ij->i", apart, X + own) / 2


def _know_one(inputs, index):
    """Return a unit that knows one example and those equal to it, and the states of all."""
    own = inputs[index]
    others = ~(inputs == own).all(axis=1)
    kept = np.append(index, np.flatnonzero(others))
    gaps = _gaps(inputs[kept], 0)[1:]
    smallest, squared = gaps.min(initial=np.inf), float(own @ own)
    # The plane orthogonal to the example, half of the smallest gap away from it.
    unit = np.append(-own, squared - min(smallest, squared) / 2)
    states = _states(inputs, unit)
    if smallest <= ROUNDING * squared or (states != np.where(others, 1.0, -1.0)).any():
        nearest = int(kept[1 + np.argmin(gaps)])
        raise ValueError(
            f"TilingParityMachine: examples {index} and {nearest} are too close, so no unit can "
            "tell them apart by double precision. Scale the features, take outliers out, or drop "
            "one of the two."
        )
    return unit, states


def _constant(extended, labels):
    """Return a unit whose state is the more frequent label."""
    unit = np.zeros(extended.shape[1])
    unit[-1] = 1.0 if labels.sum() >= 0 else -1.0
    return unit


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
        # The field of this example.
        field = 0.0
        for j in range(n_features):
            field += X[i, j] * w[j]

        # Right: after the longest run so far the weights are counted on all examples.
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

                # Ratchet: only fewer errors replace what is in the pocket (Gallant 1990).
                if errors < fewest:
                    fewest = errors
                    for j in range(n_features):
                        best[j] = w[j]
        else:
            # Wrong: Rosenblatt's step, w + S x.
            survived, counted = 0, False
            for j in range(n_features):
                w[j] += labels[i] * X[i, j]
    return fewest
