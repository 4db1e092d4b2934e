"""Runs commands and Python lines in processes that lack a library; prints what they say."""

import importlib
import io
import json
import os
import sys
import warnings
from contextlib import redirect_stderr, redirect_stdout

import shallows
from shallows._core.contract.extras import EXTRAS
from shallows.cli import main


class Absent:
    """A finder that finds no module of the given packages."""

    def __init__(self, packages):
        self.packages = packages

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in self.packages:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def said_by(action):
    """Return what is said on stderr, or by the exception, where a line of Python is run."""
    errors = io.StringIO()
    with redirect_stderr(errors), redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            if isinstance(action, list):
                main(action)
            else:
                exec(action, {"shallows": shallows})
        except Exception as error:
            return f"{type(error).__name__}: {error}"
    return errors.getvalue()


def every_name():
    """Get every public name of every family and workbench."""
    for family in (*shallows.FAMILIES, *shallows.WORKBENCHES):
        module = getattr(shallows, family)
        for name in module.__all__:
            getattr(module, name)


def run(packages, action):
    """Run an action in a process of its own, without some packages."""
    read, write = os.pipe()
    if not os.fork():
        sys.meta_path.insert(0, Absent(packages))
        if action == "every name":
            every_name()
            text = "got"
        else:
            text = said_by(action)
        os.write(write, text.encode())
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as file:
        found = file.read()
    os.wait()
    return found


if __name__ == "__main__":
    # What all processes need is imported once, before they branch off.
    importlib.import_module("shallows.study._study")
    importlib.import_module("shallows.lab._catalogue")
    assert EXTRAS.keys() & sys.modules.keys() <= {"pandas"}  # scikit-learn imports it
    json.dump([run(*each) for each in json.load(sys.stdin)], sys.stdout)
