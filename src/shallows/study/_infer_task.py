"""Does a column of whole numbers mean classes, or amounts such as counts and ratings?"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

MOST_CLASSES = 20  # distinct whole numbers up to which they may mean classes
FEW_CODES = 5  # up to which they do
FEWEST_OF_A_CLASS = 5
RARE = 0.02  # share of a value that is hardly a class
Task = Literal["classification", "regression"]


def infer_task(cells: NDArray[Any], kind: str) -> tuple[Task, str]:
    """Return the task of a target and, where the answer is not plain, what it rests on.

    Up to five different whole numbers are codes of classes. Of six to twenty, neighbouring values
    that grow and then fall in number, with rare ones at an end, are counts or ratings; values of
    which each has its share of the rows are codes. A rating of 3 to 9 so becomes a number, a digit
    a class.
    """
    if kind not in ("integer", "number"):
        return "classification", ""
    values, counts = np.unique(cells.astype(np.float64), return_counts=True)
    if kind == "number" and (len(values) > 2 or np.any(values != np.round(values))):
        return "regression", ""
    if len(values) > MOST_CLASSES:
        return "regression", ""
    if len(values) == 2:
        return "classification", ""
    shown = f"its {len(values)} whole numbers, {values[0]:g} to {values[-1]:g},"
    if np.sum(counts >= FEWEST_OF_A_CLASS) < 2:
        return "regression", _said("numbers", f"{shown} hardly repeat", "classification")
    if len(values) <= FEW_CODES:
        return "classification", _said("classes", f"{shown} are few", "regression")
    rare = counts < max(FEWEST_OF_A_CLASS, RARE * counts.sum())
    if rare.any() and _one_hill(values, counts):
        reason = f"{shown} gather around one value and are rare at the ends, as counts and ratings"
        return "regression", _said("numbers", f"{reason} do", "classification")
    return "classification", _said("classes", f"{shown} are few", "regression")


def _one_hill(values: NDArray[np.float64], counts: NDArray[np.intp]) -> bool:
    """Tell whether values lie close together and their numbers rise to one peak, then fall.

    Steps against the trend may be as large as chance makes them.
    """
    if len(values) < 0.6 * (values[-1] - values[0] + 1):
        return False
    top = int(np.argmax(counts))
    steps = np.diff(counts.astype(np.float64))
    slack = 2.5 * np.sqrt(counts[1:] + counts[:-1])
    return bool(np.all(steps[:top] >= -slack[:top]) and np.all(steps[top:] <= slack[top:]))


def _said(meaning: str, reason: str, other: str) -> str:
    return f"The target was taken for {meaning}, since {reason}; --task {other} says otherwise."
