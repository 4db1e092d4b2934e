"""What a target must hold: numbers or labels, none of them missing."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from sklearn.utils.multiclass import check_classification_targets

Array = NDArray[Any]


def check_target(owner: str, y: Any) -> None:
    """Raise where a target has a missing entry, or labels of kinds that have no order.

    Only objects need this check: in numbers NaN is seen later, but None among objects would
    become NaN without a word.
    """
    if y is None or issparse(y):
        return
    values = as_array(owner, y, "y")
    if values.dtype.kind != "O":
        return
    entries = values.ravel().tolist()
    gaps = [place for place, value in enumerate(entries) if is_gap(value)]
    if gaps:
        raise ValueError(
            f"{owner}: y must not have missing entries, got {entries[gaps[0]]!r} in row "
            f"{gaps[0] // max(1, values[:1].size)}, and {len(gaps)} of {len(entries)} entries are "
            "missing. Drop these rows, or fill them in first. (Input y contains NaN or None.)"
        )
    kinds = {"text" if isinstance(value, str) else "others" for value in entries}
    if len(kinds) > 1:
        words = [value for value in entries if isinstance(value, str)]
        others = [value for value in entries if not isinstance(value, str)]
        raise TypeError(
            f"{owner}: y must hold labels of one kind, got the text {words[0]!r} and "
            f"{others[0]!r}, a {type(others[0]).__name__}. Turn all of them into text, or all into "
            "numbers."
        )


def as_array(owner: str, values: Any, name: str = "X") -> Array:
    """Return an array of any type, or raise for lists of unequal lengths and the like."""
    try:
        return np.asarray(values)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"{owner}: {name} must have one shape, with as many values in each row, got a "
            f"{type(values).__name__} of which NumPy can make no array."
        ) from error


def refuse_sparse_target(owner: str, y: Any) -> None:
    """Raise where a target is a sparse matrix."""
    if issparse(y):
        raise TypeError(f"{owner}: y must be a dense array, got a sparse one. Use y.toarray().")


def check_labels(owner: str, y: Array) -> None:
    """Raise unless these can be class labels; warns where there are strangely many."""
    try:
        check_classification_targets(y)
    except (TypeError, ValueError) as error:
        raise naming(owner, error) from None


def naming(owner: str, error: Exception) -> Exception:
    """Return an error of scikit-learn's or NumPy's checks as one that names the estimator."""
    if owner in str(error):
        return error
    kind = TypeError if isinstance(error, TypeError) else ValueError
    return kind(f"{owner}: {error}")


def is_gap(value: Any) -> bool:
    """Tell whether an entry is None or a NaN, or pandas' NA, which is not equal to itself."""
    if value is None:
        return True
    if isinstance(value, float):
        return value != value
    return type(value).__name__ in ("NAType", "NaTType")


def are_whole(y: Array) -> bool:
    """Tell whether labels are whole numbers, also such as 1.0."""
    if y.dtype.kind != "f":
        return y.dtype.kind in "biu"
    with np.errstate(invalid="ignore"):  # of numbers that are too large
        return bool((y == y.astype(np.int64)).all())


def refuse_other_classes(estimator: Any, classes: ArrayLike) -> None:
    """Raise where a later block of data comes with other classes than the first."""
    known, given = estimator.classes_, np.unique(np.asarray(classes))
    if not np.array_equal(known, given):
        raise ValueError(
            f"{type(estimator).__name__}: classes must be {known.tolist()} as in the first call, "
            f"got {given.tolist()}. Leave them out, or begin with a new estimator."
        )


def class_indices(estimator: Any, y: Array) -> Array:
    """Return the place of each label among the classes, all of which must be known."""
    unknown = np.setdiff1d(y, estimator.classes_)
    if len(unknown):
        raise ValueError(
            f"{type(estimator).__name__}: y holds {unknown.tolist()[0]!r}, which is not one of the "
            f"classes {estimator.classes_.tolist()}. Name all of them in `classes` of the first "
            "call."
        )
    return np.searchsorted(estimator.classes_, y)


def refuse_text(estimator: Any, X: Any, y: Any = ()) -> None:
    """Raise where text that is no number is among data that must be numbers, and say where."""
    where = [
        f"X must hold numbers, but column {name!r} holds" for name in getattr(X, "columns", ())
    ]
    what = [X[name] for name in getattr(X, "columns", ())]
    for place, values in zip([*where, "y must hold numbers, got"], [*what, y], strict=True):
        for value in np.ravel(np.asarray(values, dtype=object)):
            if isinstance(value, str | bytes) and not _is_number(value):
                raise ValueError(
                    f"{type(estimator).__name__}: {place} {value!r}. "
                    "Encode text as numbers first, or leave it out."
                ) from None


def _is_number(text: str | bytes) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
