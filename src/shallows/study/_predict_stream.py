"""Predict rows that come as a stream of text, block by block: memory does not grow with rows."""

from __future__ import annotations

import os
import secrets
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, TextIO

from shallows.study._errors import StudyError
from shallows.study._model_file import SavedModel
from shallows.study._over_windows import window_of
from shallows.study._predict import predict

BLOCK_BYTES = 8 * 2**20
SUFFIXES = (".csv", ".tsv", ".txt", ".data")


def predict_stream(
    saved: SavedModel,
    source: BinaryIO,
    out: TextIO,
    *,
    proba: bool = False,
    unknown: str = "missing",
    raw: bool = False,
    reading: Mapping[str, Any] | None = None,
    suffix: str = ".csv",
) -> int:
    """Read delimited text, write a line of CSV for every row, and return their number.

    Blocks end between rows, also where a quoted cell contains line breaks. A model that looks back
    at earlier rows gets all of them at once.
    """
    size = BLOCK_BYTES if window_of(saved.model) == 1 else -1
    done = 0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"rows{suffix}")
        for block in blocks_of(source, size, [c.name for c in saved.schema.columns]):
            path.write_bytes(block)
            try:
                found = predict(saved, path, proba=proba, unknown=unknown, reading=reading)
            except StudyError as error:
                where = f" (after {done:,} rows)" if done else ""
                raise StudyError(str(error).replace(path.name, "the input") + where) from None
            text = found.to_csv(raw)
            out.write(text if not done else text.partition("\n")[2])
            done += len(found.answers)
    out.flush()
    return done


@contextmanager
def text_aside(path: Path) -> Iterator[TextIO]:
    """Open a file under another name, which it leaves for its own when it is whole."""
    target = path.resolve()
    aside = target.with_name(f".{secrets.token_hex(8)}.part")
    try:
        with aside.open("x", encoding="utf-8", newline="") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        aside.replace(target)
    except BaseException:
        aside.unlink(missing_ok=True)
        raise


def blocks_of(source: BinaryIO, size: int, names: list[str]) -> Iterator[bytes]:
    """Yield text in blocks of whole rows, each with the line of names if the first one has it."""
    head = source.readline()
    while head and (not head.strip() or head.startswith(b"#")):
        head = source.readline()
    if not head:
        raise StudyError("The input is empty; it must have rows with the columns of training.")
    text = head.decode("utf-8", "replace")
    has_names = any(name in text for name in names)
    pending = b"" if has_names else head
    while True:
        read = source.read(size)
        pending += read
        if not read:
            break
        end = _last_row_end(pending)
        if end and 0 < size <= len(pending):
            yield (head if has_names else b"") + pending[:end]
            pending = pending[end:]
    if pending.strip() or not has_names:
        yield head + pending if has_names else pending


def _last_row_end(text: bytes) -> int:
    """Return the place after the last line break outside quotes, 0 where there is none."""
    end = text.rfind(b"\n")
    while end >= 0:
        if text.count(b'"', 0, end) % 2 == 0:
            return end + 1
        end = text.rfind(b"\n", 0, end)
    return 0
