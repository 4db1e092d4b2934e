"""Columns of a table and what part each plays: from the cells of a file to numbers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from difflib import get_close_matches
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shallows.study._errors import StudyError

FEATURE_ROLES = ("number", "category", "ordinal", "date")
OTHER_ROLES = ("id", "text", "constant", "dropped", "target", "group", "time")
MOST_LEVELS = 200  # of a category; gradient boosting takes no more than 255
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
SCALES = (
    ("very low", "low", "medium", "high", "very high"),
    ("low", "moderate", "high"),
    ("low", "normal", "high"),
    ("xs", "s", "m", "l", "xl", "xxl"),
    ("tiny", "small", "medium", "large", "huge"),
    ("none", "mild", "moderate", "severe"),
    ("never", "rarely", "sometimes", "often", "always"),
    ("very poor", "poor", "fair", "good", "very good", "excellent"),
    ("strongly disagree", "disagree", "neutral", "agree", "strongly agree"),
    ("bad", "average", "good"),
    ("first", "second", "third", "fourth", "fifth"),
    ("primary", "secondary", "tertiary"),
    tuple(name.lower() for name in MONTHS),
    tuple(name.lower() for name in DAYS),
)
# What each type of cell may become without a conversion that loses something.
COMPATIBLE = {
    "integer": {"integer", "number", "boolean"},
    "number": {"integer", "number"},
    "boolean": {"boolean", "integer"},
    "date": {"date", "time"},
    "time": {"date", "time"},
}


@dataclass(frozen=True)
class Column:
    """A column of the file: its type and form there, the part it plays, its levels in order."""

    name: str
    type: str
    role: str
    levels: tuple[str, ...] = ()
    why: str = ""
    form: str = ""


class Feature:
    """A number that the models see: a column, or a part of a date."""

    def __init__(self, column: Column, part: str = ""):
        self.column, self.part = column, part
        self.name = f"{column.name} ({part})" if part else column.name
        self.is_category = column.role == "category" or part in ("month", "weekday")

    @property
    def levels(self) -> tuple[str, ...]:
        """Names of the codes."""
        return {"month": MONTHS, "weekday": DAYS}.get(self.part, self.column.levels)

    def values(self, cells: NDArray[Any], unknown: str) -> NDArray[np.float64]:
        """Return the column's cells as numbers, NaN for gaps."""
        if self.column.role == "date":
            days = cells.astype("datetime64[D]").astype("datetime64[D]")
            gaps = np.isnat(days)
            found: NDArray[Any]
            if self.part == "month":
                found = days.astype("datetime64[M]").astype(np.int64) % 12
            elif self.part == "weekday":
                found = (days.astype(np.int64) + 3) % 7  # the first of January 1970: a Thursday
            elif self.part == "hour":
                found = cells.astype("datetime64[s]").astype(np.int64) % 86_400 / 3600
            else:
                found = days.astype(np.int64)
            return np.where(gaps, np.nan, found)
        if self.column.levels:
            return _codes(self.column, cells, unknown)
        return _numbers(cells)


@dataclass(frozen=True)
class Schema:
    """All columns of a file, in its order."""

    columns: tuple[Column, ...]

    @property
    def features(self) -> list[Feature]:
        """What the models see."""
        found = []
        for column in self.columns:
            if column.role == "date":
                clock = ("hour",) if column.type == "time" else ()
                found += [Feature(column, part) for part in ("day", "month", "weekday", *clock)]
            elif column.role in FEATURE_ROLES:
                found.append(Feature(column))
        return found

    @property
    def forms(self) -> dict[str, str]:
        """How the cells of columns of text were written."""
        return {column.name: column.form for column in self.columns if column.form}

    def named(self, role: str) -> Column | None:
        """Return the column that plays a part which only one can play."""
        return next((column for column in self.columns if column.role == role), None)

    def matrix(
        self, cells: Mapping[str, NDArray[Any]], unknown: str = "missing"
    ) -> NDArray[np.float64]:
        """Return the features of all rows as one array."""
        features = self.features
        n_rows = len(next(iter(cells.values())))
        table = np.empty((n_rows, len(features)))
        for place, feature in enumerate(features):
            table[:, place] = feature.values(cells[feature.column.name], unknown)
        return table

    def check(self, types: Mapping[str, str], missing: Mapping[str, int], n_rows: int) -> None:
        """Raise `StudyError` unless new data have the same columns of the same types."""
        needed = [column for column in self.columns if column.role in FEATURE_ROLES]
        known = {column.name for column in self.columns}
        if absent := [column.name for column in needed if column.name not in types]:
            strange = [name for name in types if name not in known]
            hint = f"; {near(absent, strange)}" if strange else "."
            raise StudyError(f"The data lack {columns(absent)}, which the model needs{hint}")
        if extra := [name for name in types if name not in known]:
            raise StudyError(
                f"The data have {columns(extra)}, which the model does not know; drop what is "
                "extra."
            )
        for column in needed:
            new = types[column.name]
            if new in ("empty", column.type) or missing.get(column.name) == n_rows:
                continue
            if new not in COMPATIBLE.get(column.type, {new} if column.levels else set()):
                raise StudyError(
                    f"Column {column.name!r} was {column.type} when the model was trained, "
                    f"here it is {new}; mend its cells."
                )

    def to_list(self) -> list[dict[str, Any]]:
        """Return plain values for a file."""
        return [{**asdict(column), "levels": list(column.levels)} for column in self.columns]

    @classmethod
    def from_list(cls, columns: Sequence[Mapping[str, Any]]) -> Schema:
        """Return what `to_list` wrote."""
        read = [Column(**{**column, "levels": tuple(column["levels"])}) for column in columns]
        return cls(tuple(read))


