"""Options of commands that read a table: how a text file is written, where in a file it is."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from codecs import lookup
from typing import Any

from shallows.cli._errors import UsageError

NAMES = ("delimiter", "decimal", "encoding", "sheet")


def add_reading(parser: ArgumentParser | Any) -> None:
    """Add the options to a parser, or to a group of its options."""
    parser.add_argument(
        "--delimiter",
        type=lambda sign: "\t" if sign == "\\t" else sign,
        metavar="SIGN",
        help="between cells of a text file; found out unless given",
    )
    parser.add_argument(
        "--decimal", choices=[".", ","], help="decimal sign of a text or Excel file"
    )
    parser.add_argument("--encoding", metavar="NAME", help="of a text file, such as latin-1")
    parser.add_argument("--sheet", metavar="NAME", help="of an Excel file; the first unless given")


def reading_of(options: Namespace) -> dict[str, Any]:
    """Return what was said about the file."""
    if options.delimiter is not None and len(options.delimiter) != 1:
        raise UsageError(f"--delimiter must be one sign, got {options.delimiter!r}.")
    if options.encoding is not None:
        try:
            lookup(options.encoding)
        except LookupError:
            raise UsageError(
                f"--encoding must be one that Python knows, such as utf-8, latin-1 or cp1252, got "
                f"{options.encoding!r}."
            ) from None
    given = {name: getattr(options, name) for name in NAMES}
    return {name: value for name, value in given.items() if value is not None}
