"""Effects that must rise or fall: which cuts keep to them, and the bounds of the values below.

A node below a question about such a feature keeps to the values on its side of the middle between
both branches, as in scikit-learn: cuts of such features that do not are refused, and what other
questions lead to is moved to the bound.
"""

from __future__ import annotations

import numpy as np

from shallows._core.contract.targets import as_array
from shallows.tree._questions import BELOW


def check_signs(estimator, categories, y_width: int, any_missing: bool) -> tuple[int, ...]:
    """Return 1, -1 or 0 of each column; an empty tuple if nothing is demanded."""
    if estimator.monotonic_cst is None:
        return ()
    name, n_features = type(estimator).__name__, estimator.n_features_in_
    signs = as_array(name, estimator.monotonic_cst, "monotonic_cst")
    if signs.shape != (n_features,) or not np.isin(signs, (-1, 0, 1)).all():
        raise ValueError(
            f"{name}: monotonic_cst must have {n_features} entries, one of -1, 0 and 1 for each "
            f"column, got {estimator.monotonic_cst!r}."
        )
    if not signs.any():
        return ()
    bound = [j for j in np.flatnonzero(signs) if categories[j] is not None]
    if bound:
        raise ValueError(
            f"{name}: monotonic_cst demands an order of column {bound[0]}, which holds categories. "
            "Set its entry to 0, or encode the column as numbers."
        )
    reasons = {
        "one number or two classes to predict, got more": y_width > 1,
        "data without missing values. Fill the gaps first": any_missing,
        "another criterion than 'absolute_error'": estimator.criterion == "absolute_error",
        "another criterion than 'misclassification'": estimator.criterion == "misclassification",
    }
    for reason, is_so in reasons.items():
        if is_so:
            raise ValueError(f"{name}: monotonic_cst needs {reason}.")
    return tuple(int(sign) for sign in signs)


def values_of(sums, weight) -> np.ndarray:
    """Return the number that must keep to an order: the mean, or the share of the second class."""
    return sums[..., -1] / np.where(weight > 0, weight, 1.0)


def allowed_cuts(task, front, pairs):
    """Return what says of cuts, given by the sums of both sides, whether they keep to all orders.

    None where nothing is demanded.
    """
    if not task.rules.signs:
        return None
    signs, bounds = np.array(task.rules.signs), front.bounds

    def is_allowed(pair, left, right):
        low, high = (values_of(side[:, 2:], side[:, 1]) for side in (left, right))
        lower, upper = bounds[pairs.node[pair]].T
        inside = (np.minimum(low, high) >= lower) & (np.maximum(low, high) <= upper)
        sign = signs[pairs.feature[pair]]
        return (sign == 0) | (inside & ((low - high) * sign <= 0))

    return is_allowed


def turns_below(task, questions, nodes, parent, first) -> np.ndarray:
    """Return 1 for branches that must stay below their sibling, -1 above it, 0 for others."""
    if not task.rules.signs:
        return np.zeros(len(parent), dtype=np.int64)
    sign = np.array(task.rules.signs)[questions.feature[nodes]]
    sign = np.where(questions.question[nodes] == BELOW, sign, 0)[parent]
    is_first = np.arange(len(parent)) == first[parent]
    return np.where(is_first, sign, -sign)


def narrowed(task, front, totals):
    """Return the nodes with bounds between siblings whose question must rise or fall."""
    if not front.turn.any():
        return front
    ordered = np.flatnonzero(front.turn)
    left, right = ordered[::2], ordered[1::2]
    values, bounds = values_of(totals.sums, totals.weight), front.bounds.copy()
    middle = (values[left] + values[right]) / 2
    rises = front.turn[left] > 0
    lesser, greater = np.where(rises, left, right), np.where(rises, right, left)
    bounds[lesser, 1], bounds[greater, 0] = middle, middle
    return front._replace(bounds=bounds, turn=np.zeros_like(front.turn))
