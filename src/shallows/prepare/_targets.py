"""Targets in the range of a sigmoid unit, and decisions from outputs."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from shallows._core.contract.params import NonNegativeFloat, check_arguments


class Targets(NamedTuple):
    """Numeric targets for training, and the classes in the order of their units."""

    values: np.ndarray
    classes: np.ndarray


class Decisions(NamedTuple):
    """The class of each row, and whether the row was answered."""

    labels: np.ndarray
    answered: np.ndarray


def code_targets(y, *, low: float = 0.1, high: float = 0.9) -> Targets:
    """Turn labels into targets inside the range of a sigmoid unit.

    A logistic unit never reaches 0 or 1, and training towards them makes weights grow without
    bound. Targets 0.1 and 0.9 (or -0.9 and 0.9 for tanh) can be reached.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Class labels, at least two different ones.
    low : float, default=0.1
        Target of the other units.
    high : float, default=0.9
        Target of the unit of the true class.

    Returns
    -------
    values : ndarray of shape (n_samples,) or (n_samples, n_classes)
        With two classes a single unit, high for the second class; otherwise one unit per class.
    classes : ndarray of shape (n_classes,)
        Sorted labels.

    Examples
    --------
    >>> from shallows.prepare import code_targets
    >>> code_targets(["no", "yes", "no"]).values
    array([0.1, 0.9, 0.1])
    >>> code_targets([0, 1, 2], low=0.0, high=1.0).values
    array([[1., 0., 0.],
           [0., 1., 0.],
           [0., 0., 1.]])
    """
    check_arguments(code_targets, locals())
    if low >= high:
        raise ValueError(f"code_targets: low must be smaller than high, got {low} and {high}.")
    classes, index = np.unique(np.asarray(y), return_inverse=True)
    if len(classes) < 2:
        raise ValueError("code_targets: y must contain at least two classes.")
    units = np.eye(len(classes), dtype=bool)[index.ravel()]
    on = units[:, 1] if len(classes) == 2 else units
    return Targets(np.where(on, float(high), float(low)), classes)


def decide(
    outputs,
    classes,
    *,
    threshold: float = 0.5,
    reject: NonNegativeFloat = 0.0,
    ties: Literal["error", "first", "reject"] = "error",
) -> Decisions:
    """Turn outputs into classes: by a threshold for one unit, by the largest output of several.

    It also decodes one-hot rows.

    Parameters
    ----------
    outputs : array-like of shape (n_samples,) or (n_samples, n_classes)
        Outputs of one unit, or of one unit per class.
    classes : array-like of shape (n_classes,)
        Labels. A single unit needs two; high outputs mean the second.
    threshold : float, default=0.5
        Threshold of a single unit; take 0 for tanh. An output equal to it is a tie.
    reject : float, default=0.0
        A row is rejected if a single unit is nearer to the threshold than this, or if the largest
        output exceeds the second by less than this.
    ties : {"error", "first", "reject"}, default="error"
        For a row without unique answer: raise an error, take the first class, or reject the row.

    Returns
    -------
    labels : ndarray of shape (n_samples,)
        Labels; for rejected rows the class that would have been chosen.
    answered : ndarray of shape (n_samples,)
        False for rejected rows.

    Examples
    --------
    >>> from shallows.prepare import decide
    >>> decide([[0, 0, 1], [1, 0, 0]], ["A", "B", "C"]).labels.tolist()
    ['C', 'A']
    >>> decide([0.2, 0.55, 0.9], ["no", "yes"], reject=0.1).answered.tolist()
    [True, False, True]
    """
    check_arguments(decide, locals())
    outputs, classes = np.asarray(outputs, dtype=np.float64), np.asarray(classes)
    expected = 2 if outputs.ndim == 1 else outputs.shape[-1]
    if outputs.ndim not in (1, 2) or len(classes) != expected:
        raise ValueError(
            f"decide: outputs of shape {outputs.shape} need {expected} classes, got {len(classes)}."
        )
    if outputs.ndim == 1:
        index, lead = (outputs > threshold).astype(np.int64), np.abs(outputs - threshold)
    else:
        largest = np.sort(outputs, axis=1)
        index, lead = outputs.argmax(axis=1), largest[:, -1] - largest[:, -2]
    tied = lead == 0
    if ties == "error" and tied.any():
        row = int(np.flatnonzero(tied)[0])
        raise ValueError(
            f"decide: row {row} has no unique answer; its outputs are {outputs[row].tolist()}. "
            "Choose ties='first' or ties='reject'."
        )
    answered = lead >= reject
    if ties == "reject":
        answered &= ~tied
    return Decisions(classes[index], answered)
