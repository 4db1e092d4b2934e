"""A result on the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.markup import escape
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from shallows.lab._result import Result, Row
from shallows.lab._values import shorten

if TYPE_CHECKING:
    from rich.console import Console

MOST_ROWS = 12


def show(result: Result, console: Console, tables: bool = True) -> None:
    """Print title, rows and claims of a result.

    Parameters
    ----------
    result : Result
        What to show.
    console : rich.console.Console
        Where to show it.
    tables : bool
        Show the recorded rows too.
    """
    console.print(f"\n[bold]{escape(result.title)}[/]  [dim]{result.chapter} · {result.name}[/]\n")
    for name, rows in result.tables.items():
        if rows and tables:
            console.print(
                Padding(
                    _rows(rows, name if len(result.tables) > 1 else ""), (0, 0, 1, 2), expand=False
                )
            )
    console.print(Padding(claims_table(result), (0, 0, 1, 2), expand=False))
    for note in result.notes:
        console.print(Padding(f"[yellow]Note[/] {escape(note)}", (0, 0, 1, 2), expand=False))
    console.print(f"  [bold]{summary(result)}[/] in {result.seconds:.2f} s\n", highlight=False)


def summary(result: Result) -> str:
    """Return how many claims hold."""
    held = sum(claim.holds for claim in result.claims)
    return f"{held} of {len(result.claims)} claims hold"


def claims_table(result: Result) -> Table:
    """Return the claims as a table: mark, sentence, measured, expected."""
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("")
    table.add_column("claim", ratio=1)
    table.add_column("measured", justify="right", no_wrap=True)
    table.add_column("expected", no_wrap=True)
    for claim in result.claims:
        mark = Text("✓", "green") if claim.holds else Text("✗ fails", "bold red")
        table.add_row(mark, Text(claim.text), Text(claim.shown), Text(claim.allowed))
    return table


def _rows(rows: list[Row], title: str) -> Table:
    table = Table(title=title or None, title_justify="left", box=None, padding=(0, 2, 0, 0))
    table.header_style = "dim"
    for name, value in rows[0].items():
        number = isinstance(value, int | float) and not isinstance(value, bool)
        table.add_column(name.replace("_", " "), justify="right" if number else "left")
    half = MOST_ROWS // 2
    short = rows if len(rows) <= MOST_ROWS else rows[:half] + rows[-half:]
    for index, row in enumerate(short):
        if index == half and len(short) < len(rows):
            table.add_row(Text(f"… {len(rows) - len(short)} more", "dim"))
        table.add_row(*(Text(shorten(value)) for value in row.values()))
    return table
