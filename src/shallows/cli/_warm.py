"""`shallows warm`: compile everything now instead of at first use."""

from __future__ import annotations

import contextlib
import doctest
import io
import json
import multiprocessing
import os
import sys
import tempfile
import warnings
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import NamedTuple

import joblib
import numba

import shallows
from shallows._core.contract.registry import Entry, entries
from shallows._core.numerics import kernel_cache
from shallows._core.showing.files import write_text
from shallows.cli._console import open_console
from shallows.cli._errors import UsageError, closest
from shallows.cli._parser import Parser

TOGETHER = 40  # examples that one process runs; more of them share what they import


class Warmed(NamedTuple):
    """Kernels that the examples of some things need, and the things whose example failed."""

    family: str
    kernels: list[tuple[str, str]]
    failed: list[str]


def main(words: list[str]) -> int:
    """Run the example of every public thing, which compiles what it needs."""
    parser = Parser(
        prog="shallows warm",
        description="Compile the loops of all families, or of some, and keep them on disk.\n"
        "Each public thing's own example runs once. Later processes start at full speed.",
    )
    parser.add_argument("family", nargs="*", help="such as cluster; all of them unless given")
    parser.add_argument("--check", action="store_true", help="only say which families are cold")
    parser.add_argument("--jobs", type=int, help="processes at once; one per core unless given")
    options = parser.parse(words)
    for family in options.family:
        if family not in shallows.FAMILIES:
            raise UsageError(f"there is no family {family!r}; {closest(family, shallows.FAMILIES)}")
    if options.jobs is not None and options.jobs < 1:
        raise UsageError(f"--jobs must be at least 1, got {options.jobs}.")
    families = options.family or list(shallows.FAMILIES)
    root = kernel_cache.cache_root()
    if root is None:
        raise UsageError("there is no folder to keep compiled loops in; set NUMBA_CACHE_DIR.")
    if options.check:
        return _check(root, families)
    return _warm(root, families, options.jobs or joblib.cpu_count())


def _warm(root: Path, families: list[str], jobs: int) -> int:
    """Compile in processes of their own, and note what was compiled for whom."""
    from rich.progress import Progress

    console = open_console()
    done: list[Warmed] = []
    tasks = [
        [(entry.family, entry.name) for entry in part]
        for family in families
        for part in _parts(_with_examples(family))
    ]
    spawn = multiprocessing.get_context("spawn")
    with (
        Progress(console=console) as progress,
        ProcessPoolExecutor(jobs, mp_context=spawn, max_tasks_per_child=1) as pool,
    ):
        bar = progress.add_task("compiling", total=sum(map(len, tasks)))
        waiting = {pool.submit(run_examples, task): len(task) for task in tasks}
        for future in as_completed(waiting):
            done.append(future.result())
            progress.advance(bar, waiting[future])

    _note(root, families, done)
    failed = [name for each in done for name in each.failed]
    kernels = {kernel for each in done for kernel in each.kernels}
    console.print(f"{len(kernels)} compiled loops are in {root}.")
    if failed:
        sys.stderr.write(f"shallows: examples that failed: {', '.join(sorted(failed))}.\n")
    return 1 if failed else 0


def run_examples(things: list[tuple[str, str]]) -> Warmed:
    """Run the examples of some things of one family, away from the user's folder."""
    wanted, failed = set(things), []
    runner = doctest.DocTestRunner(
        verbose=False, optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    )
    here = os.getcwd()
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        os.chdir(folder)
        for entry in entries(things[0][0]):
            if (entry.family, entry.name) not in wanted:
                continue
            for example in doctest.DocTestFinder().find(entry.load(), entry.name):
                with contextlib.redirect_stdout(io.StringIO()):
                    outcome = runner.run(example, out=lambda text: None)
                if outcome.failed:
                    failed.append(example.name)
        os.chdir(here)
    return Warmed(things[0][0], sorted(kernel_cache.used), failed)


def _with_examples(family: str) -> list[Entry]:
    return [entry for entry in entries(family) if entry.kind != "experiment"]


def _parts(found: list[Entry]) -> list[list[Entry]]:
    return [found[start : start + TOGETHER] for start in range(0, len(found), TOGETHER)]


def _check(root: Path, families: list[str]) -> int:
    """Print what is cold; the exit code is 1 if anything is."""
    notes = _notes(root)
    cold = [family for family in families if not _is_warm(root, notes.get(family))]
    if cold:
        sys.stdout.write(f"cold: {' '.join(cold)}\n`shallows warm {' '.join(cold)}` compiles.\n")
    else:
        sys.stdout.write("All is warm.\n")
    return 1 if cold else 0


def _is_warm(root: Path, kernels: list[list[str]] | None) -> bool:
    """Return whether the kernels that were noted are there, for the sources of today."""
    if kernels is None:
        return False
    return all(_is_there(root, source, file) for source, file in kernels)


def _is_there(root: Path, source: str, file: str) -> bool:
    return Path(source).exists() and (root / kernel_cache.folder_name(source) / file).exists()


def _note(root: Path, families: list[str], done: list[Warmed]) -> None:
    notes = _notes(root)
    for family in families:
        kernels = {kernel for each in done if each.family == family for kernel in each.kernels}
        # A kernel that another one contains is compiled with it, and not read again later.
        kernels |= {
            (source, file)
            for source, file in notes.get(family, [])
            if _is_there(root, source, file)
        }
        notes[family] = [list(kernel) for kernel in sorted(kernels)]
    write_text(_file(root), json.dumps(notes))


def _notes(root: Path) -> dict[str, list[list[str]]]:
    try:
        notes: dict[str, list[list[str]]] = json.loads(_file(root).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return notes


def _file(root: Path) -> Path:
    """Return where it is noted what an installation has compiled, for each of its versions."""
    python = f"{sys.version_info[0]}{sys.version_info[1]}"
    return root / f"warm-{shallows.__version__}-py{python}-numba{numba.__version__}.json"
