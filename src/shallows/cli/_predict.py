"""`shallows predict`: answers of a saved model for the rows of a file."""

from __future__ import annotations

import sys
from pathlib import Path

from shallows.cli._parser import Parser
from shallows.cli._reading import add_reading, reading_of
from shallows.cli._study_errors import fitting_software, user_errors


def main(words: list[str]) -> int:
    """Predict, and write or print CSV."""
    parser = Parser(
        prog="shallows predict",
        description="Predict the rows of a file with a model that a study saved.",
    )
    parser.add_argument("model", type=Path, help="the model.shallows of a study, or its folder")
    parser.add_argument("file", type=Path, help="new rows with the columns of training")
    parser.add_argument(
        "-o", "--out", type=Path, metavar="FILE", help="CSV file to write; printed unless given"
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

    with user_errors():
        if options.out is not None:
            writable(options.out, model_file(options.model), options.file)
        saved = load_model(options.model)
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
