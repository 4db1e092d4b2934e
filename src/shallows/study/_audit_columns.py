"""Look the columns of a table over, one by one: what they lack and what is odd in them."""

from __future__ import annotations

import re
import shlex
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shallows.data import Table
from shallows.study._finding import Finding
from shallows.study._schema import Schema, listed

MUCH_MISSING = 0.3
WILD = 50.0  # times the usual spread
MARKER_SHARE = 0.02
MARKERS = (0.0, -1.0, -9.0, -99.0, -999.0, -9999.0, 999.0, 9999.0, 99999.0)
BEYOND = 2.0  # spans of the other values, from which a marker is far whatever their sign
MOSTLY = 0.5  # share of numbers from which words among them are odd
FEWEST_NUMBERS = 10
PADDED = re.compile(r"0\d+")


def look_at_columns(table: Table, schema: Schema) -> list[Finding]:
    """Return what there is to say about single columns."""
    found = [*left_out(schema), *mixed(table, schema), *gaps(table, schema)]
    return [*found, *markers(table, schema), *ranges(table, schema)]


def mixed(table: Table, schema: Schema) -> list[Finding]:
    """Columns of numbers that a few other cells have made a text."""
    found = []
    for column in schema.columns:
        if column.type != "text" or column.role not in ("category", "id", "text"):
            continue
        words = [str(word) for word in table.columns[column.name].tolist() if word is not None]
        others = [word for word in words if not _is_number(word)]
        share = 1 - len(others) / len(words)
        numbers = set(words) - set(others)
        if not others or share < MOSTLY or len(numbers) < FEWEST_NUMBERS:
            continue
        if any(PADDED.fullmatch(word) for word in numbers):  # these are codes
            continue
        use = "used as a category" if column.role == "category" else "not used"
        text = (
            f"{100 * share:.1f} % of {column.name!r} are numbers, the others such as "
            f"{listed(sorted(set(others)), 3)}: it is {use}. Mend them, or name what "
            "stands for a gap with --missing, if it should be a number."
        )
        found.append(Finding("mixed", text, "caution", (column.name,)))
    return found


def _is_number(word: Any) -> bool:
    try:
        return bool(np.isfinite(float(word)))
    except (TypeError, ValueError):
        return False


def left_out(schema: Schema) -> list[Finding]:
    """Name the columns that are not learned from, with the reason."""
    by_why: dict[str, list[str]] = {}
    for column in schema.columns:
        if column.role in ("id", "text", "constant"):
            by_why.setdefault(column.why, []).append(column.name)
    return [
        Finding("left out", f"Not used, since {why}: {listed(names)}.", columns=tuple(names))
        for why, names in by_why.items()
    ]


def gaps(table: Table, schema: Schema) -> list[Finding]:
    """Say which columns have the most gaps."""
    features = [c for c in schema.columns if c.role in ("number", "category", "ordinal", "date")]
    shares = {c.name: table.missing.get(c.name, 0) / table.n_rows for c in features}
    gappy = {name: share for name, share in shares.items() if share > 0}
    if not gappy:
        return []
    worst = sorted(gappy, key=lambda name: -gappy[name])
    text = f"{len(gappy)} of {len(features)} columns have gaps, most in " + ", ".join(
        f"{name!r} ({100 * gappy[name]:.1f} %)" for name in worst[:3]
    )
    severity = "caution" if gappy[worst[0]] > MUCH_MISSING else "note"
    return [Finding("missing", text + ".", severity, tuple(worst))]


def markers(table: Table, schema: Schema) -> list[Finding]:
    """Zeros or nines far from all other values may stand for gaps."""
    suspects: dict[tuple[str, float], float] = {}
    holders: dict[float, set[str]] = {marker: set() for marker in MARKERS}
    for column in schema.columns:
        cells = table.columns[column.name]
        if column.role != "number" or cells.dtype.kind not in "if":
            continue
        values = cells[~np.isnan(cells.astype(np.float64))].astype(np.float64)
        for marker in MARKERS:
            share = float(np.mean(values == marker))
            if share > 0:
                holders[marker].add(column.name)
            rest = values[values != marker]
            if not MARKER_SHARE < share < 0.5 or len(np.unique(rest)) < 10:
                continue
            low, high = np.quantile(rest, [0.005, 0.995])
            span = high - low
            of_positive = low > 0 and (marker < low - span / 4 or marker > 2 * high)
            if of_positive or marker < low - BEYOND * span or marker > high + BEYOND * span:
                suspects[column.name, marker] = share
    found = []
    for (name, marker), share in suspects.items():
        others = [each for each in holders[marker] if (each, marker) not in suspects]
        word = f"{name}={marker:g}" if others else f"{marker:g}"
        text = (
            f"{100 * share:.1f} % of {name!r} are {marker:g}, far from all other values: perhaps "
            f"a sign for missing ones; if so, use --missing {shlex.quote(word)}."
        )
        found.append(Finding("marker", text, "caution", (name,)))
    return found


def ranges(table: Table, schema: Schema) -> list[Finding]:
    """Name the columns with values far beyond the usual ones."""
    wild = []
    for column in schema.columns:
        cells = table.columns[column.name]
        if column.role == "number" and cells.dtype.kind in "if":
            values = cells[np.isfinite(cells.astype(np.float64))].astype(np.float64)
            if len(values) and is_wild(values).any():
                wild.append(column.name)
    if not wild:
        return []
    text = f"Values beyond fifty times the usual spread in {listed(wild)}."
    return [Finding("range", text, "caution", tuple(wild))]


def is_wild(values: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Tell which values are beyond fifty times the distance of the quartiles from the median."""
    low, middle, high = np.quantile(values, [0.25, 0.5, 0.75])
    return (high > low) & (np.abs(values - middle) > WILD * (high - low))
