"""Use a saved model: predict the rows of a file, explain one row."""

from __future__ import annotations

import csv
import io
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shallows._core.showing.files import write_text
from shallows.data import Table
from shallows.study._errors import StudyError
from shallows.study._facts import as_table, read_file
from shallows.study._markers import as_reading, read_markers
from shallows.study._measures import chances_of
from shallows.study._model_file import SavedModel
from shallows.study._over_windows import window_of
from shallows.study._problem import times_of
from shallows.study._schema import as_text

Array = NDArray[Any]
# How a formula begins, also in the wide letters of East Asian keyboards.
FORMULA = re.compile(r"[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]")
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
PERMUTATIONS = 20
BLOCK = 50_000


@dataclass(frozen=True)
class Answers:
    """Predictions for the rows of a table.

    Parameters
    ----------
    answers : ndarray
        Class names or numbers.
    chances : ndarray or None
        Probability of every class, where asked for.
    classes : tuple of str
        Names of the columns of `chances`.
    target : str
        What was predicted.

    Examples
    --------
    >>> import numpy as np
    >>> from shallows.study import Answers
    >>> print(Answers(np.array(["a", "b"]), None, ("a", "b"), "kind").to_csv())
    kind
    a
    b
    <BLANKLINE>
    """

    answers: Array
    chances: Array | None
    classes: tuple[str, ...]
    target: str

    def to_csv(self, raw: bool = False) -> str:
        """Return the predictions as CSV text, one line per row in the order of the input.

        Parameters
        ----------
        raw : bool
            Whether names stay as they are. Otherwise an apostrophe is put before those that a
            spreadsheet would run as a formula; numbers are left alone.

        Returns
        -------
        text : str
            A line of names, then the answers.
        """
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        cell = str if raw else no_formula
        named = [f"probability of {name}" for name in self.classes]
        names = [self.target, *(named if self.chances is not None else [])]
        writer.writerow([cell(name) for name in names])
        for place, answer in enumerate(self.answers):
            more = [] if self.chances is None else [f"{p:.6g}" for p in self.chances[place]]
            writer.writerow([cell(answer) if isinstance(answer, str) else f"{answer:.10g}", *more])
        return text.getvalue()


def predict(
    saved: SavedModel,
    data: Any,
    *,
    proba: bool = False,
    unknown: str = "missing",
    reading: Mapping[str, Any] | None = None,
) -> Answers:
    """Predict every row of a table, or say which column does not fit.

    Parameters
    ----------
    saved : SavedModel
        From `load_model`.
    data : path, Table, data frame, mapping or array
        The new rows, with the columns of training; a target among them is not looked at. An array
        has all columns of training but the target, in their order.
    proba : bool
        Whether to give probabilities, too.
    unknown : {"missing", "error"}
        What to do with categories that training did not have.
    reading : mapping, optional
        How to read a file: delimiter, decimal, encoding, sheet.

    Returns
    -------
    answers : Answers
        One prediction per row.
    """
    table = _rows_of(saved, data, reading)
    X, order = encode(saved, table, unknown), _by_time(saved, table)
    X, past = X[order], window_of(saved.model) - 1
    codes = np.empty(len(X), dtype=np.intp if saved.classes else np.float64)
    chances = np.empty((len(X), len(saved.classes))) if proba else None
    for start in range(0, len(X), BLOCK):
        seen = min(past, start)
        part, places = X[start - seen : start + BLOCK], order[start : start + BLOCK]
        codes[places] = np.asarray(saved.model.predict(part))[seen:]
        if chances is not None:
            chances[places] = _probabilities(saved, part)[seen:]
    answers = np.array(saved.classes, dtype=object)[codes] if saved.classes else codes
    return Answers(answers, chances, saved.classes, saved.target)


def read_rows(
    saved: SavedModel, path: str | Path, reading: Mapping[str, Any] | None = None
) -> Table:
    """Read new rows for a model, in the forms and with the gaps that its training had."""
    markers = as_reading(read_markers(saved.missing))
    return read_file(path, forms=saved.schema.forms, **markers, **(reading or {}))


def _rows_of(saved: SavedModel, data: Any, reading: Mapping[str, Any] | None) -> Table:
    """Return new rows as a table, in whatever form they came."""
    if isinstance(data, Table):
        return data
    if isinstance(data, str | Path):
        return read_rows(saved, data, reading)
    if not hasattr(data, "keys"):
        rows = np.asarray(data)
        names = [column.name for column in saved.schema.columns if column.role != "target"]
        if rows.ndim != 2 or rows.shape[1] != len(names):
            raise StudyError(
                f"An array must have the {len(names)} columns of training without the target, got "
                f"shape {rows.shape}; a data frame needs only those that the model uses."
            )
        # Of an array of objects each column gets the type of its own cells.
        columns = (
            [np.array(column.tolist()) for column in rows.T] if rows.dtype == object else rows.T
        )
        data = dict(zip(names, columns, strict=True))
    return as_table(data, read_markers(saved.missing))


def _by_time(saved: SavedModel, table: Table) -> Array:
    """Return the order in which a model takes the rows: by time, if it looks back at all."""
    time = saved.schema.named("time")
    if time is None or window_of(saved.model) == 1:
        return np.arange(table.n_rows)
    if time.name not in table.columns:
        raise StudyError(
            f"The data lack column {time.name!r}; {saved.name} needs it to know which rows come "
            "before a row."
        )
    return times_of(table, time.name).argsort(kind="stable")


