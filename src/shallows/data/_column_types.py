"""The type of a column of text, decided by all its values, and its conversion."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from shallows.data._dialect import NUMBER

TRUE, FALSE = ("true", "yes"), ("false", "no")
EXACT_IN_FLOAT = 2**53
INTEGER_TYPES = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT")
NUMBER_TYPES = ("FLOAT", "DOUBLE", "DECIMAL")
# Words that mean a missing value among numbers and dates; in other columns they are words.
GAP_WORDS = r"(?i)--?-?|\.\.?|#n/?a|<na>|n\.a\.?|n/k|nil|none|missing|unknown|undefined"
PADDED = r"[-+]?0\d+"
DECIMAL_COMMA = r"[-+]?\d+(,\d+)?([eE][-+]?\d+)?"
UNIT = r"(?:%|\$|€|£|¥|USD|EUR|GBP|CHF)"
SPACES = r"'' \x{00A0}\x{202F}"  # separators of thousands, besides comma and point
ISO_DATE = r"\d{4}-\d{2}-\d{2}"
ZONE = r"(Z|[-+]\d{2}:?\d{2})"  # ignored: clock times are read without conversion
ISO_TIME = ISO_DATE + r"[ T]\d{2}:\d{2}(:\d{2}(\.\d+)?)?" + ZONE + "?"
DAYS = (
    *("%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%m-%d-%Y", "%Y/%m/%d"),
    *("%d-%b-%Y", "%d %b %Y", "%d %B %Y", "%b %d, %Y", "%B %d, %Y"),
)
CLOCKS = (" %H:%M", " %H:%M:%S", " %I:%M %p", " %I:%M:%S %p")


class Form(NamedTuple):
    """A way to write values: their type, the SQL test of a value `v`, the SQL that converts it."""

    kind: str
    test: str
    expression: str


class Reading(NamedTuple):
    """The type of a column in words, the SQL that converts it, and the form of its cells."""

    kind: str
    expression: str
    form: str = ""


def _matches(pattern: str, value: str = "v") -> str:
    return f"regexp_full_match({value}, '{pattern}')"


def _number_forms() -> dict[str, Form]:
    forms = {
        "integer": Form("integer", _matches(r"[-+]?\d+"), "TRY_CAST(v AS BIGINT)"),
        "point": Form("number", _matches(NUMBER), "TRY_CAST(v AS DOUBLE)"),
        "comma": Form(
            "number", _matches(DECIMAL_COMMA), "TRY_CAST(replace(v, ',', '.') AS DOUBLE)"
        ),
    }
    bare = rf"regexp_replace(v, '^([-+]?)\s*{UNIT}\s*|\s*{UNIT}$', '\1')"
    for name, group, sign in (("point", ",", r"\."), ("comma", ".", ",")):
        cut = "regexp_replace({}, '[{}]', '', 'g')"
        only = rf"[-+]?([1-9]\d{{0,2}}([{group}]\d{{3}})+|\d{{1,3}})"
        whole = f"TRY_CAST({cut.format('v', group)} AS BIGINT)"
        forms[f"thousands, {name}"] = Form("integer", _matches(only), whole)
        group += SPACES
        more = rf"[-+]?([1-9]\d{{0,2}}([{group}]\d{{3}})+|\d+)({sign}\d+)?"
        value = f"TRY_CAST(replace({cut.format(bare, group)}, ',', '.') AS DOUBLE)"
        forms[f"dressed, {name}"] = Form("number", _matches(more, bare), value)
    return forms


def _date_forms() -> dict[str, Form]:
    day = "TRY_CAST(v AS DATE)"
    clock = rf"TRY_CAST(regexp_replace(v, '(:\d\d(\.\d+)?){ZONE}$', '\1') AS TIMESTAMP)"
    moment = f"({_matches(ISO_TIME)} OR {_matches(ISO_DATE)})"
    forms = {
        "date": Form("date", f"{_matches(ISO_DATE)} AND {day} IS NOT NULL", day),
        "time": Form("time", f"{moment} AND {clock} IS NOT NULL", clock),
    }
    for style in DAYS:
        value = f"try_strptime(v, '{style}')"
        forms[style] = Form("date", f"{value} IS NOT NULL", value)
    for style in DAYS:
        styles = ", ".join(f"'{style}{clock}'" for clock in ("", *CLOCKS))
        value = f"try_strptime(v, [{styles}])"
        forms[f"{style} and time"] = Form("time", f"{value} IS NOT NULL", value)
    return forms


NUMBERS, DATES = _number_forms(), _date_forms()
BOOLEAN = Form("boolean", f"lower(v) IN {TRUE + FALSE}", f"lower(v) IN {TRUE}")
FORMS = {**NUMBERS, "boolean": BOOLEAN, **DATES}
PLAIN = ("integer", "point", "comma", "thousands, point", "thousands, comma", "boolean")
NOT_A_GAP = f"NOT {_matches(GAP_WORDS)}"


def count_forms(connection: Any, table: str, told: str | None = None) -> dict[str, int]:
    """Count the values `v` of a text column that match each form that its first value matches.

    Plain forms and the form `told` by the caller are tried first: the others take several times as
    long.
    """
    basis = {"filled": "v IS NOT NULL", "real": NOT_A_GAP, "padded": _matches(PADDED)}
    basis["fits_64_bit"] = "try_cast(v AS BIGINT) IS NOT NULL"
    plain = [name for name in FORMS if name in PLAIN or name == told]
    counts = _count(connection, table, basis | _possible(connection, table, plain))
    if not counts["real"] or any(counts.get(name) == counts["real"] for name in PLAIN):
        return counts
    possible = _possible(connection, table, [name for name in FORMS if name not in plain])
    if possible:
        counts |= _count(connection, table, possible)
    units = f"SELECT count(DISTINCT regexp_extract(v, '{UNIT}')) FROM {table} WHERE {NOT_A_GAP}"
    return counts | {"units": int(connection.execute(units).fetchall()[0][0])}


def _possible(connection: Any, table: str, names: Sequence[str]) -> dict[str, str]:
    """Return the tests that one value passes; a form of all values must be among them."""
    one = f"(SELECT v FROM {table} WHERE {NOT_A_GAP} LIMIT 1)"
    passed = _count(connection, one, {name: FORMS[name].test for name in names})
    return {name: FORMS[name].test for name, fits in passed.items() if fits}


def _count(connection: Any, table: str, tests: Mapping[str, str]) -> dict[str, int]:
    counts = ", ".join(f"count(*) FILTER (WHERE {test})" for test in tests.values())
    rows = connection.execute(f"SELECT {counts} FROM {table}").fetchall()
    return dict(zip(tests, map(int, rows[0]), strict=True))


def boolean_words(connection: Any, table: str) -> tuple[str, str]:
    """Return the most frequent words for false and for true among values `v`."""
    shares = ", ".join(f"mode(v) FILTER (WHERE lower(v) IN {words})" for words in (FALSE, TRUE))
    no, yes = connection.execute(f"SELECT {shares} FROM {table}").fetchall()[0]
    return no or FALSE[1], yes or TRUE[1]


def uses_comma(columns: Iterable[Mapping[str, int]], delimiter: str) -> tuple[bool, bool]:
    """Return whether 1,234 has a decimal comma in this file, and whether 1.234 is a thousand.

    Unambiguous columns decide, such as one with 0,5 or 1.5. Without any, a semicolon as delimiter
    suggests decimal commas.
    """
    forms = [_forms_of(counts) for counts in columns]
    points = {"point", "thousands, point", "dressed, point"}
    commas = {"comma", "thousands, comma", "dressed, comma"}
    comma = any(each & commas and not each & points for each in forms)
    point = any(each & points and not each & commas for each in forms)
    return (comma or delimiter == ";") and not point, comma and not point


def read_text_column(
    counts: Mapping[str, int],
    decimal: str | None,
    commas: tuple[bool, bool] = (False, False),
    told: str | None = None,
) -> Reading:
    """Choose the narrowest type that all values have; text if there is none.

    Integers with leading zeros are codes, not numbers. A day such as 01/02/2024 is a date only if
    other values show which part is the month. `commas` comes from `uses_comma`. The form `told`,
    which the same column had in another file, is preferred if it fits.
    """
    every = _forms_of(counts)
    form = told if told in every or told == "text" else _best(every, decimal, *commas)
    if form == "text":
        return Reading("text", "v", form)
    kind, _, expression = FORMS[form]
    if form == "integer" and counts["fits_64_bit"] < counts["real"]:
        expression = "v"
    if counts["real"] < counts["filled"]:
        expression = f"CASE WHEN {NOT_A_GAP} THEN {expression} END"
    return Reading(kind, expression, form)


def _forms_of(counts: Mapping[str, int]) -> set[str]:
    """Return the forms that match all values."""
    real = counts["real"]
    every = {name for name in FORMS if counts.get(name) == real > 0}
    if real < counts["filled"]:
        every.discard("boolean")  # yes, no and unknown are three answers
    if counts["padded"]:
        every -= set(NUMBERS)
    if counts.get("units", 1) > 1:
        every -= {"dressed, point", "dressed, comma"}
    return every


def _best(every: set[str], decimal: str | None, one_is_comma: bool, thousand_is_point: bool) -> str:
    """Return the best of the matching forms, given what is known about the file."""
    # First exclude what contradicts the decimal sign of the file, then take the narrowest form.
    if decimal is not None:
        one_is_comma = thousand_is_point = decimal == ","
        other = "point" if decimal == "," else "comma"
        every = every - {other, f"thousands, {other}", f"dressed, {other}"}
    if one_is_comma:
        every = every - {"thousands, point", "dressed, point" if "dressed, comma" in every else ""}
    elif "thousands, point" in every:
        every = every - {"comma"}
    if thousand_is_point and "thousands, comma" in every:
        every = every - {"point"}
    for name in ("integer", "point", "comma", *NUMBERS, "boolean", "date", "time"):
        if name in every:
            return name
    for found in ([day for day in DAYS if f"{day}{end}" in every] for end in ("", " and time")):
        if found and len([day for day in found if "%m" in day]) < 2:  # else the month is ambiguous
            return found[0] if found[0] in every else f"{found[0]} and time"
    return "text"


def read_typed_column(duckdb_type: str) -> Reading:
    """Return how a column that already has a type is read."""
    if duckdb_type == "BOOLEAN":
        return Reading("boolean", "v")
    if duckdb_type.removeprefix("U") in INTEGER_TYPES:
        return Reading("integer", "v")
    if duckdb_type.startswith(NUMBER_TYPES):
        return Reading("number", "CAST(v AS DOUBLE)")
    if duckdb_type == "DATE":
        return Reading("date", "v")
    if duckdb_type.startswith("TIMESTAMP"):
        return Reading("time", "CAST(v AS TIMESTAMP)")
    return Reading("text", "CAST(v AS VARCHAR)")


def to_array(values: list[Any], kind: str) -> np.ndarray:
    """Return booleans, integers or text as an array; gaps make it float or object."""
    gaps = np.array([value is None for value in values], dtype=bool)
    if kind == "integer":
        return _integers([None if value is None else int(value) for value in values], gaps)
    if kind == "boolean" and not gaps.any():
        return np.array(values, dtype=bool)
    return _objects(values)


def _integers(values: list[int | None], gaps: np.ndarray) -> np.ndarray:
    """Return int64, or float64 with NaN, or Python integers where floats would round."""
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
