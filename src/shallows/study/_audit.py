"""Look a table over before anything is learned from it, and say what was found in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from shallows.data import Table
from shallows.study._problem import Problem, class_shares
from shallows.study._schema import Schema, listed
from shallows.validate import find_duplicates, find_leaks

MUCH_MISSING = 0.3
RARE_CLASS = 0.1
SKEWED = 0.5
OUTLIER_ROWS = 20_000  # rows up to which all distances are looked at
ZERO_MARKER_SHARE = 0.02


@dataclass(frozen=True)
class Finding:
    """One thing that a reader of the data should know.

    Parameters
    ----------
    kind : str
        Such as "missing" or "leak".
    text : str
        What was found, in words.
    severity : str
        "note", "caution" or "alarm".
    columns : tuple of str
        The columns it is about.

    Examples
    --------
    >>> from shallows.study import Finding
    >>> Finding("constant", "Column 'unit' has one value only.").severity
    'note'
    """

    kind: str
    text: str
    severity: str = "note"
    columns: tuple[str, ...] = ()


def audit(
    table: Table, whole: Problem | Schema, train: Problem | None, test: Problem | None
) -> list[Finding]:
    """Return what was found in a table; what touches the target looks at training rows alone."""
    schema = whole if isinstance(whole, Schema) else whole.schema
    found = [*_left_out(schema), *_missing(table, schema), *_zero_markers(table, schema)]
    found += _ranges(table, schema)
    if train is None or test is None:
        return found + _duplicates(schema.matrix(table.columns))
    if isinstance(whole, Problem):
        found[:0] = [Finding("target", note, "caution") for note in whole.notes]
    found += _duplicates(np.vstack([train.X, test.X]), train)
    found += [*_between_parts(train, test), *_classes(train), *_row_order(train)]
    return found


def _left_out(schema: Schema) -> list[Finding]:
    by_why: dict[str, list[str]] = {}
    for column in schema.columns:
        if column.role in ("id", "text", "constant"):
            by_why.setdefault(column.why, []).append(column.name)
    return [
        Finding("left out", f"Not used, since {why}: {listed(names)}.", columns=tuple(names))
        for why, names in by_why.items()
    ]


def _missing(table: Table, schema: Schema) -> list[Finding]:
    features = [c for c in schema.columns if c.role in ("number", "category", "ordinal", "date")]
    shares = {c.name: table.missing.get(c.name, 0) / table.n_rows for c in features}
    gappy = {name: share for name, share in shares.items() if share > 0}
    if not gappy:
        return []
    worst = sorted(gappy, key=lambda name: -gappy[name])
    text = f"{len(gappy)} of {len(features)} columns have gaps, most in " + ", ".join(
        f"{name!r} ({gappy[name]:.1%})" for name in worst[:3]
    )
    severity = "caution" if gappy[worst[0]] > MUCH_MISSING else "note"
    return [Finding("missing", text + ".", severity, tuple(worst))]


def _zero_markers(table: Table, schema: Schema) -> list[Finding]:
    """Zeros far below all other values of a positive column may stand for gaps."""
    found = []
    for column in schema.columns:
        cells = table.columns[column.name]
        if column.role != "number" or cells.dtype.kind not in "if":
            continue
        values = cells[~np.isnan(cells.astype(np.float64))].astype(np.float64)
        for marker in (0.0, -1.0, -9.0, -99.0, -999.0, 99999.0):
            share = float(np.mean(values == marker))
            rest = values[values != marker]
            if not ZERO_MARKER_SHARE < share < 0.5 or len(np.unique(rest)) < 10:
                continue
            low, high = np.quantile(rest, [0.005, 0.995])
            if low > 0 and high > 0 and (marker < low - (high - low) / 4 or marker > 2 * high):
                found.append(
                    Finding(
                        "marker",
                        f"{share:.1%} of {column.name!r} are {marker:g}, far from all other "
                        "values: perhaps a sign for missing ones.",
                        "caution",
                        (column.name,),
                    )
                )
    return found


def _ranges(table: Table, schema: Schema) -> list[Finding]:
    wild = []
    for column in schema.columns:
        cells = table.columns[column.name]
        if column.role == "number" and cells.dtype.kind in "if":
            values = cells[np.isfinite(cells.astype(np.float64))].astype(np.float64)
            quarters = np.quantile(values, [0.25, 0.5, 0.75]) if len(values) else np.zeros(3)
            width = quarters[2] - quarters[0]
            if width > 0 and np.abs(values - quarters[1]).max() > 50 * width:
                wild.append(column.name)
    if not wild:
        return []
    text = f"Values beyond fifty times the usual spread in {listed(wild)}."
    return [Finding("range", text, "caution", tuple(wild))]


def _duplicates(X: Any, train: Problem | None = None) -> list[Finding]:
    groups = find_duplicates(X)
    extra = sum(len(rows) - 1 for rows in groups)
    if not extra:
        return []
    text = f"{extra:,} rows are copies of others"
    if train is not None:
        n, y = len(train.y), train.y
        inside = [[row for row in rows if row < n] for rows in groups]
        at_odds = sum(len(set(y[rows].tolist())) > 1 for rows in inside if len(rows) > 1)
        if at_odds:
            text += f"; in {at_odds:,} sets of equal training rows the targets differ"
    severity = "caution" if extra > 0.01 * len(X) else "note"
    return [Finding("duplicates", text + ".", severity)]


def _between_parts(train: Problem, test: Problem) -> list[Finding]:
    leaks = find_leaks(train.X, test.X, train.y)
    names = [feature.name for feature in train.schema.features]
    found = []
    if leaks.duplicates:
        share = len(leaks.duplicates) / len(test.y)
        found.append(
            Finding(
                "overlap",
                f"{len(leaks.duplicates):,} of {len(test.y):,} test rows ({share:.1%}) are also "
                "training rows: for them the test is too easy.",
                "alarm" if share > 0.05 else "caution",
            )
        )
    for place, score in leaks.copies:
        found.append(
            Finding(
                "leak",
                f"{names[place]!r} alone gives the target away ({score:.1%}); if it is not known "
                "when predictions are needed, leave it out with --drop.",
                "alarm",
                (names[place],),
            )
        )
    return found


def _classes(train: Problem) -> list[Finding]:
    if not train.is_classification:
        y = train.y
        spread = y.std()
        skew = float(np.mean((y - y.mean()) ** 3) / spread**3) if spread > 0 else 0.0
        if abs(skew) < 2:
            return []
        return [Finding("target", f"The target is skewed ({skew:+.1f}): a few rows weigh much.")]
    shares = class_shares(train)
    rare = [
        f"{name!r} ({share:.1%})"
        for name, share in zip(train.classes, shares, strict=True)
        if share < min(RARE_CLASS, SKEWED / len(shares))
    ]
    if not rare:
        return []
    return [Finding("imbalance", f"Rare classes: {', '.join(rare)}.", "caution")]


def _row_order(train: Problem) -> list[Finding]:
    """A target that changes much less from row to row than by chance is sorted or a series."""
    if train.order is not None:
        return []
    y = train.y[np.argsort(train.rows, kind="stable")]
    if train.is_classification:
        changes = int(np.sum(y[1:] != y[:-1]))
        expected = (len(y) - 1) * (1 - float(np.sum(np.square(class_shares(train)))))
        ordered = changes < expected / 4
    else:
        ordered = float(np.mean(np.diff(y) ** 2)) < y.var() / 2
    if not ordered:
        return []
    return [
        Finding(
            "order",
            "The target follows the order of the rows. If rows next to each other belong "
            "together, name their --group or --time, or the test will be too easy.",
            "caution",
        )
    ]


def summarize(findings: Sequence[Finding]) -> str:
    """Say how many findings of each severity there are."""
    alarms = sum(finding.severity == "alarm" for finding in findings)
    cautions = sum(finding.severity == "caution" for finding in findings)
    if not alarms and not cautions:
        return "The audit found nothing that would spoil a study."
    return f"The audit found {alarms} serious and {cautions} lesser problems."
