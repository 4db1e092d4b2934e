"""What a worker may be asked to do: functions that can be named across processes."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from shallows._core.contract.registry import Entry
from shallows.lab._declaration import Declaration
from shallows.lab._failure import Failure, failure_of
from shallows.lab._playground import PlayDeclaration
from shallows.lab._playgrounds import find_playground
from shallows.lab._progress import Report
from shallows.lab._result import Result
from shallows.lab._values import Value


def run_experiment(report: Report, entry: Entry, parameters: Mapping[str, Value]) -> Result:
    """Run an experiment and report how far it is."""
    result: Result = entry.load().run(parameters, report=report)
    return result


def play(report: Report, name: str, typed: Mapping[str, str]) -> bytes:
    """Return the scene of a playground as JSON, or the sentence that says what is not allowed."""
    try:
        answer = find_playground(name).answer(typed)
    except ValueError as error:
        answer = {"error": str(error)}
    return json.dumps(answer, separators=(",", ":"), allow_nan=False).encode()


def describe(
    report: Report, entries: Sequence[Entry]
) -> dict[str, Declaration | PlayDeclaration | Failure]:
    """Return what experiments or playgrounds ask and take, or why one can't be imported."""
    found: dict[str, Declaration | PlayDeclaration | Failure] = {}
    for entry in entries:
        try:
            found[entry.name] = entry.load().declaration
        except Exception as error:
            found[entry.name] = failure_of(error)
    return found
