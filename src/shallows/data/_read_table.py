"""Tables in files: text, Parquet, JSON."""

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
MEANT_FOR = {  # what is said about a file, and the formats for which that means something
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
        Values by column name, in the order of the file. Gaps are NaN in numbers, NaT in dates
        and None in object arrays (text; booleans and very large integers that have gaps).
    types : dict of str to str
        "integer", "number", "boolean", "date", "time", "text" or, without any value, "empty".
    missing : dict of str to int
        Gaps in each column.
    n_rows : int
        Rows in `columns`.
    n_rows_in_file : int
        Rows in the file; more than `n_rows` where a sample was asked for.
    forms : dict of str to str
        How the cells of each column of text were written, such as "comma" for 0,5.
    words : dict of str to (str, str)
        What booleans were called in a text, mostly: the word for false and the one for true.

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
    r"""Read a table from a text, Parquet or JSON file, with types found over all rows.

    Needs DuckDB, which comes with the extra "study". What is not given is found out: the
    delimiter (comma, semicolon, tab or bar), decimal comma or point, encoding, and whether the
    first line holds names (it does unless one of its cells is a number). Numbers may have
    signs between thousands, and a currency or a percent sign that all of a column share; it is
    cut off. Lines that start with "#" before the table are skipped. Column names come out
    unique and not empty. Rows with too few or too many cells are an error that names the line.

    Parameters
    ----------
    path : str or path-like
        A file named .csv, .tsv, .txt, .data, .json, .jsonl or .ndjson, each also with .gz
        appended, .parquet, or .xlsx.
    delimiter : str or None, default=None
        What stands between cells of a text file.
    decimal : {".", ","} or None, default=None
        Decimal sign of a text or Excel file.
    header : bool or None, default=None
        Whether the first line of a text or Excel file holds the names.
    encoding : str or None, default=None
        Encoding of a text file. With None UTF-8 or UTF-16 and, where that fails, Windows-1252.
    sheet : str or None, default=None
        Sheet of an Excel file. With None the first one that holds a table: more than one row
        and more than one column.
    missing : sequence of str
        Texts that stand for a missing value, in any case and with spaces around them; "-999"
        is also the number -999.0. In a column that otherwise holds numbers or dates, words such
        as "unknown", "none" and "-" do so, too.
    missing_in : mapping of str to sequence of str, default=None
        More such texts by column; columns that the file does not have are passed over.
    repeated_names : {"number", "refuse"}, default="number"
        What to do with columns of the same name: number them, or raise ValueError.
    forms : mapping of str to str, default=None
        The `forms` of a table with the same columns, to be read in the same way where cells
        allow it: a few rows may not tell whether 01/02/2024 is in January.
    max_rows : int or None, default=None
        Rows to keep of a larger file: a random sample, in the order of the file. Types are
        then found over the sample.
    random_state : int, RandomState, Generator or None, default=0
        Seeds the sample.

    Returns
    -------
    table : Table
        Columns, types and numbers of missing values.

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
                f"{path}: {name} is for files named {fitting}, got {said[name]!r}; leave it out."
            )


def _names(path: Path, found: list[str], repeated: str) -> list[str]:
    """Return names that are unique and not empty, or refuse those that are not unique."""
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
    """Turn markers into gaps, settle the types, and fetch the columns."""
    n_rows = count(connection, "count(*)", "loaded")
    if n_rows == 0:
        raise ValueError(f"{path} holds column names but no rows.")
    described = connection.execute("DESCRIBE loaded").fetchall()
    stored = {name: (each[0], each[1]) for name, each in zip(names, described, strict=True)}
    counts: dict[str, dict[str, int]] = {}
    for name, (column, stored_type) in stored.items():
        is_text = stored_type == "VARCHAR" and (loaded.delimiter or name in told)
        if is_text or stored_type == "JSON":  # of which a column has several types
            _look_at(connection, column, stored_type, markers.of(name))
            counts[name] = count_forms(connection, "one", told.get(name))
    commas = uses_comma(counts.values(), loaded.delimiter)
    columns: dict[str, np.ndarray] = {}
    readings: dict[str, Reading] = {}
    gaps: dict[str, int] = {}
    words: dict[str, tuple[str, str]] = {}
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
    """Make a column the view `one`: its values without markers as `v`, its rows as `place`."""
    value = '"' + column.replace('"', '""') + '"'
    if stored_type == "JSON":
        value = f"({value} ->> '$')"
    if stored_type in ("VARCHAR", "JSON"):
        # of more than a few words, IN is a join, which takes longer
        tests = [f"lower(trim({value})) <> {quoted(each.strip().lower())}" for each in missing]
        value = f"CASE WHEN {' AND '.join(tests) or 'true'} THEN trim({value}) END"
    connection.execute(
        f"CREATE OR REPLACE TEMP VIEW one AS SELECT {value} AS v, rowid AS place FROM loaded"
    )


def _fetch(connection: Any, reading: Reading) -> np.ndarray:
    """Return the converted values; what NumPy can hold skips Python objects.

    Without an order DuckDB returns the rows of a large table as its threads come by them, in
    each column another way.
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
    """Return the file and its format, or say what is wrong with its name."""
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
