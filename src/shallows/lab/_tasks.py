"""What a worker may be asked to do: functions that can be named across processes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from shallows._core.contract.registry import Entry
from shallows.lab._declaration import Declaration
from shallows.lab._failure import Failure, failure_of
from shallows.lab._progress import Report
from shallows.lab._result import Result
from shallows.lab._values import Value


def run_experiment(report: Report, entry: Entry, parameters: Mapping[str, Value]) -> Result:
    """Run an experiment and report how far it is."""
    result: Result = entry.load().run(parameters, report=report)
    return result


def describe(report: Report, entries: Sequence[Entry]) -> dict[str, Declaration | Failure]:
    """Return what experiments ask and take, or why one can't be imported."""
    found: dict[str, Declaration | Failure] = {}
    for entry in entries:
        try:
            found[entry.name] = entry.load().declaration
        except Exception as error:
            found[entry.name] = failure_of(error)
    return found
