"""Which type a column of text has, decided over all its values, and how to convert it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from shallows.data._dialect import NUMBER

TRUE, FALSE = ("true", "yes"), ("false", "no")
EXACT_IN_FLOAT = 2**53
INTEGER = r"[-+]?\d+"
PADDED = r"[-+]?0\d+"
DECIMAL_COMMA = r"[-+]?\d+(,\d+)?([eE][-+]?\d+)?"
ISO_DATE = r"\d{4}-\d{2}-\d{2}"
ISO_TIME = ISO_DATE + r"[ T]\d{2}:\d{2}(:\d{2}(\.\d+)?)?"
DAY_FORMATS = {"dotted": "%d.%m.%Y", "day_first": "%d/%m/%Y", "month_first": "%m/%d/%Y"}
INTEGER_TYPES = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT")
NUMBER_TYPES = ("FLOAT", "DOUBLE", "DECIMAL")


class Reading(NamedTuple):
    """The type of a column in words and the SQL expression that converts it."""

    kind: str
    expression: str


def count_matches(connection: Any, table: str, column: str) -> dict[str, int]:
    """Count the values of a text column that could be each type.

    Dates are looked for where not every value is a number, which would take several times as
    long as all else.
    """
    plain = {
        "filled": f"{column} IS NOT NULL",
        "integer": f"regexp_full_match({column}, '{INTEGER}')",
        "fits_64_bit": f"try_cast({column} AS BIGINT) IS NOT NULL",
        "padded": f"regexp_full_match({column}, '{PADDED}')",
        "number": f"regexp_full_match({column}, '{NUMBER}')",
        "comma": f"regexp_full_match({column}, '{DECIMAL_COMMA}')",
        "boolean": f"lower({column}) IN {TRUE + FALSE}",
    }
    dates = {
        "date": f"regexp_full_match({column}, '{ISO_DATE}') "
        f"AND try_cast({column} AS DATE) IS NOT NULL",
        "time": f"regexp_full_match({column}, '{ISO_TIME}') "
        f"AND try_cast({column} AS TIMESTAMP) IS NOT NULL",
    } | {
        name: f"try_strptime({column}, '{form}') IS NOT NULL" for name, form in DAY_FORMATS.items()
    }
    counts = _count(connection, table, plain)
    if counts["filled"] in (counts["number"], counts["comma"]):
        return counts | dict.fromkeys(dates, 0)
    return counts | _count(connection, table, dates)


def _count(connection: Any, table: str, tests: dict[str, str]) -> dict[str, int]:
    counts = ", ".join(f"count(*) FILTER (WHERE {test})" for test in tests.values())
    rows = connection.execute(f"SELECT {counts} FROM {table}").fetchall()
    return dict(zip(tests, map(int, rows[0]), strict=True))


def read_text_column(column: str, counts: dict[str, int], decimal: str | None) -> Reading:
    """Choose the narrowest type that every value has; text where there is none.

    Integers with leading zeros are codes, not numbers. A day such as 01/02/2024 is a date
    only where the other values show which part is the month.
    """
    every = {name for name, count in counts.items() if count == counts["filled"]}
    if "integer" in every and not counts["padded"]:
        exact = "fits_64_bit" in every
        return Reading("integer", f"CAST({column} AS BIGINT)" if exact else column)
    if "number" in every and not counts["padded"] and decimal != ",":
        return Reading("number", f"CAST({column} AS DOUBLE)")
    if "comma" in every and not counts["padded"] and decimal != ".":
        return Reading("number", f"CAST(replace({column}, ',', '.') AS DOUBLE)")
    if "boolean" in every:
        return Reading("boolean", f"lower({column}) IN {TRUE}")
    if "date" in every:
        return Reading("date", f"CAST({column} AS DATE)")
    if "time" in every or counts["time"] + counts["date"] == counts["filled"]:
        return Reading("time", f"CAST({column} AS TIMESTAMP)")
    days = [name for name in DAY_FORMATS if name in every]
    if len(days) == 1:
        return Reading("date", f"strptime({column}, '{DAY_FORMATS[days[0]]}')")
    return Reading("text", column)


def read_typed_column(column: str, duckdb_type: str) -> Reading:
    """Say how a column that already has a type is read."""
    if duckdb_type == "BOOLEAN":
        return Reading("boolean", column)
    if duckdb_type.removeprefix("U") in INTEGER_TYPES:
        return Reading("integer", column)
    if duckdb_type.startswith(NUMBER_TYPES):
        return Reading("number", f"CAST({column} AS DOUBLE)")
    if duckdb_type == "DATE":
        return Reading("date", column)
    if duckdb_type.startswith("TIMESTAMP"):
        return Reading("time", f"CAST({column} AS TIMESTAMP)")
    return Reading("text", f"CAST({column} AS VARCHAR)")


def to_array(values: list[Any], kind: str) -> np.ndarray:
    """Return booleans, integers or text as one array; gaps make it float or object."""
    gaps = np.array([value is None for value in values], dtype=bool)
    if kind == "integer":
        return _integers([None if value is None else int(value) for value in values], gaps)
    if kind == "boolean" and not gaps.any():
        return np.array(values, dtype=bool)
    return _objects(values)


def _integers(values: list[int | None], gaps: np.ndarray) -> np.ndarray:
    """Return int64, or float64 with NaN, or Python's integers where those would round."""
    largest = max((abs(value) for value in values if value is not None), default=0)
    if not gaps.any() and largest < 2**63:
        return np.array(values, dtype=np.int64)
    if gaps.any() and largest <= EXACT_IN_FLOAT:
        return np.array([np.nan if v is None else v for v in values], dtype=np.float64)
    return _objects(values)


def _objects(values: list[Any]) -> np.ndarray:
    objects = np.empty(len(values), dtype=object)
    objects[:] = values
    return objects
