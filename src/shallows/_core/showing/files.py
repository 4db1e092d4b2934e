"""Files that are either whole or not there: written aside, then renamed."""

from __future__ import annotations

import os
import secrets
from pathlib import Path


def write_text(path: str | os.PathLike[str], text: str) -> Path:
    """Write a UTF-8 text file so that no reader ever sees half of it.

    The text goes to a new file in the same folder, reaches the disk, and takes the final
    name in one step. On any failure an older file of that name stays as it was.

    Parameters
    ----------
    path : str or path-like
        Where the file shall stand; missing folders are made.
    text : str
        The whole content; line ends are written as they are.

    Returns
    -------
    pathlib.Path
        The path of the written file, links resolved.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     write_text(f"{folder}/notes/today.txt", "all well").read_text()
    'all well'
    """
    return write_bytes(path, text.encode())


def write_bytes(path: str | os.PathLike[str], content: bytes) -> Path:
    """Write a file so that no reader ever sees half of it, as `write_text` does."""
    target = Path(path).resolve()
    target.parent.mkdir(parents=True, exist_ok=True)
    aside = target.with_name(f".{secrets.token_hex(8)}.part")
    try:
        with aside.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        aside.replace(target)
    except BaseException:
        aside.unlink(missing_ok=True)
        raise
    return target
