"""Where a command prints."""

from __future__ import annotations

import sys

from rich.console import Console

WIDTH_OF_A_FILE = 160


def open_console() -> Console:
    """Return a console as wide as the terminal, or wide enough for a file or pipe."""
    width = None if sys.stdout.isatty() else WIDTH_OF_A_FILE
    return Console(width=width, highlight=False, emoji=False)
