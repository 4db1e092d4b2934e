"""Look a table over before anything is learned from it, and say what was found in words."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shallows.data import Table
from shallows.outlier import GammaIndex
from shallows.study._facts import read_data
from shallows.study._problem import Problem, build_problem, class_shares, lock_test_part
from shallows.study._roles import infer_schema
from shallows.study._schema import Schema, as_text, listed
from shallows.validate import find_duplicates, find_leaks

MUCH_MISSING = 0.3
RARE_CLASS = 0.1
SKEWED = 0.5
OUTLIER_ROWS = 20_000  # rows up to which all distances are looked at
NEIGHBOURS, FAR = 5, 5.0
TEST_SHARE = 0.25
WILD = 50.0  # times the usual spread
MARKER_SHARE = 0.02
MARKERS = (0.0, -1.0, -9.0, -99.0, -999.0, -9999.0, 999.0, 9999.0, 99999.0)
BEYOND = 2.0  # spans of the other values, from which a marker is far whatever their sign
TELLS_APART = ("text", "group", "time")  # roles that are not learned from


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
    data: Any,
    target: str | None = None,
    *,
    drop: Sequence[str] = (),
    role: Mapping[str, str] | None = None,
    seed: int = 0,
) -> list[Finding]:
    """Look a table over: gaps, markers, copies, leaks, rare classes, outliers.

    Parameters
    ----------
    data : path or mapping
        A file, or columns by name (a data frame is one, too).
    target : str, optional
        The column to be predicted. What touches it looks at training rows alone: a quarter of
        the rows is locked away first, as a study does.
    drop : sequence of str
        Columns to leave out.
    role : mapping, optional
        Roles of columns that would be taken for something else.
    seed : int
        Decides which rows are locked away.

    Returns
    -------
    findings : list of Finding
        What a reader of the data should know.

    Examples
    --------
    >>> from shallows.study import audit
    >>> table = {"size": [1.0, 2.0, 3.0, 4.0] * 10, "unit": ["kg"] * 40, "kind": ["a", "b"] * 20}
    >>> [found.kind for found in audit(table, "kind")]
    ['left out', 'duplicates', 'overlap']
    """
    table = read_data(data, None, seed, {})
    schema = infer_schema(table, target, drop=drop, roles=role or {})
    if target is None:
        return look_over(table, schema, None, None)
    problem = build_problem(table, schema)
    train, test = lock_test_part(problem, TEST_SHARE, seed)
    return look_over(table, problem, problem.part(train), problem.part(test))


def look_over(
    table: Table, whole: Problem | Schema, train: Problem | None, test: Problem | None
) -> list[Finding]:
    """Return what was found in a table; what touches the target looks at training rows alone."""
    schema = whole if isinstance(whole, Schema) else whole.schema
    found = [*_left_out(schema), *_missing(table, schema), *_markers(table, schema)]
    found += _ranges(table, schema)
    if train is None or test is None:
        X = schema.matrix(table.columns)
        whole_rows = np.hstack([X, _told_apart(table, schema)])
        return [*found, *_duplicates(whole_rows), *_outliers(X, np.arange(len(X)))]
    if isinstance(whole, Problem):
        found[:0] = [Finding("target", note, "caution") for note in whole.notes]
    codes = _told_apart(table, schema)
    trained, tested = (np.hstack([part.X, codes[part.rows]]) for part in (train, test))
    found += _duplicates(np.vstack([trained, tested]), train)
    found += [*_overlap(trained, tested), *_leaks(train), *_classes(train), *_row_order(train)]
    return found + _outliers(train.X, train.rows)


def _told_apart(table: Table, schema: Schema) -> NDArray[np.float64]:
    """Return what is not learned from and yet makes two rows different ones, as codes."""
    beside = [column.name for column in schema.columns if column.role in TELLS_APART]
    cells = [table.columns[name] for name in beside]
    words = [each if each.dtype.kind in "ifmM" else as_text(each).astype(str) for each in cells]
    codes = [np.unique(each, return_inverse=True)[1] for each in words]
    return np.array(codes, dtype=np.float64).reshape(len(beside), table.n_rows).T


def _outliers(X: NDArray[np.float64], rows: NDArray[Any]) -> list[Finding]:
    """Rows whose gamma index, on z-scores, is far above the usual one."""
    if not 10 <= len(X) <= OUTLIER_ROWS:
        return []
    with np.errstate(invalid="ignore", divide="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a column may have no value among these rows
        Z = np.nan_to_num((X - np.nanmean(X, axis=0)) / np.nanstd(X, axis=0), posinf=0, neginf=0)
    _, far = strange_rows(Z)
    if not len(far):
        return []
    shown = ", ".join(str(row) for row in rows[far[:5]])
    return [
        Finding(
            "outliers",
            f"{len(far):,} rows are far from all others (gamma index): {shown}, counted from 0.",
            "caution" if len(far) > RARE_CLASS * len(X) else "note",
        )
    ]


def strange_rows(Z: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """Return the gamma index of all rows, and the places of those that stand out, farthest first.

    The logarithm of the index is compared with its median in units of its median deviation: tails
    of normal data reach about 3, so that 5 means something else.
    """
    index = np.asarray(GammaIndex(min(NEIGHBOURS, len(Z) - 1)).fit(Z).index_)
    logs = np.log(np.maximum(index, np.finfo(np.float64).tiny))
    middle = np.median(logs)
    spread = 1.4826 * np.median(np.abs(logs - middle))
    far = np.flatnonzero(logs - middle > FAR * max(float(spread), 0.1))
    return index, far[np.argsort(-index[far], kind="stable")]


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
        f"{name!r} ({100 * gappy[name]:.1f} %)" for name in worst[:3]
    )
    severity = "caution" if gappy[worst[0]] > MUCH_MISSING else "note"
    return [Finding("missing", text + ".", severity, tuple(worst))]


def _markers(table: Table, schema: Schema) -> list[Finding]:
    """Zeros or nines far from all other values may stand for gaps."""
    found = []
    for column in schema.columns:
        cells = table.columns[column.name]
        if column.role != "number" or cells.dtype.kind not in "if":
            continue
        values = cells[~np.isnan(cells.astype(np.float64))].astype(np.float64)
        for marker in MARKERS:
            share = float(np.mean(values == marker))
            rest = values[values != marker]
            if not MARKER_SHARE < share < 0.5 or len(np.unique(rest)) < 10:
                continue
            low, high = np.quantile(rest, [0.005, 0.995])
            span = high - low
            of_positive = low > 0 and (marker < low - span / 4 or marker > 2 * high)
            if of_positive or marker < low - BEYOND * span or marker > high + BEYOND * span:
                found.append(
                    Finding(
                        "marker",
                        f"{100 * share:.1f} % of {column.name!r} are {marker:g}, far from all "
                        "other values: perhaps a sign for missing ones; if so, empty these cells.",
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
            if len(values) and _is_wild(values).any():
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
    text = "1 row is a copy of another" if extra == 1 else f"{extra:,} rows are copies of others"
    if train is not None:
        n, y = len(train.y), train.y
        inside = [[row for row in rows if row < n] for rows in groups]
        at_odds = sum(len(set(y[rows].tolist())) > 1 for rows in inside if len(rows) > 1)
        if at_odds:
            text += f"; in {at_odds:,} sets of equal training rows the targets differ"
    severity = "caution" if extra > 0.01 * len(X) else "note"
    return [Finding("duplicates", text + ".", severity)]


def _overlap(trained: NDArray[np.float64], tested: NDArray[np.float64]) -> list[Finding]:
    shared = find_leaks(trained, tested).duplicates
    if not shared:
        return []
    share = len(shared) / len(tested)
    return [
        Finding(
            "overlap",
            f"{len(shared):,} of {len(tested):,} test rows ({100 * share:.1f} %) are also training "
            "rows: for them the test is too easy.",
            "alarm" if share > 0.05 else "caution",
        )
    ]


def _leaks(train: Problem) -> list[Finding]:
    names = [feature.name for feature in train.schema.features]
    return [
        Finding(
            "leak",
            f"{names[place]!r} alone gives the target away ({100 * score:.1f} %); if it is not "
            "known when predictions are needed, leave it out with --drop.",
            "alarm",
            (names[place],),
        )
        for place, score in find_leaks(train.X, train.X[:0], train.y).copies
    ]


def _classes(train: Problem) -> list[Finding]:
    if not train.is_classification:
        y = train.y
        spread = y.std()
        skew = float(np.mean((y - y.mean()) ** 3) / spread**3) if spread > 0 else 0.0
        if abs(skew) < 2:
            return []
        text = f"The target is skewed ({skew:+.1f}): a few rows weigh much."
        return [Finding("target", text), *_wild_targets(train)]
    shares = class_shares(train)
    rare = [
        f"{name!r} ({100 * share:.1f} %)"
        for name, share in zip(train.classes, shares, strict=True)
        if share < min(RARE_CLASS, SKEWED / len(shares))
    ]
    if not rare:
        return []
    return [Finding("imbalance", f"Rare classes: {', '.join(rare)}.", "caution")]


def _wild_targets(train: Problem) -> list[Finding]:
    wild = train.rows[_is_wild(train.y)]
    if not len(wild):
        return []
    shown = ", ".join(str(row) for row in wild[:5])
    many = "1 row" if len(wild) == 1 else f"{len(wild):,} rows"
    text = (
        f"In {many} the target is beyond fifty times its usual spread: {shown}, "
        "counted from 0. If these are mistakes, mend them."
    )
    return [Finding("target", text, "caution")]


def _is_wild(values: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Tell which values are beyond fifty times the distance of the quartiles from the median."""
    low, middle, high = np.quantile(values, [0.25, 0.5, 0.75])
    return (high > low) & (np.abs(values - middle) > WILD * (high - low))


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
