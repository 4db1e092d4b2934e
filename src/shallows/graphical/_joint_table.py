"""Tables of joint probabilities: marginals, conditionals, Bayes' formula, independence."""

from __future__ import annotations

from typing import Any

import numpy as np

SUM_TOLERANCE = 1e-6


class JointTable:
    """Joint probabilities of a few discrete variables, with named axes and values.

    Parameters
    ----------
    array : array-like
        Probabilities, one axis per variable; they sum to one.
    names : sequence of str
        Name of each axis.
    states : sequence of sequences, optional
        Names of the values along each axis; 0, 1, 2 ... by default.

    Attributes
    ----------
    array : ndarray
        The probabilities.
    names : tuple of str
        Name of each axis.
    states : tuple of tuple
        Values of each axis.

    Examples
    --------
    >>> from shallows.graphical import JointTable
    >>> table = JointTable([[0.4, 0.1], [0.2, 0.3]], ["rain", "late"])
    >>> table.marginal("rain").array
    array([0.5, 0.5])
    >>> table.condition({"late": 1}).array
    array([0.25, 0.75])
    """

    def __init__(self, array, names, states=None):
        self.array = np.array(array, dtype=np.float64)
        self.names = as_names(names)
        if len(set(self.names)) != len(self.names) or self.array.ndim != len(self.names):
            raise ValueError(
                f"JointTable: the {self.array.ndim} axes of array need as many different names, "
                f"got {list(self.names)}."
            )
        self.states = check_states(self.array.shape, states)
        total = self.array.sum()
        if not (self.array >= 0).all() or not abs(total - 1) <= SUM_TOLERANCE:
            raise ValueError(
                "JointTable: probabilities must not be negative and must sum to 1, got the least "
                f"{self.array.min(initial=np.inf)} and the sum {total}. Divide counts by their sum."
            )

    def __repr__(self) -> str:
        axes = ", ".join(
            f"{name}: {len(states)}" for name, states in zip(self.names, self.states, strict=True)
        )
        return f"JointTable({axes})"

    def marginal(self, names) -> JointTable:
        """Sum out the other variables.

        Parameters
        ----------
        names : str or sequence of str
            Variables to keep; the axes of the result are in this order.

        Returns
        -------
        table : JointTable
            Joint probabilities of these variables.
        """
        names = as_names(names)
        states = tuple(self.states[self._axis(name)] for name in names)
        return JointTable(self._sum_to(names), names, states)

    def condition(self, evidence) -> JointTable:
        """Return the probabilities of the other variables, given the values of some.

        Parameters
        ----------
        evidence : dict
            Value of each known variable.

        Returns
        -------
        table : JointTable
            Joint probabilities of the unknown variables.
        """
        part, total = self._slice(evidence), self.probability(evidence)
        if total == 0:
            raise ValueError(f"JointTable: {evidence} has probability 0: nothing can be inferred.")
        kept = [axis for axis, name in enumerate(self.names) if name not in evidence]
        names = tuple(self.names[axis] for axis in kept)
        return JointTable(part / total, names, tuple(self.states[axis] for axis in kept))

    def conditional(self, targets, given) -> np.ndarray:
        """Return the table P(targets | given), in the form used by a Bayesian network.

        Parameters
        ----------
        targets, given : str or sequence of str
            Variables before and after the bar.

        Returns
        -------
        table : ndarray
            Axes of `given` first, then those of `targets`, over which it sums to one; NaN if the
            condition has probability zero.
        """
        targets, given = as_names(targets), as_names(given)
        joint = self._sum_to(given + targets)
        total = joint.sum(axis=tuple(range(len(given), joint.ndim)), keepdims=True)
        return np.divide(joint, total, out=np.full(joint.shape, np.nan), where=total > 0)

    def probability(self, evidence) -> float:
        """Return the probability that some variables have these values.

        Parameters
        ----------
        evidence : dict
            Value of each of these variables.

        Returns
        -------
        probability : float
            Sum over all others.
        """
        return float(self._slice(evidence).sum())

    def independent(self, left, right, given=(), *, tol: float = 1e-9) -> bool:
        """Return whether two sets of variables are independent given a third.

        Parameters
        ----------
        left, right : str or sequence of str
            The two sets of variables.
        given : str or sequence of str, default=()
            Variables of the condition.
        tol : float, default=1e-9
            Largest difference between P(left, right | given) and the product of P(left | given)
            and P(right | given) that counts as zero.

        Returns
        -------
        independent : bool
            Whether they are, for every value of `given` with positive probability.
        """
        left, right, given = as_names(left), as_names(right), as_names(given)
        joint = self._sum_to(given + left + right)
        shape = joint.shape
        known, first = len(given), len(given) + len(left)
        cells = [int(np.prod(part)) for part in (shape[:known], shape[known:first], shape[first:])]
        joint = joint.reshape(cells)
        total = joint.sum(axis=(1, 2))
        joint = joint[total > 0] / total[total > 0][:, None, None]
        product = joint.sum(axis=2, keepdims=True) * joint.sum(axis=1, keepdims=True)
        return bool(np.abs(joint - product).max() <= tol)

    def _sum_to(self, names):
        axes = [self._axis(name) for name in names]
        if len(set(axes)) != len(axes):
            raise ValueError(f"JointTable: each variable may occur only once, got {list(names)}.")
        rest = tuple(axis for axis in range(self.array.ndim) if axis not in axes)
        summed = self.array.sum(axis=rest)
        return summed.transpose(np.argsort(np.argsort(axes)))

    def _slice(self, evidence):
        place: list[Any] = [slice(None)] * self.array.ndim
        for name, value in evidence.items():
            axis = self._axis(name)
            place[axis] = state_index(self.states[axis], name, value)
        return self.array[tuple(place)]

    def _axis(self, name):
        if name not in self.names:
            raise ValueError(f"JointTable: there is no {name!r} among {list(self.names)}.")
        return self.names.index(name)


