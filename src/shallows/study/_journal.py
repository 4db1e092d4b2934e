"""What a study has found so far, on disk before the next step begins."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shallows.study._errors import StudyError

FILE = "journal.sqlite"
TABLES = """
CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS fits (
    stage TEXT, candidate TEXT, setting TEXT, rung INTEGER,
    scores TEXT NOT NULL, answers BLOB NOT NULL, seconds REAL NOT NULL, note TEXT NOT NULL,
    PRIMARY KEY (stage, candidate, setting, rung)
);
"""


@dataclass(frozen=True)
class Evaluation:
    """Scores of one setting of one candidate on the splits of one rung, and its answers there."""

    scores: tuple[float, ...]
    answers: tuple[NDArray[Any], ...]
    seconds: float
    note: str = ""  # why there are no scores


class Journal:
    """A SQLite file in write-ahead mode, or memory where nothing shall be kept.

    A study writes what it is about first; another one can't open the same file. One process at
    a time holds it.
    """

    def __init__(self, folder: Path | None):
        self._path = None if folder is None else folder / FILE
        self._connection = sqlite3.connect(
            ":memory:" if self._path is None else self._path, timeout=0, isolation_level=None
        )
        try:
            self._connection.execute("PRAGMA locking_mode = EXCLUSIVE")
            self._connection.execute("PRAGMA journal_mode = WAL")
            self._connection.execute("PRAGMA synchronous = FULL")
            self._connection.executescript(TABLES)
        except sqlite3.Error as error:
            self._connection.close()
            raise self._failure(error) from None

    def _failure(self, error: sqlite3.Error) -> StudyError:
        """Say what is wrong with the file, by the code of SQLite's error."""
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # without the extended part
        if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            return StudyError(
                f"{self._path} is in use by another study; wait for it or choose another folder "
                "with --out."
            )
        if code in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_ERROR):
            return StudyError(
                f"{self._path} is not the journal of a study, or it is damaged ({error}); choose "
                "another folder with --out."
            )
        return StudyError(
            f"The journal {self._path} can't be written ({error}); make room on the disk, then go "
            "on with --resume."
        )

    def _do(self, statement: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Execute a statement and return its rows; a failure becomes a sentence."""
        try:
            return self._connection.execute(statement, values).fetchall()
        except sqlite3.Error as error:
            raise self._failure(error) from None

    def begin(self, facts: Mapping[str, Any], *, resume: bool) -> None:
        """Note what the study is about, or check that it is the one that was begun.

        A study that ended before its first evaluation, since its target was mistyped, say, does
        not stand in the way of another.
        """
        known = self.facts() if self._has_begun() else {}
        if not known:
            self._do("BEGIN")
            self._do("DELETE FROM facts")
            for name, value in facts.items():
                self.note(name, value)
            self._do("COMMIT")
            return
        folder = self._path.parent if self._path else Path()
        values = {name: _plain(value) for name, value in facts.items()}
        changed = [name for name, value in values.items() if known.get(name, value) != value]
        if "fingerprint" in changed:
            raise StudyError(
                f"{folder} holds a study of other data ({known.get('source') or 'columns'}, as it "
                "was then); choose another folder with --out."
            )
        changed = [name for name in changed if name != "source"]  # the same data elsewhere
        if changed:
            shown = "; ".join(
                f"{name} was {known.get(name)!r}, is {facts[name]!r}" for name in changed[:2]
            )
            raise StudyError(
                f"{folder} holds another study ({shown}); choose another folder with --out."
            )
        if not resume:
            raise StudyError(
                f"{folder} holds this study already; continue it with --resume or choose another "
                "folder with --out."
            )

    def _has_begun(self) -> bool:
        return bool(self._do("SELECT 1 FROM fits LIMIT 1"))

    def facts(self) -> dict[str, Any]:
        """Return what was noted."""
        rows = self._do("SELECT name, value FROM facts")
        return {name: json.loads(value) for name, value in rows}

    def note(self, name: str, value: Any) -> None:
        """Keep a plain value under a name."""
        self._do("INSERT OR REPLACE INTO facts VALUES (?, ?)", (name, json.dumps(value)))

    def assessed_before(self, choice: tuple[str, str]) -> int:
        """Note a choice that the locked rows assess; return how many others they have before."""
        others = [each for each in self.facts().get("assessed", []) if each != list(choice)]
        self.note("assessed", [*others, list(choice)])
        return len(others)

    def record(self, stage: str, key: tuple[str, str], rung: int, found: Evaluation) -> None:
        """Keep an evaluation; it is on disk when this returns."""
        self._do(
            "INSERT OR REPLACE INTO fits VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                *(stage, *key, rung, json.dumps(found.scores)),
                *(_packed(found.answers), found.seconds, found.note),
            ),
        )

    def known(self, stage: str) -> dict[tuple[str, str, int], Evaluation]:
        """Return the evaluations of a stage by candidate, setting and rung."""
        rows = self._do(
            "SELECT candidate, setting, rung, scores, answers, seconds, note FROM fits "
            "WHERE stage = ?",
            (stage,),
        )
        return {
            (candidate, setting, rung): Evaluation(
                tuple(json.loads(scores)), _unpacked(answers), seconds, note
            )
            for candidate, setting, rung, scores, answers, seconds, note in rows
        }

    def spend(self, seconds: float) -> None:
        """Note how long the study has run, over all its runs."""
        self.note("seconds", seconds)

    def seconds(self) -> float:
        """Return how long earlier runs of the study took."""
        return float(self.facts().get("seconds", 0.0))

    def fitting_seconds(self) -> float:
        """Return the time that all fits took together."""
        found = self._do("SELECT total(seconds) FROM fits")
        return float(found[0][0])

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()


def key_of(setting: Any) -> str:
    """Return a setting as text that is the same in every run."""
    return json.dumps(setting, sort_keys=True)


def read_facts(folder: Path) -> dict[str, Any]:
    """Return what the study in a folder is about."""
    if not (folder / FILE).exists():
        raise StudyError(f"{folder} holds no study to resume; leave --resume out to begin one.")
    journal = Journal(folder)
    try:
        return journal.facts()
    finally:
        journal.close()


def usable_folder(folder: Path) -> Path:
    """Make a folder where there is none, or say why it can't be used."""
    if folder.exists() and not folder.is_dir():
        raise StudyError(f"--out must be a folder, {folder} is a file.")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StudyError(f"The folder {folder} can't be made ({error.strerror}).") from None
    if not os.access(folder, os.W_OK):
        raise StudyError(f"--out must be a folder that can be written to, {folder} can't.")
    return folder


def _packed(answers: tuple[NDArray[Any], ...]) -> bytes:
    file = BytesIO()
    np.savez(file, *answers)
    return file.getvalue()


def _unpacked(content: bytes) -> tuple[NDArray[Any], ...]:
    with np.load(BytesIO(content), allow_pickle=False) as arrays:
        return tuple(arrays[name] for name in arrays.files)


def _plain(value: Any) -> Any:
    return json.loads(json.dumps(value))
