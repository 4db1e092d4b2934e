"""A table of attributes: finite sets, gaps, and rows that contradict one another."""

from __future__ import annotations

import numpy as np

from shallows._core.contract.params import check_arguments


class AttributeTable:
    """A sample of objects described by properties with finitely many attributes.

    Before a tree is grown: which attributes does each property have, what is missing, and which
    rows are alike but have different labels? No tree can tell the last apart.

    Parameters
    ----------
    frame : DataFrame or array-like of shape (n_samples, n_properties)
        The table; None, NaN or `missing` where an attribute is not known.
    labels : array-like of shape (n_samples,), str or None, default=None
        Class of each row, or the name of the column that holds it.
    names : sequence of str or None, default=None
        Names of the properties, where `frame` has none.
    missing : str, default="?"
        Text that marks a missing attribute.

    Attributes
    ----------
    frame : DataFrame
        The properties as objects, None where missing: what `DecisionTreeClassifier` takes.
    labels : ndarray of shape (n_samples,) or None
        Class of each row.
    attributes : dict of str to list
        Sorted attributes of each property.
    is_missing : ndarray of shape (n_samples, n_properties)
        Where an attribute is missing.

    Examples
    --------
    >>> from shallows.data import fruit_table
    >>> from shallows.tree import AttributeTable
    >>> X, y, names = fruit_table()
    >>> table = AttributeTable(X, y, names=names)
    >>> table.attributes["Color"], int(table.is_missing.sum())
    (['green', 'red'], 3)
    >>> table.contradictions()
    [[2, 3]]
    """

    def __init__(self, frame, labels=None, *, names=None, missing: str = "?"):
        check_arguments(AttributeTable.__init__, locals())
        frame = frame.copy() if hasattr(frame, "iloc") else _as_frame(frame)
        if names is not None:
            if len(names) != frame.shape[1]:
                raise ValueError(
                    f"AttributeTable: names must be {frame.shape[1]}, one per property, "
                    f"got {len(names)}."
                )
            frame.columns = list(names)
        frame.columns = [str(name) for name in frame.columns]
        if isinstance(labels, str):
            if labels not in frame.columns:
                raise ValueError(
                    f"AttributeTable: there is no column {labels!r} with labels; "
                    f"the columns are {', '.join(frame.columns)}."
                )
            labels = frame.pop(labels)
        self.labels = None if labels is None else np.asarray(labels)
        if self.labels is not None and self.labels.shape != (len(frame),):
            raise ValueError(
                f"AttributeTable: labels must be {len(frame)}, one per row, "
                f"got shape {self.labels.shape}."
            )
        frame = frame.astype(object)
        self.is_missing = (frame.isna() | (frame == missing)).to_numpy()
        self.frame = frame.mask(self.is_missing, None)
        self.attributes = {name: _sorted(self.frame[name].dropna()) for name in frame.columns}

    def contradictions(self) -> list[list[int]]:
        """Return groups of rows with the same attributes and gaps but different labels.

        Returns
        -------
        groups : list of list of int
            Numbers of rows, in order.
        """
        if self.labels is None:
            raise ValueError("AttributeTable: contradictions need labels; give them as `labels`.")
        return [rows for rows in self._alike() if len(set(self.labels[rows].tolist())) > 1]

    def repeats(self) -> list[list[int]]:
        """Return groups of rows with the same attributes, gaps and labels.

        Returns
        -------
        groups : list of list of int
            Numbers of rows, in order.
        """
        groups = []
        for rows in self._alike():
            labels = np.zeros(len(rows)) if self.labels is None else self.labels[rows]
            same = [
                [row for row, one in zip(rows, labels, strict=True) if one == label]
                for label in dict.fromkeys(labels.tolist())
            ]
            groups += [part for part in same if len(part) > 1]
        return groups

    def report(self) -> str:
        """Say in words what the table holds.

        Returns
        -------
        text : str
            One line per property, then the gaps, repeats and contradictions.
        """
        lines = [f"{len(self.frame)} rows, {self.frame.shape[1]} properties"]
        for name, gaps in zip(self.attributes, self.is_missing.sum(axis=0), strict=True):
            known = self.attributes[name]
            shown = ", ".join(map(str, known[:8])) + (", ..." if len(known) > 8 else "")
            lines.append(f"{name}: {len(known)} attributes ({shown}), {gaps} missing")
        lines.append(f"{sum(map(len, self.repeats()))} rows occur more than once")
        if self.labels is not None:
            contrary = sum(map(len, self.contradictions()))
            lines.append(f"{contrary} rows contradict others: same attributes, different labels")
        return "\n".join(lines)

    def _alike(self) -> list[list[int]]:
        """Return the groups of rows with the same attributes and gaps."""
        groups: dict[tuple, list[int]] = {}
        for row, values in enumerate(self.frame.itertuples(index=False, name=None)):
            groups.setdefault(values, []).append(row)
        return [rows for rows in groups.values() if len(rows) > 1]


def _as_frame(values):
    try:
        import pandas as pd  # noqa: PLC0415  optional
    except ImportError as error:
        raise ImportError(
            "AttributeTable keeps its table as a pandas DataFrame: install pandas."
        ) from error
    return pd.DataFrame(np.asarray(values, object))


def _sorted(values):
    return sorted(set(values), key=lambda value: (type(value).__name__, value))
