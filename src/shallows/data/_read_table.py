"""Tables from text, Parquet, JSON and Excel files."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

import numpy as np

from shallows._core.contract.params import PositiveInt, check_arguments
from shallows._core.contract.rng import RandomState
from shallows.data._column_types import (
    Reading,
    boolean_words,
    count_forms,
    read_text_column,
    read_typed_column,
    to_array,
    uses_comma,
)
from shallows.data._dialect import unique_names
from shallows.data._load_table import (
    Loaded,
    Sample,
    count,
    excel_as_text,
    import_duckdb,
    load_text,
    load_typed,
    quoted,
)
from shallows.data._markers import MISSING, Markers, empty_markers

FORMATS = {
    ".csv": "text",
    ".tsv": "text",
    ".txt": "text",
    ".data": "text",
    ".parquet": "parquet",
    ".json": "json",
    ".jsonl": "lines",
    ".ndjson": "lines",
    ".xlsx": "excel",
}
MEANT_FOR = {  # options and the formats that they apply to
    "delimiter": ("text",),
    "encoding": ("text",),
    "decimal": ("text", "excel"),
    "header": ("text", "excel"),
    "sheet": ("excel",),
}


@dataclass(frozen=True)
class Table:
    r"""A table read from a file.

    Parameters
    ----------
    path : pathlib.Path
        The file.
    columns : dict of str to ndarray
        Values by column name, in the order of the file. Missing values are NaN in numbers, NaT in
        dates and None in object arrays (text; also booleans and very large integers with missing
        values).
    types : dict of str to str
        "integer", "number", "boolean", "date", "time", "text", or "empty" if there is no value.
    missing : dict of str to int
        Number of missing values in each column.
    n_rows : int
        Rows in `columns`.
    n_rows_in_file : int
        Rows in the file; more than `n_rows` if a sample was requested.
    forms : dict of str to str
        Spelling of the cells of each text column, such as "comma" for 0,5.
    words : dict of str to (str, str)
        Most frequent words for false and for true in columns of booleans written as text.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from shallows.data import read_table
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "weather.csv")
    ...     _ = file.write_text("day;rain;wind\n2024-05-01;0,5;?\n2024-05-02;1,5;W\n")
    ...     table = read_table(file)
    >>> table.types, table.missing
    ({'day': 'date', 'rain': 'number', 'wind': 'text'}, {'day': 0, 'rain': 0, 'wind': 1})
    >>> table.columns["rain"]
    array([0.5, 1.5])
    """

    path: Path
    columns: dict[str, np.ndarray]
    types: dict[str, str]
    missing: dict[str, int]
    n_rows: int
    n_rows_in_file: int
    forms: dict[str, str] = field(default_factory=dict)
    words: dict[str, tuple[str, str]] = field(default_factory=dict)


def read_table(
    path: str | os.PathLike,
    *,
    delimiter: str | None = None,
    decimal: Literal[".", ","] | None = None,
    header: bool | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
    missing: Sequence[str] = MISSING,
    missing_in: Mapping[str, Sequence[str]] | None = None,
    repeated_names: Literal["number", "refuse"] = "number",
    forms: Mapping[str, str] | None = None,
    max_rows: PositiveInt | None = None,
    random_state: RandomState = 0,
) -> Table:
    r"""Read a table from a text, Parquet, JSON or Excel file, with types inferred from all rows.

    Needs DuckDB, from the extra "study". The following is inferred unless given: the delimiter
    (comma, semicolon, tab or bar), the decimal sign, the encoding, and whether the first line
    contains names (it does unless one of its cells is a number). Numbers may have separators of
    thousands, and a currency or percent sign if the whole column has the same one; the sign is
    dropped. Lines before the table that start with "#" are skipped. Column names become unique and
    non-empty. A row with too few or too many cells raises an error that names the line.

    Parameters
    ----------
    path : str or path-like
        A file named .csv, .tsv, .txt, .data, .json, .jsonl or .ndjson, each also with .gz
        appended, .parquet, or .xlsx.
    delimiter : str or None, default=None
        Separator of cells in a text file.
    decimal : {".", ","} or None, default=None
        Decimal sign of a text or Excel file.
    header : bool or None, default=None
        Whether the first line of a text or Excel file contains the names.
    encoding : str or None, default=None
        Encoding of a text file. None tries UTF-8 or UTF-16, then Windows-1252.
    sheet : str or None, default=None
        Sheet of an Excel file. None means the first sheet with a table, of more than one row and
        more than one column.
    missing : sequence of str
        Strings that mark a missing value, in upper or lower case, with or without spaces around
        them; "-999" also matches the number -999.0. In columns of numbers or dates, words such as
        "unknown", "none" and "-" are missing values, too.
    missing_in : mapping of str to sequence of str, default=None
        More markers by column; columns that the file does not have are ignored.
    repeated_names : {"number", "refuse"}, default="number"
        Whether to number columns with the same name, or to raise ValueError.
    forms : mapping of str to str, default=None
        The `forms` of a table with the same columns. Its spelling is used if the cells allow it: a
        few rows may not show whether 01/02/2024 is in January.
    max_rows : int or None, default=None
        Number of rows to keep: a random sample, in the order of the file. Types are inferred from
        the sample.
    random_state : int, RandomState, Generator or None, default=0
        Seeds the sample.

    Returns
    -------
    table : Table
        Columns, types and counts of missing values.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from shallows.data import read_table
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "fruit.csv")
    ...     _ = file.write_text("name,weight\napple,150\nlemon,NA\n")
    ...     table = read_table(file)
    >>> table.columns["weight"]
    array([150.,  nan])
    """
    check_arguments(read_table, locals())
    file, kind = _existing_file(Path(path))
    _refuse_what_does_not_fit(file, kind, locals())
    sample = Sample(max_rows, random_state)
    markers = Markers(missing, missing_in or {})
    with (
        TemporaryDirectory() as name,
        import_duckdb().connect(":memory:", config={"temp_directory": name}) as connection,
    ):
        folder = Path(name)
        if kind == "excel":
            source, kind = excel_as_text(file, folder, sheet), "text"
        else:
            source = file
        if kind != "text":
            loaded = load_typed(connection, source, folder, sample, kind)
            names = _names(file, loaded.names, repeated_names)
            return _convert(connection, file, names, loaded, markers, forms or {})
        loaded = load_text(
            connection,
            source,
            folder,
            sample,
            delimiter=delimiter,
            decimal=decimal,
            header=header,
            encoding=encoding,
        )
        names = _names(file, loaded.names, repeated_names)
        return _convert(connection, file, names, loaded, markers, forms or {}, decimal)


def _refuse_what_does_not_fit(path: Path, kind: str, said: Mapping[str, Any]) -> None:
    for name, kinds in MEANT_FOR.items():
        if said[name] is not None and kind not in kinds:
            fitting = ", ".join(ending for ending, own in FORMATS.items() if own in kinds)
            raise ValueError(
                f"{path}: {name} applies only to {fitting} files, got {said[name]!r}; leave it out."
            )


def _names(path: Path, found: list[str], repeated: str) -> list[str]:
    """Return unique, non-empty names; refuse repeated ones if asked to."""
    low = [name.strip().lower() for name in found if name.strip()]
    twice = [name for name in found if low.count(name.strip().lower()) > 1]
    if twice and repeated == "refuse":
        raise ValueError(
            f"{path} has more than one column named {twice[0].strip()!r}; rename or remove one."
        )
    return unique_names(found)


def _convert(
    connection: Any,
    path: Path,
    names: list[str],
    loaded: Loaded,
    markers: Markers,
    told: Mapping[str, str],
    decimal: str | None = None,
) -> Table:
    """Turn markers into gaps, infer the types, and fetch the columns."""
    n_rows = count(connection, "count(*)", "loaded")
    if n_rows == 0:
        raise ValueError(f"{path} has column names but no rows.")
    described = connection.execute("DESCRIBE loaded").fetchall()
    stored = {name: (each[0], each[1]) for name, each in zip(names, described, strict=True)}
    # First pass: how all cells are written, because one column can settle the decimal sign of all.
    counts: dict[str, dict[str, int]] = {}
    for name, (column, stored_type) in stored.items():
        is_text = stored_type == "VARCHAR" and (loaded.delimiter or name in told)
        if is_text or stored_type == "JSON":  # a JSON column has several types
            _look_at(connection, column, stored_type, markers.of(name))
            counts[name] = count_forms(connection, "one", told.get(name))
    commas = uses_comma(counts.values(), loaded.delimiter)
    columns: dict[str, np.ndarray] = {}
    readings: dict[str, Reading] = {}
    gaps: dict[str, int] = {}
    words: dict[str, tuple[str, str]] = {}
    # Second pass: choose the type of each column and convert it.
    for name, (column, stored_type) in stored.items():
        _look_at(connection, column, stored_type, markers.of(name))
        known = counts[name]["filled"] if name in counts else count(connection, "count(v)", "one")
        gaps[name] = n_rows - known
        if not known:
            reading = Reading("empty", "NULL")
        elif name in counts:
            reading = read_text_column(counts[name], decimal, commas, told.get(name))
            if reading.kind != "text":
                gaps[name] += counts[name]["filled"] - counts[name]["real"]
            if reading.kind == "boolean":
                words[name] = boolean_words(connection, "one")
        else:
            reading = read_typed_column(stored_type)
        columns[name], readings[name] = _fetch(connection, reading), reading
        if reading.kind in ("integer", "number"):
            columns[name] = empty_markers(columns[name], markers.of(name))
            gaps[name] = _count_gaps(columns[name])
            if gaps[name] == n_rows:
                readings[name] = Reading("empty", "NULL")
    types = {name: reading.kind for name, reading in readings.items()}
    forms = {name: each.form for name, each in readings.items() if each.form}
    return Table(path, columns, types, gaps, n_rows, loaded.n_rows_in_file, forms, words)


def _look_at(connection: Any, column: str, stored_type: str, missing: Sequence[str]) -> None:
    """Create the view `one` of a column: values without markers as `v`, row numbers as `place`."""
    value = '"' + column.replace('"', '""') + '"'
    if stored_type == "JSON":
        value = f"({value} ->> '$')"
    if stored_type in ("VARCHAR", "JSON"):
        # With more than a few words IN becomes a join, which is slower.
        tests = [f"lower(trim({value})) <> {quoted(each.strip().lower())}" for each in missing]
        value = f"CASE WHEN {' AND '.join(tests) or 'true'} THEN trim({value}) END"
    connection.execute(
        f"CREATE OR REPLACE TEMP VIEW one AS SELECT {value} AS v, rowid AS place FROM loaded"
    )


def _fetch(connection: Any, reading: Reading) -> np.ndarray:
    """Return the converted values; NumPy arrays are fetched without Python objects if possible.

    The query needs an order: without it, DuckDB returns rows of a large table in the order in
    which its threads finish, different for each column.
    """
    if reading.kind == "empty":
        return np.full(count(connection, "count(*)", "one"), np.nan)
    value = f"CASE WHEN v IS NOT NULL THEN {reading.expression} END"
    query = f"SELECT {value} AS v FROM one ORDER BY place"
    found = np.ma.asarray(connection.execute(query).fetchnumpy()["v"])
    if reading.kind == "number":
        return np.ma.filled(found.astype(np.float64), np.nan)
    if reading.kind in ("date", "time"):
        unit = "datetime64[D]" if reading.kind == "date" else "datetime64[us]"
        return np.ma.filled(found.astype(unit), np.datetime64("NaT"))
    if found.dtype == np.int64 and not np.ma.is_masked(found):
        return np.array(found)
    rows = connection.execute(query).fetchall()
    return to_array([row[0] for row in rows], reading.kind)


def _count_gaps(numbers: np.ndarray) -> int:
    if numbers.dtype.kind == "O":
        return sum(cell is None for cell in numbers)
    return int(np.sum(np.isnan(numbers)))


def _existing_file(path: Path) -> tuple[Path, str]:
    """Return the file and its format, or raise an error on its name."""
    if not path.exists():
        raise FileNotFoundError(f"There is no file {path}.")
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder; name one file in it.")
    suffixes = [suffix.lower() for suffix in path.suffixes]
    packed = suffixes[-1:] == [".gz"]
    suffix = (suffixes[-2:-1] if packed else suffixes[-1:]) or [""]
    kind = FORMATS.get(suffix[0])
    if kind is None or (packed and kind in ("parquet", "excel")):
        allowed = ", ".join(FORMATS)
        raise ValueError(
            f"{path}: the name must end in one of {allowed} (text and JSON also with .gz), "
            f"got {''.join(suffixes) or 'no ending'!r}. Save the table as CSV or Parquet."
        )
    if path.stat().st_size == 0:
        raise ValueError(f"{path} is empty.")
    return path, kind
