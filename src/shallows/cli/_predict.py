"""`shallows predict`: answers of a saved model for the rows of a file."""

from __future__ import annotations

import sys
from argparse import Namespace
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, TextIO

from shallows.cli._parser import Parser
from shallows.cli._reading import add_reading, reading_of
from shallows.cli._study_errors import fitting_software, user_errors

if TYPE_CHECKING:
    from shallows.study import SavedModel


def main(words: list[str]) -> int:
    """Predict, and write or print CSV."""
    parser = Parser(
        prog="shallows predict",
        description="Predict the rows of a file with a model that a study saved.",
    )
    parser.add_argument("model", type=Path, help="the model.shallows of a study, or its folder")
    parser.add_argument(
        "file",
        type=Path,
        help="new rows with the columns of training; - reads CSV from standard input",
    )
    parser.add_argument(
        "-o",
        "--out",
        type=Path,
        metavar="FILE",
        help="CSV file to write; printed if not given, or -",
    )
    parser.add_argument("--proba", action="store_true", help="probabilities of the classes, too")
    parser.add_argument(
        "--unknown",
        choices=["missing", "error"],
        default="missing",
        help="what a category that training did not have is: a gap (the default) or an error",
    )
    parser.add_argument(
        "--raw",
        action="store_true",
        help="write names as they are; otherwise those that a spreadsheet would run as a formula "
        "begin with an apostrophe",
    )
    add_reading(parser)
    options = parser.parse(words)
    reading = reading_of(options)
    from shallows.study import load_model
    from shallows.study._model_file import model_file
    from shallows.study._predict import predict, writable, write_answers

    streamed = is_text(options.file)
    if options.out is not None and str(options.out) == "-":
        options.out = None
    with user_errors():
        if options.out is not None:
            writable(options.out, model_file(options.model), options.file)
        saved = load_model(options.model)
        if streamed:
            with fitting_software(saved):
                return _by_blocks(saved, options, reading)
        with fitting_software(saved):
            found = predict(
                saved,
                options.file,
                proba=options.proba,
                unknown=options.unknown,
                reading=reading,
            )
        if options.out is None:
            sys.stdout.write(found.to_csv(options.raw))
        else:
            written = write_answers(found, options.out, options.raw)
            sys.stderr.write(f"Wrote {len(found.answers):,} predictions to {written}\n")
    return 0


def is_text(path: Path) -> bool:
    """Tell whether rows come as plain text, which can be read in blocks."""
    from shallows.study._predict_stream import BLOCK_BYTES, SUFFIXES

    if str(path) == "-":
        return True
    large = path.is_file() and path.stat().st_size > 2 * BLOCK_BYTES
    return large and path.suffix.lower() in SUFFIXES


def _by_blocks(saved: SavedModel, options: Namespace, reading: dict[str, Any]) -> int:
    """Predict block by block, from standard input or a large file."""
    from shallows.study._predict_stream import predict_stream, text_aside

    how = {"proba": options.proba, "unknown": options.unknown, "raw": options.raw}
    with ExitStack() as stack:
        source: BinaryIO = sys.stdin.buffer
        suffix = ".csv"
        if str(options.file) != "-":
            source = stack.enter_context(options.file.open("rb"))
            suffix = options.file.suffix
        out: TextIO = sys.stdout
        if options.out is not None:
            out = stack.enter_context(text_aside(options.out))
        done = predict_stream(saved, source, out, reading=reading, suffix=suffix, **how)
    if options.out is not None:
        sys.stderr.write(f"Wrote {done:,} predictions to {options.out}\n")
    return 0