def as_text(cells: NDArray[Any]) -> NDArray[Any]:
    """Return cells as text, None for gaps; whole numbers without a point."""
    if cells.dtype.kind == "f":
        whole = np.isnan(cells) | (cells == np.round(cells))
        if whole.all():
            return np.array(
                [None if np.isnan(cell) else str(int(cell)) for cell in cells], dtype=object
            )
        return np.array([None if np.isnan(cell) else f"{cell:g}" for cell in cells], dtype=object)
    if cells.dtype.kind in "mM":
        return np.array([None if np.isnat(cell) else str(cell) for cell in cells], dtype=object)
    if cells.dtype.kind == "b":
        return np.where(cells, "yes", "no").astype(object)
    return np.array([_word(cell) for cell in cells.tolist()], dtype=object)


def order_levels(found: Sequence[str]) -> tuple[str, ...]:
    """Return levels in the order of a known scale, of numbers, or of the alphabet."""
    low = {level.strip().lower() for level in found}
    for scale in SCALES:
        if low <= set(scale):
            return tuple(sorted(found, key=lambda level: scale.index(level.strip().lower())))
    try:
        return tuple(sorted(found, key=float))
    except ValueError:
        return tuple(sorted(found))


def has_known_scale(found: Sequence[str]) -> bool:
    """Tell whether levels belong to a scale whose order everyone knows."""
    low = {level.strip().lower() for level in found}
    return len(low) > 2 and any(low <= set(scale) for scale in SCALES)


def looks_like_id(name: str) -> bool:
    """Tell whether a column is named like one that counts or labels rows."""
    words = re.split(r"[\s_\-.]+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower())
    return bool({"id", "ids", "uuid", "guid", "index", "rowid", "key"} & set(words)) or not any(
        words
    )


def _word(cell: Any) -> str | None:
    if cell is None or cell != cell:
        return None
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    return str(cell)


def _codes(column: Column, cells: NDArray[Any], unknown: str) -> NDArray[np.float64]:
    place = {level: float(code) for code, level in enumerate(column.levels)}
    words = as_text(cells)
    if unknown == "error":
        strange = sorted({word for word in words if word is not None and word not in place})
        if strange:
            raise StudyError(
                f"Column {column.name!r} holds {listed(strange)}, which the training data did not "
                "have; use --unknown missing to treat such cells as gaps."
            )
    return np.array([place.get(word, np.nan) for word in words], dtype=np.float64)


def _numbers(cells: NDArray[Any]) -> NDArray[np.float64]:
    if cells.dtype.kind == "O":
        return np.array([np.nan if cell is None else float(cell) for cell in cells])
    return cells.astype(np.float64)


def listed(names: Sequence[str], most: int = 5) -> str:
    """Return the first names in quotes and how many more there are."""
    shown = ", ".join(map(repr, names[:most]))
    return shown + (f" and {len(names) - most} more" if len(names) > most else "")


def near(names: Sequence[str], known: Sequence[str], most: int = 8) -> str:
    """Return a hint for mistyped names: the known ones that look like them, or the first."""
    by_case = {name.lower(): name for name in known}
    close = [
        by_case[word]
        for name in names
        for word in get_close_matches(name.lower(), by_case, n=2, cutoff=0.6)
    ]
    if close:
        return f"did you mean {' or '.join(map(repr, dict.fromkeys(close)))}?"
    return f"there are {listed(known, most)}."


def columns(names: Sequence[str]) -> str:
    """Return names with the word before them."""
    return f"{'column' if len(names) == 1 else 'columns'} {listed(names)}"
