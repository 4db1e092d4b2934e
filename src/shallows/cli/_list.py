"""`shallows list`: what there is, read from the sources without importing it."""

from __future__ import annotations

from itertools import groupby

from rich.table import Table
from rich.text import Text

from shallows._core.contract.registry import Entry, entries
from shallows.cli._console import open_console
from shallows.cli._errors import UsageError, closest
from shallows.cli._parser import Parser

COLORS = {
    "estimator": "cyan",
    "class": "blue",
    "function": "green",
    "simulator": "magenta",
    "experiment": "yellow",
}


def main(words: list[str]) -> int:
    """Print a table of names, kinds and summaries, family by family."""
    parser = Parser(
        prog="shallows list", description="Name everything there is, or what one family has."
    )
    parser.add_argument("family", nargs="?", help="such as cluster, or lab for the experiments")
    family = parser.parse(words).family
    found = [entry for entry in entries() if family in (None, entry.family, _group(entry)[-1])]
    if not found:
        known = sorted({name for entry in entries() for name in (entry.family, _group(entry)[-1])})
        raise UsageError(f"there is no family {family!r}; {closest(family, known)}")
    open_console().print(_table(found))
    return 0


def _table(found: list[Entry]) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), show_header=False)
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(ratio=1)
    for group, members in groupby(sorted(found, key=_group), key=_group):
        table.add_row(Text(" / ".join(group), "bold"))
        for entry in members:
            kind = Text(entry.kind, COLORS[entry.kind])
            table.add_row(Text(f"  {entry.name}"), kind, Text(entry.summary, "dim"))
        table.add_row()
    return table


def _group(entry: Entry) -> tuple[str, ...]:
    """Return the family, for an experiment followed by its chapter."""
    if entry.kind == "experiment":
        return entry.family, entry.module.split(".")[-2]
    return (entry.family,)
