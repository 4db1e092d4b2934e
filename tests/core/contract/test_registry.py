"""The registry reads the sources; here it is held against what is really there."""

import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import shallows
from shallows._core.contract.registry import entries


def test_every_public_name_of_every_family_is_listed_and_nothing_else():
    for family in shallows.FAMILIES:
        listed = {entry.name for entry in entries(family)}
        assert listed == set(import_module(f"shallows.{family}").__all__)


def test_every_family_folder_is_named():
    folders = {path.parent.name for path in Path(shallows.__file__).parent.glob("*/__init__.py")}
    others = {"_core", "cli", "descent", *shallows.WORKBENCHES}
    assert folders - others == set(shallows.FAMILIES)


@pytest.mark.parametrize("entry", entries(), ids=lambda entry: f"{entry.family}.{entry.name}")
def test_entries_load_and_have_the_kind_they_say(entry):
    thing = entry.load()
    assert entry.summary.endswith((".", "?")) and len(entry.summary) < 100
    if entry.kind == "estimator":
        assert callable(thing.fit)
    elif entry.kind == "simulator":
        assert callable(thing.init) and callable(thing.step)
    else:
        assert callable(thing)


def test_listing_imports_nothing_heavy():
    code = (
        "import sys; from shallows._core.contract.registry import entries; entries();"
        "print({'numpy', 'sklearn', 'numba'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
