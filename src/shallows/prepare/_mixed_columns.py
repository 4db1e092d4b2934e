"""Encoding of columns of numbers and categories as floats, and back."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Number

import numpy as np


@dataclass
class MixedColumns:
    """Categories, start values and scales of all columns.

    `categories[j]` is the sorted list of categories of column j, or None for numbers. `starts` are
    means, or the index of the most frequent category; `scales` are standard deviations.
    """

    categories: list[np.ndarray | None]
    starts: np.ndarray
    scales: np.ndarray

    @classmethod
    def learn(cls, X, table, categorical, names):
        """Find categories, means and scales; `table` is the data `X` as an array."""
        chosen = _categorical_columns(X, table, categorical, names)
        categories: list[np.ndarray | None] = []
        for j, column in enumerate(table.T):
            values = column[~missing_in(column)]
            if not len(values):
                raise ValueError(
                    f"ChainedImputer: column {j} has no value to learn from. Drop it first."
                )
            categories.append(_sorted_categories(values) if j in chosen else None)
        columns = cls(categories, np.zeros(len(categories)), np.ones(len(categories)))
        for j, column in enumerate(columns.encode(table).T):
            known = column[~np.isnan(column)]
            if categories[j] is not None:
                columns.starts[j] = np.bincount(known.astype(np.int64)).argmax()
            else:
                columns.starts[j] = known.mean()
                columns.scales[j] = known.std() or 1.0
        return columns

    def encode(self, table):
        """Return float64 with NaN for gaps and an index for each category."""
        values = np.full(table.shape, np.nan)
        for j, column in enumerate(table.T):
            known = ~missing_in(column)
            if self.categories[j] is None:
                values[known, j] = column[known].astype(np.float64)
            else:
                values[known, j] = self._numbers(j, column[known])
        return values

    def decode(self, X, table, filled, gaps):
        """Put the filled values into a copy of the data; a data frame if `X` is a mixed one."""
        mixed = any(part is not None for part in self.categories)
        if mixed and hasattr(X, "iloc"):
            result = X.copy()
            for j in np.flatnonzero(gaps.any(axis=0)):
                column = result.iloc[:, j].astype(object)
                column[gaps[:, j]] = self._values(j, filled[gaps[:, j], j])
                result.isetitem(j, column.astype(X.dtypes.iloc[j]))
            return result
        result = table.copy() if table.dtype.kind in "fO" else table.astype(np.float64)
        for j in np.flatnonzero(gaps.any(axis=0)):
            result[gaps[:, j], j] = self._values(j, filled[gaps[:, j], j])
        return result

    def start(self, values):
        """Return a copy with the first guess in every gap."""
        return np.where(np.isnan(values), self.starts, values)

    def inputs(self, filled, target):
        """Return standardised numbers and 0/1 columns of all columns but the target."""
        blocks = [np.empty((len(filled), 0))]
        for j, categories in enumerate(self.categories):
            if j == target:
                continue
            if categories is None:
                blocks.append(self.standardise(filled[:, [j]], j))
            else:
                blocks.append((filled[:, [j]] == np.arange(1, len(categories))).astype(float))
        return np.hstack(blocks)

    def standardise(self, values, j):
        """Return numbers of column j in units of its spread."""
        return (values - self.starts[j]) / self.scales[j]

    def restore(self, values, j):
        """Undo `standardise`."""
        return values * self.scales[j] + self.starts[j]

    def change(self, before, after, gaps):
        """Return the root mean square change of numbers plus the changed share of categories."""
        squares, turned = [np.zeros(0)], [np.zeros(0)]
        for j, categories in enumerate(self.categories):
            moved = (after[gaps[:, j], j] - before[gaps[:, j], j]) / self.scales[j]
            (squares if categories is None else turned).append(
                moved**2 if categories is None else (moved != 0).astype(float)
            )
        numbers, symbols = np.concatenate(squares), np.concatenate(turned)
        root = np.sqrt(numbers.mean()) if len(numbers) else 0.0
        return float(root + (symbols.mean() if len(symbols) else 0.0))

    def _numbers(self, j, values):
        places = {value: number for number, value in enumerate(self.categories[j].tolist())}
        unknown = [value for value in values.tolist() if value not in places]
        if unknown:
            raise ValueError(
                f"ChainedImputer: column {j} has {unknown[0]!r}, which was not seen in fit; "
                f"known are {list(places)[:10]}."
            )
        return [places[value] for value in values.tolist()]

    def _values(self, j, numbers):
        if self.categories[j] is None:
            return numbers
        return self.categories[j][numbers.astype(np.int64)]


def missing_in(column):
    """Return which entries are None, NaN, NaT or pandas' NA."""
    if column.dtype.kind == "f":
        return np.isnan(column)
    if column.dtype.kind != "O":
        return np.zeros(len(column), dtype=bool)
    return np.array([_is_gap(value) for value in column], dtype=bool)


def _is_gap(value):
    return value is None or type(value).__name__ in ("NAType", "NaTType") or value != value


def _categorical_columns(X, table, categorical, names):
    if not isinstance(categorical, str):
        return {_place(which, names, table.shape[1]) for which in categorical}
    dtypes = [str(kind) for kind in X.dtypes] if hasattr(X, "dtypes") else []
    return {
        j
        for j, column in enumerate(table.T)
        if (j < len(dtypes) and dtypes[j] in ("category", "bool", "boolean"))
        or not _all_numbers(column)
    }


def _place(which, names, n_columns):
    if which in names:
        return names.index(which)
    if isinstance(which, int) and not isinstance(which, bool) and -n_columns <= which < n_columns:
        return which % n_columns
    raise ValueError(
        f"ChainedImputer: categorical contains {which!r}, which is neither a column name nor "
        f"an index below {n_columns}."
    )


def _all_numbers(column):
    if column.dtype.kind != "O":
        return column.dtype.kind in "fiu"
    known = column[~missing_in(column)]
    return all(isinstance(value, Number) and not isinstance(value, bool) for value in known)


def _sorted_categories(values):
    distinct = sorted(set(values.tolist()), key=lambda value: (type(value).__name__, value))
    categories = np.empty(len(distinct), dtype=object)
    categories[:] = distinct
    return categories
