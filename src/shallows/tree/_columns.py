"""Categories beside numbers: which columns hold them, and their numbers."""

from __future__ import annotations

from numbers import Number
from typing import Literal

import numpy as np
from scipy.sparse import issparse

from shallows._core.contract.targets import as_array

CategoricalFeatures = Literal["from_dtype"] | list | tuple | np.ndarray | None
MARKED = ("category", "bool", "boolean", "object", "str", "string")


def learn_columns(estimator, X):
    """Return X with categories as numbers; sets `categories_`, None for columns of numbers."""
    chosen, n_columns = _chosen(estimator, X)
    estimator.categories_ = [None] * n_columns
    for j in chosen:
        estimator.categories_[j] = _categories(type(estimator).__name__, _column(X, j))
    return encode_columns(estimator, X)


def encode_columns(estimator, X):
    """Return X with categories as numbers, NaN where missing or never seen in training."""
    categories = getattr(estimator, "categories_", [])  # what is not fitted is refused later
    if all(part is None for part in categories):
        return X
    table = X if hasattr(X, "iloc") else _array(type(estimator).__name__, X)
    if table.ndim != 2 or table.shape[1] != len(categories):
        return X  # refused with the usual words
    kinds = set(map(str, table.dtypes)) if hasattr(table, "iloc") else {str(table.dtype)}
    coded = np.empty(table.shape, dtype=np.float32 if kinds == {"float32"} else np.float64)
    for j, known in enumerate(categories):
        column = _column(table, j)
        coded[:, j] = _numbers(column) if known is None else _places(column, known)
    return type(X)(coded, columns=X.columns) if hasattr(X, "iloc") else coded


def _chosen(estimator, X):
    """Return the places of the columns with categories, and the number of columns."""
    which = estimator.categorical_features
    if issparse(X):
        if which is not None and not isinstance(which, str) and len(which):
            raise TypeError(
                f"{type(estimator).__name__}: a sparse matrix holds numbers, but "
                "categorical_features names columns. Use X.toarray() or one column per category."
            )
        return [], X.shape[1] if X.ndim == 2 else 0
    table = X if hasattr(X, "iloc") else _array(type(estimator).__name__, X)
    if table.ndim != 2:
        return [], 0
    n_columns = table.shape[1]
    if which is None:
        return [], n_columns
    if isinstance(which, str):
        if hasattr(table, "iloc"):
            marked = [j for j, kind in enumerate(table.dtypes) if str(kind).split("[")[0] in MARKED]
        else:
            marked = range(n_columns) if table.dtype.kind in "OUS" else []
        return [j for j in marked if not _all_numbers(_column(table, j))], n_columns
    if as_array(type(estimator).__name__, which, "categorical_features").dtype.kind == "b":
        if len(which) != n_columns:
            raise ValueError(
                f"{type(estimator).__name__}: categorical_features as a mask must have "
                f"{n_columns} entries, one per column, got {len(which)}."
            )
        return np.flatnonzero(which).tolist(), n_columns
    names = [str(name) for name in X.columns] if hasattr(X, "columns") else []
    return [_place(estimator, one, names, n_columns) for one in which], n_columns


def _place(estimator, one, names, n_columns):
    if isinstance(one, str) and one in names:
        return names.index(one)
    if isinstance(one, int | np.integer) and 0 <= one < n_columns:
        return int(one)
    raise ValueError(
        f"{type(estimator).__name__}: categorical_features names {one!r}, which is neither a "
        f"column name nor a place below {n_columns}."
    )


def _array(owner, X):
    """Return an array; text and numbers side by side keep their types."""
    array = as_array(owner, X)
    return np.asarray(X, dtype=object) if array.dtype.kind in "US" else array


def _column(table, j):
    return table.iloc[:, j] if hasattr(table, "iloc") else np.asarray(table)[:, j]


def _objects(column):
    """Return the values as Python objects, None where missing."""
    values = np.asarray(column, dtype=object).tolist()
    return [None if _is_gap(value) else value for value in values]


def _is_gap(value):
    return value is None or type(value).__name__ in ("NAType", "NaTType") or value != value


def _all_numbers(column):
    if str(column.dtype) in ("category", "bool", "boolean"):
        return False
    return column.dtype.kind in "fiu" or all(
        isinstance(value, Number) and not isinstance(value, bool | np.bool_)
        for value in _objects(column)
        if value is not None
    )


def _categories(owner, column):
    if str(column.dtype) == "category":
        return column.cat.categories.tolist()
    distinct = {value for value in _objects(column) if value is not None and _checked(owner, value)}
    return sorted(distinct, key=lambda value: (type(value).__name__, value))


def _checked(owner, value):
    if not isinstance(value, str | bytes | Number | np.bool_):
        raise TypeError(
            f"{owner}: a category in X must be a string or a number; argument must be a string or "
            f"a number, got {value!r}."
        )
    return True


def _places(column, known):
    """Return the place of each value among the known categories, NaN where it is not there."""
    places = {value: place for place, value in enumerate(known)}
    return [places.get(value, np.nan) for value in _objects(column)]


def _numbers(column):
    if hasattr(column, "to_numpy") and column.dtype.kind not in "fiub":
        return column.to_numpy(dtype=np.float64, na_value=np.nan)
    return column
