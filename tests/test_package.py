"""The package as a whole: import cost, lazy families, docstrings."""

import subprocess
import sys
import time

import pytest
from numpydoc.validate import validate

import shallows
from shallows._core.contract.registry import entries

HEAVY = ("numpy", "scipy", "sklearn", "numba", "pandas", "altair")


def test_import_is_lazy_and_quick():
    code = f"import sys, shallows; print([m for m in {HEAVY} if m in sys.modules])"
    best = float("inf")
    for _ in range(5):
        start = time.perf_counter()
        done = subprocess.run([sys.executable, "-S", "-c", "pass"], capture_output=True, check=True)
        bare = time.perf_counter() - start
        start = time.perf_counter()
        done = subprocess.run(
            [sys.executable, "-X", "importtime", "-c", code],
            capture_output=True,
            text=True,
            check=True,
        )
        best = min(best, time.perf_counter() - start - bare)
        own = [line for line in done.stderr.splitlines() if line.endswith(" shallows")]
        best = min(best, int(own[0].split("|")[1]) / 1e6)
    assert done.stdout.strip() == "[]"
    assert best < 0.05


def test_families_and_studies_need_no_package_of_the_tests():
    """What only the tests install must not be asked for at import."""
    code = """
import importlib, sys
sys.modules["pandas"] = None
import shallows
for family in (*shallows.FAMILIES, "study"):
    importlib.import_module(f"shallows.{family}")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_families_are_attributes():
    assert shallows.prototype.GLVQ is not None
    assert set(shallows.FAMILIES) <= set(dir(shallows))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = shallows.nothing


def public_objects():
    """Every public name and, for classes, each public method that it defines itself."""
    for entry in entries():
        if entry.kind not in ("estimator", "class", "function"):
            continue
        path = f"{entry.module}.{entry.name}"
        yield path
        thing = entry.load()
        if isinstance(thing, type):
            own = [name for name, value in vars(thing).items() if callable(value)]
            yield from (f"{path}.{name}" for name in own if not name.startswith("_"))


# Conventions of ours that differ from numpydoc's own
IGNORED = {
    "GL01",  # the summary stands on the line of the quotes
    "ES01",  # a short summary may say all
    "SA01",  # no See Also lists
    "EX01",  # methods are shown in the example of their class
    "RT02",  # results are named
    "PR08",  # descriptions may start with a formula or a lower-case name
    "PR09",
    "RT04",
    "RT05",
    "SS03",  # a question is a fine summary
    "SS06",  # summaries may take two lines
    "YD01",
    "GL02",
    "GL03",
}


@pytest.mark.parametrize("path", list(public_objects()))
def test_docstring_is_complete(path):
    errors = [(code, text) for code, text in validate(path)["errors"] if code not in IGNORED]
    assert not errors


@pytest.mark.parametrize("entry", entries(), ids=lambda entry: f"{entry.family}.{entry.name}")
def test_docstring_has_an_example(entry):
    if entry.kind in ("estimator", "function"):
        assert ">>>" in entry.load().__doc__
