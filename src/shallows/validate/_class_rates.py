"""Rates of each class from a confusion matrix, and averages over the classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.metrics import confusion_matrix
from sklearn.utils.multiclass import unique_labels

from shallows._core.contract.params import check_value
from shallows.validate._inputs import Floats

Form = Literal["mean", "harmonic"]


@dataclass(frozen=True, eq=False)
class ClassRates:
    r"""Counts and rates of each class against the rest.

    With :math:`c_{ij}` samples of class :math:`i` assigned to class :math:`j`, class :math:`i` has
    :math:`c_{ii}` true positives, the rest of row :math:`i` as false negatives and the rest of
    column :math:`i` as false positives. A rate with denominator 0 is NaN. F1 is 0 for a class that
    occurs but has no true positive.

    Parameters
    ----------
    confusion : array-like of shape (n_classes, n_classes)
        Rows actual, columns predicted, as from `sklearn.metrics.confusion_matrix`.
    labels : array-like of shape (n_classes,), optional
        Names of the classes; 0, 1, ... by default.

    Examples
    --------
    >>> from shallows.validate import ClassRates
    >>> rates = ClassRates([[95, 0], [5, 0]], ["healthy", "ill"])
    >>> print(rates)
    class     TP  FP  TN  FN    TPR    FPR  precision     F1
    healthy   95   5   0   0  1.000  1.000      0.950  0.974
    ill        0   0  95   5  0.000  0.000        nan  0.000
    >>> rates.accuracy, rates.balanced_accuracy
    (0.95, 0.5)
    """

    confusion: Any
    labels: Any = None

    def __post_init__(self) -> None:
        counts = np.asarray(self.confusion, dtype=float)
        if counts.ndim != 2 or counts.shape[0] != counts.shape[1] or not np.all(counts >= 0):
            raise ValueError(
                "ClassRates: confusion must be a square matrix of counts, 0 or more, "
                f"got {self.confusion!r}."
            )
        if not counts.any():
            raise ValueError("ClassRates: confusion must count at least one sample, got none.")
        labels = np.arange(len(counts)) if self.labels is None else np.asarray(self.labels)
        if labels.shape != (len(counts),):
            raise ValueError(
                f"ClassRates: labels must name the {len(counts)} classes, got {self.labels!r}."
            )
        object.__setattr__(self, "confusion", counts)
        object.__setattr__(self, "labels", labels)

    @property
    def tp(self) -> Floats:
        """True positives of each class."""
        return np.diag(self.confusion).copy()

    @property
    def fn(self) -> Floats:
        """False negatives of each class."""
        return self.confusion.sum(axis=1) - self.tp

    @property
    def fp(self) -> Floats:
        """False positives of each class."""
        return self.confusion.sum(axis=0) - self.tp

    @property
    def tn(self) -> Floats:
        """True negatives of each class."""
        return self.confusion.sum() - self.tp - self.fn - self.fp

    @property
    def tpr(self) -> Floats:
        """True positive rate: recall, sensitivity."""
        return _ratio(self.tp, self.tp + self.fn)

    @property
    def fnr(self) -> Floats:
        """False negative rate, 1 - tpr."""
        return _ratio(self.fn, self.tp + self.fn)

    @property
    def tnr(self) -> Floats:
        """True negative rate: specificity."""
        return _ratio(self.tn, self.tn + self.fp)

    @property
    def fpr(self) -> Floats:
        """False positive rate, 1 - tnr."""
        return _ratio(self.fp, self.tn + self.fp)

    @property
    def precision(self) -> Floats:
        """Share of correct ones among the samples assigned to each class."""
        return _ratio(self.tp, self.tp + self.fp)

    @property
    def f1(self) -> Floats:
        """Harmonic mean of precision and recall."""
        return _ratio(2 * self.tp, 2 * self.tp + self.fp + self.fn)

    @property
    def accuracy(self) -> float:
        """Share of correct predictions; equal to micro-averaged precision, recall and F1."""
        return float(self.tp.sum() / self.confusion.sum())

    @property
    def balanced_accuracy(self) -> float:
        """Mean recall of the classes that occur."""
        return float(np.nanmean(self.tpr))

    def macro_f1(self, form: Form = "mean") -> float:
        """Average F1; classes that occur or are predicted have equal weight.

        Parameters
        ----------
        form : {"mean", "harmonic"}, default="mean"
            Mean of the F1 of the classes, or harmonic mean of their mean precision and mean
            recall. The harmonic form is never smaller.

        Returns
        -------
        f1 : float
            Between 0 and 1; an undefined precision or recall counts as 0.
        """
        seen = self.tp + self.fn + self.fp > 0
        if form == "mean":
            return float(self.f1[seen].mean())
        precision = np.nan_to_num(self.precision[seen]).mean()
        recall = np.nan_to_num(self.tpr[seen]).mean()
        return float(2 * precision * recall / (precision + recall)) if precision * recall else 0.0

    def __str__(self) -> str:
        heads = ("class", "TP", "FP", "TN", "FN", "TPR", "FPR", "precision", "F1")
        counts = np.column_stack([self.tp, self.fp, self.tn, self.fn])
        rates = np.column_stack([self.tpr, self.fpr, self.precision, self.f1])
        rows = [
            [str(label), *(f"{value:g}" for value in count), *(f"{value:.3f}" for value in rate)]
            for label, count, rate in zip(self.labels, counts, rates, strict=True)
        ]
        widths = [max(map(len, column)) for column in zip(heads, *rows, strict=True)]
        widths[0] += 1
        return "\n".join(
            f"{row[0]:<{widths[0]}}"
            + "".join(f"  {cell:>{w}}" for cell, w in zip(row[1:], widths[1:], strict=True))
            for row in [list(heads), *rows]
        )


def class_rates(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> ClassRates:
    """Return true and false positives and negatives, and their rates, for every class.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True classes.
    y_pred : array-like of shape (n_samples,)
        Predicted classes.
    labels : array-like of shape (n_classes,), optional
        The classes in the wanted order; by default all that occur, sorted.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the samples.

    Returns
    -------
    rates : ClassRates
        Counts and rates, one entry per class.

    Examples
    --------
    >>> from shallows.validate import class_rates
    >>> class_rates(["a", "a", "b", "b"], ["a", "b", "b", "b"]).precision.round(3)
    array([1.   , 0.667])
    """
    names: NDArray[Any] = unique_labels(y_true, y_pred) if labels is None else np.asarray(labels)
    counts = confusion_matrix(y_true, y_pred, labels=names, sample_weight=sample_weight)
    return ClassRates(counts, names)


def macro_f1(y_true: ArrayLike, y_pred: ArrayLike, *, form: Form = "mean") -> float:
    r"""Return the F1 of all classes with equal weight, in either of its two forms.

    Either the mean of the class-wise :math:`F_1` (as
    ``sklearn.metrics.f1_score(average="macro")``), or the harmonic mean :math:`2 \bar P \bar R /
    (\bar P + \bar R)` of mean precision and mean recall. Papers use one name for both. The second
    is never smaller, because the harmonic mean is concave.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True classes.
    y_pred : array-like of shape (n_samples,)
        Predicted classes.
    form : {"mean", "harmonic"}, default="mean"
        The form of the average.

    Returns
    -------
    f1 : float
        Between 0 and 1.

    Examples
    --------
    >>> from shallows.validate import macro_f1
    >>> y_true, y_pred = [0, 0, 0, 1, 1, 2], [0, 0, 1, 1, 1, 0]
    >>> round(macro_f1(y_true, y_pred), 4), round(macro_f1(y_true, y_pred, form="harmonic"), 4)
    (0.4889, 0.4938)
    """
    check_value("macro_f1", "form", Form, form)
    return class_rates(y_true, y_pred).macro_f1(form)


def _ratio(part: Floats, whole: Floats) -> Floats:
    return np.divide(part, whole, out=np.full_like(part, np.nan), where=whole > 0)
