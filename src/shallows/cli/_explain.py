"""`shallows explain`: why a saved model answers a row as it does."""

from __future__ import annotations

import sys
from pathlib import Path

from shallows.cli._errors import UsageError
from shallows.cli._parser import Parser
from shallows.cli._reading import add_reading, reading_of
from shallows.cli._study_errors import fitting_software, user_errors


def main(words: list[str]) -> int:
    """Print what each column adds to the answer."""
    parser = Parser(
        prog="shallows explain",
        description="Say which columns speak for and against a saved model's answer to a row.",
    )
    parser.add_argument("model", type=Path, help="the model.shallows of a study, or its folder")
    parser.add_argument("file", type=Path, help="rows with the columns of training")
    parser.add_argument(
        "--row", type=int, default=0, metavar="N", help="which one, from 0 (the default)"
    )
    parser.add_argument(
        "--seed", type=int, default=0, metavar="N", help="decides in which orders columns are tried"
    )
    add_reading(parser)
    options = parser.parse(words)
    if options.seed < 0:
        raise UsageError(f"--seed must be at least 0, got {options.seed}.")
    reading = reading_of(options)
    from shallows.study import load_model
    from shallows.study._predict import explain_row, read_rows

    with user_errors():
        saved = load_model(options.model)
        table = read_rows(saved, options.file, reading)
        with fitting_software(saved):
            found = explain_row(saved, table, options.row, options.seed)
    sys.stdout.write(found.summary() + "\n")
    return 0