def bayes_formula(prior, likelihood) -> np.ndarray:
    """Compute P(cause | effect) from P(cause) and P(effect | cause).

    Parameters
    ----------
    prior : array-like of shape (n_causes,)
        Probabilities of the causes.
    likelihood : array-like of shape (n_causes, n_effects)
        Probabilities of the effects given each cause.

    Returns
    -------
    posterior : ndarray of shape (n_effects, n_causes)
        Probabilities of the causes given each effect; NaN for an impossible effect.

    Examples
    --------
    >>> from shallows.graphical import bayes_formula
    >>> bayes_formula([0.01, 0.99], [[0.1, 0.9], [0.8, 0.2]])[1].round(3)
    array([0.043, 0.957])
    """
    prior, likelihood = np.asarray(prior, float), np.asarray(likelihood, float)
    if prior.ndim != 1 or likelihood.ndim != 2 or len(prior) != len(likelihood):
        raise ValueError(
            "bayes_formula: prior must have shape (n_causes,) and likelihood (n_causes, "
            f"n_effects), got {prior.shape} and {likelihood.shape}."
        )
    joint = JointTable(prior[:, None] * likelihood, ("cause", "effect"))
    return joint.conditional("cause", "effect")


def as_names(names) -> tuple[Any, ...]:
    """Return a tuple of names; a single name is a string or a number."""
    return (names,) if isinstance(names, str) or np.isscalar(names) else tuple(names)


def check_states(shape, states) -> tuple[tuple[Any, ...], ...]:
    """Return the values along each axis, by default numbers."""
    if states is None:
        return tuple(tuple(range(size)) for size in shape)
    states = tuple(tuple(values) for values in states)
    sizes = tuple(len(set(values)) for values in states)
    if sizes != tuple(shape) or sizes != tuple(map(len, states)):
        raise ValueError(
            f"JointTable: states must name {list(shape)} different values, got {list(sizes)}."
        )
    return states


def state_index(states, name, value) -> int:
    """Return the index of a value among the states of a variable."""
    for index, state in enumerate(states):
        if state == value:
            return index
    raise ValueError(f"{name!r} has the values {list(states)}, got {value!r}.")
