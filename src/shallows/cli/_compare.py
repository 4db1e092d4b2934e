"""`shallows compare`: two finished studies beside each other."""

from __future__ import annotations

import sys
from pathlib import Path

from shallows.cli._parser import Parser
from shallows.cli._study_errors import user_errors


def main(words: list[str]) -> int:
    """Print whether the choice of one study is better than that of another."""
    parser = Parser(prog="shallows compare", description="Compare the choices of two studies.")
    parser.add_argument("first", type=Path, help="folder of a study")
    parser.add_argument("second", type=Path, help="folder of another study")
    options = parser.parse(words)
    from shallows.study import load_result
    from shallows.study._compare_studies import compare_studies

    with user_errors():
        found = compare_studies(load_result(options.first), load_result(options.second))
    sys.stdout.write(found.text + "\n")
    return 0
