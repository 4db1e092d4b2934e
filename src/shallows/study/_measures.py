"""What a study maximises: a measure, what it is made of, and how it is said."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from shallows.study._errors import StudyError

Array = NDArray[Any]
SMALLEST = 1e-6  # probability below which the log loss grows no more
IMBALANCED = 0.8  # share of the largest class from which plain accuracy says little


@dataclass(frozen=True)
class Measure:
    """A measure of predictions; `sign` makes greater better, `answer` says what it needs."""

    name: str
    title: str
    task: str
    answer: str  # "label", "chance" (of every class) or "value"
    function: Callable[[Array, Array], float]
    sign: int = 1
    is_share: bool = False

    def score(self, y: Array, answers: Array) -> float:
        """Return the measure with the sign that makes greater better."""
        return self.sign * float(self.function(y, answers))

    def say(self, score: float, digits: int = 1) -> str:
        """Return a score as people read it."""
        value = self.sign * score
        return f"{100 * value:,.{digits}f} %" if self.is_share else shorten(value, 3)

    def say_spread(self, spread: float) -> str:
        """Return a standard error in the units of `say`."""
        return shorten(100 * spread if self.is_share else spread, 2)


def shorten(value: float, digits: int, sign: str = "") -> str:
    """Return a number with a few digits, a large one with all that stand before the point."""
    large = abs(value) >= 10**digits
    return f"{value:{sign},.0f}" if large else f"{value:{sign}.{digits}g}"


# Written out, since scikit-learn's checks take far longer than the sums, and intervals need
# thousands of them.
def _accuracy(y: Array, labels: Array) -> float:
    return float(np.mean(y == labels))


def _balanced_accuracy(y: Array, labels: Array) -> float:
    rows = np.bincount(y)
    hits = np.bincount(y[y == labels], minlength=len(rows))
    return float(np.mean(hits[rows > 0] / rows[rows > 0]))


def _auc(y: Array, chances: Array) -> float:
    ranks, hits = rankdata(chances[:, 1]), y == 1
    n, rest = int(hits.sum()), int((~hits).sum())
    if not n or not rest:
        return np.nan
    return float((ranks[hits].sum() - n * (n + 1) / 2) / (n * rest))


def _log_loss(y: Array, chances: Array) -> float:
    said = chances[np.arange(len(y)), y]
    return -float(np.mean(np.log(np.maximum(said, np.finfo(np.float64).eps))))


def _r2(y: Array, values: Array) -> float:
    total = np.sum((y - y.mean()) ** 2)
    return float(1 - np.sum((y - values) ** 2) / total) if total > 0 else np.nan


def _rmse(y: Array, values: Array) -> float:
    return float(np.sqrt(np.mean((y - values) ** 2)))


def _mae(y: Array, values: Array) -> float:
    return float(np.mean(np.abs(y - values)))


MEASURES = {
    measure.name: measure
    for measure in (
        Measure("accuracy", "accuracy", "classification", "label", _accuracy, 1, True),
        Measure(
            "balanced_accuracy",
            "balanced accuracy",
            "classification",
            "label",
            _balanced_accuracy,
            1,
            True,
        ),
        Measure("auc", "area under the ROC curve", "classification", "chance", _auc),
        Measure("log_loss", "log loss", "classification", "chance", _log_loss, -1),
        Measure("r2", "variance explained", "regression", "value", _r2, 1, True),
        Measure("rmse", "root mean squared error", "regression", "value", _rmse, -1),
        Measure("mae", "mean absolute error", "regression", "value", _mae, -1),
    )
}


def choose_measure(name: str | None, task: str, shares: list[float]) -> tuple[Measure, str]:
    """Return the measure that was asked for or fits, and why it was chosen."""
    if name is not None:
        measure = MEASURES.get(name)
        fitting = [key for key, known in MEASURES.items() if known.task == task]
        if measure is None or measure.task != task:
            raise StudyError(
                f"--measure must be one of {', '.join(fitting)} for {task}, got {name!r}."
            )
        if name == "auc" and len(shares) != 2:
            others = ", ".join(key for key in fitting if key != "auc")
            raise StudyError(
                f"--measure auc needs two classes, there are {len(shares)}; choose from {others}."
            )
        return measure, "as told"
    if task == "regression":
        return MEASURES["r2"], "the usual one for numbers"
    if max(shares) > IMBALANCED:
        return (
            MEASURES["balanced_accuracy"],
            f"{100 * max(shares):.0f} % of the rows are of one class, so plain accuracy would "
            "say little",
        )
    return MEASURES["accuracy"], "no class is rare"


def answers_of(model: Any, X: Array, measure: Measure, n_classes: int) -> Array:
    """Return what the measure needs of a model: labels, chances of all classes, or values."""
    if measure.answer == "chance":
        return chances_of(model, X, n_classes)
    return np.asarray(model.predict(X))


def answers_for(measure: Measure, answers: Array, shares: Array | None) -> Array:
    """Return what the measure needs, from probabilities of all classes or from numbers.

    Labels are the most probable classes; for balanced accuracy, where every class counts as much
    as any other, those whose probability is largest in comparison with their share.
    """
    if measure.answer != "label":
        return answers
    if measure.name == "balanced_accuracy" and shares is not None:
        answers = answers / np.maximum(shares, 1e-12)
    return np.asarray(answers.argmax(axis=1))


def row_losses(measure: Measure, y: Array, answers: Array) -> NDArray[np.float64]:
    """Return the loss by which methods are compared, row by row: a proper one.

    The logarithm of the probability of what came, for classes; for numbers the squared error, or
    the absolute one where that is the measure.
    """
    if measure.task == "classification":
        return np.asarray(-np.log(np.maximum(answers[np.arange(len(y)), y], SMALLEST)))
    return np.asarray(np.abs(y - answers) if measure.name == "mae" else (y - answers) ** 2)


def chances_of(model: Any, X: Array, n_classes: int) -> NDArray[np.float64]:
    """Return class probabilities, or for a model without them a logistic view of its scores.

    A class that the model has not seen has none.
    """
    known = np.asarray(getattr(model, "classes_", np.arange(n_classes))).astype(np.intp)
    if hasattr(model, "predict_proba"):
        chances = np.asarray(model.predict_proba(X), dtype=np.float64)
    elif not hasattr(model, "decision_function"):
        return np.eye(n_classes)[np.asarray(model.predict(X))]
    else:
        scores = np.asarray(model.decision_function(X), dtype=np.float64)
        if scores.ndim == 1:
            scores = np.column_stack([-scores, scores]) / 2
        powers = np.exp(scores - scores.max(axis=1, keepdims=True))
        chances = powers / powers.sum(axis=1, keepdims=True)
    if chances.shape[1] == n_classes:
        return chances
    found = np.zeros((len(chances), n_classes))
    found[:, known] = chances
    return found
