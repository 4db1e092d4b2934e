"""What identifies a study: its data, its settings, the command and the software."""

from __future__ import annotations

import hashlib
import platform
import shlex
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import fields
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from shallows.data import Table, read_table
from shallows.data._markers import Markers
from shallows.study._errors import StudyError
from shallows.study._markers import as_reading, empty_cells, read_markers, words_of
from shallows.study._roles import MOST_COLUMNS
from shallows.study._schema import columns, near

if TYPE_CHECKING:
    from shallows.study._study import Study

MOST_ROWS = 200_000  # larger files are sampled
# What may change between the beginning of a study and its continuation.
NOT_PART = ("data", "out", "jobs", "cluster", "resume", "console", "budget", "begun")
DEFAULTS = {"folds": 5, "test_size": 0.25}


def read_data(
    data: Any,
    sample: int | None,
    seed: int,
    reading: Mapping[str, Any],
    missing: Sequence[str | float] = (),
) -> Table:
    """Return a file or columns by name as a table, in a size that a study can handle."""
    markers = read_markers(missing)
    if isinstance(data, str | Path):
        table = read_file(
            data,
            repeated_names="refuse",
            max_rows=sample or MOST_ROWS,
            random_state=seed,
            **as_reading(markers),
            **reading,
        )
    else:
        table = as_table(data, markers)
    if unknown := [name for name in markers.by_column if name not in table.columns]:
        raise StudyError(
            f"{table.path.name} has no {columns(unknown)}, of which --missing tells; "
            f"{near(unknown, list(table.columns))}"
        )
    if len(table.columns) > MOST_COLUMNS:
        raise StudyError(
            f"{table.path.name} has {len(table.columns):,} columns; a study takes "
            f"{MOST_COLUMNS:,}, so drop some before."
        )
    if len(table.columns) < 2:
        raise StudyError(
            f"{table.path.name} has one column only; a study needs a target and something to "
            "predict it from. Is the delimiter right?"
        )
    return table


def read_file(path: str | Path, **settings: Any) -> Table:
    """Read a table, or say what is wrong with the file, by its name."""
    try:
        return read_table(path, **settings)
    except (ValueError, OSError, EOFError, zlib.error) as error:
        text = str(error)
        named = Path(path).name in text
        raise StudyError(text if named else f"{path} can't be read ({text}).") from None


def facts_of(study: Study) -> dict[str, Any]:
    """Return what must not change when a study is resumed, and what it needs to go on."""
    settings = {f.name: getattr(study, f.name) for f in fields(study) if f.name not in NOT_PART}
    settings = {k: dict(v) if isinstance(v, Mapping) else v for k, v in settings.items()}
    settings = {k: list(v) if isinstance(v, tuple) else v for k, v in settings.items()}
    if not isinstance(study.data, str | Path):
        return {"fingerprint": "columns", "source": None, **settings}
    path = Path(study.data)
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return {"fingerprint": digest, "source": str(path.resolve()), **settings}


def digests(table: Table, rows: NDArray[Any]) -> dict[str, str]:
    """Return a few letters per column by which its cells in some rows are known again."""
    found = {}
    for name, cells in table.columns.items():
        part = cells[rows]
        content = repr(part.tolist()).encode() if part.dtype == object else part.tobytes()
        found[name] = hashlib.sha256(content).hexdigest()[:12]
    return found


def command_of(study: Study) -> str:
    """Return the command that repeats a study."""
    words = ["shallows", "study"]
    if isinstance(study.data, str | Path):
        words += [str(study.data), "--target", study.target]
    for name in ("task", "measure", "positive", "group", "time", "sample", "repeats"):
        if getattr(study, name) is not None:
            words += [f"--{name}", str(getattr(study, name))]
    if study.budget is not None:
        words += ["--budget", f"{study.budget:g}s"]
    for name in ("drop", "only", "skip"):
        for each in getattr(study, name):
            words += [f"--{name}", each]
    for marker in words_of(study.missing):
        words.append(f"--missing={marker}")  # it may begin as an option does
    for name, value in study.reading.items():
        words += [f"--{name}", value]
    for column, role in study.role.items():
        words += ["--role", f"{column}={role}"]
    for name, value in DEFAULTS.items():
        if getattr(study, name) != value:
            words += [f"--{name.replace('_', '-')}", str(getattr(study, name))]
    words += [f"--{name}" for name in ("nested", "simple") if getattr(study, name)]
    words += [] if study.refit else ["--no-refit"]
    return shlex.join([*words, "--seed", str(study.seed)])


def versions() -> dict[str, str]:
    """Return the versions that a result depends on."""
    names = ("shallows", "numpy", "scipy", "scikit-learn", "numba")
    return {"python": platform.python_version(), **{name: version(name) for name in names}}


def as_table(data: Any, markers: Markers) -> Table:
    """Return columns by name as a table; a data frame is such a mapping."""
    arrays: dict[str, Any] = {str(name): np.asarray(data[name]) for name in data}
    if strange := [name for name, array in arrays.items() if array.ndim != 1]:
        raise StudyError(
            f"Each name must stand for one column of cells, which {columns(strange)} "
            f"{'does' if len(strange) == 1 else 'do'} not; rename columns of the same name."
        )
    lengths = {len(array) for array in arrays.values()}
    if len(lengths) != 1:
        raise StudyError(f"The columns must be equally long, they have {sorted(lengths)} rows.")
    kinds = {"f": "number", "i": "integer", "u": "integer", "b": "boolean", "M": "time"}
    types, missing = {}, {}
    for name, array in arrays.items():
        if array.dtype.kind not in kinds:
            array = array.astype(object)
        arrays[name] = array = empty_cells(array, markers.of(name))
        if array.dtype.kind == "M":
            gaps = np.isnat(array)
        else:
            gaps = np.array([cell is None or cell != cell for cell in array.tolist()])
        types[name] = "empty" if gaps.all() else kinds.get(array.dtype.kind, "text")
        if types[name] == "time" and np.all(gaps | (array == array.astype("datetime64[D]"))):
            types[name] = "date"
        missing[name] = int(gaps.sum())
    n = lengths.pop()
    return Table(Path("data"), arrays, types, missing, n, n)
