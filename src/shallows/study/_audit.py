"""Look a table over before anything is learned from it, and say what was found in words."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shallows.data import Table
from shallows.outlier import GammaIndex
from shallows.study._audit_columns import is_wild, look_at_columns
from shallows.study._facts import read_data
from shallows.study._finding import Finding
from shallows.study._problem import (
    FEWEST_GROUPS,
    Problem,
    build_problem,
    class_shares,
    lock_test_part,
)
from shallows.study._roles import infer_schema
from shallows.study._schema import Schema, as_text, looks_like_id
from shallows.validate import find_duplicates, find_leaks

RARE_CLASS = 0.1
SKEWED = 0.5
OUTLIER_ROWS = 20_000  # rows up to which all distances are looked at
NEIGHBOURS, FAR = 5, 5.0
TEST_SHARE = 0.25
MUCH_OVERLAP = 0.05
HARDLY = 0.05  # of what there would be by chance
TELLS_APART = ("text", "group", "time")  # roles that are not learned from


def audit(
    data: Any,
    target: str | None = None,
    *,
    drop: Sequence[str] = (),
    role: Mapping[str, str] | None = None,
    missing: Sequence[str | float] = (),
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
    missing : sequence of str or float
        What stands for a gap beside empty cells: values such as -999 and "not asked" in any
        column, "income=-1" in one.
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
    table = read_data(data, None, seed, {}, missing)
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
    found = look_at_columns(table, schema)
    if train is None or test is None:
        X = schema.matrix(table.columns)
        whole_rows = np.hstack([X, _told_apart(table, schema)])
        return [*found, *_duplicates(whole_rows), *_outliers(X, np.arange(len(X)))]
    if isinstance(whole, Problem):
        found[:0] = [Finding("target", note, "caution") for note in whole.notes]
    codes = _told_apart(table, schema)
    trained, tested = (np.hstack([part.X, codes[part.rows]]) for part in (train, test))
    found += _duplicates(np.vstack([trained, tested]), train)
    leaks = _leaks(train)
    named = {name for leak in leaks for name in leak.columns}
    found += [*_overlap(copied_rows(table, train, test), test), *leaks]
    found += [*_same_words(table, train, named), *_classes(train), *_row_order(train)]
    return found + _outliers(train.X, train.rows)


def copied_rows(table: Table, train: Problem, test: Problem) -> NDArray[np.intp]:
    """Return the places of test rows that equal training rows in all but the target."""
    codes = _told_apart(table, train.schema)
    trained, tested = (np.hstack([part.X, codes[part.rows]]) for part in (train, test))
    shared = find_leaks(trained, tested).duplicates
    return np.array([place for place, _ in shared], dtype=np.intp)


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
            f"{_rows(len(far))} far from all others (gamma index): {shown}, counted from 0.",
            "caution" if len(far) > RARE_CLASS * len(X) else "note",
        )
    ]


def _rows(n: int) -> str:
    return "1 row is" if n == 1 else f"{n:,} rows are"


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


def _duplicates(X: Any, train: Problem | None = None) -> list[Finding]:
    groups = find_duplicates(X)
    extra = sum(len(rows) - 1 for rows in groups)
    if not extra:
        return []
    text = f"{_rows(extra)} {'a copy of another' if extra == 1 else 'copies of others'}"
    if train is not None:
        n, y = len(train.y), train.y
        inside = [[row for row in rows if row < n] for rows in groups]
        at_odds = sum(len(set(y[rows].tolist())) > 1 for rows in inside if len(rows) > 1)
        if at_odds:
            text += f"; in {at_odds:,} sets of equal training rows the targets differ"
    severity = "caution" if extra > 0.01 * len(X) else "note"
    return [Finding("duplicates", text + ".", severity)]


def _overlap(copied: NDArray[np.intp], test: Problem) -> list[Finding]:
    if not len(copied):
        return []
    share = len(copied) / len(test.y)
    text = f"{len(copied):,} of {len(test.y):,} test rows ({100 * share:.1f} %) "
    if all(feature.is_category or feature.levels for feature in test.schema.features):
        text += "agree with training rows in every column, as happens where all are categories."
        return [Finding("overlap", text)]
    text += "are also training rows: for them the test is too easy."
    return [Finding("overlap", text, "alarm" if share > MUCH_OVERLAP else "caution")]


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


def _same_words(table: Table, train: Problem, named: set[str]) -> list[Finding]:
    """Columns of words, used or not, whose rows of the same word have the same target.

    Such a column names what rows belong to, or is the target in other words. What is left of the
    target within words is compared with what there would be if targets were dealt out anew.
    """
    if train.groups is not None:
        return []
    dealt = np.random.default_rng(0).permutation(train.y)
    found = []
    for column in train.schema.columns:
        label = column.role == "number" and column.type == "integer" and looks_like_id(column.name)
        if column.name in named or not (label or column.role in ("category", "text", "id")):
            continue
        words = as_text(table.columns[column.name])[train.rows].astype(str)
        of_row = np.unique(words, return_inverse=True)[1]
        left, by_chance = (_left_within(of_row, y, train) for y in (train.y, dealt))
        if left > HARDLY * by_chance or by_chance < HARDLY * _left_within(0 * of_row, dealt, train):
            continue
        if of_row.max() + 1 < FEWEST_GROUPS:
            text = (
                f"{column.name!r} alone nearly gives the target away; if it is not known when "
                "predictions are needed, leave it out with --drop."
            )
            found.append(Finding("leak", text, "caution", (column.name,)))
            continue
        text = (
            f"Rows that agree in {column.name!r} have nearly always the same target. If they "
            f"belong together, as those of one patient do, use --group {column.name!r}, else the "
            "test is too easy; if it is not known when predictions are needed, use --drop."
        )
        found.append(Finding("group", text, "alarm", (column.name,)))
    return found


def _left_within(of_row: NDArray[np.intp], y: NDArray[Any], train: Problem) -> float:
    """Return how much targets differ from the most frequent one, or the mean, of their word."""
    sizes = np.bincount(of_row)
    if train.is_classification:
        counts = np.zeros((len(sizes), len(train.classes)))
        np.add.at(counts, (of_row, y), 1)
        return float(len(y) - counts.max(axis=1).sum())
    means = np.bincount(of_row, y) / sizes
    return float(np.sum((y - means[of_row]) ** 2))


def _classes(train: Problem) -> list[Finding]:
    if not train.is_classification:
        y = train.y
        spread = y.std()
        skew = float(np.mean((y - y.mean()) ** 3) / spread**3) if spread > 0 else 0.0
        if abs(skew) < 2:
            return []
        text = (
            f"The target is skewed ({skew:+.1f}): a few rows weigh much. With --measure mae, or "
            "the logarithm as the target, they weigh less."
        )
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
    wild = train.rows[is_wild(train.y)]
    if not len(wild):
        return []
    shown = ", ".join(str(row) for row in wild[:5])
    many = "1 row" if len(wild) == 1 else f"{len(wild):,} rows"
    text = (
        f"In {many} the target is beyond fifty times its usual spread: {shown}, "
        "counted from 0. If these are mistakes, mend them."
    )
    return [Finding("target", text, "caution")]


def _row_order(train: Problem) -> list[Finding]:
    """A target that changes much less from row to row than by chance is sorted or a series."""
    if train.order is not None or train.groups is not None:
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
