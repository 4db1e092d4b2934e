"""Experiments that behave, never end, stop, or vanish; the process of a run imports them."""

import os
import subprocess
import sys
import time
from typing import Annotated, Literal

import numpy as np

from shallows._core.contract.params import PositiveInt, Range
from shallows._core.contract.registry import Entry
from shallows.lab import Run, experiment, line


@experiment(chapter="demo", sources="a book", quick={"n": 2})
def coin(
    n: Annotated[int, Range(1, 500)] = 5,
    share: Annotated[float, Range(0, 1)] = 0.5,
    kind: Literal["fair", "loaded"] = "fair",
    limit: PositiveInt | None = None,
    fast: bool = True,
    *,
    run: Run,
) -> None:
    """Does it hold <always>?

    With `n` tosses and a word that no title has: zebra.

    Parameters
    ----------
    n : int
        How many.
    """
    run.rows(x=range(n), y=range(n), word="a,b")
    run.row("other table", kind=kind, limit=limit, fast=fast)
    run.figure(line("x", "y"))
    run.claim("few rows", n, at_most=100)


@experiment(chapter="odd")
def endless(*, run: Run) -> None:
    """Does it end?"""
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"]) as child:
        for _ in run.progress(range(3), text="outer"):
            for _ in run.progress(iter([1]), text=str(child.pid)):
                time.sleep(600)


@experiment(chapter="odd")
def stopping(*, run: Run) -> None:
    """Does it stop?"""
    raise ZeroDivisionError("unlucky\n<b>day</b>")


@experiment(chapter="odd")
def hungry(*, run: Run) -> None:
    """Does it eat?"""
    eaten = []
    while len(eaten) < 3000:
        eaten.append(np.ones(10**6))


@experiment(chapter="odd")
def vanishing(how: Literal["leave", "die"] = "leave", *, run: Run) -> None:
    """Does it vanish?"""
    if how == "leave":
        os._exit(3)
    os.kill(os.getpid(), 11)


MODULE = "lab.odd_experiments"
ENTRIES = {
    each.name: Entry(each.name, "lab", "experiment", each.title, MODULE, each.__doc__)
    for each in (coin, endless, hungry, stopping, vanishing)
}
