"""Loading a data file into DuckDB as the table `loaded`, completely or as a sample of rows."""

from __future__ import annotations

import csv
import json
import re
import shutil
from datetime import datetime, time
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from shallows._core.contract.extras import from_extra
from shallows._core.contract.rng import RandomState, as_generator
from shallows.data._dialect import (
    MOST_COLUMNS,
    Dialect,
    find_dialect,
    guess_encoding,
    is_binary,
    open_text,
)

GLOB_SIGNS = "*?[]{}"
MEMORY_IS_SHORT = ("failed to allocate", "bad allocation", "out of memory", "bad_alloc")
REWRITE_HELPS = ("unicode", "invalid state", "new line", "newline")


class Sample(NamedTuple):
    """Number of rows to keep (None for all), and the seed of the choice."""

    max_rows: int | None
    random_state: RandomState


class Loaded(NamedTuple):
    """Column names in the file, number of rows in the file, and the delimiter."""

    names: list[str]
    n_rows_in_file: int
    delimiter: str = ""


def load_text(
    connection: Any,
    path: Path,
    folder: Path,
    sample: Sample,
    *,
    delimiter: str | None,
    decimal: str | None,
    header: bool | None,
    encoding: str | None,
) -> Loaded:
    """Load a text file with all cells as text; rewrite a copy if DuckDB can't read it."""
    source = _without_glob_signs(path, folder)
    if encoding is None and is_binary(source):
        raise ValueError(f"{path} contains binary data, not a text table.")
    encodings = [encoding] if encoding else [guess_encoding(source), "cp1252"]
    try:
        dialect = find_dialect(source, encodings[0], delimiter, header, decimal)
    except LookupError:
        raise ValueError(f"read_table: Python knows no encoding {encoding!r}.") from None
    except ValueError:
        raise ValueError(f"{path} is empty: it has no line to read a table from.") from None
    if len(dialect.names) > MOST_COLUMNS:
        raise ValueError(
            f"{path} has {len(dialect.names):,} columns; at most {MOST_COLUMNS:,} can be read."
        )
    duckdb = import_duckdb()
    # Try the file itself first; encodings and mixed line ends are repaired in a copy.
    try:
        if encodings[0] in ("utf-8", "utf-8-sig"):
            try:
                total = _load(connection, _text_query(source, dialect), sample)
                return Loaded(dialect.names, total, dialect.delimiter)
            except duckdb.Error as error:
                if not any(sign in str(error).lower() for sign in REWRITE_HELPS):
                    raise
        clean = folder / "clean.csv"
        _rewrite(source, path, clean, encodings)
        dialect = find_dialect(clean, "utf-8", delimiter, header, decimal)
        total = _load(connection, _text_query(clean, dialect), sample)
        return Loaded(dialect.names, total, dialect.delimiter)
    except duckdb.Error as error:
        raise ValueError(_text_error(path, str(error), dialect)) from None


def load_typed(connection: Any, path: Path, folder: Path, sample: Sample, kind: str) -> Loaded:
    """Load a Parquet or JSON file, whose columns have types already."""
    source = _without_glob_signs(path, folder)
    if kind == "parquet":
        query = f"read_parquet({quoted(source)})"
    else:
        form = "newline_delimited" if kind == "lines" else "auto"
        query = f"read_json({quoted(source)}, format='{form}', sample_size=-1)"
    try:
        total = _load(connection, query, sample)
    except import_duckdb().Error as error:
        reason = str(error).split("\n")[0].partition(": ")[2].replace(str(source), path.name)
        if kind == "lines":
            reason = _first_bad_line(source) or reason
        raise ValueError(f"{path} can't be read: {reason}") from None
    stored = [row[0] for row in connection.execute("DESCRIBE loaded").fetchall()]
    return Loaded(stored, total)


def excel_as_text(path: Path, folder: Path, sheet: str | None = None) -> Path:
    """Write one sheet of an Excel file as CSV and return its path; default: the first table."""
    with from_extra("study", "An Excel file"):
        openpyxl = import_module("openpyxl")
    try:
        book = openpyxl.load_workbook(path, read_only=True, data_only=True)
    except Exception as error:
        raise ValueError(f"{path} is not an Excel file ({error}).") from None
    names = [each.title for each in book.worksheets]
    if sheet is not None and sheet not in names:
        raise ValueError(f"{path} has no sheet {sheet!r}; there are {', '.join(map(repr, names))}.")
    sheets = [
        [row for row in each.iter_rows(values_only=True) if set(row) - {None}]
        for each in (book.worksheets if sheet is None else [book[sheet]])
    ]
    book.close()
    tables = [rows for rows in sheets if len(rows) > 1 and len(set(rows[0]) - {None}) > 1]
    rows = [*tables, *sheets, []][0]
    if not rows:
        which = "the first sheet" if sheet is None else f"sheet {sheet!r}"
        raise ValueError(f"{path}: {which} is empty.")
    clean = folder / path.with_suffix(".csv").name
    with clean.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerows([["" if c is None else _excel_cell(c) for c in row] for row in rows])
    return clean


