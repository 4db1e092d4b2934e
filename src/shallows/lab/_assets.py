"""What pages load: scripts and styles, under addresses that change with their content."""

from __future__ import annotations

import gzip
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import NamedTuple

from shallows._core.showing.pages import scripts

VEGA = "vega.js"
KINDS = {"css": "text/css", "js": "text/javascript"}


class Asset(NamedTuple):
    """A file as it is sent."""

    content: bytes
    compressed: bytes
    kind: str


@cache
def address() -> str:
    """Return where all assets stand; it is a hash of them, so that browsers keep them for good."""
    found = sha256(version("vl-convert-python").encode())
    for path, content in sorted(_sources().items()):
        found.update(path.encode() + b"\0" + content + b"\0")
    return f"/assets/{found.hexdigest()[:16]}"


def find_asset(path: str) -> Asset | None:
    """Return the asset at this path below the address, or None."""
    return _packed(path) if path == VEGA or path in _sources() else None


@cache
def _packed(path: str) -> Asset:
    content = scripts().encode() if path == VEGA else _sources()[path]
    return Asset(content, gzip.compress(content), KINDS[path.rpartition(".")[2]])


@cache
def _sources() -> dict[str, bytes]:
    """Return the content of all files of ours by path."""
    common = files("shallows._core.showing.pages") / "templates"
    found = {name: (common / name).read_bytes() for name in ("style.css", "charts.js")}
    return found | _read(files("shallows.lab") / "static", "")


def _read(folder: Traversable, prefix: str) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    for item in folder.iterdir():
        if item.is_dir():
            found |= _read(item, f"{prefix}{item.name}/")
        elif item.name.rpartition(".")[2] in KINDS:
            found[prefix + item.name] = item.read_bytes()
    return found