def encode(saved: SavedModel, table: Table, unknown: str = "missing") -> NDArray[np.float64]:
    """Return the rows of a table as the model takes them."""
    saved.schema.check(table.types, table.missing, table.n_rows)
    return saved.schema.matrix(table.columns, unknown)


def no_formula(cell: str) -> str:
    """Return text that no spreadsheet takes for a formula; a number stays one."""
    return f"'{cell}" if FORMULA.match(cell) and not NUMBER.fullmatch(cell) else cell


def write_answers(answers: Answers, path: Path, raw: bool = False) -> Path:
    """Write predictions to a CSV file."""
    try:
        return write_text(path, answers.to_csv(raw))
    except OSError as error:  # which would name the unfinished file
        raise StudyError(f"{path} can't be written ({error.strerror}).") from None


def writable(path: Path, *read: Path) -> Path:
    """Return a path at which a file can be written, or say why there can be none."""
    if any(path.exists() and each.exists() and path.samefile(each) for each in read):
        raise StudyError(f"{path} is read and would be lost; name another file to write.")
    if path.is_dir():
        raise StudyError(f"{path} is a folder; name the file to write in it.")
    if not path.parent.is_dir():
        raise StudyError(
            f"There is no folder {path.parent} to write {path.name} in; make it first."
        )
    if not os.access(path.parent, os.W_OK):
        raise StudyError(f"The folder {path.parent} can't be written to.")
    return path


@dataclass(frozen=True)
class RowExplanation:
    """Why a model answers a row as it does.

    Parameters
    ----------
    answer : str
        The prediction.
    value, usual : float
        What the model says of the row, and its mean over training rows: the predicted number,
        or the probability of the predicted class.
    parts : tuple of (str, str, float)
        Column, its content in the row, and what it adds to `usual`; they sum to `value`.

    Examples
    --------
    >>> from shallows.study import RowExplanation
    >>> print(RowExplanation("ill", 0.9, 0.4, (("fever", "39.5", 0.5),)).summary())
    The answer is ill (0.9; usually 0.4).
      +0.5  fever = 39.5
    """

    answer: str
    value: float
    usual: float
    parts: tuple[tuple[str, str, float], ...]

    def summary(self, most: int = 12) -> str:
        """Say which columns speak for and against the answer, the strongest first.

        Parameters
        ----------
        most : int
            Columns to name.

        Returns
        -------
        text : str
            One line per column.
        """
        lines = [f"The answer is {self.answer} ({self.value:.3g}; usually {self.usual:.3g})."]
        ordered = sorted(self.parts, key=lambda part: -abs(part[2]))
        lines += [f"  {share:+.3g}  {name} = {cell}" for name, cell, share in ordered[:most]]
        return "\n".join(lines)


def explain_row(saved: SavedModel, table: Table, row: int = 0, seed: int = 0) -> RowExplanation:
    """Share out the difference between a row's answer and the usual one among its columns.

    Columns of a background row take the values of the row one after the other, in random orders
    and their reverses; what the answer gains at each step belongs to the column. These are
    Shapley values by sampling: they sum to the difference exactly. Where a model looks back at
    earlier rows, a column takes its values in all of them.

    Parameters
    ----------
    saved : SavedModel
        From `load_model`.
    table : Table
        Rows with the columns of training.
    row : int
        Which of them to explain.
    seed : int
        Decides the orders.

    Returns
    -------
    explanation : RowExplanation
        What each column adds.
    """
    X = encode(saved, table)
    if not 0 <= row < len(X):
        raise StudyError(f"There is no row {row}; the data have rows 0 to {len(X) - 1}.")
    by_time, window = _by_time(saved, table), window_of(saved.model)
    present = int(np.flatnonzero(by_time == row)[0])
    x = X[by_time[np.maximum(np.arange(present - window + 1, present + 1), 0)]]
    starts = range(len(saved.background) - window + 1)
    background = np.stack([saved.background[i : i + window] for i in starts])
    code = np.asarray(saved.model.predict(x))[-1]

    def value(blocks: Array) -> Array:
        rows = blocks.reshape(-1, x.shape[1])
        if not saved.classes:
            return np.asarray(saved.model.predict(rows))[window - 1 :: window]
        return _probabilities(saved, rows)[window - 1 :: window, code]

    n, d = len(background), x.shape[1]
    rng = np.random.default_rng(seed)
    orders = [rng.permutation(d) for _ in range(PERMUTATIONS // 2)]
    orders += [order[::-1] for order in orders]
    shares = np.zeros(d)
    for order in orders:
        steps = np.repeat(background[None], d + 1, axis=0)
        for step, place in enumerate(order, start=1):
            steps[step:, :, :, place] = x[:, place]
        means = value(steps).reshape(d + 1, n).mean(axis=1)
        shares[order] += np.diff(means) / len(orders)
    answer = saved.classes[code] if saved.classes else f"{code:.6g}"
    by_column: dict[str, float] = {}
    for feature, share in zip(saved.schema.features, shares, strict=True):
        name = feature.column.name
        by_column[name] = by_column.get(name, 0.0) + float(share)
    cells = {name: as_text(table.columns[name][row : row + 1])[0] for name in by_column}
    parts = [(name, cells[name] or "missing", share) for name, share in by_column.items()]
    usual = float(value(background).mean())
    return RowExplanation(answer, float(value(x)[0]), usual, tuple(parts))


def _probabilities(saved: SavedModel, X: Array) -> Array:
    if not saved.classes:
        raise StudyError(
            f"{saved.name} predicts numbers, which have no probabilities; leave --proba out."
        )
    return chances_of(saved.model, X, len(saved.classes))
