"""The dialect of a text table: encoding, delimiter, comment lines, column names."""

from __future__ import annotations

import csv
import gzip
import re
from itertools import islice
from pathlib import Path
from typing import IO, Any, NamedTuple, cast

DELIMITERS = (",", ";", "\t", "|")
NUMBER = r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?"
LINES_LOOKED_AT = 200
BYTES_LOOKED_AT = 1 << 16
MOST_COLUMNS = 20_000
BYTE_ORDER_MARKS = (
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
    (b"\xef\xbb\xbf", "utf-8-sig"),
)


class Dialect(NamedTuple):
    """What the parser must know about a file; `skip` counts comment lines at the start.

    `names` are unchanged from the file, or empty strings if it has none.
    """

    delimiter: str
    header: bool
    skip: int
    names: list[str]


def guess_encoding(path: Path) -> str:
    """Return the encoding suggested by the first bytes: UTF-16 by its mark, else UTF-8."""
    with open_bytes(path) as file:
        start = file.read(4)
    marked = [name for mark, name in BYTE_ORDER_MARKS if start.startswith(mark)]
    return marked[0] if marked else "utf-8"


def is_binary(path: Path) -> bool:
    """Return whether the first bytes can't be text in a one- or two-byte encoding."""
    with open_bytes(path) as file:
        start = file.read(BYTES_LOOKED_AT)
    if any(start.startswith(mark) for mark, _ in BYTE_ORDER_MARKS):
        return False
    odd = sum(start.count(bytes([code])) for code in range(32) if code not in b"\t\n\r\f")
    return b"\0" in start or odd > len(start) / 50


def find_dialect(
    path: Path, encoding: str, delimiter: str | None, header: bool | None, decimal: str | None
) -> Dialect:
    """Derive from the first lines what the caller did not give."""
    with open_text(path, encoding, errors="replace") as file:
        lines = list(islice(file, LINES_LOOKED_AT))
    skip = next((i for i, line in enumerate(lines) if not line.startswith("#")), len(lines))
    lines = [line for line in lines[skip:] if line.strip()]
    if not lines:
        raise ValueError(f"{path} is empty: it has no line to read a table from.")
    if delimiter is None:
        delimiter = _find_delimiter(lines, decimal)
    first = _cells(lines[:1], delimiter)[0]
    if header is None:
        header = not any(_is_number(cell) for cell in first)
    return Dialect(delimiter, header, skip, first if header else [""] * len(first))


def unique_names(names: list[str]) -> list[str]:
    """Name empty columns by position and number repeated names, ignoring case."""
    found: list[str] = []
    taken: set[str] = set()
    for place, raw in enumerate(names, start=1):
        base = " ".join(raw.split()) or f"column_{place}"
        name, count = base, 1
        while name.lower() in taken:
            count += 1
            name = f"{base}_{count}"
        taken.add(name.lower())
        found.append(name)
    return found


def open_bytes(path: Path) -> IO[bytes]:
    """Open a file; unpack it if its name ends in .gz."""
    if path.suffix == ".gz":
        return cast(IO[bytes], gzip.open(path, "rb"))
    return path.open("rb")


def open_text(path: Path, encoding: str, errors: str = "strict") -> IO[str]:
    """Open a text file, plain or gzipped, with all line ends as newlines."""
    opener: Any = gzip.open if path.suffix == ".gz" else open
    return opener(path, "rt", encoding=encoding, errors=errors, newline=None)


def _find_delimiter(lines: list[str], decimal: str | None) -> str:
    """Return the delimiter that splits most lines into as many cells as the first line."""
    best, most = ",", 0.0
    for candidate in DELIMITERS:
        if candidate == decimal:
            continue
        if candidate not in lines[0]:
            continue
        widths = [len(row) for row in _cells(lines, candidate)]
        agreeing = widths.count(widths[0])
        if widths[0] > 1 and agreeing > most:
            best, most = candidate, agreeing
    return best


def _cells(lines: list[str], delimiter: str) -> list[list[str]]:
    """Split lines into cells; skip lines with a cell that is too long for Python's reader."""
    rows = []
    reader = csv.reader(lines, delimiter=delimiter)
    while True:
        try:
            rows.append(next(reader))
        except csv.Error:
            continue
        except StopIteration:
            return rows or [[""]]


def _is_number(cell: str) -> bool:
    return re.fullmatch(NUMBER.replace(r"\.", "[.,]"), cell.strip()) is not None
