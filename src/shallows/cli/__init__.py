"""The command `shallows`: one file per subcommand, imported when it is called."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module

from shallows import __version__
from shallows.cli._errors import UsageError, closest, explain

__all__ = ["main"]

COMMANDS = {
    "compare": "finished studies beside each other",
    "explain": "why a saved model answers a row as it does",
    "lab": "experiments in a browser",
    "list": "what there is: estimators, functions, simulators, experiments",
    "predict": "answers of a saved model for new rows",
    "run": "run an experiment and check its claims",
    "study": "from a data file to a validated model and a report",
    "warm": "compile everything now instead of at first use",
}
HELP = """usage: shallows COMMAND [options]

Classical machine learning and neural networks, with the theory attached.

commands:
{commands}

options:
  -h, --help    show this text; after a command, the command's own
  --version     show the version
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line.

    Parameters
    ----------
    argv : sequence of str, optional
        The words after `shallows`; those of the process unless given.

    Returns
    -------
    int
        The exit code: 0 for success, 1 if a claim or the work failed, 2 for a usage error, 130
        if interrupted.

    Examples
    --------
    >>> main(["--version"])
    shallows ...
    0
    """
    words = list(sys.argv[1:] if argv is None else argv)
    try:
        code = _dispatch(words)
        sys.stdout.flush()
        return code
    except KeyboardInterrupt:
        sys.stderr.write("shallows: interrupted.\n")
        return 130
    except BrokenPipeError:
        # The reader has gone; without this Python would complain once more at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except Exception as error:
        if os.environ.get("SHALLOWS_TRACEBACK"):
            raise
        sys.stderr.write(f"shallows: {explain(error, words[0] if words else '')}\n")
        return 2 if isinstance(error, UsageError) else 1


def _dispatch(words: list[str]) -> int:
    command, rest = (words[0], words[1:]) if words else ("--help", [])
    if command in ("-h", "--help"):
        lines = (f"  {name:<13} {text}" for name, text in COMMANDS.items())
        sys.stdout.write(HELP.format(commands="\n".join(lines)))
        return 0
    if command == "--version":
        sys.stdout.write(f"shallows {__version__}\n")
        return 0
    if command not in COMMANDS:
        if command.startswith("-"):
            hint = closest(command, ["--help", "--version"])
            raise UsageError(f"there is no option {command!r}; {hint}")
        raise UsageError(f"there is no command {command!r}; {closest(command, COMMANDS)}")
    code: int = import_module(f"shallows.cli._{command}").main(rest)
    return code
