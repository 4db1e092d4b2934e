"""Compiled kernels on disk: where they are kept, for how long, and what to do where nothing can be.

numba's own cache sits in ``__pycache__``, fails at import where that can't be written, keeps what
an upgrade has replaced, and may mix up two signatures when two processes write at once. Here a
kernel's file is named after what it was made from: the content of its source file, the options of
the compiler, numba, Python, the processor, and the types of the arguments. So nothing is ever
stale, two processes write the same bytes under the same name, and installations share.
"""

from __future__ import annotations

import hashlib
import inspect
import os
import pickle
import secrets
import shutil
import stat
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import numba
from numba.core import caching, serialize

LARGEST = 512 * 2**20  # bytes that all kernels together may take
DAY = 24 * 3600.0
used: set[tuple[str, str]] = set()  # source and kernel files that this process wrote or read


class KernelCache(caching.FunctionCache):
    """The compiled forms of one function, a file for each signature."""

    def __init__(self, function: Callable[..., Any], options: str):
        self._options = options
        super().__init__(function)
        # The content of the source is read now: later the file may hold another version.
        self._cache_file = _Entries(inspect.getfile(function), function.__qualname__)

    def _index_key(self, sig: Any, codegen: Any) -> tuple[Any, ...]:
        return (super()._index_key(sig, codegen), self._options, numba.__version__)


class _Entries:
    """Files of one kernel; what can't be read is compiled again, what can't be written is not."""

    def __init__(self, source: str, name: str):
        self.source, self.folder, self.name = source, folder_name(source), name

    def save(self, key: Any, data: Any) -> None:
        root = cache_root()
        if root is None:
            return
        folder = root / self.folder
        aside = folder / f"{secrets.token_hex(8)}.part"
        try:
            folder.mkdir(exist_ok=True)
            aside.write_bytes(serialize.dumps((key, data)))
            aside.replace(folder / self._file(key))
        except OSError:  # such as a full disk
            with suppress(OSError):
                aside.unlink()
            return
        used.add((self.source, self._file(key)))
        with suppress(OSError):  # another process cleans at the same time
            _keep_small(root)

    def load(self, key: Any) -> Any:
        root = cache_root()
        if root is None:
            return None
        try:
            stored, data = pickle.loads((root / self.folder / self._file(key)).read_bytes())
        except Exception:  # no file, or half a file, which raises what it likes
            return None
        if stored != key:
            return None
        used.add((self.source, self._file(key)))
        _note_use(root / self.folder)
        return data

    def flush(self) -> None:
        root = cache_root()
        for path in (root / self.folder).glob(f"{self.name}-*.nbc") if root else ():
            path.unlink(missing_ok=True)

    def _file(self, key: Any) -> str:
        return f"{self.name}-{_short_hash(repr(key).encode())}.nbc"


class _Locator(caching._CacheLocator):
    """What numba asks of a cache; `_Entries` answers instead."""

    def __init__(self, file: str):
        self._py_file = file  # numba's messages name it

    @classmethod
    def from_function(cls, py_func: Callable[..., Any], py_file: str) -> _Locator:
        return cls(py_file)

    def ensure_cache_path(self) -> None:
        pass

    def get_cache_path(self) -> str:
        return ""

    def get_source_stamp(self) -> str:
        return ""

    def get_disambiguator(self) -> str:
        return ""


class _Implementation(caching.CompileResultCacheImpl):
    def __init__(self, function: Callable[..., Any]):
        self._locator_classes: list[Any] = [_Locator]
        super().__init__(function)


KernelCache._impl_class = _Implementation


@cache
def cache_root() -> Path | None:
    """Return the first folder that can be written to; None, with one warning, if there is none.

    In this order: the environment's ``NUMBA_CACHE_DIR``, the user's cache, a temporary folder that
    belongs to the user alone.
    """
    for folder in (*_chosen(), *_of_the_user()):
        if _is_writable(folder):
            return folder
    for folder in _temporary():
        if _is_writable(folder) and _is_private(folder):
            return folder
    warnings.warn(
        "shallows can't keep its compiled functions: no cache folder can be written to, so each "
        "process compiles anew. Set NUMBA_CACHE_DIR to a folder of yours that can be written to.",
        RuntimeWarning,
        stacklevel=2,
    )
    return None


def _chosen() -> list[Path]:
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    return [Path(chosen)] if chosen else []


def _of_the_user() -> list[Path]:
    """Return the cache folder that the platform gives to the user."""
    if os.environ.get("XDG_CACHE_HOME"):
        return [Path(os.environ["XDG_CACHE_HOME"]) / "shallows" / "kernels"]
    if sys.platform == "win32":
        local = os.environ.get("LOCALAPPDATA")
        return [Path(local) / "shallows" / "kernels"] if local else []
    try:
        home = Path.home()
    except RuntimeError:  # no home is known
        return []
    caches = home / ("Library/Caches" if sys.platform == "darwin" else ".cache")
    return [caches / "shallows" / "kernels"]


def _temporary() -> list[Path]:
    """Return a folder for the user's kernels among the temporary ones."""
    user = os.getuid() if hasattr(os, "getuid") else os.environ.get("USERNAME", "user")
    try:
        return [Path(tempfile.gettempdir()) / f"shallows-kernels-{user}"]
    except FileNotFoundError:  # not even a temporary folder can be written to
        return []


def _is_writable(folder: Path) -> bool:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError:
        return False
    return True


def _is_private(folder: Path) -> bool:
    """Return whether nobody else can put a file there: a kernel that is loaded is run."""
    if not hasattr(os, "getuid"):
        return True  # a temporary folder belongs to the user
    found = folder.lstat()
    closed = not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and closed


@cache
def _note_use(folder: Path) -> None:
    """Touch a folder, at most once a day and a process: the longest unused ones go first."""
    with suppress(OSError):  # a cache that may only be read is never cleaned from here
        if time.time() - folder.stat().st_mtime > DAY:
            os.utime(folder)


@cache
def _keep_small(root: Path) -> None:
    """Remove the folders that were not used for longest, once a process, until the rest fits."""
    folders = [(path.stat().st_mtime, path) for path in root.glob("*-py3*") if path.is_dir()]
    sizes = {path: sum(file.stat().st_size for file in path.iterdir()) for _, path in folders}
    total = sum(sizes.values())
    for _, path in sorted(folders):
        if total <= LARGEST:
            return
        shutil.rmtree(path, ignore_errors=True)
        total -= sizes[path]


@cache
def folder_name(file: str) -> str:
    """Return a name for the kernels of a source file, made from its content."""
    path = Path(file)
    content = path.read_bytes() if path.exists() else file.encode()
    version = f"py{sys.version_info[0]}{sys.version_info[1]}"
    return f"{path.stem.strip('_')}-{_short_hash(content)}-{version}"


def _short_hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:20]
