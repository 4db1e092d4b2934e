"""`shallows explain`: why a saved model answers a row as it does."""

from __future__ import annotations

import sys
from pathlib import Path

from shallows.cli._errors import UsageError
from shallows.cli._parser import Parser


def main(words: list[str]) -> int:
    """Print what each column adds to the answer."""
    parser = Parser(
        prog="shallows explain",
        description="Say which columns speak for and against a saved model's answer to a row.",
    )
    parser.add_argument("model", type=Path, help="the model.skops of a study")
    parser.add_argument("file", type=Path, help="rows with the columns of training")
    parser.add_argument("--row", type=int, default=0, metavar="N", help="which one, from 0")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="decides the orders")
    options = parser.parse(words)
    from shallows.data import read_table
    from shallows.study import StudyError, load_model
    from shallows.study._predict import explain_row

    try:
        saved = load_model(options.model)
        found = explain_row(saved, read_table(options.file), options.row, options.seed)
    except (StudyError, ValueError, OSError) as error:
        raise UsageError(str(error)) from None
    sys.stdout.write(found.summary() + "\n")
    return 0
