"""Find out what part each column of a table plays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shallows.data import Table
from shallows.study._errors import StudyError
from shallows.study._schema import (
    FEATURE_ROLES,
    MOST_LEVELS,
    OTHER_ROLES,
    Column,
    Schema,
    as_text,
    columns,
    has_known_scale,
    listed,
    looks_like_id,
    near,
    order_levels,
)

FEWEST_UNIQUE = 20  # rows from which a column without repetition says something
MOST_COLUMNS = 10_000


def infer_schema(
    table: Table,
    target: str | None,
    *,
    group: str | None = None,
    time: str | None = None,
    drop: Sequence[str] = (),
    roles: Mapping[str, str] | None = None,
) -> Schema:
    """Return the part of every column: as told where something was told, else as it looks."""
    told = _told(table, target, group, time, drop, roles or {})
    found = [
        _column(name, table.types[name], cells, told.get(name))
        for name, cells in table.columns.items()
    ]
    schema = Schema(tuple(replace(c, form=table.forms.get(c.name, "")) for c in found))
    if not schema.features:
        reasons = "; ".join(f"{c.name}: {c.why or c.role}" for c in found[:5])
        raise StudyError(
            f"{table.path.name} has no column to learn from ({reasons}); name other roles with "
            "--role."
        )
    return schema


def _told(
    table: Table,
    target: str | None,
    group: str | None,
    time: str | None,
    drop: Sequence[str],
    roles: Mapping[str, str],
) -> dict[str, str]:
    """Collect what was said about columns, or say which column there is not."""
    single = {"target": target, "group": group, "time": time}
    told = dict.fromkeys(drop, "dropped") | dict(roles)
    told |= {name: role for role, name in single.items() if name is not None}
    if unknown := [name for name in told if name not in table.columns]:
        raise StudyError(
            f"{table.path.name} has no {columns(unknown)}; {near(unknown, list(table.columns))}"
        )
    named: dict[str, str] = {}
    for part, name in single.items():
        if name is None:
            continue
        if name in named:
            raise StudyError(
                f"Column {name!r} can't be both {named[name]} and {part}; name different columns."
            )
        if name in drop or name in roles:
            way = "dropped" if name in drop else "given a role"
            raise StudyError(f"Column {name!r} can't be both {part} and {way}.")
        named[name] = part
    allowed = (*FEATURE_ROLES, *OTHER_ROLES[:4])
    for name, role in roles.items():
        if role.partition(":")[0] not in allowed:
            raise StudyError(
                f"The role of column {name!r} must be one of {', '.join(allowed)}, got {role!r}."
            )
    return told


def _column(name: str, kind: str, cells: NDArray[Any], told: str | None) -> Column:
    if told in ("target", "group", "time"):
        return Column(name, kind, told)
    if told is not None:
        return _as_told(name, kind, cells, told)
    if kind == "empty":
        return Column(name, kind, "constant", why="it has no values")
    if kind in ("date", "time"):
        filled = cells[~np.isnat(cells)]
        one = len(np.unique(filled)) < 2
        return Column(name, kind, "constant" if one else "date", why=_same(one))
    if kind in ("number", "boolean") or (kind == "integer" and cells.dtype.kind in "if"):
        return _number(name, kind, cells)
    return _words(name, kind, as_text(cells))


def _as_told(name: str, kind: str, cells: NDArray[Any], told: str) -> Column:
    role, _, order = told.partition(":")
    if role == "number" and kind in ("text", "date", "time"):
        raise StudyError(f"Column {name!r} can't be a number: it holds {kind} cells.")
    if role == "date" and kind not in ("date", "time"):
        raise StudyError(f"Column {name!r} can't be a date: it holds {kind} cells.")
    if role not in ("category", "ordinal"):
        return Column(name, kind, role, why="" if role in FEATURE_ROLES else "as told")
    levels = sorted({word for word in as_text(cells) if word is not None})
    if len(levels) > MOST_LEVELS:
        raise StudyError(
            f"Column {name!r} has {len(levels)} levels; a {role} column may have {MOST_LEVELS}."
        )
    if not order:
        return Column(name, kind, role, order_levels(levels))
    wanted = tuple(word.strip() for word in order.split("<"))
    if absent := [level for level in levels if level not in wanted]:
        raise StudyError(f"The order of column {name!r} leaves out {listed(absent)}.")
    return Column(name, kind, role, wanted)


def _number(name: str, kind: str, cells: NDArray[Any]) -> Column:
    filled = cells[~np.isnan(cells.astype(np.float64))] if kind != "boolean" else cells
    if cells.dtype.kind == "O":
        filled = np.array([cell for cell in cells if cell is not None], dtype=np.float64)
    distinct = np.unique(filled)
    if len(distinct) < 2:
        return Column(name, kind, "constant", why=_same(True))
    if kind == "integer" and len(cells) >= FEWEST_UNIQUE and len(distinct) == len(cells):
        counts_rows = bool(np.all(np.abs(np.diff(cells)) == 1))
        if counts_rows or looks_like_id(name):
            why = "it counts the rows" if counts_rows else "every row has its own"
            return Column(name, kind, "id", why=why)
    return Column(name, kind, "number")


def _words(name: str, kind: str, words: NDArray[Any]) -> Column:
    filled = [word for word in words if word is not None]
    levels = sorted(set(filled))
    if len(levels) < 2:
        return Column(name, kind, "constant", why=_same(True))
    if len(filled) >= FEWEST_UNIQUE and len(levels) > 0.9 * len(filled):
        sentences = np.mean([word.count(" ") for word in filled[:1000]]) >= 3
        if sentences:
            return Column(name, kind, "text", why="it holds free text")
        return Column(name, kind, "id", why="nearly every row has its own")
    if len(levels) > MOST_LEVELS or len(levels) > max(20, len(filled) / 2):
        return Column(name, kind, "text", why=f"it has {len(levels):,} different values")
    role = "ordinal" if has_known_scale(levels) else "category"
    return Column(name, kind, role, order_levels(levels) if role == "ordinal" else tuple(levels))


def _same(one: bool) -> str:
    return "it has one value only" if one else ""
