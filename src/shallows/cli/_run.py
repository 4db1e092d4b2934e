"""`shallows run`: run experiments and check their claims."""

from __future__ import annotations

import sys
from argparse import Namespace
from importlib import import_module
from pathlib import Path

from shallows._core.showing.files import write_text
from shallows.cli._console import open_console
from shallows.cli._errors import UsageError, explain
from shallows.cli._parameters import add_parameters, read_parameters
from shallows.cli._parser import Parser
from shallows.lab._catalogue import experiments, find
from shallows.lab._result import Result
from shallows.lab._terminal import show

USAGE = """shallows run NAME [--param value ...] [options]
       shallows run --all [options]"""
EXIT_CODES = "Exit code 0 if all claims hold, 1 if one fails, 2 for a usage error."


def main(words: list[str]) -> int:
    """Run the experiment that the first word names, or all of them."""
    if words and not words[0].startswith("-"):
        return _run_one(words[0], words[1:])
    return _run_all(words)


def _run_one(name: str, words: list[str]) -> int:
    try:
        experiment = find(name)
    except ValueError as error:
        raise UsageError(str(error)) from None
    text = "\n\n".join([experiment.title, experiment.text, EXIT_CODES])
    parser = Parser(prog=f"shallows run {experiment.name}", description=text)
    add_parameters(parser, experiment.parameters.values())
    options = _add_options(parser).parse(words)
    given = read_parameters(vars(options), experiment.parameters.values())
    parameters = {**experiment.quick, **given} if options.quick else given
    try:
        experiment.check(parameters)
    except ValueError as error:
        raise UsageError(str(error)) from None
    _prepare(options)

    result = experiment.run(parameters)
    if options.json:
        sys.stdout.write(result.to_json() + "\n")
    else:
        show(result, open_console())
    _write(result, options)
    return 0 if result.holds else 1


def _run_all(words: list[str]) -> int:
    parser = Parser(
        prog="shallows run",
        usage=USAGE,
        description="Run an experiment and check its claims.\n`shallows list lab` names them, "
        "`shallows run NAME --help` explains one.\n" + EXIT_CODES,
    )
    parser.add_argument("--all", action="store_true", help="run every experiment")
    parser.add_argument(
        "--seed", type=int, default=0, metavar="INT", help="where the random numbers start"
    )
    options = _add_options(parser).parse(words)
    if not options.all:
        raise UsageError("`shallows run` needs a NAME first or --all; `shallows list lab` helps.")
    if options.seed < 0:
        raise UsageError(f"--seed must not be negative, got {options.seed}.")
    _prepare(options)

    console = open_console()
    results, stopped = [], 0
    for experiment in [find(entry.name) for entry in experiments()]:
        quick = experiment.quick if options.quick else {}
        try:
            result = experiment.run({**quick, "seed": options.seed})
        except Exception as error:
            stopped += 1
            sys.stderr.write(f"shallows: {experiment.name} stopped: {explain(error)}\n")
            continue
        results.append(result)
        _write(result, options)
        if not options.json:
            show(result, console, tables=False)

    if options.json:
        sys.stdout.write("[" + ",\n".join(result.to_json() for result in results) + "]\n")
    else:
        claims = [claim.holds for result in results for claim in result.claims]
        console.print(f"{sum(claims)} of {len(claims)} claims hold in {len(results)} experiments.")
    if options.out:
        from shallows.lab._page import index

        write_text(options.out / "index.html", index(results))
        sys.stderr.write(f"Wrote {options.out / 'index.html'}\n")
    return 0 if not stopped and all(result.holds for result in results) else 1


def _add_options(parser: Parser) -> Parser:
    parser.add_argument("--quick", action="store_true", help="small sizes, a second or two")
    parser.add_argument("--out", type=Path, metavar="DIR", help="write pages and JSON to a folder")
    parser.add_argument("--json", action="store_true", help="print JSON instead of tables")
    return parser


def _prepare(options: Namespace) -> None:
    """Find out before the work, not after it, that the folder or a package is missing."""
    if options.out:
        import_module("shallows.lab._page")
        if options.out.exists() and not options.out.is_dir():
            raise UsageError(f"--out must be a folder, got the file {options.out}.")
        options.out.mkdir(parents=True, exist_ok=True)


def _write(result: Result, options: Namespace) -> None:
    if options.out:
        from shallows.lab._page import page

        write_text(options.out / f"{result.name}.json", result.to_json())
        write_text(options.out / f"{result.name}.html", page(result))
        sys.stderr.write(f"Wrote {options.out / result.name}.html and .json\n")
