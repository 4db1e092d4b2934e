"""pytest's side: puts our classes in place, and writes what each test came to as JSON lines."""

from __future__ import annotations

import inspect
import json
import os
import re
import signal
from types import CodeType, FunctionType, ModuleType
from typing import Any

import pytest
from benchmarks.sklearn_suite.classes import put_ours_in_place

OURS: dict[str, type] = {}
HELPERS = "sklearn.utils.", "sklearn.datasets", "sklearn.conftest"
SECONDS = 120
OF_PYTEST = {  # what pytest's rewriting puts into a test
    "_call_assertion_pass",
    "_call_reprcompare",
    "_format_assertmsg",
    "_format_boolop",
    "_format_explanation",
    "_saferepr",
    "_should_repr_global_name",
}


def pytest_configure(config: pytest.Config) -> None:
    if os.environ.get("SKLEARN_SUITE_PLAIN") != "1":
        OURS.update(put_ours_in_place())


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Any:
    """End a test that takes minutes."""

    def ended(*_: object) -> None:
        raise TimeoutError(f"took more than {SECONDS} s")

    signal.signal(signal.SIGALRM, ended)
    signal.alarm(SECONDS)
    try:
        return (yield)
    finally:
        signal.alarm(0)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: Any, call: Any) -> Any:
    report = yield
    if report.when == "call" or report.outcome != "passed":
        error = call.excinfo
        line = {
            "test": item.nodeid.rpartition("/")[2],
            "classes": sorted(classes_of(item)),
            "public": not private_names(item.function),
            "outcome": "skipped" if report.skipped else report.outcome,
            "error": "" if error is None or report.skipped else short(error),
        }
        with open(os.environ["SKLEARN_SUITE_OUT"], "a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
    return report


def short(error: Any) -> str:
    """Return type and first lines of an error."""
    text = re.sub(r"\s+", " ", str(error.value)).strip()
    return f"{error.type.__name__}: {text}"[:300]


def classes_of(item: Any) -> set[str]:
    """Return which of our classes a test is about: those it is given, or else those it names."""
    given = set()
    if hasattr(item, "callspec"):
        for value in item.callspec.params.values():
            for part in value if isinstance(value, list | tuple) else [value]:
                kind = part if isinstance(part, type) else type(part)
                if OURS.get(kind.__name__) is kind:
                    given.add(kind.__name__)
    return given or (names_in(item.function) & OURS.keys())


def private_names(function: Any) -> set[str]:
    """Return the names a test uses that are not public in scikit-learn."""
    found = set()
    place = vars(inspect.getmodule(function))
    for name in names_in(function) - OF_PYTEST:
        value = place.get(name)
        source = getattr(value, "__module__", None) or ""
        if isinstance(value, ModuleType) or source.startswith(HELPERS):
            continue
        helper = isinstance(value, FunctionType) and ".tests." in source
        if name.startswith("_") and not name.startswith("__"):
            if not helper:
                found.add(name)
        elif "._" in source and source.startswith("sklearn."):
            parent = __import__(source.rpartition(".")[0], fromlist=["x"])
            if not hasattr(parent, name):
                found.add(name)
    return found


def names_in(function: Any) -> set[str]:
    """Return the names in a test's code and in that of the helpers in its module."""
    found: set[str] = set()
    waiting, done = [inspect.unwrap(function)], set()
    while waiting:
        part = waiting.pop()
        if part in done:
            continue
        done.add(part)
        names = _names(part.__code__)
        found |= names
        for name in names:
            value = part.__globals__.get(name)
            if isinstance(value, FunctionType) and ".tests." in value.__module__:
                waiting.append(inspect.unwrap(value))
    return found


def _names(code: CodeType) -> set[str]:
    found = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            found |= _names(constant)
    return found