def _excel_cell(cell: Any) -> str:
    """Return a cell as text; Excel stores days as midnight."""
    if isinstance(cell, datetime) and cell.time() == time():
        return str(cell.date())
    return str(cell)


def import_duckdb() -> Any:
    """Return the module, which belongs to an extra."""
    with from_extra("study", "read_table"):
        return import_module("duckdb")


def count(connection: Any, what: str, table: str) -> int:
    """Return one number; fetching all rows frees the connection for the next query."""
    return int(connection.execute(f"SELECT {what} FROM {table}").fetchall()[0][0])


def quoted(text: object) -> str:
    """Return a quoted SQL string."""
    return "'" + str(text).replace("'", "''") + "'"


def _load(connection: Any, query: str, sample: Sample) -> int:
    """Create the table `loaded`; return the number of rows before sampling."""
    connection.execute("DROP TABLE IF EXISTS loaded")
    if sample.max_rows is None:
        connection.execute(f"CREATE TABLE loaded AS SELECT * FROM {query}")
        return count(connection, "count(*)", "loaded")
    total = count(connection, "count(*)", query)
    rng = as_generator(sample.random_state)
    rows = np.sort(rng.choice(total, size=min(sample.max_rows, total), replace=False))
    connection.register("chosen", {"row": rows})
    # DuckDB doesn't know the length of a text file; without this setting it may hash the whole
    # file to join it with the chosen rows, instead of hashing the chosen rows.
    connection.execute("SET disabled_optimizers = 'build_side_probe_side'")
    connection.execute(
        "CREATE TABLE loaded AS SELECT * EXCLUDE place FROM "
        f"(SELECT *, row_number() OVER () - 1 AS place FROM {query}) "
        "WHERE place IN (SELECT row FROM chosen) ORDER BY place"
    )
    connection.execute("RESET disabled_optimizers")
    return total


def _text_query(path: Path, dialect: Dialect) -> str:
    columns = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(len(dialect.names)))
    return (
        f"read_csv({quoted(path)}, auto_detect=false, delim={quoted(dialect.delimiter)}, "
        f"quote='\"', escape='\"', header={dialect.header}, skip={dialect.skip}, "
        f"columns={{{columns}}}, strict_mode=true, null_padding=false)"
    )


def _rewrite(source: Path, path: Path, clean: Path, encodings: list[str]) -> None:
    """Copy a text file as UTF-8 with uniform line ends, read in the first encoding that works."""
    for name in encodings:
        try:
            with open_text(source, name) as text, clean.open("w", encoding="utf-8") as target:
                shutil.copyfileobj(text, target, 1 << 20)
            return
        except UnicodeError:
            continue
    tried = " nor in ".join(encodings)
    raise ValueError(f"{path} is not encoded in {tried}. Name its encoding.")


def _text_error(path: Path, message: str, dialect: Dialect) -> str:
    """Describe in one sentence which line is wrong and why, or that memory is short."""
    if any(sign in message.lower() for sign in MEMORY_IS_SHORT):
        return (
            f"{path} needs more memory than there is to be read. Read a sample of its rows, or "
            "free some memory."
        )
    line = re.search(r"CSV Error on Line: (\d+)", message)
    place = f"line {line[1]}" if line else "a line"
    cells = re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", message)
    if cells:
        # DuckDB stops reading a row that is too long at its first extra cell.
        words = (
            "more cells than" if int(cells[2]) > int(cells[1]) else f"{cells[2]} cells instead of"
        )
        return (
            f"{path}: {place} has {words} {cells[1]} "
            f"(delimiter {dialect.delimiter!r}). Repair the line, or name the delimiter."
        )
    if "maximum line size" in message.lower() or "line size of" in message.lower():
        return f"{path}: {place} is longer than 2 MB. Is a quotation mark never closed?"
    if "unterminated quote" in message:
        return f"{path}: a quotation mark that opens in {place} is never closed."
    return f"{path}: {place} can't be read: {message.splitlines()[0].partition(': ')[2]}"


def _first_bad_line(path: Path) -> str:
    with open_text(path, "utf-8", errors="replace") as file:
        for number, line in enumerate(file, start=1):
            try:
                json.loads(line.strip() or "null")
            except json.JSONDecodeError as error:
                return f"line {number} is not JSON ({error.msg})."
    return ""


def _without_glob_signs(path: Path, folder: Path) -> Path:
    """Return a path without signs that DuckDB reads as a pattern."""
    if not set(GLOB_SIGNS) & set(str(path)):
        return path
    link = folder / ("table.gz" if path.suffix == ".gz" else "table")
    try:
        link.symlink_to(path.resolve())
    except OSError:
        shutil.copyfile(path, link)
    return link
