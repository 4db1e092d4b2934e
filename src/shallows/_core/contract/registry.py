"""What the package offers, by name, read from the sources without importing them.

A family's ``__init__`` is the only list: each name of its ``__all__`` is an estimator (a
class with `fit`), another class (a result, a splitter), a simulator (a module with `init`
and `step`) or a function. An experiment is a file ``lab/<chapter>/<name>.py``,
a playground a file ``lab/play/<name>.py``.
"""

from __future__ import annotations

import ast
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, NamedTuple

from shallows import FAMILIES

ROOT = Path(__file__).parents[2]
Kind = Literal["estimator", "class", "simulator", "function", "experiment", "playground"]
FILES = "[!_]*.py"
PLAY = "play"  # the folder of playgrounds among the chapters of the lab


class Entry(NamedTuple):
    """One public thing; of an experiment also its whole docstring, in which one may search."""

    name: str
    family: str
    kind: Kind
    summary: str
    module: str
    text: str = ""

    def load(self) -> Any:
        """Import and return it."""
        if self.kind == "simulator":
            return import_module(self.module)
        return getattr(import_module(self.module), self.name)


@cache
def entries(family: str | None = None) -> tuple[Entry, ...]:
    """Return everything offered, or what one family offers, sorted by family and name."""
    found = [entry for name in FAMILIES for entry in _family(name)] + list(experiments())
    chosen = [entry for entry in found if family in (None, entry.family)]
    return tuple(sorted(chosen, key=lambda entry: (entry.family, entry.kind, entry.name)))


def estimators() -> list[type]:
    """Return every estimator class."""
    return [entry.load() for entry in entries() if entry.kind == "estimator"]


def _family(family: str) -> list[Entry]:
    tree = _parse(ROOT / family / "__init__.py")
    imported = {
        alias.asname or alias.name: (node.module or "", alias.name)
        for node in tree.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    return [_entry(name, family, *imported[name]) for name in _exported(tree)]


def _entry(name: str, family: str, module: str, original: str) -> Entry:
    if _path(f"{module}.{original}").exists():
        module = f"{module}.{original}"
        return Entry(name, family, "simulator", _summary(_parse(_path(module))), module)
    for node in _parse(_path(module)).body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef) and node.name == original:
            return Entry(name, family, _kind(node, module), _summary(node), module)
    raise LookupError(f"{family}.__all__ names {name}, but {module} does not define it.")


def _kind(node: ast.ClassDef | ast.FunctionDef, module: str) -> Kind:
    if isinstance(node, ast.FunctionDef):
        return "function"
    return "estimator" if _has_fit(node, module) else "class"


def _has_fit(node: ast.ClassDef, module: str) -> bool:
    """Tell whether a class defines `fit`, or inherits that of one of our own."""
    if any(isinstance(part, ast.FunctionDef) and part.name == "fit" for part in node.body):
        return True
    found = (_find_class(ast.unparse(base), module) for base in node.bases)
    return any(_has_fit(*base) for base in found if base)


def _find_class(name: str, module: str) -> tuple[ast.ClassDef, str] | None:
    """Return a class that a module of ours defines or imports, and the module it is from."""
    for part in _parse(_path(module)).body:
        if isinstance(part, ast.ClassDef) and part.name == name:
            return part, module
        if isinstance(part, ast.ImportFrom) and name in {alias.name for alias in part.names}:
            source = part.module or ""
            return _find_class(name, source) if source.startswith("shallows.") else None
    return None


def playgrounds() -> list[Entry]:
    """Return the playgrounds of the lab, sorted by name."""
    return [
        _only_function(path, "playground") for path in sorted((ROOT / "lab" / PLAY).glob(FILES))
    ]


@cache
def experiments() -> tuple[Entry, ...]:
    """Return the experiments of the lab, sorted by name; the families are not read."""
    paths = (path for path in (ROOT / "lab").glob(f"*/{FILES}") if path.parent.name != PLAY)
    found = [_only_function(path, "experiment") for path in paths]
    return tuple(sorted(found, key=lambda entry: entry.name))


def _only_function(path: Path, kind: Literal["experiment", "playground"]) -> Entry:
    """Return the entry of the function that has the name of its file."""
    name, module = path.stem, f"shallows.lab.{path.parent.name}.{path.stem}"
    for node in _parse(path).body:
        if isinstance(node, ast.FunctionDef) and node.name == name:
            return Entry(name, "lab", kind, _summary(node), module, ast.get_docstring(node) or "")
    raise LookupError(f"{module} must define the {kind} {name}().")


def _exported(tree: ast.Module) -> list[str]:
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return list(ast.literal_eval(node.value))
    return []


def _path(module: str) -> Path:
    return ROOT.parent.joinpath(*module.split(".")).with_suffix(".py")


@cache
def _parse(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def _summary(node: ast.Module | ast.ClassDef | ast.FunctionDef) -> str:
    return (ast.get_docstring(node) or "").partition("\n\n")[0].replace("\n", " ")
